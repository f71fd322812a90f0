/* exec/target/agent and exec/agent: what a child gets and does not get, big arguments, ends, lists, and an
 * end of everything however it hides. Everything is tried in the box and without it. */
#include <sys/socket.h>

#include "box_fixture.h"

static struct box_fixture f;
static struct buf out;

static void set_up(void)
{
    buf_init(&out, SIZE_MAX / 4);
}

static void tear_down(void)
{
    if (f.base)
        fixture_release(&f);
    buf_release(&out);
}

/* The loop tests' two kinds: 0 in the box, 1 without it. */
static void start(int off)
{
    fixture_dirs(&f, off);
    fixture_start(&f);
}

START_TEST(streams_and_status)
{
    start(_i);
    struct agent_process p = fixture_spawn(
        &f, (const char *[]){"sh", "-c", "cat; echo wrong >&2; pwd; exit 3", NULL}, true);
    ck_assert_int_eq(p.exec_errno, 0);
    ck_assert_int_eq(write(p.in, "a\0b", 3), 3);
    close(p.in);
    p.in = -1;
    fixture_read(p.out, &out, 5000);
    char *want = strings_printf("a%cb%s\n", 0, f.root);
    ck_assert(bytes_equal(buf_bytes(&out), bytes_of(want, 3 + strlen(f.root) + 1)));
    free(want);
    buf_clear(&out);
    fixture_read(p.err, &out, 5000);
    ASSERT_BYTES(buf_bytes(&out), "wrong\n");
    int status = fixture_wait(&f, p.id, 5000);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    ck_assert_int_eq(fixture_wait(&f, p.id, 0), status); /* may be asked again */
    fixture_close(&p);
}
END_TEST

START_TEST(no_stdin_and_merged)
{
    start(_i);
    struct agent_command command = {
        .argv = (const char *[]){"/bin/sh", "-c", "cat; echo a; echo b >&2", NULL},
        .env = (const char *[]){NULL},
        .cwd = "/",
        .merge_err = true};
    struct agent_process p;
    ck_assert_int_eq(agent_spawn(f.agent, &command, &p, NULL), 0);
    ck_assert_int_eq(p.in, -1);
    ck_assert_int_eq(p.err, -1);
    fixture_read(p.out, &out, 5000);
    ASSERT_BYTES(buf_bytes(&out), "a\nb\n");
    fixture_close(&p);
}
END_TEST

START_TEST(whole_environment)
{
    start(_i);
    struct agent_command command = {.argv = (const char *[]){"env", NULL},
                                    .env = (const char *[]){"PATH=/usr/bin:/bin", "A=1\n2", "B=", NULL},
                                    .cwd = "/"};
    struct agent_process p;
    ck_assert_int_eq(agent_spawn(f.agent, &command, &p, NULL), 0);
    fixture_read(p.out, &out, 5000);
    ASSERT_BYTES(buf_bytes(&out), "PATH=/usr/bin:/bin\nA=1\n2\nB=\n");
    fixture_close(&p);
}
END_TEST

START_TEST(nothing_is_inherited)
{
    int leak[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, leak), 0); /* ours, and not close-on-exec */
    start(_i);
    /* The descriptor that ls itself opens to read the directory is the fourth. */
    ck_assert_int_eq(
        fixture_shell(&f,
                      "ls /proc/self/fd | wc -l; ps -o pid=,sid=,pgid= -p $$ 2>/dev/null | "
                      "awk '{print ($1==$2 && $2==$3)}'; grep -E '^Sig(Blk|Ign)' /proc/self/status",
                      &out),
        0);
    ASSERT_BYTES(buf_bytes(&out), "4\n1\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    close(leak[0]);
    close(leak[1]);
}
END_TEST

START_TEST(what_cannot_be_executed)
{
    static const struct {
        const char *argv0, *cwd;
        int error;
    } rows[] = {{"no-such-program", "/", ENOENT}, {"/no/such", "/", ENOENT},
                {"/etc/passwd", "/", EACCES},     {"/etc", "/", EACCES},
                {"true", "/no/such", ENOENT},     {"true", "/etc/passwd", ENOTDIR}};
    start(_i);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct agent_command command = {.argv = (const char *[]){rows[i].argv0, NULL},
                                        .cwd = rows[i].cwd,
                                        .env = (const char *[]){"PATH=/usr/bin:/bin", NULL}};
        struct agent_process p;
        ck_assert_int_eq(agent_spawn(f.agent, &command, &p, NULL), 0);
        ck_assert_msg(p.exec_errno == rows[i].error, "%s in %s: %s", rows[i].argv0, rows[i].cwd,
                      strerror(p.exec_errno));
        ck_assert(p.out == -1 && p.err == -1 && p.in == -1);
    }
    ck_assert_uint_eq(agent_processes(f.agent, NULL, 0), 0);
}
END_TEST

START_TEST(big_arguments)
{
    enum {
        ONE = 131071,
        COUNT = 15
    }; /* the kernel's limit for one string; 15 of them come close to the limit for all */
    start(_i);
    char *big = malloc(ONE + 2);
    memset(big, 'x', ONE + 1);
    big[ONE] = big[ONE + 1] = '\0';
    const char *argv[COUNT + 5] = {"sh", "-c", "for a; do n=$((n + ${#a})); done; echo $n", "sh"};
    for (int i = 0; i < COUNT; i++)
        argv[4 + i] = big;
    argv[4 + COUNT] = NULL;
    struct agent_process p = fixture_spawn(&f, argv, false);
    ck_assert_int_eq(p.exec_errno, 0);
    fixture_read(p.out, &out, 10000);
    ck_assert_int_eq(strtol(buf_string(&out), NULL, 10), ONE * COUNT);
    fixture_close(&p);
    big[ONE] = 'x'; /* one byte more is the kernel's to refuse */
    p = fixture_spawn(&f, (const char *[]){"echo", big, NULL}, false);
    ck_assert_int_eq(p.exec_errno, E2BIG);
    free(big);
    enum { HUGE_ONE = 9 << 20 }; /* more than a frame takes */
    big = malloc(HUGE_ONE + 1);
    memset(big, 'x', HUGE_ONE);
    big[HUGE_ONE] = '\0';
    p = fixture_spawn(&f, (const char *[]){"echo", big, NULL}, false);
    ck_assert_int_eq(p.exec_errno, E2BIG);
    free(big);
    ck_assert(agent_alive(f.agent));
}
END_TEST

START_TEST(many_at_once)
{
    enum { MANY = 100 };
    struct agent_process p[MANY];
    start(_i);
    for (int i = 0; i < MANY; i++) {
        char code[32];
        snprintf(code, sizeof code, "exit %d", i);
        p[i] = fixture_spawn(&f, (const char *[]){"sh", "-c", code, NULL}, false);
        ck_assert_int_eq(p[i].id, i + 1);
    }
    for (int i = MANY - 1; i >= 0; i--) {
        ck_assert_int_eq(WEXITSTATUS(fixture_wait(&f, p[i].id, 10000)), i);
        fixture_close(&p[i]);
    }
    ck_assert_uint_eq(agent_processes(f.agent, NULL, 0), 0);
}
END_TEST

START_TEST(signals)
{
    start(_i);
    struct agent_process p = fixture_spawn(&f, (const char *[]){"sh", "-c", "sleep 1000 & sleep 1000", NULL},
                                           false);
    agent_signal(f.agent, p.id, SIGTERM, false); /* the shell only */
    int status = fixture_wait(&f, p.id, 5000);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    fixture_close(&p);
    p = fixture_spawn(&f, (const char *[]){"sh", "-c", "sleep 1001 & sleep 1001 & echo x; wait", NULL},
                      false);
    ck_assert_int_eq(poll(&(struct pollfd){.fd = p.out, .events = POLLIN}, 1, 5000), 1);
    size_t before = agent_processes(f.agent, NULL, 0);
    agent_signal(f.agent, p.id, SIGKILL, true);
    status = fixture_wait(&f, p.id, 5000);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (int i = 0; i < 100 && agent_processes(f.agent, NULL, 0) > before - 3; i++)
        clock_sleep_ms(20);
    ck_assert_uint_eq(agent_processes(f.agent, NULL, 0), before - 3);
    agent_signal(f.agent, p.id, SIGKILL, true); /* of one that is gone: nothing */
    agent_signal(f.agent, 12345, SIGKILL, true);
    ck_assert(agent_alive(f.agent));
    fixture_close(&p);
}
END_TEST

START_TEST(lists)
{
    start(_i);
    /* A name with parentheses and spaces must not confuse the reader of /proc. */
    ck_assert_int_eq(fixture_shell(&f, "cp /bin/sleep './a) S (b'", &out), 0);
    struct agent_process p = fixture_spawn(&f, (const char *[]){"./a) S (b", "1002", NULL}, false);
    struct agent_process q = fixture_spawn(
        &f, (const char *[]){"sh", "-c", "(setsid sleep 1003 &) ; exit 0", NULL}, false);
    ck_assert_int_eq(fixture_wait(&f, q.id, 5000), 0);
    struct process_info info[8];
    ck_assert_uint_eq(agent_processes(f.agent, info, 8), 2);
    for (int i = 0; i < 100 && strcmp(info[1].name, "sleep") != 0; i++, clock_sleep_ms(10))
        agent_processes(f.agent, info, 8);
    ck_assert_int_eq(info[0].pid, p.pid);
    ck_assert_str_eq(info[0].name, "a) S (b");
    ck_assert_str_eq(info[0].command, "./a) S (b 1002");
    ck_assert_int_eq(info[0].state, 'S');
    ck_assert_str_eq(info[1].command, "sleep 1003");
    ck_assert_uint_eq(agent_processes(f.agent, info, 1), 2); /* counted all, filled one */
    ck_assert_uint_eq(agent_processes(f.agent, NULL, 0), 2);
    fixture_close(&p);
    fixture_close(&q);
}
END_TEST

/* Ways to outlive the one who started it. */
static const char *const fugitives[] = {
    "(setsid sleep 98765 >/dev/null 2>&1 &)",
    "trap '' TERM INT HUP; sh -c 'trap \"\" TERM INT HUP; while :; do sleep 98765; done' >/dev/null 2>&1 &",
    "sh -c 'kill -STOP $$; sleep 98765' >/dev/null 2>&1 & sleep 0.2",
    "setsid sh -c 'setsid sh -c \"setsid sleep 98765 & sleep 98765\" & sleep 98765' >/dev/null 2>&1 &",
    "(nohup sleep 98765 >/dev/null 2>&1 &) ; (sleep 98765 </dev/null >/dev/null 2>&1 &)",
    /* a chain: each starts the next one and ends */
    ("f='[ $0 -gt 0 ] && { sh -c \"$f\" $(($0 - 1)) & }; sleep 0.05; exit'; export f; "
     "sh -c \"$f\" 10000 98765 >/dev/null 2>&1 &"),
    "i=0; while [ $i -lt 60 ]; do sleep 98765 >/dev/null 2>&1 & i=$((i+1)); done",
};
enum { FUGITIVES = sizeof fugitives / sizeof *fugitives };

START_TEST(nothing_survives)
{
    start(_i / FUGITIVES);
    ck_assert_int_eq(fixture_shell(&f, fugitives[_i % FUGITIVES], &out), 0);
    ck_assert_uint_ge(agent_processes(f.agent, NULL, 0), 1);
    int64_t before = fixture_ms();
    agent_stop(f.agent);
    f.agent = NULL;
    ck_assert_int_eq(fixture_count("98765"), 0);
    ck_assert_int_lt(fixture_ms() - before, 20000);
}
END_TEST

/* taskgen killed outright: nobody asks the agent for anything, its socket just ends. */
START_TEST(nothing_survives_our_death)
{
    fixture_dirs(&f, _i);
    fflush(NULL);
    int tell[2];
    ck_assert_int_eq(pipe(tell), 0);
    pid_t pid = fork();
    if (pid == 0) {
        fixture_start(&f);
        fixture_shell(&f, "(setsid sleep 87654 >/dev/null 2>&1 &)", &out);
        ck_assert_int_eq(write(tell[1], "", 1), 1);
        pause();
    }
    char byte;
    ck_assert_int_eq(read(tell[0], &byte, 1), 1);
    int seen = 0; /* asked once more it may be between two programs, without a command line */
    for (int i = 0; i < 250 && !(seen = fixture_count("87654")); i++)
        clock_sleep_ms(20);
    ck_assert_int_ge(seen, 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 250 && fixture_count("87654"); i++)
        clock_sleep_ms(20);
    ck_assert_int_eq(fixture_count("87654"), 0);
}
END_TEST

/* In the box a target cannot hurt the agent, whatever it sends. */
START_TEST(agent_is_safe_in_its_box)
{
    if (!box_possible(NULL)) {
        printf("not tested: this machine has no box to give\n");
        return;
    }
    start(0);
    fixture_shell(
        &f,
        "kill -9 1; kill -STOP 1; kill -TERM 1; kill -HUP 1; kill -USR1 1; "
        "cat /proc/1/environ; ls -l /proc/1/fd/; head -c 1 /proc/1/mem; echo 0 > /proc/1/oom_score_adj",
        &out);
    ck_assert_ptr_null(strstr(buf_string(&out), "socket:"));
    ck_assert_ptr_null(strstr(buf_string(&out), "LANG="));
    fixture_shell(&f, "/usr/bin/python3 -c 'import os; os.kill(-1, 9)'", &out);
    ck_assert_int_eq(fixture_shell(&f, "echo still here", &out), 0);
    ASSERT_BYTES(buf_bytes(&out), "still here\n");
}
END_TEST

/* Without a box it can; that is noticed, and nothing hangs. */
START_TEST(a_dead_agent_is_noticed)
{
    start(_i);
    struct agent_process p = fixture_spawn(&f, (const char *[]){"sleep", "76543", NULL}, false);
    kill(agent_host_pid(f.agent), SIGKILL);
    int status;
    ck_assert_int_eq(fixture_wait(&f, p.id, 2000), -1);
    ck_assert_int_eq(agent_status(f.agent, p.id, &status), -1);
    ck_assert(!agent_alive(f.agent));
    ck_assert_uint_eq(agent_processes(f.agent, NULL, 0), 0);
    agent_signal(f.agent, p.id, SIGTERM, true);
    struct agent_command command = {.argv = (const char *[]){"true", NULL}, .env = (const char *[]){NULL}};
    struct agent_process q;
    struct error *err = NULL;
    ck_assert_int_eq(agent_spawn(f.agent, &command, &q, &err), ERR_TARGET);
    ck_assert_str_eq(err->text, "the session's agent is gone");
    error_free(err);
    fixture_close(&p);
    agent_stop(f.agent);
    f.agent = NULL;
    ck_assert_int_eq(fixture_count("76543"), 0);
}
END_TEST

START_TEST(a_box_that_does_not_come_up)
{
    fixture_dirs(&f, true);
    setenv("TASKGEN_LIBEXEC", f.base, 1);
    char *agent = strings_printf("%s/taskgen-agent", f.base);
    struct error *err = NULL;
    ck_assert_int_eq(agent_start(&f.box, &f.agent, &err), ERR_TARGET);
    ck_assert_ptr_nonnull(strstr(err->text, "taskgen-agent"));
    error_free(err);
    err = NULL;
    ck_assert_int_eq(fs_write(agent, BYTES_LITERAL("#!/bin/sh\necho no luck today >&2\nexit 9\n"), NULL), 0);
    ck_assert_int_eq(chmod(agent, 0755), 0);
    ck_assert_int_eq(agent_start(&f.box, &f.agent, &err), ERR_TARGET);
    ck_assert_str_eq(err->text, "cannot start the session's box: no luck today");
    error_free(err);
    err = NULL;
    ck_assert_int_eq(fs_write(agent, BYTES_LITERAL("#!/bin/sh\nsleep 1000\n"), NULL), 0);
    ck_assert_int_eq(chmod(agent, 0755), 0);
    settings_set(&f.settings, "exec.start-timeout", "300ms", NULL);
    ck_assert_int_eq(agent_start(&f.box, &f.agent, &err), ERR_TARGET);
    ck_assert_str_eq(err->text, "cannot start the session's box: no answer from its agent");
    error_free(err);
    free(agent);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, streams_and_status, 0, 2);
    tcase_add_loop_test(tests, no_stdin_and_merged, 0, 2);
    tcase_add_loop_test(tests, whole_environment, 0, 2);
    tcase_add_loop_test(tests, nothing_is_inherited, 0, 2);
    tcase_add_loop_test(tests, what_cannot_be_executed, 0, 2);
    tcase_add_loop_test(tests, big_arguments, 0, 2);
    tcase_add_loop_test(tests, many_at_once, 0, 2);
    tcase_add_loop_test(tests, signals, 0, 2);
    tcase_add_loop_test(tests, lists, 0, 2);
    tcase_add_loop_test(tests, nothing_survives, 0, 2 * FUGITIVES);
    tcase_add_loop_test(tests, nothing_survives_our_death, 0, 2);
    tcase_add_test(tests, agent_is_safe_in_its_box);
    tcase_add_loop_test(tests, a_dead_agent_is_noticed, 0, 2);
    tcase_add_test(tests, a_box_that_does_not_come_up);
}

int main(void)
{
    return unit_main("agent", fill);
}
