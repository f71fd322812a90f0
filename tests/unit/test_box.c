/* exec/target/box: what a program in the box can and cannot do to this machine, as root and as an
 * unprivileged user; limits; sandboxes inside it; groups that are gone afterwards; machines that have no box
 * to give. */
#include "base/subprocess.h"
#include "box_fixture.h"

static struct box_fixture f;
static struct buf out;
static bool skip;

/* The loop tests' kinds: 0 as who runs the tests (root or not), 1 unprivileged; +2 with capabilities kept. */
static void start_kind(int kind)
{
    skip = (kind & 1) && !fixture_drop_root();
    f.box.keep_capabilities = kind & 2;
    const char *why;
    if (!skip && !box_possible(&why)) {
        printf("not tested: no box here: %s\n", why);
        skip = true;
    }
    if (skip)
        return;
    fixture_dirs(&f, false);
    fixture_start(&f);
}

static void set_up(void)
{
    buf_init(&out, SIZE_MAX / 4);
    skip = false;
}

static void tear_down(void)
{
    if (f.base)
        fixture_release(&f);
    buf_release(&out);
}

static const char *said(const char *script)
{
    fixture_shell(&f, script, &out);
    return buf_string(&out);
}

START_TEST(writable_places)
{
    start_kind(_i);
    if (skip)
        return;
    char *want = strings_printf("%s\ngood\n", f.root);
    ck_assert_str_eq(
        said("pwd; echo root > here && echo home > ~/there && echo x > /tmp/x && echo x > /var/tmp/x && "
             "echo x > /dev/shm/x && echo x > /dev/null && mkfifo pipe && chmod 600 here && echo good"),
        want);
    free(want);
    buf_clear(&out);
    char *path = strings_printf("%s/here", f.root);
    ck_assert_int_eq(fs_read(path, 100, &out, NULL), 0); /* seen from outside */
    ASSERT_BYTES(buf_bytes(&out), "root\n");
    ck_assert_int_eq(access("/tmp/x", F_OK), -1);
    free(path);
}
END_TEST

/* Each line tries to change this machine, or to look at what it should not see; none may say "done". */
static const char attacks[] =
    "exec 2>/dev/null\n"
    "try() { \"$@\" && echo \"done: $*\"; }\n"
    "try touch /etc/taskgen-escape; try touch /usr/taskgen-escape; try touch /taskgen-escape; try touch "
    "/var/taskgen-escape\n"
    "try rm -f /etc/hostname; try chmod 777 /etc; try sh -c 'echo x >> /etc/passwd'\n"
    "try mount -o remount,rw,bind /; try mount -o remount,rw /; try umount -l /proc; try umount /tmp\n"
    "try unshare -m mount -o remount,rw,bind /; try unshare -rm mount -o remount,rw,bind /\n"
    "try unshare -rm sh -c 'mount -o remount,rw,bind / && touch /etc/taskgen-escape'\n"
    "try unshare -rm umount /root; try unshare -rm umount -l /run\n"
    "try sh -c 'echo /tmp/x > /proc/sys/kernel/core_pattern'; try sh -c 'echo 1 > /proc/sys/kernel/panic'\n"
    "try sh -c 'echo b > /proc/sysrq-trigger'; try sh -c 'echo 1 > /sys/kernel/mm/ksm/run'\n"
    "try sh -c 'mknod disk b 254 0 && head -c 1 disk'; try sh -c 'mknod mem c 1 1 && head -c 1 mem'\n"
    "try hostname taskgen-escape-host-name-that-is-much-too-long-to-be-set-by-any-means-at-all-x; try date "
    "-s 2001-01-01\n"
    "try sh -c 'ls /root/* >/dev/null'; try sh -c 'ls /home/* >/dev/null'; try sh -c 'ls /run/*/* | grep -v "
    "taskgen-agent'\n"
    "try chroot / true; try sh -c 'cat /proc/1/environ | grep .'; try sh -c 'ls /proc/1/root/'\n"
    "try sh -c 'mkdir cg && mount -t cgroup -o pids none cg'; try unshare -rmC sh -c 'mount -t cgroup -o "
    "pids none cg && echo 9999 > cg/pids.max'\n"
    "exit 0\n";

START_TEST(the_host_is_safe)
{
    struct stat passwd, now;
    ck_assert_int_eq(stat("/etc/passwd", &passwd), 0);
    start_kind(_i);
    if (skip)
        return;
    const char *result = said(attacks);
    /* With capabilities of its own, changing root is allowed, and a box may do to its own what it likes. */
    for (const char *at = result; (at = strstr(at, "done: ")); at++)
        ck_assert_msg(strncmp(at, "done: chroot / true", 19) == 0, "the box is open: %s", result);
    ck_assert_int_eq(stat("/etc/passwd", &now), 0);
    ck_assert(now.st_mtime == passwd.st_mtime && now.st_size == passwd.st_size &&
              now.st_mode == passwd.st_mode);
    ck_assert_int_eq(access("/etc/taskgen-escape", F_OK), -1);
    ck_assert_int_eq(access("/etc/hostname", F_OK) == 0 || errno == ENOENT, 1);
}
END_TEST

/* A host's home with a secret in it, and what is done to it from inside. */
START_TEST(homes_are_hidden)
{
    if ((_i & 1) && !fixture_drop_root())
        return;
    char *home = fs_fresh_dir("taskgen-home", NULL), *secret = strings_printf("%s/secret", home);
    ck_assert_int_eq(fs_write(secret, BYTES_LITERAL("secret"), NULL), 0);
    ck_assert_int_eq(chmod(home, 0777), 0);
    ck_assert_int_eq(chmod(secret, 0666), 0);
    setenv("HOME", home, 1);
    start_kind(_i);
    if (!skip) {
        char *script = strings_printf("cat %s; ls -A %s; echo x > %s", secret, home, secret);
        ck_assert_ptr_null(strstr(said(script), "secret\n"));
        free(script);
        buf_clear(&out);
        ck_assert_int_eq(fs_read(secret, 100, &out, NULL), 0);
        ASSERT_BYTES(buf_bytes(&out), "secret");
    }
    fs_remove_tree(home, NULL);
    free(secret);
    free(home);
}
END_TEST

START_TEST(readable_places)
{
    if ((_i & 1) && !fixture_drop_root())
        return;
    char *dir = fs_fresh_dir("taskgen-programs", NULL), *program = strings_printf("%s/a/b/program", dir),
         *deep = strings_printf("%s/a/b", dir), *other = strings_printf("%s/a/c", dir);
    ck_assert_int_eq(fs_make_dirs(deep, NULL), 0);
    ck_assert_int_eq(fs_make_dirs(other, NULL), 0);
    ck_assert_int_eq(chmod(dir, 0755), 0);
    ck_assert_int_eq(fs_write(program, BYTES_LITERAL("#!/bin/sh\necho runs\n"), NULL), 0);
    ck_assert_int_eq(chmod(program, 0755), 0);
    f.box.readable = (const char *const[]){deep, "/tmp/not/there/at/all", NULL};
    start_kind(_i);
    if (!skip) {
        char *script = strings_printf("%s; echo x >> %s; ls %s/..", program, program, deep);
        const char *result = said(script);
        ck_assert_ptr_nonnull(strstr(result, "runs\n"));
        ck_assert_ptr_nonnull(strstr(result, "\nb\n"));
        ck_assert_ptr_null(strstr(result, "\nc\n"));
        free(script);
        buf_clear(&out);
        ck_assert_int_eq(fs_read(program, 100, &out, NULL), 0);
        ASSERT_BYTES(buf_bytes(&out), "#!/bin/sh\necho runs\n");
    }
    fs_remove_tree(dir, NULL);
    free(dir);
    free(program);
    free(deep);
    free(other);
}
END_TEST

START_TEST(namespaces)
{
    start_kind(_i);
    if (skip)
        return;
    char *script = strings_printf(
        "ls /proc | grep -c '^[0-9]'; cat /proc/net/dev | tail -n +3 | grep -vc ' lo:'; "
        "kill -0 %d && echo seen",
        getppid());
    const char *result = said(script);
    free(script);
    ck_assert_int_le(strtol(result, NULL, 10), 5);
    ck_assert_ptr_null(strstr(result, "seen"));
    /* Loopback works, nothing else does. */
    ck_assert_str_eq(said("exec 2>&1; /usr/bin/python3 -c '\n"
                          "import socket\n"
                          "s = socket.create_server((\"127.0.0.1\", 8080))\n"
                          "c = socket.create_connection((\"127.0.0.1\", 8080))\n"
                          "s.accept()[0].send(b\"loop\"); print(c.recv(9).decode())\n"
                          "try: socket.create_connection((\"192.0.2.1\", 80), 2); print(\"out\")\n"
                          "except OSError as e: print(e.errno)'"),
                     "loop\n101\n");
}
END_TEST

START_TEST(limits)
{
    start_kind(_i);
    if (skip)
        return;
    ck_assert_str_eq(said("ulimit -c; ulimit -Hc; ulimit -n; ulimit -Hn"), "0\n0\n1024\n4096\n");
    fixture_release(&f);
    fixture_dirs(&f, false);
    settings_set(&f.settings, "budget.disk", "1M", NULL);
    fixture_start(&f);
    ck_assert_ptr_nonnull(strstr(said("trap '' XFSZ; head -c 3000000 /dev/zero > big; wc -c < big; "
                                      "head -c 3000000 /dev/zero > /tmp/big || echo full"),
                                 "1048576\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "full"));
}
END_TEST

/* Limited by the box, ended by the agent, soon. */
START_TEST(fork_bombs)
{
    start_kind(_i);
    if (skip)
        return;
    int64_t before = fixture_ms();
    struct agent_process p = fixture_spawn(&f,
                                           (const char *[]){"/usr/bin/python3", "-c",
                                                            "import os, sys\n"
                                                            "sys.argv.append('fork-bomb-56789')\n"
                                                            "while True:\n"
                                                            "    try: os.fork()\n"
                                                            "    except OSError: pass\n",
                                                            "fork-bomb-56789", NULL},
                                           false);
    ck_assert_int_eq(p.exec_errno, 0);
    clock_sleep_ms(1500);
    int count = fixture_count("fork-bomb-56789");
    ck_assert_int_ge(count, 100);
    ck_assert_int_le(count, 258);
    fixture_close(&p);
    agent_stop(f.agent);
    f.agent = NULL;
    ck_assert_int_eq(fixture_count("fork-bomb-56789"), 0);
    ck_assert_int_lt(fixture_ms() - before, 30000);
}
END_TEST

START_TEST(memory)
{
    if (geteuid() != 0) {
        printf("not tested: a memory cgroup is root's to make here\n");
        return;
    }
    start_kind(_i);
    if (skip)
        return;
    const char *kinds[2];
    struct box_cgroup *c = box_cgroup_new(&f.settings, 0);
    box_cgroup_kinds(c, kinds);
    box_cgroup_free(c);
    if (!kinds[1]) {
        printf("not tested: this machine has no memory cgroup for us\n");
        return;
    }
    fixture_release(&f);
    fixture_dirs(&f, false);
    settings_set(&f.settings, "budget.memory", "64M", NULL);
    fixture_start(&f);
    ck_assert(!agent_oom_killed(f.agent));
    ck_assert_int_eq(fixture_shell(&f, "/usr/bin/python3 -c 'x = bytearray(300 << 20)'; echo $?", &out), 0);
    ck_assert_ptr_nonnull(strstr(buf_string(&out), "137"));
    ck_assert(agent_oom_killed(f.agent)); /* and the agent was not what was killed */
    ck_assert_str_eq(said("echo alive"), "alive\n");
}
END_TEST

/* bubblewrap, the usual way, inside our box. */
START_TEST(sandboxes_inside)
{
    start_kind(_i);
    if (skip)
        return;
    char *script = strings_printf(
        "echo root > a; bwrap --ro-bind / / --dev /dev --proc /proc --bind %s %s --unshare-all "
        "--die-with-parent sh -c 'cat a; echo b > b; ls /proc | grep -c \"^[0-9]\"; "
        "touch /etc/x || echo no'; cat b; unshare -r id -u",
        f.root, f.root);
    const char *result = said(script);
    ck_assert_msg(strncmp(result, "root\n", 5) == 0, "%s", result);
    ck_assert_ptr_nonnull(strstr(result, "no\nb\n0\n"));
    free(script);
}
END_TEST

START_TEST(off_has_limits_only)
{
    fixture_dirs(&f, true);
    fixture_start(&f);
    ck_assert_str_eq(said("ulimit -c; ulimit -n"), "0\n1024\n");
    char *script = strings_printf("kill -0 %d && echo seen", getpid());
    ck_assert_str_eq(said(script), "seen\n");
    free(script);
}
END_TEST

START_TEST(no_bubblewrap)
{
    setenv("PATH", "/nowhere", 1);
    const char *why = NULL;
    ck_assert(!box_possible(&why));
    ck_assert_str_eq(why, "bubblewrap (bwrap) is not installed");
    fixture_dirs(&f, false);
    buf_clear(&out);
    box_report(&f.settings, &out);
    ck_assert_ptr_nonnull(
        strstr(buf_string(&out), "box made by bubblewrap: no (bubblewrap (bwrap) is not installed)\n"));
    fixture_start(&f); /* still, what there is of limits */
    ck_assert_str_eq(said("ulimit -n"), "1024\n");
}
END_TEST

START_TEST(broken_bubblewrap)
{
    char *dir = fs_fresh_dir("taskgen-bin", NULL), *bwrap = strings_printf("%s/bwrap", dir);
    ck_assert_int_eq(
        fs_write(bwrap, BYTES_LITERAL("#!/bin/sh\necho first >&2; echo 'bwrap: not today' >&2\nexit 1\n"),
                 NULL),
        0);
    ck_assert_int_eq(chmod(bwrap, 0755), 0);
    setenv("PATH", dir, 1);
    const char *why = NULL;
    ck_assert(!box_possible(&why));
    ck_assert_str_eq(why, "bwrap: not today");
    fs_remove_tree(dir, NULL);
    free(bwrap);
    free(dir);
}
END_TEST

START_TEST(reports)
{
    struct settings settings;
    settings_defaults(&settings);
    box_report(&settings, &out);
    const char *text = buf_string(&out);
    ck_assert_ptr_nonnull(strstr(text, "box made by bubblewrap: "));
    ck_assert_ptr_nonnull(strstr(text, "pids cgroup: "));
    ck_assert_ptr_nonnull(strstr(text, "memory cgroup: "));
}
END_TEST

START_TEST(groups_are_removed)
{
    struct settings settings;
    settings_defaults(&settings);
    struct box_cgroup *c = box_cgroup_new(&settings, 0);
    if (!c) {
        printf("not tested: this machine has no cgroups for us\n");
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        for (;;)
            pause();
    }
    box_cgroup_add(c, pid);
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    snprintf(name, sizeof name, "/taskgen-%d-", (int)getpid());
    ck_assert_int_eq(fs_read(path, 65536, &out, NULL), 0);
    ck_assert_ptr_nonnull(strstr(buf_string(&out), name));
    /* A sandbox may have made groups of its own in it. */
    char script[512];
    int status;
    snprintf(script, sizeof script,
             "for d in $(find /sys/fs/cgroup -name 'taskgen-%d-*'); do mkdir -p $d/inner/most && echo %d >$d/inner/most/cgroup.procs; done; exit 0",
             (int)getpid(), (int)pid);
    ck_assert_int_eq(subprocess_run((const char *[]){"sh", "-c", script, NULL}, BYTES_NONE, 10000, 65536, NULL, NULL, &status, NULL), 0);
    box_cgroup_free(c); /* kills what is in it */
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    /* Nothing of ours is left in any hierarchy. */
    buf_clear(&out);
    snprintf(name, sizeof name, "taskgen-%d-*", (int)getpid());
    subprocess_run((const char *[]){"find", "/sys/fs/cgroup", "-name", name, NULL}, BYTES_NONE, 10000, 65536,
                   &out, NULL, &status, NULL);
    ASSERT_BYTES(buf_bytes(&out), "");
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, writable_places, 0, 4);
    tcase_add_loop_test(tests, the_host_is_safe, 0, 4);
    tcase_add_loop_test(tests, homes_are_hidden, 0, 2);
    tcase_add_loop_test(tests, readable_places, 0, 2);
    tcase_add_loop_test(tests, namespaces, 0, 4);
    tcase_add_loop_test(tests, limits, 0, 4);
    tcase_add_loop_test(tests, fork_bombs, 0, 2);
    tcase_add_loop_test(tests, memory, 0, 1);
    tcase_add_loop_test(tests, sandboxes_inside, 0, 4);
    tcase_add_test(tests, off_has_limits_only);
    tcase_add_test(tests, no_bubblewrap);
    tcase_add_test(tests, broken_bubblewrap);
    tcase_add_test(tests, reports);
    tcase_add_test(tests, groups_are_removed);
}

int main(void)
{
    return unit_main("box", fill);
}
