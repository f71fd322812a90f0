/* Sessions of the exec driver: how they start, what is put into them, how paths are spelled, and an end that leaves nothing. */
#include <pthread.h>
#include <sys/file.h>

#include "exec/target/session_base.h"
#include "exec_case.h"

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
    tcase_add_test(tests, prefixes_that_do_not_work);
    tcase_add_test(tests, other_directories);
    tcase_add_loop_test(tests, lives, 0, SPECS);
    tcase_add_test(tests, a_dead_agent);
    tcase_add_loop_test(tests, stage, 0, SPECS);
    tcase_add_test(tests, stage_stays_inside);
    tcase_add_loop_test(tests, small_disks, 0, SPECS);
    tcase_add_loop_test(tests, spelled_paths, 0, SPECS);
    tcase_add_test(tests, leavings);
    tcase_add_test(tests, sessions_are_in_use);
    tcase_add_loop_test(tests, workers, 0, SPECS);
    tcase_add_loop_test(tests, unprivileged, 0, SPECS);
    tcase_add_test(tests, without_box);
}

int main(void)
{
    return unit_main("exec_session", fill);
}
