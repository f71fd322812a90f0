/* What the system allows: tried where trying leaves nothing behind, read from /proc and /sys else. */
#include "base/fs.h"
#include "cli/doctor.h"
#include "exec/observe/observer.h"
#include "exec/target/box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first line of a small file of the kernel's; false: there is none. */
static bool kernel_text(const char *path, char *text, size_t size)
{
    struct buf out;
    buf_init(&out, 4096);
    bool there = fs_read(path, 4096, &out, NULL) == 0;
    if (there)
        snprintf(text, size, "%.*s", (int)strcspn(buf_string(&out), "\n"), buf_string(&out));
    buf_release(&out);
    return there;
}

static void add_kernel(struct doctor *d)
{
    struct utsname u;
    char text[256];
    uname(&u);
    snprintf(text, sizeof text, "%.60s %.100s, %.30s", u.sysname, u.release, u.machine);
    doctor_add(d, &(struct doctor_row){.name = "kernel", .found = text});
}

static void add_openat2(struct doctor *d)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    long fd = syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how);
    const struct doctor_row row = {
        .name = "openat2",
        .state = fd >= 0 ? DOCTOR_OK : DOCTOR_ABSENT,
        .found = fd >= 0 ? "yes" : strerror(errno),
        .purpose = "witnesses that follow links below a session's root; without it none is followed",
        .how = "a kernel from 5.6 on, and a container that permits it",
    };
    if (fd >= 0)
        close((int)fd);
    doctor_add(d, &row);
}

/* A child that lets us trace it stops; where that is not allowed it just ends. */
static bool may_trace(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            raise(SIGSTOP);
        _exit(1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return false;
    bool stopped = WIFSTOPPED(status);
    if (stopped) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    return stopped;
}

static void add_ptrace(struct doctor *d)
{
    char scope[32] = "", found[64];
    bool can = may_trace();
    if (kernel_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope))
        snprintf(found, sizeof found, "%s, kernel.yama.ptrace_scope is %s", can ? "yes" : "no", scope);
    else
        snprintf(found, sizeof found, "%s", can ? "yes" : "no");
    doctor_add(d, &(struct doctor_row){
                      .name = "ptrace",
                      .state = can ? DOCTOR_OK : DOCTOR_ABSENT,
                      .found = found,
                      .purpose = "looking into what a target does, and tasks with a debugger",
                      .how = "sysctl kernel.yama.ptrace_scope=1, or a container with --cap-add SYS_PTRACE",
                  });
}

static void add_seccomp(struct doctor *d)
{
    unsigned action = SECCOMP_RET_USER_NOTIF;
    bool can = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
    doctor_add(d, &(struct doctor_row){
                      .name = "seccomp",
                      .state = can ? DOCTOR_OK : DOCTOR_ABSENT,
                      .found = can ? "yes, with notifications" : strerror(errno),
                      .purpose = "targets that filter their own system calls",
                      .how = "a kernel from 5.0 on with CONFIG_SECCOMP_FILTER, and a container that permits it",
                  });
}

/* Two switches and a number, as distributions have them. */
static void add_user_namespaces(struct doctor *d)
{
    char most[32] = "", clone[8] = "1", restricted[8] = "0", found[160];
    bool there = kernel_text("/proc/sys/user/max_user_namespaces", most, sizeof most);
    kernel_text("/proc/sys/kernel/unprivileged_userns_clone", clone, sizeof clone);
    kernel_text("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", restricted, sizeof restricted);
    bool off = !there || strcmp(most, "0") == 0, users = strcmp(clone, "0") != 0 && strcmp(restricted, "0") == 0;
    snprintf(found, sizeof found, off ? "no" : users ? "yes, at most %s" : "for root alone, at most %s", most);
    doctor_add(d, &(struct doctor_row){
                      .name = "user namespaces",
                      .state = off || (!users && geteuid() != 0) ? DOCTOR_ABSENT : DOCTOR_OK,
                      .found = found,
                      .purpose = "the box of users other than root, and sandboxes inside the box",
                      .how = off ? "sysctl user.max_user_namespaces=15000"
                                 : "sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0",
                  });
}

static void add_cgroups(struct doctor *d)
{
    struct statfs fs;
    bool there = statfs("/sys/fs/cgroup", &fs) == 0;
    bool two = there && fs.f_type == CGROUP2_SUPER_MAGIC, one = there && !two && access("/sys/fs/cgroup/memory", F_OK) == 0;
    char group[256] = "", found[320];
    kernel_text("/proc/self/cgroup", group, sizeof group);
    snprintf(found, sizeof found, "%s; this process: %s", two ? "version 2" : one ? "version 1" : "none mounted", *group ? group : "in none");
    doctor_add(d, &(struct doctor_row){
                      .name = "control groups",
                      .state = two || one ? DOCTOR_OK : DOCTOR_ABSENT,
                      .found = found,
                      .purpose = "limits on processes and memory of a session as a whole, and figures of what it used",
                      .how = "mount -t cgroup2 none /sys/fs/cgroup; as a user: loginctl enable-linger, systemd-run --user --scope -p Delegate=yes",
                  });
}

/* What the box and the observers say of themselves. */
static void add_reports(struct doctor *d)
{
    struct buf text;
    buf_init(&text, 1 << 16);
    box_report(d->settings, &text);
    observers_report(d->settings, &text);
    doctor_add_report(d, buf_bytes(&text));
    buf_release(&text);
}

void doctor_kernel(struct doctor *d)
{
    add_kernel(d);
    add_user_namespaces(d);
    add_cgroups(d);
    add_reports(d);
    add_openat2(d);
    add_ptrace(d);
    add_seccomp(d);
}
