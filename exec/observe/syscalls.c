/* The tables of the observer of system calls. A system call that is in none of the rows is observed, without a path, by its number. */
#include "exec/observe/syscalls.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/arena.h"

#define PLAIN(name) {SYS_##name, #name, -1, false}
#define PATH(name, argument) {SYS_##name, #name, argument, false}
#define IGNORED(name) {SYS_##name, #name, -1, true}

static const struct syscall_row rows[] = {
    /* Memory: what an allocator and a garbage collector do, by their own clock. */
    IGNORED(brk), IGNORED(mmap), IGNORED(munmap), IGNORED(mremap), IGNORED(mprotect), IGNORED(madvise), IGNORED(membarrier),
    /* Threads that meet, and what each begins with. */
    IGNORED(futex), IGNORED(sched_yield), IGNORED(set_robust_list), IGNORED(get_robust_list), IGNORED(rseq), IGNORED(gettid),
    IGNORED(set_tid_address),
    IGNORED(sched_getaffinity), IGNORED(getcpu), IGNORED(sched_getparam), IGNORED(sched_getscheduler),
    /* Clocks. */
    IGNORED(clock_gettime), IGNORED(clock_getres), IGNORED(clock_nanosleep), IGNORED(nanosleep), IGNORED(gettimeofday), IGNORED(times),
    IGNORED(getrusage), IGNORED(timerfd_settime), IGNORED(timer_settime), IGNORED(getitimer), IGNORED(setitimer),
    /* Waiting: whether something is there yet. */
    IGNORED(ppoll), IGNORED(pselect6), IGNORED(epoll_pwait), IGNORED(epoll_ctl), IGNORED(restart_syscall), IGNORED(rt_sigreturn),
    IGNORED(rt_sigtimedwait), IGNORED(io_uring_enter), IGNORED(io_getevents), IGNORED(wait4), IGNORED(waitid),
    /* Signal handlers are set and blocked at every turn. */
    IGNORED(rt_sigaction), IGNORED(rt_sigprocmask), IGNORED(sigaltstack),
    IGNORED(getrandom),
#ifdef SYS_epoll_pwait2
    IGNORED(epoll_pwait2),
#endif
#ifdef SYS_futex_waitv
    IGNORED(futex_waitv),
#endif
#ifdef SYS_open /* machines that have the old forms too */
    IGNORED(time), IGNORED(poll), IGNORED(select), IGNORED(epoll_wait), IGNORED(alarm), IGNORED(pause), IGNORED(arch_prctl),
    PATH(open, 0), PATH(creat, 0), PATH(stat, 0), PATH(lstat, 0), PATH(access, 0), PATH(rename, 0), PATH(mkdir, 0), PATH(rmdir, 0),
    PATH(link, 0), PATH(unlink, 0), PATH(symlink, 1), PATH(readlink, 0), PATH(chmod, 0), PATH(chown, 0), PATH(lchown, 0),
    PATH(mknod, 0), PATH(utime, 0), PATH(utimes, 0), PATH(futimesat, 1),
    PLAIN(pipe), PLAIN(dup2), PLAIN(fork), PLAIN(vfork), PLAIN(getdents), PLAIN(getpgrp), PLAIN(eventfd), PLAIN(signalfd),
    PLAIN(inotify_init), PLAIN(epoll_create), PLAIN(ioperm), PLAIN(iopl), PLAIN(sendfile),
#endif
    PATH(openat, 1), PATH(mkdirat, 1), PATH(mknodat, 1), PATH(fchownat, 1), PATH(unlinkat, 1), PATH(renameat2, 1), PATH(linkat, 1),
    PATH(symlinkat, 2), PATH(readlinkat, 1), PATH(fchmodat, 1), PATH(faccessat, 1), PATH(utimensat, 1), PATH(newfstatat, 1),
    PATH(statx, 1), PATH(execve, 0), PATH(execveat, 1), PATH(chdir, 0), PATH(chroot, 0), PATH(truncate, 0), PATH(statfs, 0),
    PATH(mount, 1), PATH(umount2, 0), PATH(pivot_root, 0), PATH(setxattr, 0), PATH(lsetxattr, 0), PATH(getxattr, 0),
    PATH(lgetxattr, 0), PATH(listxattr, 0), PATH(llistxattr, 0), PATH(removexattr, 0), PATH(lremovexattr, 0),
    PATH(inotify_add_watch, 1), PATH(name_to_handle_at, 1), PATH(swapon, 0), PATH(acct, 0),
#ifdef SYS_renameat
    PATH(renameat, 1),
#endif
#ifdef SYS_openat2
    PATH(openat2, 1),
#endif
#ifdef SYS_faccessat2
    PATH(faccessat2, 1),
#endif
#ifdef SYS_fchmodat2
    PATH(fchmodat2, 1),
#endif
#ifdef SYS_open_tree
    PATH(open_tree, 1), PATH(move_mount, 1),
#endif
    PLAIN(read), PLAIN(write), PLAIN(close), PLAIN(fstat), PLAIN(lseek), PLAIN(ioctl), PLAIN(pread64), PLAIN(pwrite64), PLAIN(readv),
    PLAIN(writev), PLAIN(preadv), PLAIN(pwritev), PLAIN(dup), PLAIN(dup3), PLAIN(pipe2), PLAIN(fcntl), PLAIN(flock), PLAIN(fsync),
    PLAIN(fdatasync), PLAIN(sync), PLAIN(syncfs), PLAIN(sync_file_range), PLAIN(ftruncate), PLAIN(fallocate), PLAIN(fadvise64),
    PLAIN(getdents64), PLAIN(getcwd), PLAIN(fchdir), PLAIN(fchmod), PLAIN(fchown), PLAIN(umask), PLAIN(fstatfs), PLAIN(splice),
    PLAIN(tee), PLAIN(vmsplice), PLAIN(copy_file_range), PLAIN(fsetxattr), PLAIN(fgetxattr), PLAIN(flistxattr), PLAIN(fremovexattr),
    PLAIN(clone), PLAIN(exit), PLAIN(exit_group), PLAIN(kill), PLAIN(tkill), PLAIN(tgkill), PLAIN(rt_sigpending),
    PLAIN(rt_sigsuspend), PLAIN(rt_sigqueueinfo), PLAIN(signalfd4), PLAIN(eventfd2), PLAIN(epoll_create1), PLAIN(inotify_init1),
    PLAIN(inotify_rm_watch), PLAIN(timerfd_create), PLAIN(timerfd_gettime), PLAIN(timer_create), PLAIN(timer_delete), PLAIN(getpid),
    PLAIN(getppid), PLAIN(getpgid), PLAIN(setpgid), PLAIN(getsid), PLAIN(setsid), PLAIN(getuid), PLAIN(geteuid), PLAIN(getgid),
    PLAIN(getegid), PLAIN(getresuid), PLAIN(getresgid), PLAIN(setuid), PLAIN(setgid), PLAIN(setreuid), PLAIN(setregid),
    PLAIN(setresuid), PLAIN(setresgid), PLAIN(getgroups), PLAIN(setgroups), PLAIN(setfsuid), PLAIN(setfsgid), PLAIN(capget),
    PLAIN(capset), PLAIN(prctl), PLAIN(personality), PLAIN(ptrace), PLAIN(seccomp), PLAIN(unshare), PLAIN(setns), PLAIN(uname),
    PLAIN(sethostname), PLAIN(setdomainname), PLAIN(sysinfo), PLAIN(syslog), PLAIN(prlimit64), PLAIN(getrlimit), PLAIN(setrlimit),
    PLAIN(getpriority), PLAIN(setpriority), PLAIN(sched_setaffinity), PLAIN(sched_setscheduler), PLAIN(sched_setparam),
    PLAIN(sched_setattr), PLAIN(sched_getattr), PLAIN(ioprio_set), PLAIN(ioprio_get), PLAIN(socket), PLAIN(socketpair), PLAIN(bind),
    PLAIN(listen), PLAIN(accept), PLAIN(accept4), PLAIN(connect), PLAIN(getsockname), PLAIN(getpeername), PLAIN(sendto),
    PLAIN(recvfrom), PLAIN(sendmsg), PLAIN(recvmsg), PLAIN(sendmmsg), PLAIN(recvmmsg), PLAIN(shutdown), PLAIN(setsockopt),
    PLAIN(getsockopt), PLAIN(memfd_create), PLAIN(mlock), PLAIN(munlock), PLAIN(mlockall), PLAIN(munlockall), PLAIN(mincore),
    PLAIN(msync), PLAIN(shmget), PLAIN(shmat), PLAIN(shmctl), PLAIN(shmdt), PLAIN(semget), PLAIN(semop), PLAIN(semctl),
    PLAIN(msgget), PLAIN(msgsnd), PLAIN(msgrcv), PLAIN(msgctl), PLAIN(mq_open), PLAIN(mq_unlink), PLAIN(add_key), PLAIN(request_key),
    PLAIN(keyctl), PLAIN(bpf), PLAIN(perf_event_open), PLAIN(userfaultfd), PLAIN(io_setup), PLAIN(io_submit), PLAIN(io_destroy),
    PLAIN(io_uring_setup), PLAIN(io_uring_register), PLAIN(pidfd_open), PLAIN(pidfd_send_signal), PLAIN(process_vm_readv),
    PLAIN(process_vm_writev), PLAIN(kcmp), PLAIN(reboot), PLAIN(init_module), PLAIN(finit_module), PLAIN(delete_module),
    PLAIN(kexec_load), PLAIN(open_by_handle_at), PLAIN(fanotify_init), PLAIN(fanotify_mark), PLAIN(settimeofday),
    PLAIN(clock_settime), PLAIN(adjtimex), PLAIN(vhangup), PLAIN(swapoff), PLAIN(quotactl),
#ifdef SYS_clone3
    PLAIN(clone3),
#endif
#ifdef SYS_close_range
    PLAIN(close_range),
#endif
#ifdef SYS_landlock_create_ruleset
    PLAIN(landlock_create_ruleset), PLAIN(landlock_add_rule), PLAIN(landlock_restrict_self),
#endif
};

const struct path_start path_starts[] = {
    {"/tmp/", PATH_TMP, false},     {"/tmp", PATH_TMP, true},       {"/var/tmp", PATH_TMP, false},  {"/proc/", PATH_PROC, false},
    {"/proc", PATH_PROC, true},     {"/sys/", PATH_SYS, false},     {"/sys", PATH_SYS, true},       {"/dev/", PATH_DEV, false},
    {"/dev", PATH_DEV, true},       {"/etc/", PATH_SYSTEM, false},  {"/etc", PATH_SYSTEM, true},    {"/usr/", PATH_SYSTEM, false},
    {"/usr", PATH_SYSTEM, true},    {"/lib/", PATH_SYSTEM, false},  {"/lib64/", PATH_SYSTEM, false}, {"/lib", PATH_SYSTEM, true},
    {"/bin/", PATH_SYSTEM, false},  {"/bin", PATH_SYSTEM, true},    {"/sbin/", PATH_SYSTEM, false},
};
const size_t path_start_count = sizeof path_starts / sizeof *path_starts;

const struct syscall_row *syscall_rows(size_t *count)
{
    *count = sizeof rows / sizeof *rows;
    return rows;
}

const char *syscall_text(struct arena *a, int number, int error, enum path_class class)
{
    static const char *const classes[PATH_CLASSES] = {
        [PATH_NONE] = "",       [PATH_RELATIVE] = " relative", [PATH_ROOT] = " root", [PATH_HOME] = " home",     [PATH_TMP] = " tmp",
        [PATH_PROC] = " proc",  [PATH_SYS] = " sys",           [PATH_DEV] = " dev",   [PATH_SYSTEM] = " system", [PATH_ELSEWHERE] = " elsewhere"};
    const char *name = NULL, *how = error ? strerrorname_np(error) : "ok";
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !name; i++)
        name = rows[i].number == number ? rows[i].name : NULL;
    const char *where = class < PATH_CLASSES ? classes[class] : "";
    if (!name)
        name = arena_printf(a, "syscall-%d", number);
    return how ? arena_printf(a, "%s %s%s", name, how, where) : arena_printf(a, "%s E%d%s", name, error, where);
}
