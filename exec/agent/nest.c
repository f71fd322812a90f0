/* A user namespace for the session, so that what runs in a box of root's is not root.
 *
 * Root of this machine without capabilities still owns root's files, /proc/sys among them; with capabilities
 * it can make the box's read-only mounts writable again. So the whole session lives in a user namespace below
 * the one that made the box: its ids 0..65535 are ids of this machine that nobody has, its capabilities hold
 * for what it makes itself (nested sandboxes, their mounts), and the box's mounts, made outside, are locked
 * for it.
 *
 * A sandbox inside may mount a /proc of its own only when the one it sees is whole. Bubblewrap covers parts
 * of the one it mounts; those covers are needed against root only, so a fresh one is put over it. */
#include "exec/agent/state.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/agent/ids.h"

enum { HELPER_MAPS = 1, HELPER_PROC = 2 }; /* exit status of the helper: what it could not do */

static bool write_file(pid_t pid, const char *file, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return good;
}

/* Stays in the old namespace, where it may do these things for us. */
static void helper_main(int go, int report) __attribute__((noreturn));
static void helper_main(int go, int report)
{
    char byte, map[64];
    if (read(go, &byte, 1) != 1)
        _exit(0);
    snprintf(map, sizeof map, "0 %u %u\n", (unsigned)AGENT_FIRST_ID, (unsigned)AGENT_ID_COUNT);
    int failed = 0;
    if (!write_file(getppid(), "gid_map", map) || !write_file(getppid(), "uid_map", map))
        failed = HELPER_MAPS;
    else if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        failed = HELPER_PROC;
    int error = errno;
    if (failed)
        (void)!write(report, &error, sizeof error);
    _exit(failed);
}

/* After the helper is told to go; 0 or an errno. */
static int await_helper(pid_t helper, int report, const char **what)
{
    int error = 0, status = 0;
    ssize_t n = read(report, &error, sizeof error);
    while (waitpid(helper, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    *what = WIFEXITED(status) && WEXITSTATUS(status) == HELPER_PROC ? "mount a fresh /proc" : "map its ids";
    return n == (ssize_t)sizeof error && error ? error : ECHILD;
}

/* Without a bounding set no program that is executed gets capabilities back. 0 or an errno. */
static int bounds_drop(void)
{
    for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability) < 0)
            return errno;
    return 0;
}

/* Going from root to another user, the kernel drops all capabilities. */
static int become(unsigned id, const char **what)
{
    *what = "become a user of its own";
    if (setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0)
        return errno;
    return 0;
}

int nest_enter(unsigned user, const char **what)
{
    int go[2], report[2];
    *what = "make a pipe";
    if (pipe2(go, O_CLOEXEC) < 0 || pipe2(report, O_CLOEXEC) < 0)
        return errno;
    *what = "start a helper";
    pid_t helper = fork();
    if (helper == 0) {
        close(go[1]);
        helper_main(go[0], report[1]);
    }
    if (helper < 0)
        return errno;
    close(go[0]);
    close(report[1]);
    *what = "make a user namespace";
    int error = unshare(CLONE_NEWUSER) < 0 ? errno : 0;
    if (!error)
        (void)!write(go[1], "", 1);
    close(go[1]);
    const char *helpers_part = "";
    int helped = await_helper(helper, report[0], &helpers_part);
    close(report[0]);
    if (error)
        return error;
    if (helped) {
        *what = helpers_part;
        return helped;
    }
    if (user && (error = bounds_drop())) {
        *what = "drop capabilities";
        return error;
    }
    return become(user, what);
}
