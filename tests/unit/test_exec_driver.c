/* The exec driver and sessions: commands in our box alone and in bubblewrap inside it, everything a command
 * can do to whoever waits for it, jobs, prefixes that do not work, budgets, and an end that leaves nothing.
 */
#include <pthread.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "exec/target/session_base.h"
#include "session_fixture.h"

static struct session_fixture f;

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

/* The loop tests' targets. */
static const char *const specs[] = {"exec:", BWRAP};
enum { SPECS = 2 };

static bool start_kind(int kind)
{
    const char *why;
    if (!box_possible(&why)) {
        printf("not tested: no box here: %s\n", why);
        return false;
    }
    session_new(&f, specs[kind % SPECS]);
    return true;
}

START_TEST(runs)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"echo out; echo err >&2; exit 3\"}");
    ck_assert(f.call.outcome.has_exit && f.call.outcome.exit == 3 && f.call.outcome.replies == 1);
    ck_assert_int_eq(result_integer(&f, "exit"), 3);
    ASSERT_BYTES(result_bytes(&f, "stdout"), "out\n");
    ASSERT_BYTES(result_bytes(&f, "stderr"), "err\n");
    ASSERT_BYTES(f.call.outcome.raw, "out\n");
    ck_assert(f.call.outcome.bytes_out == 8 && f.call.outcome.bytes_in > 20 && f.call.outcome.ns > 0);
    ck_assert(!f.call.outcome.truncated && !f.call.outcome.lowered);

    ASSERT_OK("run", "{\"argv\":[\"printf\",\"%s|\",\"a b\",\"\",\"$x'\\\"\",\"-n\"]}");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "a b||$x'\"|-n|");
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"-e\"}"); /* no option */
    ck_assert_int_eq(f.call.outcome.exit, 127);

    ck_assert_str_eq(sh_out(&f, "pwd"), arena_printf(&f.arena, "%s\n", session_root(f.session)));
    ck_assert_str_eq(sh_out(&f, "mkdir -p sub/dir; cat"), "");
    ASSERT_OK("run", "{\"argv\":[\"pwd\"],\"cwd\":\"sub/dir\"}");
    ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "stdout")),
                     arena_printf(&f.arena, "%s/sub/dir\n", session_root(f.session)));
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"echo $A; echo \\\"$B\\\"; echo $HOME; echo "
                     "$SECRET\",\"env\":{\"A\":\"1\",\"B\":\"x\\ny=z\"}}");
    ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "stdout")),
                     arena_printf(&f.arena, "1\nx\ny=z\n%s\n\n", session_home(f.session)));
    ck_assert_str_eq(sh_out(&f, "echo kept > file"), "");
    ck_assert_str_eq(sh_out(&f, "cat file"), "kept\n");
    ck_assert(session_root_visible(f.session));
    ck_assert(session_alive(f.session));
    for (int i = 0; i < 100 && session_processes(f.session, NULL, 0);
         i++) /* a sandbox's init goes a little later */
        clock_sleep_ms(20);
    ck_assert_uint_eq(session_processes(f.session, NULL, 0), 0);
}
END_TEST

/* Every byte, in and out. */
START_TEST(bytes_pass)
{
    if (!start_kind(_i))
        return;
    enum { SIZE = 1 << 20 };
    uint8_t *data = arena_alloc(&f.arena, SIZE);
    for (int i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i * 7 + i / 256);
    struct json *args = fixture_json(&f, "{\"argv\":[\"cat\"]}");
    json_set(&f.arena, args, "stdin", json_string(&f.arena, bytes_of(data, SIZE)));
    ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_OK);
    ck_assert(bytes_equal(result_bytes(&f, "stdout"), bytes_of(data, SIZE)));
    ck_assert_uint_ge(f.call.outcome.bytes_in, SIZE);
    /* A program that does not read what it is given is no trouble. */
    json_replace(json_get(args, "argv"), fixture_json(&f, "[\"true\"]"));
    ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_OK);
    ck_assert_int_eq(f.call.outcome.exit, 0);
}
END_TEST

START_TEST(ends)
{
    static const struct {
        const char *script;
        int exit;
    } rows[] = {{"exit 0", 0},          {"exit 255", 255},        {"kill -9 $$", 137},
                {"kill -TERM $$", 143}, {"no-such-program", 127}, {"kill -SEGV $$", 139}};
    if (!start_kind(_i))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json *args = fixture_json(&f, "{\"language\":\"sh\"}");
        json_set(&f.arena, args, "script", json_text(&f.arena, rows[i].script));
        ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_OK);
        ck_assert_msg(f.call.outcome.exit == rows[i].exit, "%s: %d", rows[i].script, f.call.outcome.exit);
    }
}
END_TEST

START_TEST(languages)
{
    static const struct {
        const char *language, *script, *out;
    } rows[] = {
        {"bash", "x=(a b); echo ${x[1]}", "b\n"},
        {"python", "import sys\nprint('py', sys.stdin.read())", "py in\n"},
        {"node", "console.log('js')", "js\n"},
        {"c",
         "#include <stdio.h>\nint main(void) { int c; puts(\"c\"); while ((c = getchar()) != EOF) "
         "putchar(c); return 0; }",
         "c\nin"},
        {"java", "public class Any { public static void main(String[] a) { System.out.println(\"java\"); } }",
         "java\n"},
        {"rust", "fn main() { println!(\"rust\"); }", "rust\n"},
    };
    if (!start_kind(_i))
        return;
    ck_assert(session_supports(f.session, "run:sh"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!session_supports(f.session, arena_printf(&f.arena, "run:%s", rows[i].language))) {
            printf("not tested: no %s here\n", rows[i].language);
            continue;
        }
        struct json *args = fixture_json(&f, "{\"stdin\":\"in\"}");
        json_set(&f.arena, args, "language", json_text(&f.arena, rows[i].language));
        json_set(&f.arena, args, "script", json_text(&f.arena, rows[i].script));
        f.call.timeout_ms = 60000;
        ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_OK);
        ck_assert_msg(f.call.outcome.exit == 0, "%s: %.*s", rows[i].language,
                      BYTES_ARG(result_bytes(&f, "stderr")));
        ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "stdout")), rows[i].out);
    }
    ASSERT_OK("run", "{\"language\":\"c\",\"script\":\"int main(void) { return 42; }\"}");
    ck_assert_int_eq(f.call.outcome.exit, 42);
    ASSERT_OK("run", "{\"language\":\"c\",\"script\":\"no C\"}");
    ck_assert_int_ne(f.call.outcome.exit, 0);
    ck_assert_str_eq(sh_out(&f, "ls -A /tmp . | grep -c 'tg\\.' || true"),
                     "0\n"); /* nothing is left of compiling */
}
END_TEST

/* Scripts that are no argument: too long, or with a NUL. */
START_TEST(big_scripts)
{
    if (!start_kind(_i))
        return;
    enum { SIZE = 300 * 1024 };
    char *script = arena_alloc(&f.arena, SIZE + 1);
    memset(script, '#', SIZE);
    memcpy(script + SIZE - 9, "\necho end", 9);
    struct json *args = fixture_json(&f, "{\"language\":\"sh\"}");
    json_set(&f.arena, args, "script", json_text(&f.arena, script));
    ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_OK);
    ASSERT_BYTES(result_bytes(&f, "stdout"), "end\n");
    args = fixture_json(&f, "{\"language\":\"python\",\"stdin\":\"in\"}");
    json_set(&f.arena, args, "script",
             json_string(&f.arena,
                         BYTES_LITERAL("import sys\nprint(open(sys.argv[0], 'rb').read().count(0))\n#\0\n")));
    ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_OK);
    ASSERT_BYTES(result_bytes(&f, "stdout"), "1\n");
    ck_assert_str_eq(sh_out(&f, "ls -A"), "");
}
END_TEST

START_TEST(what_cannot_be_said)
{
    static const char *const skipped[] = {
        "{\"argv\":[]}",
        "{\"argv\":[\"echo\",\"a\\u0000b\"]}",
        "{\"argv\":[5]}",
        "{\"argv\":\"echo\"}",
        "{}",
        "{\"language\":\"cobol\",\"script\":\"x\"}",
        "{\"language\":\"sh\"}",
        "{\"script\":\"x\"}",
        "{\"argv\":[\"true\"],\"env\":{\"A=B\":\"1\"}}",
        "{\"argv\":[\"true\"],\"env\":{\"\":\"1\"}}",
        "{\"argv\":[\"true\"],\"env\":{\"A\":\"\\u0000\"}}",
        "{\"argv\":[\"true\"],\"cwd\":\"a\\u0000\"}",
    };
    if (!start_kind(_i))
        return;
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        ck_assert_msg(do_call(&f, "run", skipped[i]) == OUTCOME_SKIPPED, "%s", skipped[i]);
        ck_assert_ptr_nonnull(f.call.outcome.skip_reason);
    }
    ck_assert_int_eq(do_call(&f, "tab-open", "{}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "browser");
    ck_assert_int_eq(do_call(&f, "snapshot", "{\"name\":\"x\"}"), OUTCOME_SKIPPED);
}
END_TEST

START_TEST(what_cannot_be_executed)
{
    if (!start_kind(0))
        return;
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"/no/such/program\"]}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ENOENT);
    ck_assert_int_eq(f.call.outcome.exit, 127);
    ASSERT_BYTES(f.call.outcome.message, "cannot execute '/no/such/program': No such file or directory");
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"/etc/passwd\"]}"), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.exit, 126);
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"true\"],\"cwd\":\"nowhere\"}"), OUTCOME_TOOL_ERROR);
    enum { SIZE = 140 * 1024 };
    char *word = arena_alloc(&f.arena, SIZE + 1);
    memset(word, 'x', SIZE);
    struct json *args = fixture_json(&f, "{\"argv\":[\"echo\"]}");
    json_add(json_get(args, "argv"), json_text(&f.arena, word));
    ck_assert_int_eq(do_args(&f, "run", args), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, E2BIG);
    ck_assert_str_eq(sh_out(&f, "echo still"), "still\n");
}
END_TEST

START_TEST(side_by_side)
{
    enum { MANY = 8 };
    struct call calls[MANY], *list[MANY];
    if (!start_kind(_i))
        return;
    for (int i = 0; i < MANY; i++) {
        calls[i] = fixture_call(
            &f, i % 4 == 3 ? "write" : "run",
            fixture_json(&f, i % 4 == 3
                                 ? arena_printf(&f.arena, "{\"path\":\"f%d\",\"content\":\"x\"}", i)
                                 : arena_printf(&f.arena,
                                                "{\"language\":\"sh\",\"script\":\"echo > in%d; while [ ! -e "
                                                "in%d ]; do sleep 0.01; done; echo %d; exit %d\"}",
                                                i, (i + 1) % 4 == 3 ? (i + 2) % MANY : i + 1, i, i)));
        list[i] = &calls[i];
    }
    /* Each waits for the next one to have begun: one after the other they would wait for ever. */
    session_calls(f.session, list, MANY);
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(calls[i].outcome.class, OUTCOME_OK);
        if (i % 4 != 3)
            ck_assert_int_eq(calls[i].outcome.exit, i);
        else
            ck_assert(calls[i].outcome.lowered);
    }
}
END_TEST

START_TEST(deadlines)
{
    if (!start_kind(_i))
        return;
    static const char *const stubborn[] = {
        "echo begun; sleep 65431",
        "trap '' TERM INT HUP; echo begun; while :; do sleep 65431; done",
        "echo begun; sleep 65431 & wait",
        "echo begun; while :; do :; done",
    };
    for (size_t i = 0; i < sizeof stubborn / sizeof *stubborn; i++) {
        struct json *args = fixture_json(&f, "{\"language\":\"sh\"}");
        json_set(&f.arena, args, "script", json_text(&f.arena, stubborn[i]));
        f.call = fixture_call(&f, "run", args);
        f.call.timeout_ms = 1000;
        int64_t before = fixture_ms();
        session_calls(f.session, (struct call *[]){&f.call}, 1);
        ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
        ASSERT_BYTES(result_bytes(&f, "stdout"), "begun\n");
        ASSERT_BYTES(f.call.outcome.message, "no end within 1000 ms");
        ck_assert(!f.call.outcome.has_exit && f.call.outcome.replies == 0);
        ck_assert_int_lt(fixture_ms() - before, 10000);
        ck_assert_int_ge(f.call.outcome.ns / 1000000, 1000);
    }
    ck_assert_int_eq(fixture_count("65431"), 0);
    ck_assert_str_eq(sh_out(&f, "echo still"), "still\n");
}
END_TEST

START_TEST(cancelling)
{
    if (!start_kind(_i))
        return;
    f.call = fixture_call(
        &f, "run", fixture_json(&f, "{\"language\":\"sh\",\"script\":\"echo begun; exec sleep 65432\"}"));
    f.call.cancel_after_ms = 900;
    int64_t before = fixture_ms();
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_lt(fixture_ms() - before, 10000);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_OK);
    ck_assert_int_eq(f.call.outcome.exit, 137);
    ASSERT_BYTES(f.call.outcome.message, "cancelled after 900 ms");
    ASSERT_BYTES(result_bytes(&f, "stdout"), "begun\n");
    ck_assert_int_eq(fixture_count("65432"), 0);
}
END_TEST

/* A child in the background keeps the pipes: the call is over soon after its process, and the child is seen.
 */
START_TEST(children_that_stay)
{
    if (!start_kind(0))
        return;
    int64_t before = fixture_ms();
    const char *out = sh_out(
        &f, "(trap '' HUP; sleep 2; echo very late; sleep 0.2; echo later; exec sleep 65433) & echo now");
    ck_assert_str_eq(out, "now\n");
    ck_assert_int_lt(fixture_ms() - before, 1900);
    struct process_info info[4];
    ck_assert_uint_ge(session_processes(f.session, info, 4), 1);
    for (int i = 0;
         i < 200 && (session_processes(f.session, info, 4) != 1 || strcmp(info[0].name, "sleep") != 0); i++)
        clock_sleep_ms(50);
    ck_assert_str_eq(sh_out(&f, "echo next"), "next\n");
    ck_assert_uint_eq(session_processes(f.session, info, 4), 1); /* it could write: its pipe was not closed */
    ck_assert_str_eq(info[0].command, "sleep 65433");
    ck_assert_uint_eq(session_end(f.session, info, 4), 1);
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"true\"]}"), OUTCOME_SKIPPED);
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(fixture_count("65433"), 0);
}
END_TEST

START_TEST(floods)
{
    struct rusage before, after;
    settings_set(&f.settings, "exec.max-reply", "1M", NULL);
    if (!start_kind(_i))
        return;
    getrusage(RUSAGE_SELF, &before);
    ASSERT_OK("run", "{\"language\":\"sh\",\"script\":\"head -c 536870912 /dev/zero; head -c 3000000 "
                     "/dev/zero >&2; echo end\"}");
    getrusage(RUSAGE_SELF, &after);
    ck_assert(f.call.outcome.truncated);
    ck_assert_uint_eq(f.call.outcome.bytes_out, 536870912 + 3000000 + 4);
    ck_assert_uint_eq(result_bytes(&f, "stdout").len, 1 << 20);
    ck_assert_uint_eq(result_bytes(&f, "stderr").len, 1 << 20);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 64 << 10);
    f.call = fixture_call(&f, "run", fixture_json(&f, "{\"argv\":[\"yes\"]}")); /* without end */
    f.call.timeout_ms = 500;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_TIMEOUT);
    ck_assert(f.call.outcome.truncated);
}
END_TEST

/* Many files, each within the limit: the session is stopped before the disk is full. */
START_TEST(disks_that_fill)
{
    settings_set(&f.settings, "budget.disk", "1M", NULL);
    if (!start_kind(_i))
        return;
    f.call = fixture_call(&f, "run",
                          fixture_json(&f, "{\"language\":\"sh\",\"script\":\"i=0; while [ $i -lt 200 ]; do "
                                           "head -c 1000000 /dev/zero > f$i; i=$((i+1)); done; sleep 20\"}"));
    int64_t before = fixture_ms();
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_lt(fixture_ms() - before, 15000);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_HARNESS);
    ASSERT_BYTES(f.call.outcome.message, "the disk is filling up");
    char *base = xstrdup(f.session->base);
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(access(base, F_OK), -1);
    free(base);
}
END_TEST

START_TEST(jobs)
{
    if (!start_kind(_i))
        return;
    sh_out(&f, "mkfifo go");
    ASSERT_OK("start", "{\"language\":\"sh\",\"script\":\"echo one; read x < go; echo two; exit 5\"}");
    int64_t pid = result_integer(&f, "pid");
    ck_assert_int_gt(pid, 1);
    const char *job = arena_printf(&f.arena, "{\"pid\":%lld}", (long long)pid);
    for (int i = 0; i < 100; i++, clock_sleep_ms(20)) {
        ASSERT_OK("poll", job);
        if (result_bytes(&f, "stdout").len)
            break;
    }
    ASSERT_BYTES(result_bytes(&f, "stdout"), "one\n");
    ck_assert(json_as_bool(json_get(f.call.outcome.result, "running"), false));
    ck_assert_ptr_null(json_get(f.call.outcome.result, "exit"));
    ck_assert_int_eq(do_call(&f, "wait", arena_printf(&f.arena, "{\"pid\":%lld,\"ms\":100}", (long long)pid)),
                     OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ETIMEDOUT);
    ck_assert_uint_ge(session_processes(f.session, NULL, 0), 1);
    sh_out(&f, "echo x > go");
    ASSERT_OK("wait", job);
    ck_assert_int_eq(result_integer(&f, "exit"), 5);
    ASSERT_BYTES(result_bytes(&f, "stdout"), "one\ntwo\n");
    ASSERT_OK("poll", job);
    ck_assert(!json_as_bool(json_get(f.call.outcome.result, "running"), true));
    ck_assert_int_eq(result_integer(&f, "exit"), 5);
    ck_assert_int_eq(do_call(&f, "signal", job), OUTCOME_TOOL_ERROR);
    ck_assert_int_eq(f.call.outcome.code, ESRCH);
}
END_TEST

START_TEST(signals_to_jobs)
{
    if (!start_kind(_i))
        return;
    ASSERT_OK("start", "{\"argv\":[\"sleep\",\"65434\"]}");
    long long pid = (long long)result_integer(&f, "pid");
    ASSERT_OK("signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"STOP\"}", pid));
    ck_assert_int_eq(do_call(&f, "wait", arena_printf(&f.arena, "{\"pid\":%lld,\"ms\":100}", pid)),
                     OUTCOME_TOOL_ERROR);
    ASSERT_OK("signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"KILL\"}", pid));
    ASSERT_OK("wait", arena_printf(&f.arena, "{\"pid\":%lld}", pid));
    ck_assert_int_eq(result_integer(&f, "exit"), 137);
    ck_assert_int_eq(fixture_count("65434"), 0);
    static const char *const strangers[] = {"{\"pid\":1}", "{\"pid\":-1}", "{\"pid\":999999}",
                                            "{\"pid\":\"x\"}", "{}"};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        ck_assert_int_eq(do_call(&f, "signal", strangers[i]), OUTCOME_TOOL_ERROR);
        ck_assert_int_eq(f.call.outcome.code, ESRCH);
        ck_assert_int_eq(do_call(&f, "poll", strangers[i]), OUTCOME_TOOL_ERROR);
    }
    ck_assert_int_eq(do_call(&f, "signal", arena_printf(&f.arena, "{\"pid\":%lld,\"signal\":\"SEGV\"}", pid)),
                     OUTCOME_SKIPPED);
    /* A job that nobody reads is not held up by it. */
    ASSERT_OK("start", "{\"language\":\"sh\",\"script\":\"head -c 500000 /dev/zero; touch written\"}");
    for (int i = 0; i < 200 && do_call(&f, "stat", "{\"path\":\"written\"}") != OUTCOME_OK; i++)
        clock_sleep_ms(20);
    ASSERT_OK("stat", "{\"path\":\"written\"}");
}
END_TEST

START_TEST(prefixes_that_do_not_work)
{
    static const struct {
        const char *spec, *text;
    } rows[] = {
        {"exec:/no/such/program --x", "cannot open a session of 'exec:/no/such/program --x': cannot start "
                                      "'/no/such/program': No such file or directory"},
        {"exec:false", "cannot open a session of 'exec:false': 'false' does not run commands: it ended with "
                       "status 1 and said nothing (in the box; --no-box leaves it out)"},
        {"exec:sh -c 'echo broken >&2; echo more; exit 3' sh",
         "cannot open a session of 'exec:sh -c 'echo broken >&2; echo more; exit 3' sh': 'sh' does not run "
         "commands: broken (in the box; --no-box leaves it out)"},
        {"exec:sleep 65435", "cannot open a session of 'exec:sleep 65435': 'sleep' does not run commands: "
                             "sleep: invalid option -- 'c' (in the box; --no-box leaves it out)"},
        {"exec:sh -c 'sleep 65435' sh",
         "cannot open a session of 'exec:sh -c 'sleep 65435' sh': 'sh' did not run a first command within 700 ms (in the box; --no-box leaves it out)"},
    };
    settings_set(&f.settings, "exec.start-timeout", "700ms", NULL);
    snprintf(fixture_mark, sizeof fixture_mark, "MARK=%d",
             (int)getpid()); /* there is no session to tell by */
    f.env = (const char *const[]){fixture_mark, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error *err = NULL;
        session_target_new(&f, rows[i].spec);
        ck_assert_int_eq(session_open(f.target, &f.session, &err), ERR_TARGET);
        ck_assert_str_eq(err->text, rows[i].text);
        error_free(err);
        target_free(f.target);
        f.target = NULL;
    }
    ck_assert_int_eq(fixture_count("65435"), 0);
}
END_TEST

/* Prefixes that change where commands begin. */
START_TEST(other_directories)
{
    if (!box_possible(NULL))
        return;
    session_new(&f, "exec:env -C /usr");
    ck_assert_str_eq(sh_out(&f, "pwd"), arena_printf(&f.arena, "%s\n", session_root(f.session)));
    ck_assert(session_root_visible(f.session));
    ASSERT_OK("mkdir", "{\"path\":\"-d\"}");
    ASSERT_OK("run", "{\"argv\":[\"pwd\"],\"cwd\":\"-d\"}");
    ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "stdout")),
                     arena_printf(&f.arena, "%s/-d\n", session_root(f.session)));
    session_close(f.session);
    target_free(f.target);
    f.target = NULL;
    /* This one begins in the root wherever it is started. */
    session_new(&f, BWRAP " --chdir {root}");
    ASSERT_OK("mkdir", "{\"path\":\"sub\"}");
    ASSERT_OK("run", "{\"argv\":[\"pwd\"],\"cwd\":\"sub\"}");
    ck_assert_str_eq(arena_string(&f.arena, result_bytes(&f, "stdout")),
                     arena_printf(&f.arena, "%s/sub\n", session_root(f.session)));
    session_close(f.session);
    target_free(f.target);
    f.target = NULL;
    /* This one does not see the root at all. */
    session_new(
        &f, "exec:bwrap --ro-bind / / --dev /dev --tmpfs /tmp --chdir /tmp --unshare-all --die-with-parent");
    ck_assert(!session_root_visible(f.session));
    ck_assert(!session_supports(f.session, "stage"));
    ck_assert_str_eq(sh_out(&f, "pwd; echo x > f; cat f"), "/tmp\nx\n");
    struct bytes path = session_spell(f.session, BYTES_LITERAL("a"), "absolute", &f.arena);
    ASSERT_BYTES(path, "/tmp/a");
    path = session_spell(f.session, BYTES_LITERAL("../tmp-beside/../a"), "absolute", &f.arena); /* what leads out has no dots in front */
    ASSERT_BYTES(path, "/tmp-beside/../a");
    path = session_spell(f.session, BYTES_LITERAL("../../a"), "absolute", &f.arena);
    ASSERT_BYTES(path, "/a");
    ck_assert_int_eq(do_call(&f, "stage-file", "{\"path\":\"x\",\"content\":\"y\"}"), OUTCOME_SKIPPED);
    ck_assert(!session_supports(f.session, "serve")); /* each call has its own network */
    ck_assert(session_supports(f.session, "fetch"));
}
END_TEST

/* No shell inside: programs can still be run. */
START_TEST(programs_only)
{
    if (!box_possible(NULL))
        return;
    char *dir = fs_fresh_dir("taskgen-test", NULL), *prefix = strings_printf("%s/prefix", dir);
    ck_assert_int_eq(
        fs_write(prefix,
                 BYTES_LITERAL("#!/bin/sh\n[ \"$1\" = sh ] && { echo no shell >&2; exit 9; }\nexec \"$@\"\n"),
                 NULL),
        0);
    ck_assert_int_eq(chmod(prefix, 0755), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    char *spec = strings_printf("exec:%s", prefix);
    session_new(&f, spec);
    ASSERT_OK("run", "{\"argv\":[\"echo\",\"x\"]}");
    ck_assert(!session_supports(f.session, "write"));
    ck_assert(!session_supports(f.session, "run:sh"));
    ck_assert(session_supports(f.session, "run"));
    ck_assert_int_eq(do_call(&f, "run", "{\"language\":\"sh\",\"script\":\"true\"}"), OUTCOME_SKIPPED);
    ck_assert(!session_root_visible(f.session));
    fs_remove_tree(dir, NULL);
    free(prefix);
    free(spec);
    free(dir);
}
END_TEST

static atomic_int stop;

static void *stop_soon(void *unused)
{
    clock_sleep_ms(300);
    atomic_store(&stop, 1);
    return unused;
}

START_TEST(stopping)
{
    if (!start_kind(_i))
        return;
    struct call calls[2], *list[2] = {&calls[0], &calls[1]};
    calls[0] = fixture_call(&f, "run", fixture_json(&f, "{\"argv\":[\"sleep\",\"65436\"]}"));
    calls[1] = fixture_call(&f, "idle", fixture_json(&f, "{\"ms\":15000}"));
    pthread_t thread;
    atomic_store(&stop, 0);
    session_stop_with(f.session, &stop);
    int64_t before = fixture_ms();
    pthread_create(&thread, NULL, stop_soon, NULL);
    session_calls(f.session, list, 2);
    pthread_join(thread, NULL);
    ck_assert_int_lt(fixture_ms() - before, 10000);
    ck_assert_int_eq(calls[0].outcome.class, OUTCOME_HARNESS);
    ck_assert_int_eq(calls[1].outcome.class, OUTCOME_HARNESS);
    ASSERT_BYTES(calls[0].outcome.message, "interrupted");
}
END_TEST

START_TEST(budgets)
{
    settings_set(&f.settings, "budget.calls", "4", NULL);
    settings_set(&f.settings, "budget.bytes", "1000", NULL);
    settings_set(&f.settings, "budget.rate", "10", NULL);
    if (!start_kind(0))
        return;
    int64_t before = fixture_ms();
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ck_assert_int_ge(fixture_ms() - before, 200);
    char big[1100];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    ck_assert_int_eq(do_call(&f, "write", arena_printf(&f.arena, "{\"path\":\"a\",\"content\":\"%s\"}", big)),
                     OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "budget.bytes is used up");
    ASSERT_OK("run", "{\"argv\":[\"true\"]}");
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"true\"]}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "budget.calls is used up");
}
END_TEST

START_TEST(lives)
{
    if (!start_kind(_i))
        return;
    sh_out(&f, "echo kept > file; (sleep 65437 >/dev/null 2>&1 &)");
    ASSERT_OK("reopen", "{}");
    ck_assert_int_eq(fixture_count("65437"), 0);
    ck_assert_str_eq(sh_out(&f, "cat file"), "kept\n");
    ASSERT_OK("open", "{}");
    ASSERT_OK("close", "{}");
    ck_assert(!session_alive(f.session));
    ck_assert_int_eq(do_call(&f, "read", "{\"path\":\"file\"}"), OUTCOME_SKIPPED);
    ck_assert_str_eq(f.call.outcome.skip_reason, "the session is closed");
    ck_assert_uint_eq(session_processes(f.session, NULL, 0), 0);
    ASSERT_OK("reopen", "{}");
    ASSERT_OK("read", "{\"path\":\"file\"}");
    int64_t before = fixture_ms();
    ASSERT_OK("idle", "{\"ms\":120}");
    ck_assert_int_ge(fixture_ms() - before, 120);
    ck_assert_int_eq(do_call(&f, "idle", "{\"ms\":-5}"), OUTCOME_SKIPPED);
}
END_TEST

START_TEST(a_dead_agent)
{
    if (!start_kind(0))
        return;
    kill(agent_host_pid(f.session->agent), SIGKILL);
    ck_assert_int_eq(do_call(&f, "run", "{\"argv\":[\"true\"]}"), OUTCOME_HARNESS);
    ck_assert(!session_alive(f.session));
    ASSERT_OK("reopen", "{}");
    ck_assert_str_eq(sh_out(&f, "echo back"), "back\n");
}
END_TEST

START_TEST(stage)
{
    struct buf out;
    buf_init(&out, 1000);
    if (!start_kind(_i))
        return;
    ASSERT_OK("stage-file", "{\"path\":\"d/e/f\",\"content\":\"x\\u0000y\",\"mode\":384}");
    ck_assert_str_eq(sh_out(&f, "stat -c %a d/e/f; wc -c < d/e/f; echo more >> d/e/f; touch d/e/g"),
                     "600\n3\n");
    ASSERT_OK("stage-dir", "{\"path\":\"p/q\"}");
    ASSERT_OK("stage-dir", "{\"path\":\"p/q\"}");
    ASSERT_OK("stage-symlink", "{\"path\":\"p/l\",\"to\":\"/etc/passwd\"}");
    ck_assert_str_eq(sh_out(&f, "touch p/q/x; readlink p/l"), "/etc/passwd\n");
    ASSERT_OK("stage-fifo", "{\"path\":\"fifo\"}");
    ck_assert_str_eq(sh_out(&f, "[ -p fifo ] && echo pipe"), "pipe\n");
    ASSERT_OK("stage-sibling-dir", "{\"suffix\":\"-evil\",\"content\":\"secret\"}");
    char *sibling = strings_printf("%s-evil/secret.txt", session_root(f.session));
    ck_assert_int_eq(fs_read(sibling, 100, &out, NULL), 0);
    ASSERT_BYTES(buf_bytes(&out), "secret");
    free(sibling);
    ck_assert_int_eq(do_call(&f, "stage-fifo", "{\"path\":\"fifo\"}"), OUTCOME_SKIPPED);
    ck_assert_ptr_nonnull(strstr(f.call.outcome.skip_reason, "File exists"));
    buf_release(&out);
}
END_TEST

/* A target that puts links in our way: nothing outside the root is touched. */
START_TEST(stage_stays_inside)
{
    if (!start_kind(0))
        return;
    char *outside = strings_printf("%s/outside", f.session->base);
    ck_assert_int_eq(mkdir(outside, 0777), 0);
    sh_out(&f, arena_printf(&f.arena,
                            "ln -s %s out; ln -s ../outside up; ln -s %s/made file; mkdir in; ln -s in inner",
                            outside, outside));
    static const char *const bad[][2] = {
        {"stage-file", "{\"path\":\"out/x\",\"content\":\"y\"}"},
        {"stage-file", "{\"path\":\"up/x\",\"content\":\"y\"}"},
        {"stage-file", "{\"path\":\"file\",\"content\":\"y\"}"},
        {"stage-file", "{\"path\":\"../outside/x\",\"content\":\"y\"}"},
        {"stage-file", "{\"path\":\"/tmp/x\",\"content\":\"y\"}"},
        {"stage-file", "{\"path\":\"a\\u0000b\",\"content\":\"y\"}"},
        {"stage-file", "{\"path\":\"\",\"content\":\"y\"}"},
        {"stage-dir", "{\"path\":\"out/d\"}"},
        {"stage-dir", "{\"path\":\"../outside/d\"}"},
        {"stage-symlink", "{\"path\":\"up/l\",\"to\":\"x\"}"},
        {"stage-fifo", "{\"path\":\"in/../../outside/p\"}"},
        {"stage-sibling-dir", "{\"suffix\":\"/../outside/x\",\"content\":\"y\"}"},
        {"stage-sibling-dir", "{\"suffix\":\"\",\"content\":\"y\"}"},
        {"stage-small-disk", "{\"path\":\"out/d\",\"bytes\":65536}"},
        {"stage-small-disk", "{\"path\":\"disk\",\"bytes\":-1}"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(do_call(&f, bad[i][0], bad[i][1]) == OUTCOME_SKIPPED, "%s %s", bad[i][0], bad[i][1]);
    ck_assert_int_eq(rmdir(outside), 0); /* empty */
    free(outside);
    ASSERT_OK("stage-file", "{\"path\":\"inner/x\",\"content\":\"y\"}"); /* a link that stays inside */
    ck_assert_str_eq(sh_out(&f, "cat in/x"), "y");
}
END_TEST

START_TEST(small_disks)
{
    if (!start_kind(_i))
        return;
    if (!session_supports(f.session, "stage:mount")) {
        printf("not tested: nothing can be mounted here\n");
        ck_assert_int_eq(do_call(&f, "stage-small-disk", "{\"path\":\"disk\",\"bytes\":65536}"),
                         OUTCOME_SKIPPED);
        return;
    }
    ASSERT_OK("stage-small-disk", "{\"path\":\"disk\",\"bytes\":65536}");
    ck_assert_str_eq(sh_out(&f, "echo x > disk/small; head -c 1000000 /dev/zero > disk/big 2>/dev/null || "
                                "echo full; cat disk/small"),
                     "full\nx\n");
    struct buf out;
    buf_init(&out, 100);
    char *path = strings_printf("%s/disk/small", session_root(f.session)), *base = xstrdup(f.session->base);
    ck_assert_int_eq(fs_read(path, 100, &out, NULL), 0); /* seen from outside, too */
    ASSERT_BYTES(buf_bytes(&out), "x\n");
    ASSERT_OK("reopen", "{}");
    ck_assert_str_eq(sh_out(&f, "cat disk/small"), "x\n");
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(access(base, F_OK), -1); /* unmounted and removed */
    buf_release(&out);
    free(path);
    free(base);
}
END_TEST

START_TEST(spelled_paths)
{
    static const char *const ways[] = {NULL, "relative", "absolute", "tilde", "dotted", "link"};
    if (!start_kind(_i))
        return;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        f.call = fixture_call(&f, "write", fixture_json(&f, "{\"path\":\"it's a file\",\"content\":\"x\"}"));
        f.call.path_as = ways[i];
        session_calls(f.session, (struct call *[]){&f.call}, 1);
        ck_assert_msg(f.call.outcome.class == OUTCOME_OK, "%s: %s", ways[i] ? ways[i] : "default",
                      said_words(&f));
        ck_assert_str_eq(sh_out(&f, "cat \"it's a file\" && rm \"it's a file\""), "x");
    }
}
END_TEST

START_TEST(bombs)
{
    if (!start_kind(_i))
        return;
    f.call = fixture_call(
        &f, "run", fixture_json(&f, "{\"language\":\"bash\",\"script\":\"b() { b | b & }; b; sleep 1\"}"));
    f.call.timeout_ms = 3000;
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    /* The agent shares the limit: what cannot be started now is our trouble, not the target's. */
    enum outcome_class class = do_call(&f, "run", "{\"argv\":[\"true\"]}");
    ck_assert(class == OUTCOME_OK || class == OUTCOME_HARNESS);
    int64_t before = fixture_ms();
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_lt(fixture_ms() - before, 30000);
    ck_assert_int_eq(fixture_count("b | b & }"), 0);
}
END_TEST

START_TEST(explains)
{
    struct buf out;
    buf_init(&out, 65536);
    if (!start_kind(_i))
        return;
    session_explain(f.session, &out);
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "\nwrite: by commands\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "\nrun: yes\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "\ntab-open: no\n"));
    ck_assert_ptr_nonnull(
        strstr(target_identity(f.target), _i == 0 ? "exec in our box (sh, " : "exec bwrap (sh, "));
    buf_release(&out);
}
END_TEST

/* What a taskgen that was killed leaves behind is removed by the next one, and nothing else is. */
START_TEST(leavings)
{
    char *where = fs_fresh_dir("taskgen-test", NULL);
    static const char *const made[] = {"taskgen-session-aaaaaa/root/x",
                                       "taskgen-session-aaaaaa/home",
                                       "taskgen-session-bbbbbb/root",
                                       "taskgen-session-bbbbbb/home",
                                       "taskgen-session-cccccc/other",
                                       "taskgen-other/root",
                                       "taskgen-other/home"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char *path = strings_printf("%s/%s", where, made[i]);
        ck_assert_int_eq(fs_make_dirs(path, NULL), 0);
        free(path);
    }
    char *used = strings_printf("%s/taskgen-session-bbbbbb", where),
         *link = strings_printf("%s/taskgen-session-dddddd", where);
    int lock = open(used, O_RDONLY | O_DIRECTORY);
    ck_assert_int_eq(flock(lock, LOCK_EX), 0);
    ck_assert_int_eq(symlink(used, link), 0);
    ck_assert_uint_eq(session_base_sweep(where, 60000), 0); /* too young */
    ck_assert_uint_eq(session_base_sweep(where, 0), 1);
    char *gone = strings_printf("%s/taskgen-session-aaaaaa", where);
    ck_assert_int_eq(access(gone, F_OK), -1);
    ck_assert_int_eq(access(used, F_OK), 0);
    close(lock);
    ck_assert_uint_eq(session_base_sweep(where, 0), 1);
    ck_assert_int_eq(access(used, F_OK), -1);
    ck_assert_uint_eq(session_base_sweep(where, 0), 0);
    ck_assert_uint_eq(session_base_sweep("/no/such/directory", 0), 0);
    fs_remove_tree(where, NULL);
    free(where);
    free(used);
    free(link);
    free(gone);
}
END_TEST

/* A live session is none of these. */
START_TEST(sessions_are_in_use)
{
    if (!start_kind(0))
        return;
    char *parent = xstrdup(f.session->base);
    *strrchr(parent, '/') = '\0';
    session_base_sweep(parent, 0);
    ck_assert_str_eq(sh_out(&f, "echo here"), "here\n");
    free(parent);
}
END_TEST

/* Workers: sessions of one target in several threads at once. */
enum { WORKERS = 4, ROUNDS = 3 };

static void *work(void *user)
{
    struct arena a;
    arena_init(&a);
    intptr_t failed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct session *s = NULL;
        if (session_open(f.target, &s, NULL) < 0)
            return (void *)1;
        struct call calls[2], *list[] = {&calls[0], &calls[1]};
        for (int c = 0; c < 2; c++) {
            struct json *args = json_new(&a, JSON_OBJECT);
            json_set(&a, args, c ? "language" : "path", json_text(&a, c ? "sh" : "file"));
            json_set(&a, args, c ? "script" : "content", json_text(&a, c ? "pwd" : session_root(s)));
            calls[c] = (struct call){.op = ops_find(f.ops, c ? "run" : "write"),
                                     .args = args,
                                     .timeout_ms = 20000,
                                     .cancel_after_ms = -1,
                                     .arena = &a};
        }
        session_calls(s, list, 2);
        struct bytes out = json_as_text(json_get(calls[1].outcome.result, "stdout"));
        failed += calls[0].outcome.class != OUTCOME_OK || !session_root_visible(s) ||
                  !bytes_equal_string(out, arena_printf(&a, "%s\n", session_root(s)));
        session_close(s);
    }
    arena_release(&a);
    return (void *)failed;
}

START_TEST(workers)
{
    pthread_t threads[WORKERS];
    if (!box_possible(NULL))
        return;
    session_target_new(&f, specs[_i]);
    for (int i = 0; i < WORKERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < WORKERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_ptr_nonnull(strstr(target_identity(f.target), "exec "));
}
END_TEST

/* All the same for a user without privileges. */
START_TEST(unprivileged)
{
    if (geteuid() != 0 || !fixture_drop_root())
        return;
    if (!start_kind(_i))
        return;
    ck_assert_str_eq(sh_out(&f, "echo x > file; cat file; id -u"), "x\n65534\n");
    ASSERT_OK("write", "{\"path\":\"a\",\"content\":\"b\"}");
    ASSERT_OK("stage-file", "{\"path\":\"c\",\"content\":\"d\"}");
    ck_assert_str_eq(sh_out(&f, "cat a c; touch /etc/x 2>/dev/null || echo no"), "bdno\n");
    ck_assert(session_root_visible(f.session));
    ck_assert(!session_supports(f.session, "stage:mount"));
    sh_out(&f, "(setsid sleep 65438 >/dev/null 2>&1 &)");
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(fixture_count("65438"), 0);
}
END_TEST

/* --no-box: directly on this machine, and still nothing is left. */
START_TEST(without_box)
{
    struct target_options o = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = true};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    session_begin(&f);
    ck_assert(!f.session->boxed);
    ck_assert_str_eq(sh_out(&f, arena_printf(&f.arena, "kill -0 %d && echo seen", (int)getpid())), "seen\n");
    ASSERT_OK("write", "{\"path\":\"a\",\"content\":\"b\"}");
    sh_out(&f, "(setsid sh -c 'trap \"\" TERM; sleep 65439; sleep 65439' >/dev/null 2>&1 &)");
    ck_assert_uint_ge(session_processes(f.session, NULL, 0), 1);
    session_close(f.session);
    f.session = NULL;
    ck_assert_int_eq(fixture_count("65439"), 0);
    ck_assert_ptr_nonnull(strstr(target_identity(f.target), "exec on this machine"));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, runs, 0, SPECS);
    tcase_add_loop_test(tests, bytes_pass, 0, SPECS);
    tcase_add_loop_test(tests, ends, 0, SPECS);
    tcase_add_loop_test(tests, languages, 0, SPECS);
    tcase_add_loop_test(tests, big_scripts, 0, SPECS);
    tcase_add_loop_test(tests, what_cannot_be_said, 0, SPECS);
    tcase_add_test(tests, what_cannot_be_executed);
    tcase_add_loop_test(tests, side_by_side, 0, SPECS);
    tcase_add_loop_test(tests, deadlines, 0, SPECS);
    tcase_add_loop_test(tests, cancelling, 0, SPECS);
    tcase_add_test(tests, children_that_stay);
    tcase_add_loop_test(tests, floods, 0, SPECS);
    tcase_add_loop_test(tests, disks_that_fill, 0, SPECS);
    tcase_add_loop_test(tests, jobs, 0, SPECS);
    tcase_add_loop_test(tests, signals_to_jobs, 0, SPECS);
    tcase_add_test(tests, prefixes_that_do_not_work);
    tcase_add_test(tests, other_directories);
    tcase_add_test(tests, programs_only);
    tcase_add_loop_test(tests, stopping, 0, SPECS);
    tcase_add_test(tests, budgets);
    tcase_add_loop_test(tests, lives, 0, SPECS);
    tcase_add_test(tests, a_dead_agent);
    tcase_add_loop_test(tests, stage, 0, SPECS);
    tcase_add_test(tests, stage_stays_inside);
    tcase_add_loop_test(tests, small_disks, 0, SPECS);
    tcase_add_loop_test(tests, spelled_paths, 0, SPECS);
    tcase_add_loop_test(tests, bombs, 0, SPECS);
    tcase_add_loop_test(tests, explains, 0, SPECS);
    tcase_add_test(tests, leavings);
    tcase_add_test(tests, sessions_are_in_use);
    tcase_add_loop_test(tests, workers, 0, SPECS);
    tcase_add_loop_test(tests, unprivileged, 0, SPECS);
    tcase_add_test(tests, without_box);
}

int main(void)
{
    return unit_main("exec_driver", fill);
}
