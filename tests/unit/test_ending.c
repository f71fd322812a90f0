/* exec/ending: what became of a session, from what was observed of it. */
#include "exec/ending.h"

#include "execution_case.h"

static struct ops *ops;
static struct execution_case c;
static struct execution *e;
static struct observation *first, *last;

static void set_up(void)
{
    struct error *err = NULL;
    ck_assert_int_eq(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err), 0);
    case_init(&c, ops);
    e = &c.execution;
    first = case_step(&c, "write", "a");
    last = case_step(&c, "read", "a");
    c.task->steps[0].cancel_after_ms = c.task->steps[1].cancel_after_ms = -1;
    e->control = (struct control){.made = true, .answered = true, .op = "read", .after_step = 1, .fine = 2};
}

static void tear_down(void)
{
    case_release(&c);
    ops_free(ops);
}

static void expect(enum execution_ending want, const char *op)
{
    const char *got_op;
    enum execution_ending got = ending_of(e, &got_op);
    ck_assert_str_eq(execution_ending_name(got), execution_ending_name(want));
    ck_assert_msg(op ? got_op && strcmp(got_op, op) == 0 : !got_op, "put down to %s", got_op ? got_op : "nothing");
}

static void control_fails(const char *what)
{
    e->control = (struct control){.made = true, .op = "read", .what = what, .after_step = 1, .fine = 1};
}

START_TEST(well)
{
    expect(ENDING_WELL, NULL);
    last->outcome.class = OUTCOME_TOOL_ERROR;
    expect(ENDING_WELL, NULL);
    e->count = 0;
    expect(ENDING_WELL, NULL);
}
END_TEST

START_TEST(deaths)
{
    e->target_died = true;
    first->outcome.class = OUTCOME_TARGET_DIED;
    last->outcome.class = OUTCOME_SKIPPED;
    expect(ENDING_DIED, "write");
    e->stderr_tail = BYTES_LITERAL("FATAL ERROR: JavaScript heap out of memory");
    expect(ENDING_OUT_OF_MEMORY, "write");
    e->stderr_tail = BYTES_NONE;
    e->out_of_memory = true;
    expect(ENDING_OUT_OF_MEMORY, "write");
    e->count = 0;
    expect(ENDING_OUT_OF_MEMORY, NULL);
    e->harness = true;
    expect(ENDING_WELL, NULL);
}
END_TEST

/* What is killed as it was asked to be has not perished. */
START_TEST(asked_for)
{
    struct observation *run = case_step(&c, "run", "a");
    json_set(&c.task->arena, run->args, "script", json_text(&c.task->arena, "kill -9 -1"));
    run->outcome.class = OUTCOME_TARGET_DIED;
    c.task->steps[2].cancel_after_ms = -1;
    e->target_died = true;
    expect(ENDING_WELL, NULL);
}
END_TEST

START_TEST(memory_of_one_call)
{
    e->out_of_memory = true;
    expect(ENDING_WELL, NULL); /* something in it was killed, and it went on */
    last->outcome.has_exit = true;
    last->outcome.exit = 137;
    e->driver = "mcp";
    expect(ENDING_WELL, NULL);
    e->driver = "exec";
    expect(ENDING_OUT_OF_MEMORY, "read");
    e->out_of_memory = false;
    expect(ENDING_WELL, NULL);
}
END_TEST

START_TEST(silences)
{
    control_fails("read: timeout");
    last->outcome.class = OUTCOME_TIMEOUT;
    expect(ENDING_SILENT, "read");
    control_fails("read: transport-error");
    expect(ENDING_LOST, "read");
    control_fails("read: ok, but with other bytes");
    expect(ENDING_REFUSING, "read");
}
END_TEST

START_TEST(pages)
{
    struct wire_record crash = {.kind = "note", .detail = "a page crashed", .after_step = 0};
    e->wire = &crash;
    e->wire_count = 1;
    expect(ENDING_PAGE_CRASHED, "write");
    last->killed = 1; /* we did that */
    expect(ENDING_WELL, NULL);
    last->killed = 0;
    crash.detail = "a dialog opened";
    expect(ENDING_WELL, NULL);
}
END_TEST

START_TEST(timeouts)
{
    last->outcome.class = OUTCOME_TIMEOUT;
    expect(ENDING_TIMED_OUT, "read");
    last->outcome.by_us = true;
    expect(ENDING_WELL, NULL);
    last->outcome.by_us = false;
    c.task->steps[1].cancel_after_ms = 10;
    expect(ENDING_WELL, NULL);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, well);
    tcase_add_test(tests, deaths);
    tcase_add_test(tests, asked_for);
    tcase_add_test(tests, memory_of_one_call);
    tcase_add_test(tests, silences);
    tcase_add_test(tests, pages);
    tcase_add_test(tests, timeouts);
}

int main(void)
{
    return unit_main("ending", fill);
}
