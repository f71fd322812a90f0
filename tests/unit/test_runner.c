/* The runner against real targets: commands in our box, and leakybox with one planted fault at a time. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "exec/oracle/check.h"
#include "exec/oracle/record.h"
#include "exec/runner.h"
#include "exec/witness.h"
#include "oracle_case.h"
#include "session_fixture.h"

static struct session_fixture f;
static struct task *task;
static struct execution e;
static bool possible;

static void set_up(void)
{
    const char *why = NULL;
    session_set_up(&f);
    possible = box_possible(&why);
    if (!possible)
        printf("not tested: no box here: %s\n", why);
    task = NULL;
}

static void tear_down(void)
{
    task_free(task);
    session_tear_down(&f);
}

/* `more` are members that the task has beside its steps. */
static void read_text(const char *steps, const char *more)
{
    struct error *err = NULL;
    const char *text = arena_printf(
        &f.arena, "{\"format\":\"taskgen/task/1\",\"instruction\":\"test\",\"steps\":%s%s}", steps, more);
    task_free(task);
    task = NULL;
    ck_assert_msg(task_read(f.ops, bytes_of_string(text), "test", &task, &err) == 0, "%s",
                  err ? err->text : "");
}

static void read_task(const char *steps, const char *expect)
{
    read_text(arena_printf(&f.arena, "[%s]", steps), arena_printf(&f.arena, ",\"expect\":[%s]", expect));
}

static int execute(const char *steps, const char *expect, struct error **err)
{
    read_task(steps, expect);
    return runner_execute(f.target, task, &f.arena, NULL, &e, err);
}

/* Must come to an execution. */
static void run(const char *steps, const char *expect)
{
    struct error *err = NULL;
    ck_assert_msg(execute(steps, expect, &err) == 0, "%s", err ? err->text : "");
    ck_assert(!e.harness);
}

static struct verdicts judged(void)
{
    struct verdicts v = {.arena = &f.arena};
    oracle_judge(&e, &v);
    return v;
}

static const char *first_check(void)
{
    struct verdicts v = judged();
    return v.count ? arena_string(&f.arena, bytes_of_string(v.items[0].check)) : "none";
}

static void must_pass(void)
{
    const char *why = NULL;
    ck_assert_msg(oracle_passed(&e, &why, &f.arena), "%s", why ? why : "");
    ck_assert_str_eq(first_check(), "none");
}

#define SH(id, script)                                                                                       \
    "{\"id\":\"" id "\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":\"" script "\"}}"
#define WRITE(id, path, content)                                                                             \
    "{\"id\":\"" id "\",\"op\":\"write\",\"args\":{\"path\":\"" path "\",\"content\":\"" content "\"}}"

START_TEST(plain_task)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    run(WRITE("s1", "a.txt", "hello\\n") ",{\"id\":\"s2\",\"op\":\"read\",\"args\":{\"path\":\"a.txt\"}}," SH(
            "s3", "cat a.txt; ls -A"),
        "{\"step\":\"s3\",\"exit\":0},{\"file\":\"a.txt\",\"equals\":\"hello\\n\"},{\"file\":\"b.txt\","
        "\"exists\":false}");
    ck_assert(e.executed && !e.skip_reason && !e.target_died);
    ck_assert_uint_eq(e.count, 3);
    ck_assert(e.observations[0].before.by == WITNESS_OUTSIDE && !e.observations[0].before.exists);
    ck_assert(e.observations[0].after.exists && e.observations[1].before.have_data);
    ASSERT_BYTES(e.observations[0].after.data, "hello\n");
    /* No object of ours was there while the task ran. */
    ASSERT_BYTES(json_as_text(json_get(e.observations[2].outcome.result, "stdout")), "hello\na.txt\n");
    ck_assert(e.control.made && e.control.answered);
    ck_assert_uint_eq(e.final_count, 2);
    ck_assert_uint_eq(e.leftover_count, 0);
    must_pass();
}
END_TEST

START_TEST(needs_that_are_missing)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    run("{\"id\":\"s1\",\"op\":\"tab-open\",\"args\":{}}", "");
    ck_assert(!e.executed);
    ck_assert_uint_eq(e.count, 0);
    ck_assert_str_eq(e.skip_reason, "browser");
    ck_assert_str_eq(first_check(), "none");
    /* Now it is known, and the next such task needs no session. */
    ck_assert(target_lacks(f.target, "browser") && !target_lacks(f.target, "write"));
    int64_t first = e.ns;
    run("{\"id\":\"s1\",\"op\":\"tab-open\",\"args\":{}}", "");
    ck_assert_str_eq(e.skip_reason, "browser");
    ck_assert(first > 0 && e.ns == 0);
}
END_TEST

START_TEST(groups_rounds_and_references)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    run(WRITE("s1", "log", "") ","
                               "{\"id\":\"s2\",\"op\":\"append\",\"args\":{\"path\":\"log\",\"content\":"
                               "\"one\\n\"},\"group\":\"g\",\"repeat\":3},"
                               "{\"id\":\"s3\",\"op\":\"append\",\"args\":{\"path\":\"log\",\"content\":"
                               "\"two\\n\"},\"group\":\"g\"},"
                               "{\"id\":\"s4\",\"op\":\"read\",\"args\":{\"path\":\"log\"},\"repeat\":2},"
                               "{\"id\":\"s5\",\"op\":\"write\",\"args\":{\"path\":\"copy\",\"content\":{\"$"
                               "from\":\"s4\",\"at\":\"/content\"}}},"
                               "{\"id\":\"s6\",\"op\":\"idle\",\"args\":{\"ms\":30}}",
        "{\"file\":\"log\",\"lines\":4},{\"file\":\"copy\",\"lines\":4}");
    ck_assert_uint_eq(e.count, 9);
    ck_assert(e.observations[1].in_group && e.observations[4].in_group && !e.observations[5].in_group);
    ck_assert(e.observations[3].round == 2 && e.observations[6].round == 1);
    ck_assert_int_ge(e.observations[8].outcome.ns, 29 * 1000000);
    must_pass();
}
END_TEST

START_TEST(close_and_reopen)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    run(WRITE("s1", "a", "kept") ",{\"id\":\"s2\",\"op\":\"close\",\"args\":{}},{\"id\":\"s3\",\"op\":"
                                 "\"idle\",\"args\":{\"ms\":1}},"
                                 "{\"id\":\"s4\",\"op\":\"reopen\",\"args\":{}},{\"id\":\"s5\",\"op\":"
                                 "\"read\",\"args\":{\"path\":\"a\"}}",
        "{\"step\":\"s5\",\"at\":\"/content\",\"equals\":\"kept\"}");
    ck_assert(e.executed && !e.target_died && e.control.answered);
    must_pass();
    run(WRITE("s1", "a", "kept") ",{\"id\":\"s2\",\"op\":\"close\",\"args\":{}}",
        "{\"file\":\"a\",\"equals\":\"kept\"}");
    ck_assert(e.executed && !e.target_died && !e.control.made);
    must_pass();
}
END_TEST

/* Names that turn up in the root and stay, where a step was refused, and files around the session's end. */
START_TEST(what_the_root_shows)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    run(SH("s1", "touch stays goes") "," SH("s2", "rm goes; touch .taskgen-x") "," WRITE("s3", "a", "kept") "," WRITE("s4", "stays/b", "no") ",{\"id\":\"s5\",\"op\":\"write\",\"group\":\"g\",\"args\":{\"path\":\"c\",\"content\":\"x\"}},"
        "{\"id\":\"s6\",\"op\":\"write\",\"group\":\"g\",\"args\":{\"path\":\"d\",\"content\":\"x\"}}",
        "");
    ck_assert_uint_eq(e.observations[0].appeared_count, 1);
    ASSERT_BYTES(e.observations[0].appeared[0], "stays");
    ck_assert_uint_eq(e.observations[1].appeared_count, 0);
    ck_assert_uint_eq(e.observations[2].appeared_count, 1);
    ck_assert(e.observations[3].outcome.class == OUTCOME_TOOL_ERROR && e.observations[3].parent.kind == 'f');
    ck_assert(e.observations[2].parent.by == WITNESS_NONE && e.observations[4].appeared_count == 0);
    ck_assert_uint_eq(e.kept_count, 3);
    for (size_t i = 0; i < e.kept_count; i++)
        ck_assert(e.kept[i].before.have_data && bytes_equal(e.kept[i].before.data, e.kept[i].after.data));
    ck_assert_str_eq(first_check(), "none");
}
END_TEST

START_TEST(several_sessions)
{
    if (!possible)
        return;
    session_target_new(&f, "demo:none");
    run(WRITE(
            "s1", "a",
            "seen by all") ","
                           "{\"id\":\"s2\",\"op\":\"read\",\"args\":{\"path\":\"a\"},\"session\":\"second\"},"
                           "{\"id\":\"s3\",\"op\":\"write\",\"args\":{\"path\":\"one\",\"content\":"
                           "\"one\\n\"},\"group\":\"g\"},"
                           "{\"id\":\"s4\",\"op\":\"write\",\"args\":{\"path\":\"two\",\"content\":"
                           "\"two\\n\"},\"group\":\"g\",\"session\":\"second\"},"
                           "{\"id\":\"s5\",\"op\":\"write\",\"args\":{\"path\":\"three\",\"content\":"
                           "\"three\\n\"},\"group\":\"g\",\"session\":\"third\"},"
                           "{\"id\":\"s6\",\"op\":\"close\",\"args\":{},\"session\":\"second\"},"
                           "{\"id\":\"s7\",\"op\":\"read\",\"args\":{\"path\":\"two\"},\"session\":"
                           "\"third\"}",
        "{\"step\":\"s2\",\"at\":\"/content\",\"equals\":\"seen by "
        "all\"},{\"file\":\"one\",\"equals\":\"one\\n\"},"
        "{\"step\":\"s7\",\"at\":\"/"
        "content\",\"equals\":\"two\\n\"},{\"file\":\"three\",\"equals\":\"three\\n\"}");
    ck_assert(e.executed && !e.target_died && e.control.answered);
    ck_assert(e.observations[3].in_group && e.observations[3].outcome.class == OUTCOME_OK);
    must_pass();
    /* More than are opened for one task. */
    run("{\"id\":\"s1\",\"op\":\"stat\",\"args\":{\"path\":\"\"},\"session\":\"a\"},{\"id\":\"s2\",\"op\":"
        "\"stat\",\"args\":{\"path\":\"\"},\"session\":\"b\"},"
        "{\"id\":\"s3\",\"op\":\"stat\",\"args\":{\"path\":\"\"},\"session\":\"c\"},{\"id\":\"s4\",\"op\":"
        "\"stat\",\"args\":{\"path\":\"\"},\"session\":\"d\"},"
        "{\"id\":\"s5\",\"op\":\"stat\",\"args\":{\"path\":\"\"},\"session\":\"e\"}",
        "");
    ck_assert_int_eq(e.observations[3].outcome.class, OUTCOME_OK);
    ck_assert_int_eq(e.observations[4].outcome.class, OUTCOME_SKIPPED);
    ck_assert(!e.executed && e.skip_reason);
}
END_TEST

START_TEST(what_outlives_the_session)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    run(SH("s1", "nohup sleep 371 > /dev/null 2>&1 &"), "");
    ck_assert_uint_ge(e.leftover_count, 1);
    ck_assert_str_eq(first_check(), "orphan-left");
    /* A job that we put into the background ourselves is ours to end. */
    run("{\"id\":\"s1\",\"op\":\"start\",\"args\":{\"language\":\"sh\",\"script\":\"sleep 372\"}}", "");
    ck_assert(e.executed);
    must_pass();
}
END_TEST

START_TEST(time_is_bounded)
{
    if (!possible)
        return;
    struct error *err = NULL;
    ck_assert_int_eq(settings_set(&f.settings, "exec.session-timeout", "700ms", &err), 0);
    session_target_new(&f, "exec:");
    int64_t start = clock_monotonic_ns();
    run(SH("s1", "sleep 30") "," WRITE("s2", "a", "x"), "");
    ck_assert_int_lt(clock_monotonic_ns() - start, 20 * 1000000000LL);
    ck_assert_int_eq(e.observations[0].outcome.class, OUTCOME_TIMEOUT);
    ck_assert_int_eq(e.observations[1].outcome.class, OUTCOME_SKIPPED);
    ck_assert(!e.executed && !e.skip_reason);
}
END_TEST

START_TEST(stopped)
{
    if (!possible)
        return;
    session_target_new(&f, "exec:");
    atomic_int stop = 1;
    struct error *err = NULL;
    read_task(SH("s1", "sleep 30"), "");
    ck_assert_int_eq(runner_execute(f.target, task, &f.arena, &stop, &e, &err), ERR_STOP);
    error_free(err);
}
END_TEST

START_TEST(no_session)
{
    if (!possible)
        return;
    session_target_new(&f, "mcp:false");
    struct error *err = NULL;
    ck_assert_int_eq(execute(WRITE("s1", "a", "x"), "", &err), ERR_TARGET);
    ck_assert(err && !strchr(err->text, '\n'));
    error_free(err);
}
END_TEST

/* ---- the inside witness, with a real shell ---- */

static struct file_view inside(struct witness_source *w, struct bytes path, unsigned want)
{
    struct file_view v;
    witness_look_inside(w, path, want, &f.arena, &v);
    return v;
}

START_TEST(inside_witness)
{
    if (!possible)
        return;
    struct witness_source w;
    session_new(&f, "exec:");
    witness_source_init(&w, f.session);
    ck_assert(w.outside && w.inside);
    ck_assert_str_eq(
        sh_out(
            &f,
            "mkdir d; printf 'a\\000b\\377\\n' > d/file; chmod 640 d/file; ln -s d/file l; ln -s nothing n; "
            "mkfifo p; "
            "head -c 100000 /dev/zero > big; head -c 57 /dev/zero > line; head -c 58 /dev/zero > lines; : > ./-rf; printf x > \"d/it's \\\"odd\\\"\nname\"; : > d/.h"),
        "");
    static const char *const paths[] = {
        "d/file", "l", "n", "p", "big", "line", "lines", "-rf", "nothing", "d", "d/it's \"odd\"\nname"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct bytes path = bytes_of_string(paths[i]);
        struct file_view in = inside(&w, path, WANT_ENTRIES), out;
        witness_look_outside(session_root(f.session), path, WANT_ENTRIES, &f.arena, &out);
        ck_assert_msg(in.by == WITNESS_INSIDE && out.by == WITNESS_OUTSIDE, "%s: %s", paths[i],
                      witness_name(in.by));
        ck_assert_msg(in.exists == out.exists && in.kind == out.kind, "%s: %c %c", paths[i], in.kind,
                      out.kind);
        if (in.kind == 'f' || in.kind == 'l') {
            ck_assert_msg(strcmp(in.sha256, out.sha256) == 0, "%s: %s", paths[i], in.sha256);
            ck_assert_msg(in.kind == 'l' || in.mode == out.mode, "%s: %o %o", paths[i], in.mode, out.mode);
            ck_assert(bytes_equal(in.target, out.target));
            ck_assert(!in.have_data || bytes_equal(in.data, out.data));
        }
        ck_assert_uint_eq(in.entry_count, out.entry_count);
        for (size_t k = 0; k < in.entry_count; k++)
            ck_assert(bytes_equal(in.entries[k], out.entries[k]));
    }
    ck_assert(inside(&w, BYTES_LITERAL("d/file"), 0).have_data);
    ck_assert(inside(&w, BYTES_LITERAL("line"), 0).have_data);
    ck_assert(inside(&w, BYTES_LITERAL("lines"), 0).have_data);
    ck_assert(!inside(&w, BYTES_LITERAL("big"), 0).have_data);
    ck_assert(inside(&w, BYTES_NONE, 0).kind == 'd');
    ck_assert_int_eq(inside(&w, BYTES_LITERAL("../x"), 0).by, WITNESS_NONE);
}
END_TEST

START_TEST(inside_search)
{
    if (!possible)
        return;
    struct witness_source w;
    session_new(&f, "exec:");
    witness_source_init(&w, f.session);
    ck_assert_str_eq(sh_out(&f, "mkdir -p \"$HOME/a/b\"; printf wanted > \"$HOME/a/b/x[1]*.txt\"; printf "
                                "other > \"$HOME/a/y.txt\""),
                     "");
    struct bytes found = witness_find_inside(&w, BYTES_LITERAL("x[1]*.txt"), BYTES_LITERAL("wanted"),
                                             &f.arena);
    ck_assert_msg(bytes_ends(found, BYTES_LITERAL("/a/b/x[1]*.txt")), "%.*s", BYTES_ARG(found));
    found = witness_find_inside(&w, BYTES_LITERAL("y.txt"), BYTES_LITERAL("her"), &f.arena); /* it was appended */
    ck_assert_msg(bytes_ends(found, BYTES_LITERAL("/a/y.txt")), "%.*s", BYTES_ARG(found));
    ck_assert_uint_eq(witness_find_inside(&w, BYTES_LITERAL("y.txt"), BYTES_LITERAL("wanted"), &f.arena).len,
                      0);
    ck_assert_uint_eq(witness_find_inside(&w, BYTES_LITERAL("z.txt"), BYTES_LITERAL("wanted"), &f.arena).len,
                      0);
    /* What is another session's is not looked at. */
    ck_assert_str_eq(sh_out(&f, "d=\"$HOME/taskgen-session-abcdef/root\"; mkdir -p \"$d\"; printf wanted > \"$d/z.txt\""), "");
    ck_assert_uint_eq(witness_find_inside(&w, BYTES_LITERAL("z.txt"), BYTES_LITERAL("wanted"), &f.arena).len,
                      0);
}
END_TEST

/* ---- leakybox: one planted fault a time ---- */

static const char *json_of(const struct json *value)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    json_write(&text, value, JSON_COMPACT);
    const char *kept = arena_string(&f.arena, buf_bytes(&text));
    buf_release(&text);
    return kept;
}

/* Sanitizers keep freed memory and lay shadows beside it: what a server's memory grows by is then theirs. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool memory_tells = false;
#else
static const bool memory_tells = true;
#endif

/* A row of tests/data/oracle/planted.json: {"fault","steps","expect","contents","mutations","signatures"}, and
 * "measures_memory" where the fault shows in the server's memory. Without the fault the same task has no verdict. */
static void planted(const struct json *row, bool on)
{
    const char *fault = arena_string(&f.arena, json_as_text(json_get(row, "fault")));
    const char *spec = arena_printf(&f.arena, "demo:%s", on ? fault : "none");
    const struct json *contents = json_get(row, "contents"), *mutations = json_get(row, "mutations");
    const char *more = arena_printf(&f.arena, ",\"expect\":%s%s%s%s%s", json_of(json_get(row, "expect")),
                                    contents ? ",\"contents\":" : "", contents ? json_of(contents) : "",
                                    mutations ? ",\"mutations\":" : "", mutations ? json_of(mutations) : "");
    struct error *err = NULL;
    read_text(json_of(json_get(row, "steps")), more);
    target_free(f.target);
    f.target = NULL;
    session_target_new(&f, spec);
    ck_assert_msg(runner_execute(f.target, task, &f.arena, NULL, &e, &err) == 0, "%s: %s", spec,
                  err ? err->text : "");
    struct verdicts v = judged();
    const struct json *wanted = on ? json_get(row, "signatures")->first : NULL;
    for (size_t i = 0; i < v.count; i++, wanted = wanted->next) {
        struct buf text;
        char key[17];
        buf_init(&text, 4096);
        verdict_signature(&v.items[i], &text, key);
        ck_assert_msg(wanted != NULL, "%s: says %s (%s)", spec, buf_string(&text), v.items[i].evidence);
        ck_assert_msg(bytes_equal(buf_bytes(&text), wanted->text), "%s: says %s, expected %.*s", spec,
                      buf_string(&text), BYTES_ARG(wanted->text));
        buf_release(&text);
    }
    ck_assert_msg(wanted == NULL, "%s: does not say %.*s", spec, wanted ? (int)wanted->text.len : 0,
                  wanted ? (const char *)wanted->text.data : "");
}

START_TEST(planted_faults)
{
    if (!possible)
        return;
    struct error *err = NULL;
    ck_assert_int_eq(settings_set(&f.settings, "exec.probe-timeout", "1500ms", &err), 0);
    ck_assert_int_eq(settings_set(&f.settings, "leftover.limit", "200ms", &err), 0);
    const struct json *row = json_at(oracle_load(&f.arena, ORACLE_DATA "/planted.json"), (size_t)_i);
    if (!row || (json_get(row, "measures_memory") && !memory_tells))
        return;
    planted(row, true);
    planted(row, false);
}
END_TEST

/* The loop test below has room for this many rows. */
enum { PLANTED_ROWS = 64 };

START_TEST(all_planted_rows_are_run)
{
    const struct json *rows = oracle_load(&f.arena, ORACLE_DATA "/planted.json");
    ck_assert_uint_ge(rows->count, 20);
    ck_assert_uint_le(rows->count, PLANTED_ROWS);
}
END_TEST

/* --- mutations that are applied while a task runs, and sessions that tasks share --- */

static void run_mutated(const char *mutator, const char *kind)
{
    read_text("[{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a\",\"content\":\"one\"}},"
              "{\"id\":\"s2\",\"op\":\"write\",\"args\":{\"path\":\"b\",\"content\":\"two\"}},"
              "{\"id\":\"s3\",\"op\":\"read\",\"args\":{\"path\":\"a\"}}]",
              arena_printf(&f.arena,
                           ",\"expect\":[{\"step\":\"s3\",\"at\":\"/content\",\"equals\":\"one\"}],\"mutations\":[{\"mutator\":\"%s\","
                           "\"step\":\"s2\",\"at\":\"/frame\",\"detail\":\"%s: x\",\"before\":{}}]",
                           mutator, kind));
    ck_assert_int_eq(runner_execute(f.target, task, &f.arena, NULL, &e, NULL), 0);
}

static const struct {
    const char *mutator, *kind;
    bool gone;
} endings[] = {
    {"kill-server", "at-once", true}, {"early-close", "half-frame", true}, {"early-close", "broken", true},
    {"stop-server", "short", false},  {"slow-reader", "short", false},     {"split-frame", "two-in-one", false},
};

/* What we end is opened again, the rest of the task goes on on the same root, and nobody is blamed. */
START_TEST(ended_and_begun_again)
{
    if (!possible)
        return;
    session_target_new(&f, "demo:none");
    run_mutated(endings[_i].mutator, endings[_i].kind);
    const struct outcome *o = &e.observations[1].outcome;
    ck_assert_uint_eq(e.count, 3);
    ck_assert(o->fault && o->fault->applied);
    ck_assert(o->gone == endings[_i].gone);
    ck_assert_int_eq(e.observations[2].outcome.class, OUTCOME_OK);
    ck_assert(e.executed && !e.target_died && e.control.made && e.control.answered);
    struct verdicts v = {.arena = &f.arena};
    oracle_judge(&e, &v);
    ck_assert_msg(v.count == 0, "%s: %s", v.items[0].check, v.items[0].evidence);
    const char *why;
    ck_assert_msg(oracle_passed(&e, &why, &f.arena), "%s", why);
}
END_TEST

/* A cancelled program's file is looked at twice, when it should have ended. */
START_TEST(cancelled_work)
{
    if (!possible)
        return;
    session_target_new(&f, "demo:none");
    read_text("[{\"id\":\"s1\",\"op\":\"run\",\"args\":{\"argv\":[\"sh\",\"-c\",\"i=0; while [ $i -lt 60 ]; do echo $i >> taskgen-work.txt; "
              "i=$((i+1)); sleep 0.1; done\"]},\"cancel_after_ms\":400}]", "");
    ck_assert_int_eq(runner_execute(f.target, task, &f.arena, NULL, &e, NULL), 0);
    const struct work_view *w = &e.observations[0].work;
    ck_assert(w->looked && w->first > 0 && w->first == w->second);
}
END_TEST

static int pooled(struct runner_pool *pool, const char *steps)
{
    read_task(steps, "");
    ck_assert_int_eq(runner_execute_pooled(pool, f.target, task, &f.arena, NULL, &e, NULL), 0);
    return e.observations[0].outcome.class;
}

#define READ_A "{\"id\":\"s1\",\"op\":\"read\",\"args\":{\"path\":\"a\"}}"
#define WRITE_A "{\"id\":\"s1\",\"op\":\"write\",\"args\":{\"path\":\"a\",\"content\":\"x\"}}"

/* With task, what one task wrote the next does not see; with never, it does; and after `most` tasks, or one that hurt it, the session is
 * another one. */
START_TEST(shared_sessions)
{
    if (!possible)
        return;
    session_target_new(&f, "demo:none");
    struct runner_pool task_pool = {.reset = RUNNER_RESET_TASK, .most = 10}, never = {.reset = RUNNER_RESET_NEVER, .most = 3},
                       own = {.reset = RUNNER_RESET_SESSION, .most = 10};
    ck_assert_int_eq(pooled(&task_pool, WRITE_A), OUTCOME_OK);
    struct session *first = task_pool.session;
    ck_assert_ptr_nonnull(first);
    ck_assert_int_eq(pooled(&task_pool, READ_A), OUTCOME_TOOL_ERROR);
    ck_assert_ptr_eq(task_pool.session, first);
    ck_assert_int_eq(task_pool.used, 2);
    pooled(&task_pool, "{\"id\":\"s1\",\"op\":\"send\",\"args\":{\"content\":\"{\\n\"}}"); /* in doubt */
    ck_assert_ptr_null(task_pool.session);
    ck_assert_int_eq(pooled(&never, WRITE_A), OUTCOME_OK);
    ck_assert_int_eq(pooled(&never, READ_A), OUTCOME_OK);
    ck_assert_int_eq(pooled(&never, READ_A), OUTCOME_OK); /* the third is its last */
    ck_assert_ptr_null(never.session);
    ck_assert_int_eq(pooled(&never, READ_A), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(pooled(&own, WRITE_A), OUTCOME_OK);
    ck_assert_ptr_null(own.session);
    runner_pool_release(&task_pool);
    runner_pool_release(&never);
    runner_pool_release(&own);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, plain_task);
    tcase_add_test(tests, needs_that_are_missing);
    tcase_add_test(tests, groups_rounds_and_references);
    tcase_add_test(tests, close_and_reopen);
    tcase_add_test(tests, what_the_root_shows);
    tcase_add_test(tests, several_sessions);
    tcase_add_test(tests, what_outlives_the_session);
    tcase_add_test(tests, time_is_bounded);
    tcase_add_test(tests, stopped);
    tcase_add_test(tests, no_session);
    tcase_add_test(tests, inside_witness);
    tcase_add_test(tests, inside_search);
    tcase_add_loop_test(tests, planted_faults, 0, PLANTED_ROWS);
    tcase_add_test(tests, all_planted_rows_are_run);
    tcase_add_loop_test(tests, ended_and_begun_again, 0, sizeof endings / sizeof *endings);
    tcase_add_test(tests, cancelled_work);
    tcase_add_test(tests, shared_sessions);
}

int main(void)
{
    return unit_main("runner", fill);
}
