/* A fresh root and home with a box around them, for tests of what runs in boxes. */
#ifndef TESTS_UNIT_BOX_FIXTURE_H
#define TESTS_UNIT_BOX_FIXTURE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "exec/target/agent.h"
#include "exec/target/strings.h"
#include "exec/target/target.h"
#include "unit.h"

struct box_fixture {
    struct settings settings;
    char *base, *root, *home;
    struct box box;
    struct agent *agent;
};

/* The directory of the last session or box that a test began; its processes have it in their environment. */
static char fixture_mark[512];

/* f->box.keep_capabilities and readable may be set before. */
static inline void fixture_dirs(struct box_fixture *f, bool off)
{
    struct box wish = f->box;
    settings_defaults(&f->settings);
    f->base = fs_fresh_dir("taskgen-test", NULL);
    ck_assert_ptr_nonnull(f->base);
    snprintf(fixture_mark, sizeof fixture_mark, "%s", f->base);
    f->root = strings_printf("%s/root", f->base);
    f->home = strings_printf("%s/home", f->base);
    f->box = (struct box){.root = f->root,
                          .home = f->home,
                          .off = off,
                          .settings = &f->settings,
                          .readable = wish.readable,
                          .keep_capabilities = wish.keep_capabilities};
    unsigned owner = box_owner(&f->box);
    ck_assert_int_eq(mkdir(f->root, 0755), 0);
    ck_assert_int_eq(mkdir(f->home, 0755), 0);
    if (owner) {
        ck_assert_int_eq(chown(f->root, owner, owner), 0);
        ck_assert_int_eq(chown(f->home, owner, owner), 0);
    }
}

static inline void fixture_start(struct box_fixture *f)
{
    struct error *err = NULL;
    int status = agent_start(&f->box, &f->agent, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
}

static inline void fixture_release(struct box_fixture *f)
{
    if (f->agent)
        agent_stop(f->agent);
    struct error *err = NULL;
    int status = fs_remove_tree(f->base, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    free(f->base);
    free(f->root);
    free(f->home);
    *f = (struct box_fixture){0};
}

/* Starts argv in the root; must be executed. */
static inline struct agent_process fixture_spawn(struct box_fixture *f, const char *const *argv,
                                                 bool with_stdin)
{
    char *home = strings_printf("HOME=%s", f->home);
    const char *env[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", home, "LANG=C.UTF-8", NULL};
    struct agent_command command = {.argv = argv, .env = env, .cwd = f->root, .with_stdin = with_stdin};
    struct agent_process p;
    struct error *err = NULL;
    int status = agent_spawn(f->agent, &command, &p, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    free(home);
    return p;
}

static inline int64_t fixture_ms(void)
{
    return clock_monotonic_ns() / 1000000;
}

/* Waits for its end; the status as by waitpid, -1 when it takes longer. */
static inline int fixture_wait(struct box_fixture *f, int id, int64_t ms)
{
    int status = 0;
    int64_t deadline = fixture_ms() + ms;
    while (agent_status(f->agent, id, &status) == 0 && fixture_ms() < deadline)
        poll(&(struct pollfd){.fd = agent_fd(f->agent), .events = POLLIN}, 1, 50);
    return agent_status(f->agent, id, &status) == 1 ? status : -1;
}

static inline void fixture_close(struct agent_process *p)
{
    int *fds[] = {&p->in, &p->out, &p->err};
    for (int i = 0; i < 3; i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
}

/* What it writes to standard output (or error) until the end of that, or for so long. */
static inline void fixture_read(int fd, struct buf *out, int64_t ms)
{
    char chunk[65536];
    int64_t deadline = fixture_ms() + ms;
    for (;;) {
        int64_t left = deadline - fixture_ms();
        if (left <= 0 || poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, (int)left) <= 0)
            return;
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n <= 0)
            return;
        buf_add(out, bytes_of(chunk, (size_t)n));
    }
}

/* Runs a shell script to its end; its exit status; what it said stands in *out. */
static inline int fixture_shell(struct box_fixture *f, const char *script, struct buf *out)
{
    char *both = strings_printf("exec 2>&1\n%s", script);
    struct agent_process p = fixture_spawn(f, (const char *[]){"sh", "-c", both, NULL}, false);
    ck_assert_int_eq(p.exec_errno, 0);
    buf_clear(out);
    fixture_read(p.out, out, 20000);
    int status = fixture_wait(f, p.id, 20000);
    fixture_close(&p);
    free(both);
    ck_assert_int_ne(status, -1);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Reads a file of /proc; how many bytes. */
static inline ssize_t fixture_proc(const char *pid, const char *file, char *data, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, data, size) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 ? n : 0;
}

/* How many processes on this machine have the word in their command line and our directory in their
 * environment: the same test may run elsewhere at the same time. */
static inline int fixture_count(const char *word)
{
    static char line[4096], environment[65536];
    int count = 0;
    DIR *proc = opendir("/proc");
    ck_assert_ptr_nonnull(proc);
    ck_assert_int_ne(fixture_mark[0], '\0');
    for (struct dirent *e; (e = readdir(proc));) {
        if (e->d_name[0] < '0' || e->d_name[0] > '9')
            continue;
        ssize_t n = fixture_proc(e->d_name, "cmdline", line, sizeof line);
        if (!memmem(line, (size_t)n, word, strlen(word)))
            continue;
        n = fixture_proc(e->d_name, "environ", environment, sizeof environment);
        count += memmem(environment, (size_t)n, fixture_mark, strlen(fixture_mark)) != NULL;
    }
    closedir(proc);
    return count;
}

/* As nobody in particular, for tests that are to run unprivileged too. False (after saying why) when that
 * cannot be. */
static inline bool fixture_drop_root(void)
{
    if (geteuid() != 0)
        return true;
    if (setgid(65534) < 0 || setuid(65534) < 0) {
        printf("not tested as an unprivileged user: cannot become one: %s\n", strerror(errno));
        return false;
    }
    return true;
}

#endif
