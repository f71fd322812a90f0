/* The exec driver: commands in our box alone and in bubblewrap inside it, what they are given and what comes back. */
#include "exec_case.h"

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
    tcase_add_test(tests, programs_only);
    tcase_add_loop_test(tests, explains, 0, SPECS);
}

int main(void)
{
    return unit_main("exec_driver", fill);
}
