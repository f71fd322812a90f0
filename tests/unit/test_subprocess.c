/* base/subprocess: what a child inherits, how it ends, and tools that flood, hang, stay deaf or leave
 * children behind. "test_subprocess fds" prints the descriptors the program was started with. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/subprocess.h"
#include "unit.h"

static struct buf out, errors;
static int status;

static void set_up(void)
{
    buf_init(&out, SIZE_MAX / 4);
    buf_init(&errors, SIZE_MAX / 4);
    status = -1;
}

static void tear_down(void)
{
    buf_release(&out);
    buf_release(&errors);
}

static int run(const char *script, struct bytes input, int64_t ms, size_t max)
{
    return subprocess_run((const char *[]){"sh", "-c", script, NULL}, input, ms, max, &out, &errors, &status,
                          NULL);
}

static int64_t ms_now(void)
{
    return clock_monotonic_ns() / 1000000;
}

/* Reads a stream of a child to its end. */
static struct bytes read_all(int fd)
{
    char chunk[4096];
    ssize_t n;
    buf_clear(&out);
    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        buf_add(&out, bytes_of(chunk, (size_t)n));
    return buf_bytes(&out);
}

START_TEST(streams)
{
    ck_assert_int_eq(run("cat; echo wrong >&2; exit 3", BYTES_LITERAL("in\0put"), 10000, 100), 0);
    ASSERT_BYTES(buf_bytes(&out), "in\0put");
    ASSERT_BYTES(buf_bytes(&errors), "wrong\n");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
    ck_assert_int_eq(
        subprocess_run((const char *[]){"true", NULL}, BYTES_NONE, 10000, 0, NULL, NULL, &status, NULL), 0);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(large_both_ways)
{
    enum { SIZE = 8 << 20 }; /* far beyond what pipes hold: neither side may wait for the other */
    uint8_t *data = xcalloc(1, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (uint8_t)(i * 7 >> 3);
    ck_assert_int_eq(run("tee /dev/stderr", bytes_of(data, SIZE), 30000, SIZE), 0);
    ck_assert(bytes_equal(buf_bytes(&out), bytes_of(data, SIZE)));
    ck_assert(bytes_equal(buf_bytes(&errors), bytes_of(data, SIZE)));
    ck_assert(!out.overflow && !errors.overflow);
    free(data);
}
END_TEST

START_TEST(too_much_output)
{
    ck_assert_int_eq(run("head -c 1000000 /dev/zero; echo end >&2", BYTES_NONE, 10000, 1000), 0);
    ck_assert_uint_eq(out.len, 1000);
    ck_assert(out.overflow && !errors.overflow);
    ASSERT_BYTES(buf_bytes(&errors), "end\n");
    ck_assert_int_eq(WEXITSTATUS(status), 0); /* it was read to its end, not cut off */
    buf_clear(&out);
    ck_assert_int_eq(run("printf 12345", BYTES_NONE, 10000, 5), 0);
    ck_assert(!out.overflow);
    ASSERT_BYTES(buf_bytes(&out), "12345");
}
END_TEST

START_TEST(deaf_tool)
{
    /* Closes its input, or never reads it: no SIGPIPE for us, no waiting for ever. */
    uint8_t *data = xcalloc(1, 1 << 20);
    ck_assert_int_eq(run("exec <&-; sleep 0.1; echo ok", bytes_of(data, 1 << 20), 10000, 100), 0);
    ASSERT_BYTES(buf_bytes(&out), "ok\n");
    buf_clear(&out);
    ck_assert_int_eq(run("echo ok", bytes_of(data, 1 << 20), 10000, 100), 0);
    ASSERT_BYTES(buf_bytes(&out), "ok\n");
    free(data);
    sigset_t mask, pending;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    ck_assert(!sigismember(&mask, SIGPIPE) && !sigismember(&pending, SIGPIPE));
}
END_TEST

START_TEST(deadline)
{
    struct error *err = NULL;
    int64_t start = ms_now();
    int code = subprocess_run((const char *[]){"sh", "-c", "echo begun; sleep 100 & wait", NULL}, BYTES_NONE,
                              300, 100, &out, &errors, &status, &err);
    ck_assert_int_eq(code, ERR_LIMIT);
    ck_assert_str_eq(err->text, "'sh' did not end within 300 ms");
    error_free(err);
    ck_assert_int_lt(ms_now() - start, 5000);
    ASSERT_BYTES(buf_bytes(&out), "begun\n");
    ck_assert_int_eq(run("yes", BYTES_NONE, 300, 100), ERR_LIMIT); /* a flood without end */
}
END_TEST

START_TEST(background_child)
{
    /* One that keeps the pipes open behind the tool's back. */
    int64_t start = ms_now();
    ck_assert_int_eq(run("(trap '' HUP; sleep 50; echo late) & echo early", BYTES_NONE, 20000, 100), 0);
    ck_assert_int_lt(ms_now() - start, 10000);
    ASSERT_BYTES(buf_bytes(&out), "early\n");
}
END_TEST

START_TEST(ends_by_signal)
{
    ck_assert_int_eq(run("kill -9 $$", BYTES_NONE, 10000, 100), 0);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGKILL);
}
END_TEST

START_TEST(not_there)
{
    struct error *err = NULL;
    struct subprocess p;
    const char *argv[] = {"taskgen-no-such-program", NULL};
    ck_assert_int_eq(subprocess_run(argv, BYTES_NONE, 1000, 10, &out, &errors, &status, &err), ERR_TARGET);
    ck_assert_str_eq(err->text, "cannot start 'taskgen-no-such-program': No such file or directory");
    error_free(err);
    err = NULL;
    argv[0] = "true";
    struct subprocess_options options = {
        .argv = argv, .cwd = "/nonexistent", .keep_fd = -1, .pipe_out = true};
    ck_assert_int_eq(subprocess_start(&p, &options, &err), ERR_TARGET);
    ck_assert_str_eq(err->text, "cannot start 'true' in /nonexistent: No such file or directory");
    error_free(err);
    ck_assert_int_eq(p.out, -1);
    ck_assert_int_eq(p.pid, 0);
    subprocess_release(&p); /* harmless */
}
END_TEST

static const char *own_path(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

START_TEST(descriptors)
{
    /* Open ones of every kind, none of them close-on-exec. */
    ck_assert_int_ge(open("/dev/null", O_RDONLY), 3);
    ck_assert_int_eq(dup2(0, 40), 40);
    ck_assert_int_eq(dup2(0, 41), 41);
    ck_assert_int_eq(dup2(0, 100), 100);
    const char *argv[] = {own_path(), "fds", NULL};
    for (int keep = -1; keep < 50; keep += 42) { /* -1 and 41 */
        struct subprocess p;
        struct subprocess_options options = {.argv = argv, .keep_fd = keep, .pipe_out = true};
        ck_assert_int_eq(subprocess_start(&p, &options, NULL), 0);
        ck_assert_int_eq(p.in, -1);
        ck_assert_int_eq(p.err, -1);
        if (keep < 0)
            ASSERT_BYTES(read_all(p.out), "0 1 2 ");
        else
            ASSERT_BYTES(read_all(p.out), "0 1 2 41 ");
        subprocess_release(&p);
        ck_assert_int_eq(fcntl(41, F_GETFD), 0); /* ours is as it was */
    }
}
END_TEST

START_TEST(with_our_standard_streams_closed)
{
    /* Pipe ends must not land on 0, 1 and 2 and be overwritten. */
    int saved[3];
    for (int fd = 0; fd < 3; fd++) {
        saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        close(fd);
    }
    int code = run("cat; echo e >&2", BYTES_LITERAL("through"), 10000, 100);
    for (int fd = 0; fd < 3; fd++)
        dup2(saved[fd], fd);
    ck_assert_int_eq(code, 0);
    ASSERT_BYTES(buf_bytes(&out), "through");
    ASSERT_BYTES(buf_bytes(&errors), "e\n");
}
END_TEST

START_TEST(surroundings)
{
    /* Own group, given directory and environment, default signals, empty mask. */
    sigset_t all;
    sigfillset(&all);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    const char *argv[] = {"sh", "-c", "pwd; echo $A-$HOME; grep -E 'SigBlk|SigIgn' /proc/self/status", NULL};
    const char *envp[] = {"A=b", "PATH=/usr/bin:/bin", NULL};
    struct subprocess p;
    struct subprocess_options options = {
        .argv = argv, .envp = envp, .cwd = "/usr", .keep_fd = -1, .pipe_out = true};
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    ck_assert_int_eq(subprocess_start(&p, &options, NULL), 0);
    ck_assert_int_eq(getpgid(p.pid), p.pid);
    read_all(p.out);
    char cwd[8] = "", variable[8] = "";
    unsigned long long blocked = 1, ignored = 1;
    ck_assert_int_eq(
        sscanf(buf_string(&out), "%7s %7s SigBlk: %llx SigIgn: %llx", cwd, variable, &blocked, &ignored), 4);
    ck_assert_str_eq(cwd, "/usr");
    ck_assert_str_eq(variable, "b-");
    ck_assert_uint_eq(blocked, 0);
    ck_assert_uint_eq(ignored & 0x7FFFFFFF, 0); /* signals 32 and 33 are the C library's own */
    ck_assert_int_eq(subprocess_wait(&p, 10000, &status), 1);
    ck_assert_int_eq(status, 0);
    subprocess_release(&p);
}
END_TEST

START_TEST(waiting)
{
    struct subprocess p;
    const char *argv[] = {"sh", "-c", "read x; exit 5", NULL};
    struct subprocess_options options = {.argv = argv, .keep_fd = -1, .pipe_in = true};
    ck_assert_int_eq(subprocess_start(&p, &options, NULL), 0);
    struct rlimit files;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
    if (_i == 1) /* no descriptor to be had for a pidfd: it sleeps and looks */
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, files.rlim_max}), 0);
    int64_t start = ms_now();
    ck_assert_int_eq(subprocess_wait(&p, 0, &status), 0);
    ck_assert_int_eq(subprocess_wait(&p, 100, &status), 0);
    ck_assert_int_ge(ms_now() - start, 99);
    ck_assert_int_gt(p.pid, 0);
    close(p.in);
    p.in = -1; /* the child reads the end of its input */
    ck_assert_int_eq(subprocess_wait(&p, -1, &status), 1);
    ck_assert_int_eq(WEXITSTATUS(status), 5);
    ck_assert_int_eq(p.pid, 0);
    status = -1;
    ck_assert_int_eq(subprocess_wait(&p, 0, &status), 1); /* and again */
    ck_assert_int_eq(WEXITSTATUS(status), 5);
    ck_assert_int_eq(subprocess_wait(&p, 0, NULL), 1);
    subprocess_release(&p);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left to reap */
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(group_dies_at_release)
{
    struct subprocess p;
    const char *argv[] = {"sh", "-c", "sleep 1000 & echo $!; exit 0", NULL};
    struct subprocess_options options = {.argv = argv, .keep_fd = -1, .pipe_out = true};
    ck_assert_int_eq(subprocess_start(&p, &options, NULL), 0);
    ck_assert_int_eq(subprocess_wait(&p, 10000, &status), 1);
    char text[32] = "";
    ck_assert_int_gt(read(p.out, text, sizeof text - 1), 0);
    pid_t grandchild = (pid_t)strtol(text, NULL, 10);
    ck_assert_int_eq(kill(grandchild, 0), 0);
    subprocess_release(&p);
    subprocess_release(&p);
    char path[64], state = '?';
    for (int i = 0; i < 100 && state != 'Z' && state != 0;
         i++) { /* gone, or dead and not yet reaped by init */
        snprintf(path, sizeof path, "/proc/%d/stat", grandchild);
        FILE *file = fopen(path, "r");
        state = 0;
        if (file) {
            ck_assert_int_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
            fclose(file);
        }
        clock_sleep_ms(20);
    }
    ck_assert(state == 'Z' || state == 0);
}
END_TEST

START_TEST(reaped_by_others)
{
    /* Started with SIGCHLD ignored, the kernel reaps for us: the end must still be seen. */
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(run("exit 0", BYTES_NONE, 10000, 10), 0);
    ck_assert_int_eq(WEXITSTATUS(status), 255);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* Prints the open descriptors but the one that lists them. */
static int print_fds(void)
{
    for (int fd = 0; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf("%d ", fd);
    return 0;
}

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, streams);
    tcase_add_test(tests, large_both_ways);
    tcase_add_test(tests, too_much_output);
    tcase_add_test(tests, deaf_tool);
    tcase_add_test(tests, deadline);
    tcase_add_test(tests, background_child);
    tcase_add_test(tests, ends_by_signal);
    tcase_add_test(tests, not_there);
    tcase_add_test(tests, descriptors);
    tcase_add_test(tests, with_our_standard_streams_closed);
    tcase_add_test(tests, surroundings);
    tcase_add_loop_test(tests, waiting, 0, 2);
    tcase_add_test(tests, group_dies_at_release);
    tcase_add_test(tests, reaped_by_others);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "fds") == 0)
        return print_fds();
    return unit_main("subprocess", fill);
}
