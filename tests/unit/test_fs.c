/* base/fs: reading, replacing and making files, and where taskgen finds its own. The last is tried by running
 * copies of this very program in made-up trees: "test_fs find data|helper NAME" prints what the functions
 * return. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/subprocess.h"
#include "unit.h"

static char *directory;
static char scratch[4096];
static struct buf text;

static const char *in_dir(const char *name)
{
    snprintf(scratch, sizeof scratch, "%s/%s", directory, name);
    return scratch;
}

static void set_up(void)
{
    directory = fs_fresh_dir("taskgen-fs", NULL);
    ck_assert_ptr_nonnull(directory);
    buf_init(&text, SIZE_MAX / 4);
}

static void tear_down(void)
{
    buf_release(&text);
    ck_assert_int_eq(fs_remove_tree(directory, NULL), 0);
    free(directory);
}

static void write_file(const char *name, struct bytes data)
{
    struct error *err = NULL;
    int status = fs_write(in_dir(name), data, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
}

static struct bytes read_file(const char *name)
{
    struct error *err = NULL;
    buf_clear(&text);
    int status = fs_read(in_dir(name), SIZE_MAX / 4, &text, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    return buf_bytes(&text);
}

START_TEST(write_and_read)
{
    write_file("a", BYTES_LITERAL("x\0y"));
    ASSERT_BYTES(read_file("a"), "x\0y");
    write_file("a", BYTES_NONE);
    ASSERT_BYTES(read_file("a"), "");
    uint8_t *large = xcalloc(1, 1 << 20);
    large[(1 << 20) - 1] = 7;
    write_file("large", bytes_of(large, 1 << 20));
    ck_assert(bytes_equal(read_file("large"), bytes_of(large, 1 << 20)));
    free(large);
}
END_TEST

START_TEST(read_appends)
{
    write_file("a", BYTES_LITERAL("two"));
    buf_add_string(&text, "one ");
    ck_assert_int_eq(fs_read(in_dir("a"), 3, &text, NULL), 0);
    ASSERT_BYTES(buf_bytes(&text), "one two");
}
END_TEST

START_TEST(read_failures)
{
    struct error *err = NULL;
    write_file("a", BYTES_LITERAL("12345"));
    ck_assert_int_eq(fs_read(in_dir("a"), 4, &text, &err), ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err->text, "it is longer than 4 bytes"));
    error_free(err);
    err = NULL;
    struct buf small;
    buf_init(&small, 2);
    ck_assert_int_eq(fs_read(in_dir("a"), 100, &small, &err), ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err->text, "it is longer than 2 bytes"));
    error_free(err);
    err = NULL;
    buf_release(&small);
    ck_assert_int_eq(fs_read(in_dir("none"), 4, &text, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "/none': No such file or directory"));
    error_free(err);
    ck_assert_int_eq(fs_read(directory, 4, &text, NULL), ERR_INPUT);
}
END_TEST

static int entries(const char *path)
{
    struct buf out;
    int status = -1, lines = 0;
    buf_init(&out, 1 << 16);
    ck_assert_int_eq(subprocess_run((const char *[]){"ls", "-A", path, NULL}, BYTES_NONE, 10000, 1 << 16,
                                    &out, NULL, &status, NULL),
                     0);
    for (size_t i = 0; i < out.len; i++)
        lines += out.data[i] == '\n';
    buf_release(&out);
    return lines;
}

START_TEST(replacing_keeps_links_and_modes)
{
    struct stat st;
    umask(022);
    write_file("real", BYTES_LITERAL("old"));
    ck_assert_int_eq(stat(in_dir("real"), &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0644);
    ck_assert_int_eq(chmod(in_dir("real"), 0600), 0);
    ck_assert_int_eq(symlink("real", in_dir("link")), 0);
    write_file("link", BYTES_LITERAL("new"));
    ASSERT_BYTES(read_file("real"), "new");
    ck_assert_int_eq(lstat(in_dir("link"), &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    ck_assert_int_eq(stat(in_dir("real"), &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(entries(directory), 2); /* no temporary file is left */
}
END_TEST

START_TEST(write_failures)
{
    struct error *err = NULL;
    ck_assert_int_eq(fs_write(in_dir("none/a"), BYTES_NONE, &err), ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "/none/a': No such file or directory"));
    error_free(err);
    ck_assert_int_eq(fs_write(directory, BYTES_LITERAL("x"), NULL), ERR_OUTPUT);
    ck_assert_int_eq(fs_write("/dev/full", BYTES_LITERAL("x"), NULL), ERR_OUTPUT);
    ck_assert_int_eq(entries(directory), 0);
}
END_TEST

START_TEST(devices_are_written_into)
{
    struct stat st;
    ck_assert_int_eq(fs_write("/dev/null", BYTES_LITERAL("gone"), NULL), 0);
    ck_assert_int_eq(stat("/dev/null", &st), 0);
    ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(making_directories)
{
    struct stat st;
    struct error *err = NULL;
    umask(022);
    ck_assert_int_eq(fs_make_dirs(in_dir("a/b//c/"), NULL), 0);
    ck_assert_int_eq(stat(in_dir("a/b/c"), &st), 0);
    ck_assert(S_ISDIR(st.st_mode));
    ck_assert_int_eq(st.st_mode & 0777, 0755);
    ck_assert_int_eq(fs_make_dirs(in_dir("a/b/c"), NULL), 0); /* there already */
    ck_assert_int_eq(fs_make_dirs("/", NULL), 0);
    ck_assert_int_eq(symlink("a", in_dir("link")), 0);
    ck_assert_int_eq(fs_make_dirs(in_dir("link/d"), NULL), 0);
    write_file("file", BYTES_NONE);
    ck_assert_int_eq(fs_make_dirs(in_dir("file/x"), &err), ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "/file': Not a directory"));
    error_free(err);
    ck_assert_int_eq(fs_make_dirs("", NULL), ERR_OUTPUT);
    ck_assert_int_eq(chdir(directory), 0);
    ck_assert_int_eq(fs_make_dirs("relative/deep", NULL), 0);
    ck_assert_int_eq(stat(in_dir("relative/deep"), &st), 0);
}
END_TEST

START_TEST(fresh_directories)
{
    struct stat st;
    setenv("TMPDIR", directory, 1);
    char *one = fs_fresh_dir("x", NULL), *two = fs_fresh_dir("x", NULL);
    ck_assert(one && two && strcmp(one, two) != 0);
    ck_assert_int_eq(strncmp(one, in_dir("x-"), strlen(in_dir("x-"))), 0);
    ck_assert_int_eq(stat(one, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0700);
    free(one);
    free(two);

    struct error *err = NULL;
    setenv("TMPDIR", "/nonexistent", 1);
    ck_assert_ptr_null(fs_fresh_dir("x", &err));
    ck_assert_str_eq(err->text, "cannot make a fresh directory in '/nonexistent': No such file or directory");
    error_free(err);
    setenv("TMPDIR", "relative", 1);
    char *safe = fs_fresh_dir("x", NULL);
    ck_assert_int_eq(strncmp(safe, "/tmp/x-", 7), 0);
    ck_assert_int_eq(rmdir(safe), 0);
    free(safe);
    unsetenv("TMPDIR");
}
END_TEST

/* Where things lie. */

/* Copies this program to a place in the tree and runs it there; its output is in text. */
static const char *found_from(const char *place, const char *what, const char *name)
{
    struct buf program, errors;
    int status = -1;
    buf_init(&program, SIZE_MAX / 4);
    buf_init(&errors, 1 << 16);
    ck_assert_int_eq(fs_read("/proc/self/exe", SIZE_MAX / 4, &program, NULL), 0);
    write_file(place, buf_bytes(&program));
    ck_assert_int_eq(chmod(in_dir(place), 0755), 0);
    buf_release(&program);
    buf_clear(&text);
    ck_assert_int_eq(subprocess_run((const char *[]){in_dir(place), "find", what, name, NULL}, BYTES_NONE,
                                    30000, 1 << 16, &text, &errors, &status, NULL),
                     0);
    ck_assert_msg(status == 0, "%s", buf_string(&errors));
    buf_release(&errors);
    return buf_string(&text);
}

static int find_and_print(const char *what, const char *name)
{
    struct error *err = NULL;
    char own[4096] = "";
    bool gone = strcmp(what, "data-when-gone") == 0; /* as when it is replaced while it runs */
    if (gone && (readlink("/proc/self/exe", own, sizeof own - 1) < 0 || unlink(own) < 0))
        return 1;
    char *path = gone || strcmp(what, "data") == 0 ? fs_data_dir(name, &err) : fs_helper(name, &err);
    printf("%s", path ? path : err->text);
    free(path);
    error_free(err);
    return 0;
}

static void make_program(const char *name)
{
    write_file(name, BYTES_LITERAL("#!/bin/true\n"));
    ck_assert_int_eq(chmod(in_dir(name), 0755), 0);
}

/* A source tree with a build tree elsewhere, and an installation below the build tree. */
static void make_trees(void)
{
    static const char *const dirs[] = {
        "source/domains", "source/build/dev/cli", "build/cli", "build/exec/agent", "build/bench/leakybox",
        "build/stage/bin", "build/stage/share/taskgen/domains", "build/stage/libexec/taskgen", "alone",
    };
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        ck_assert_int_eq(fs_make_dirs(in_dir(dirs[i]), NULL), 0);
    write_file("source/CMakeLists.txt", BYTES_NONE);
    buf_clear(&text);
    buf_addf(&text, "# cache\nA:STRING=1\nCMAKE_HOME_DIRECTORY:INTERNAL=%s/source\nB:STRING=2\n", directory);
    write_file("build/CMakeCache.txt", buf_bytes(&text));
    make_program("build/exec/agent/taskgen-agent");
    make_program("build/bench/leakybox/leakybox");
    make_program("build/stage/libexec/taskgen/leakybox");
    unsetenv("TASKGEN_DATA");
    unsetenv("TASKGEN_LIBEXEC");
}

START_TEST(finding_data)
{
    make_trees();
    ck_assert_str_eq(found_from("source/build/dev/cli/prog", "data", "domains"), in_dir("source/domains"));
    ck_assert_str_eq(found_from("build/cli/prog", "data", "domains"), in_dir("source/domains"));
    ck_assert_str_eq(found_from("build/stage/bin/prog", "data", "domains"),
                     in_dir("build/stage/share/taskgen/domains"));
    ck_assert_str_eq(found_from("build/stage/bin/prog", "data-when-gone", "domains"),
                     in_dir("build/stage/share/taskgen/domains"));
    const char *said = found_from("alone/prog", "data", "domains");
    ck_assert_msg(strstr(said, "the data directory 'domains' is neither in '") == said, "%s", said);
    ck_assert_ptr_nonnull(strstr(said, "set TASKGEN_DATA"));
}
END_TEST

START_TEST(finding_helpers)
{
    make_trees();
    ck_assert_str_eq(found_from("build/cli/prog", "helper", "taskgen-agent"),
                     in_dir("build/exec/agent/taskgen-agent"));
    ck_assert_str_eq(found_from("build/cli/prog", "helper", "leakybox"),
                     in_dir("build/bench/leakybox/leakybox"));
    ck_assert_str_eq(found_from("build/stage/bin/prog", "helper", "leakybox"),
                     in_dir("build/stage/libexec/taskgen/leakybox"));
    const char *said = found_from("alone/prog", "helper", "leakybox");
    ck_assert_msg(strstr(said, "the program 'leakybox' is neither in '") == said, "%s", said);
}
END_TEST

START_TEST(variables_decide_alone)
{
    struct error *err = NULL;
    make_trees();
    setenv("TASKGEN_DATA", in_dir("source"), 1);
    char *path = fs_data_dir("domains", NULL);
    ck_assert_str_eq(path, in_dir("source/domains"));
    free(path);
    setenv("TASKGEN_DATA", in_dir("alone"), 1);
    ck_assert_ptr_null(fs_data_dir("domains", &err));
    ck_assert_int_eq(err->code, ERR_TARGET);
    ck_assert_ptr_nonnull(strstr(err->text, "where TASKGEN_DATA points"));
    error_free(err);
    setenv("TASKGEN_LIBEXEC", in_dir("build/stage/libexec/taskgen"), 1);
    path = fs_helper("leakybox", NULL);
    ck_assert_str_eq(path, in_dir("build/stage/libexec/taskgen/leakybox"));
    free(path);
    ck_assert_ptr_null(fs_helper("taskgen-agent", NULL));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, write_and_read);
    tcase_add_test(tests, read_appends);
    tcase_add_test(tests, read_failures);
    tcase_add_test(tests, replacing_keeps_links_and_modes);
    tcase_add_test(tests, write_failures);
    tcase_add_test(tests, devices_are_written_into);
    tcase_add_test(tests, making_directories);
    tcase_add_test(tests, fresh_directories);
    tcase_add_test(tests, finding_data);
    tcase_add_test(tests, finding_helpers);
    tcase_add_test(tests, variables_decide_alone);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "find") == 0)
        return find_and_print(argv[2], argv[3]);
    return unit_main("fs", fill);
}
