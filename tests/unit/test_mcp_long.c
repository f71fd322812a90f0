/* Messages of hundreds of megabytes (tests/data/mcp/rich_server.py), over pipes, as a body and as an event: read to their end in
 * bounded memory, told as cut, and the next call is as good as any. And odd JSON: every lexeme comes through to the recording. */
#include "base/clock.h"
#include "exec/oracle/record.h"
#include "session_fixture.h"

#define SERVER "/usr/bin/python3 " TASKGEN_SOURCE_DIR "/tests/data/mcp/rich_server.py"

enum { LINE_MIB = 300, MEMORY_KIB = 128 << 10, MOST_MS = 30000 };

static struct session_fixture f;

static void begin(bool http)
{
    struct error *err = NULL;
    session_set_up(&f);
    ck_assert_int_eq(settings_set(&f.settings, "exec.max-line", "16M", NULL), 0);
    struct target_options o = {.spec = http ? "http://127.0.0.1:{port}/mcp" : "mcp:" SERVER,
                               .start = http ? SERVER " http {port}" : NULL,
                               .settings = &f.settings,
                               .ops = f.ops};
    ck_assert_msg(target_new(&o, &f.target, &err) == 0, "%s", err ? err->text : "");
    session_begin(&f);
}

/* The most memory this process ever had, in KiB. */
static long memory_peak(void)
{
    char line[256];
    long peak = -1;
    FILE *status = fopen("/proc/self/status", "re");
    ck_assert_ptr_nonnull(status);
    while (peak < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtol(line + 6, NULL, 10);
    fclose(status);
    return peak;
}

static const struct {
    bool http;
    const char *tool;
} ways[] = {{false, "long"}, {false, "long-late"}, {true, "long"}, {true, "long-late"}, {true, "long-sse"}, {true, "long-sse-late"}};

START_TEST(very_long)
{
    begin(ways[_i].http);
    long before = memory_peak();
    int64_t start = clock_monotonic_ns();
    const char *args = arena_printf(&f.arena, "{\"name\":\"%s\",\"arguments\":{\"size\":%d}}", ways[_i].tool, LINE_MIB << 20);
    f.call = fixture_call(&f, "call", fixture_json(&f, args));
    f.call.timeout_ms = MOST_MS;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    const struct outcome *o = &f.call.outcome;
    ck_assert_msg(o->class == OUTCOME_OK, "%s", said_words(&f));
    ck_assert(o->truncated);
    ASSERT_BYTES(o->message, "the reply is longer than exec.max-line");
    ck_assert_uint_gt(o->bytes_out, (uint64_t)LINE_MIB << 20);
    ck_assert_int_lt(clock_monotonic_ns() - start, MOST_MS * INT64_C(1000000));
    long grown = memory_peak() - before;
    ck_assert_msg(grown < MEMORY_KIB, "memory grew by %ld KiB", grown);
    ASSERT_OK("call", "{\"name\":\"echo\",\"arguments\":{\"text\":\"still here\"}}");
    ASSERT_BYTES(result_bytes(&f, "content"), "still here");
    session_tear_down(&f);
}
END_TEST

static const char task_text[] =
    "{\"domain\":\"d\",\"format\":\"taskgen/task/1\",\"instruction\":\"x\","
    "\"steps\":[{\"args\":{\"name\":\"odd\"},\"id\":\"s1\",\"op\":\"call\"}],\"workflow\":\"w\"}";

static const char odd[] = "{\"big\":18446744073709551616,\"huge\":1e999,\"zero\":-0,\"one\":1.0,\"twice\":1,\"twice\":2,\"lone\":\"\\ud800\","
                          "\"nul\":\"\\u0000\",\"tenth\":0.10,\"nested\":[[{\"a\":1E2}]]}";

static void assert_odd(const struct outcome *o)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    json_write(&text, json_get(o->result, "structured"), JSON_COMPACT);
    ck_assert_str_eq(buf_string(&text), odd);
    buf_release(&text);
}

/* From the wire to the outcome, from there to a recording, and back. */
START_TEST(lexemes)
{
    begin(_i == 1);
    struct task *task = NULL, *read = NULL;
    struct error *err = NULL;
    ck_assert_msg(task_read(f.ops, bytes_of_string(task_text), "test", &task, &err) == 0, "%s", err ? err->text : "");
    ASSERT_OK("call", "{\"name\":\"odd\"}");
    assert_odd(&f.call.outcome);
    struct observation seen = {.step = task->steps, .args = f.call.args, .outcome = f.call.outcome};
    struct execution e = {.task = task, .arena = &f.arena, .observations = &seen, .count = 1, .executed = true}, again;
    struct buf text;
    buf_init(&text, 1 << 20);
    execution_write(&e, &text);
    ck_assert_msg(execution_read(f.ops, buf_bytes(&text), "test", &f.arena, &again, &read, &err) == 0, "%s", err ? err->text : "");
    ck_assert_uint_eq(again.count, 1);
    assert_odd(&again.observations[0].outcome);
    buf_release(&text);
    task_free(task);
    task_free(read);
    session_tear_down(&f);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_loop_test(tests, very_long, 0, sizeof ways / sizeof *ways);
    tcase_add_loop_test(tests, lexemes, 0, 2);
}

int main(void)
{
    return unit_main("mcp_long", fill);
}
