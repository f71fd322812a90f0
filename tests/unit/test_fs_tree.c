/* base/fs: fs_remove_tree() against trees that a hostile program may leave. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "unit.h"

enum { NOBODY = 65534 };

static char *directory;
static char scratch[4096];

static const char *in_dir(const char *name)
{
    snprintf(scratch, sizeof scratch, "%s/%s", directory, name);
    return scratch;
}

static bool exists(const char *name)
{
    struct stat st;
    return lstat(in_dir(name), &st) == 0;
}

static void touch(const char *name)
{
    int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_EXCL, 0644);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void make_dir(const char *name)
{
    ck_assert_int_eq(fs_make_dirs(in_dir(name), NULL), 0);
}

static void remove_well(const char *name)
{
    struct error *err = NULL;
    int status = fs_remove_tree(in_dir(name), &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    ck_assert(!exists(name));
}

static void set_up(void)
{
    directory = fs_fresh_dir("taskgen-tree", NULL);
    ck_assert_ptr_nonnull(directory);
}

static void tear_down(void)
{
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
}

START_TEST(plain)
{
    make_dir("t/a/b");
    make_dir("t/c");
    touch("t/a/b/f");
    touch("t/g");
    remove_well("t");
    remove_well("t"); /* not there: fine */
    remove_well("no/such/parent");
    touch("file");
    remove_well("file");
    make_dir("slashes");
    ck_assert_int_eq(fs_remove_tree(in_dir("slashes//"), NULL), 0);
    ck_assert(!exists("slashes"));
    ck_assert_int_eq(chdir(directory), 0);
    make_dir("relative/x");
    ck_assert_int_eq(fs_remove_tree("relative", NULL), 0);
    ck_assert(!exists("relative"));
}
END_TEST

START_TEST(links_are_not_followed)
{
    make_dir("outside/kept");
    touch("outside/kept/f");
    make_dir("t/a");
    ck_assert_int_eq(symlink("../../outside", in_dir("t/a/up")), 0);
    char target[512];
    snprintf(target, sizeof target, "%s/outside", directory);
    ck_assert_int_eq(symlink(target, in_dir("t/absolute")), 0);
    ck_assert_int_eq(symlink("nowhere", in_dir("t/broken")), 0);
    ck_assert_int_eq(symlink("t", in_dir("top")), 0);
    remove_well("top"); /* the link itself */
    ck_assert(exists("t/a/up"));
    remove_well("t");
    ck_assert(exists("outside/kept/f"));
}
END_TEST

START_TEST(special_files_and_names)
{
    static const char *const names[] = {"\xff\xfe", "new\nline", "-rf", " ",
                                        "\x1b[31m", "*",         "\\",  "'\"`$(x)"};
    make_dir("t/d");
    ck_assert_int_eq(mkfifo(in_dir("t/fifo"), 0600), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[600];
        snprintf(name, sizeof name, "t/d/%s", names[i]);
        if (i % 2)
            make_dir(name);
        else
            touch(name);
    }
    char longest[300] = "t/d/";
    memset(longest + 4, 'n', 255);
    make_dir(longest);
    remove_well("t");
}
END_TEST

START_TEST(many_entries)
{
    make_dir("t");
    for (int i = 0; i < 900; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%d", i);
        if (i % 3)
            touch(name);
        else
            ck_assert_int_eq(mkdir(in_dir(name), 0755), 0);
    }
    remove_well("t");
}
END_TEST

/* Some levels hold a file and a second directory too; few descriptors are left. */
START_TEST(very_deep)
{
    enum { DEEP = 3000 };
    make_dir("t");
    int fd = open(in_dir("t"), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEEP; i++) {
        ck_assert_int_eq(mkdirat(fd, "a-directory-with-a-name", 0755), 0);
        if (i % 50 == 0) {
            ck_assert_int_eq(mkdirat(fd, "second", 0755), 0);
            close(openat(fd, "file", O_WRONLY | O_CREAT, 0600));
        }
        int next = openat(fd, "a-directory-with-a-name", O_RDONLY | O_DIRECTORY);
        ck_assert_int_ge(next, 0);
        close(fd);
        fd = next;
    }
    close(fd);
    struct rlimit few = {24, 24};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    remove_well("t");
}
END_TEST

/* As a user who is stopped by permissions; root is not. */
static void become_nobody(void)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chown(directory, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
}

START_TEST(without_permission_bits)
{
    become_nobody();
    make_dir("t/a/b/c");
    touch("t/a/f");
    touch("t/a/b/c/g");
    make_dir("t/listed");
    touch("t/listed/h");
    ck_assert_int_eq(chmod(in_dir("t/a/b/c"), 0), 0);
    ck_assert_int_eq(chmod(in_dir("t/a/b"), 0111), 0);
    ck_assert_int_eq(chmod(in_dir("t/a"), 0222), 0);
    ck_assert_int_eq(chmod(in_dir("t/listed"), 0555), 0);
    ck_assert_int_eq(chmod(in_dir("t"), 0), 0);
    remove_well("t");
}
END_TEST

START_TEST(failures_do_not_stop_it)
{
    if (geteuid() != 0) /* needs files that are somebody else's */
        return;
    struct error *err = NULL;
    make_dir("t/a/theirs");
    touch("t/a/theirs/kept\x1b");
    make_dir("t/z");
    touch("t/f");
    ck_assert_int_eq(chown(in_dir("t"), NOBODY, NOBODY), 0);
    ck_assert_int_eq(chown(in_dir("t/a"), NOBODY, NOBODY), 0);
    ck_assert_int_eq(chown(in_dir("t/z"), NOBODY, NOBODY), 0);
    pid_t child = fork();
    if (child == 0) { /* as nobody; the fixture goes on as root */
        become_nobody();
        int status = fs_remove_tree(in_dir("t"), &err);
        bool good = status == ERR_OUTPUT && strstr(err->text, "cannot remove 'kept\\x1b', 3 below '") &&
                    strstr(err->text, "Permission denied");
        if (!good)
            fprintf(stderr, "%d %s\n", status, err ? err->text : "");
        error_free(err);
        _exit(good ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(exists("t/a/theirs/kept\x1b"));
    ck_assert(!exists("t/z") && !exists("t/f"));
}
END_TEST

START_TEST(mounts_are_left_alone)
{
    if (unshare(CLONE_NEWNS) < 0) /* needs privileges that a test run may not have */
        return;
    ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    struct error *err = NULL;
    make_dir("outside");
    touch("outside/precious");
    make_dir("t/bind");
    make_dir("t/tmpfs");
    touch("t/f");
    char outside[512];
    snprintf(outside, sizeof outside, "%s/outside", directory);
    /* A bind mount of the same file system has the same device number. */
    ck_assert_int_eq(mount(outside, in_dir("t/bind"), NULL, MS_BIND, NULL), 0);
    ck_assert_int_eq(mount("none", in_dir("t/tmpfs"), "tmpfs", 0, NULL), 0);
    touch("t/tmpfs/precious");
    ck_assert_int_eq(fs_remove_tree(in_dir("t"), &err), ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "something is mounted there"));
    error_free(err);
    ck_assert(exists("outside/precious") && exists("t/tmpfs/precious"));
    ck_assert(!exists("t/f"));

    /* One that is itself the root of a mount is emptied; the mount point stays. */
    make_dir("root");
    ck_assert_int_eq(mount("none", in_dir("root"), "tmpfs", 0, NULL), 0);
    make_dir("root/a/b");
    ck_assert_int_eq(fs_remove_tree(in_dir("root"), NULL), ERR_OUTPUT);
    ck_assert(exists("root") && !exists("root/a"));
    ck_assert_int_eq(umount(in_dir("root")), 0);
    ck_assert_int_eq(umount(in_dir("t/tmpfs")), 0);
    ck_assert_int_eq(umount(in_dir("t/bind")), 0);
}
END_TEST

START_TEST(nameless_paths_are_refused)
{
    static const char *const paths[] = {"", "/", "//", ".", "..", "x/..", "./"};
    ck_assert_int_eq(chdir(directory), 0);
    touch("kept");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct error *err = NULL;
        ck_assert_int_eq(fs_remove_tree(paths[i], &err), ERR_OUTPUT);
        ck_assert_ptr_nonnull(strstr(err->text, "it has no name of its own"));
        error_free(err);
    }
    ck_assert(exists("kept"));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, plain);
    tcase_add_test(tests, links_are_not_followed);
    tcase_add_test(tests, special_files_and_names);
    tcase_add_test(tests, many_entries);
    tcase_add_test(tests, very_deep);
    tcase_add_test(tests, without_permission_bits);
    tcase_add_test(tests, failures_do_not_stop_it);
    tcase_add_test(tests, mounts_are_left_alone);
    tcase_add_test(tests, nameless_paths_are_refused);
}

int main(void)
{
    return unit_main("fs-tree", fill);
}
