/* The outside witness: never blocks, never leaves the root, and says when it could not look. And what the
 * inside witness makes of a script's output. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "exec/witness.h"
#include "oracle_case.h"

static char *root;
static struct arena arena;

static const char *at(const char *name)
{
    return arena_printf(&arena, "%s/%s", root, name);
}

static void put(const char *name, struct bytes data)
{
    ck_assert_int_eq(fs_write(at(name), data, NULL), 0);
}

static struct file_view look_bytes(struct bytes path, unsigned want)
{
    struct file_view v;
    alarm(10); /* a look that blocks kills the test */
    witness_look_outside(root, path, want, &arena, &v);
    alarm(0);
    return v;
}

static struct file_view look(const char *path)
{
    return look_bytes(bytes_of_string(path), 0);
}

static void setup(void)
{
    arena_init(&arena);
    root = fs_fresh_dir("witness", NULL);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(mkdir(at("d"), 0755), 0);
    put("d/file", BYTES_LITERAL("a\0b\xFF"));
    ck_assert_int_eq(chmod(at("d/file"), 0640), 0);
}

static void teardown(void)
{
    fs_remove_tree(root, NULL);
    free(root);
    arena_release(&arena);
}

START_TEST(regular_file)
{
    char hash[65];
    struct file_view v = look("./d//file");
    sha256_hex(BYTES_LITERAL("a\0b\xFF"), hash);
    ck_assert(v.by == WITNESS_OUTSIDE && v.exists && v.kind == 'f' && v.have_data);
    ck_assert_uint_eq(v.mode, 0640);
    ck_assert_uint_eq(v.size, 4);
    ck_assert_str_eq(v.sha256, hash);
    ASSERT_BYTES(v.data, "a\0b\xFF");
}
END_TEST

START_TEST(nothing_there)
{
    static const char *const names[] = {"nothing", "d/nothing", "nothing/below", "d/file/below"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct file_view v = look(names[i]);
        ck_assert_msg(v.by == WITNESS_OUTSIDE && !v.exists && v.kind == 0, "%s", names[i]);
    }
    char name[300];
    memset(name, 'n', sizeof name);
    struct file_view v = look_bytes(bytes_of(name, sizeof name), 0);
    ck_assert(v.by == WITNESS_OUTSIDE && !v.exists); /* no file can have such a name */
}
END_TEST

START_TEST(the_root_itself)
{
    struct file_view v = look_bytes(BYTES_NONE, WANT_ENTRIES);
    ck_assert(v.by == WITNESS_OUTSIDE && v.kind == 'd' && v.have_entries);
    ck_assert_uint_eq(v.entry_count, 1);
    ASSERT_BYTES(v.entries[0], "d");
    v = look_bytes(BYTES_LITERAL("."), 0);
    ck_assert(v.kind == 'd' && !v.have_entries);
}
END_TEST

START_TEST(no_way_out)
{
    static const char *const names[] = {"..", "../x", "d/../../x", "/etc/passwd", "d/.."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(look(names[i]).by == WITNESS_NONE, "%s", names[i]);
    ck_assert_int_eq(symlink("/etc", at("out")), 0);
    ck_assert_int_eq(symlink("/etc/passwd", at("secret")), 0);
    ck_assert_int_eq(look("out/passwd").by, WITNESS_NONE);
    struct file_view v = look("secret");
    ck_assert(v.by == WITNESS_OUTSIDE && v.kind == 'l' && !v.sha256[0] && !v.have_data);
    ASSERT_BYTES(v.target, "/etc/passwd");
}
END_TEST

START_TEST(links)
{
    ck_assert_int_eq(symlink("file", at("d/relative")), 0);
    ck_assert_int_eq(symlink(at("d/file"), at("absolute")), 0);
    ck_assert_int_eq(symlink("d/relative", at("chain")), 0);
    ck_assert_int_eq(symlink("nothing", at("dangling")), 0);
    ck_assert_int_eq(symlink("self", at("self")), 0);
    ck_assert_int_eq(symlink("d", at("directory")), 0);
    static const char *const files[] = {"d/relative", "absolute", "chain"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct file_view v = look(files[i]);
        ck_assert_msg(v.kind == 'l' && v.have_data && v.size == 4 && v.sha256[0], "%s", files[i]);
    }
    static const char *const others[] = {"dangling", "self", "directory"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct file_view v = look(others[i]);
        ck_assert_msg(v.by == WITNESS_OUTSIDE && v.kind == 'l' && !v.have_data && !v.sha256[0], "%s",
                      others[i]);
    }
    ck_assert(look("directory/file").kind == 'f'); /* a link on the way that stays inside is followed */
}
END_TEST

START_TEST(pipes_do_not_block)
{
    ck_assert_int_eq(mkfifo(at("pipe"), 0644), 0);
    ck_assert_int_eq(symlink("pipe", at("to-pipe")), 0);
    struct file_view v = look("pipe");
    ck_assert(v.by == WITNESS_OUTSIDE && v.exists && v.kind == 'o' && !v.sha256[0]);
    v = look("to-pipe");
    ck_assert(v.kind == 'l' && !v.sha256[0]);
}
END_TEST

START_TEST(big_files)
{
    int fd = open(at("sparse"), O_WRONLY | O_CREAT, 0644);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, WITNESS_DATA_MAX + 1), 0);
    struct file_view v = look("sparse");
    ck_assert(v.kind == 'f' && v.sha256[0] && !v.have_data);
    ck_assert_uint_eq(v.size, WITNESS_DATA_MAX + 1);
    ck_assert_int_eq(ftruncate(fd, (off_t)1 << 40), 0);
    v = look("sparse");
    ck_assert(v.by == WITNESS_OUTSIDE && v.kind == 'f' && !v.sha256[0] && !v.have_data);
    ck_assert_uint_eq(v.size, (uint64_t)1 << 40);
    close(fd);
}
END_TEST

START_TEST(names_with_a_nul)
{
    struct file_view v = look_bytes(BYTES_LITERAL("d/file\0tail"), 0);
    ck_assert(v.kind == 'f' && v.size == 4); /* what stands where a careless target would act */
    v = look_bytes(BYTES_LITERAL("\0d"), 0);
    ck_assert(v.kind == 'd');
}
END_TEST

START_TEST(directories)
{
    put("d/\xFFname", BYTES_NONE);
    put("d/.hidden", BYTES_NONE);
    struct file_view v = look_bytes(BYTES_LITERAL("d"), WANT_ENTRIES);
    ck_assert_uint_eq(v.entry_count, 3);
    ASSERT_BYTES(v.entries[0], ".hidden");
    ASSERT_BYTES(v.entries[1], "file");
    ASSERT_BYTES(v.entries[2], "\xFFname");
}
END_TEST

START_TEST(find)
{
    ck_assert_int_eq(mkdir(at("d/e"), 0755), 0);
    put("d/e/wanted", BYTES_LITERAL("right"));
    put("wanted", BYTES_LITERAL("wrong"));
    ck_assert_int_eq(symlink("..", at("d/up")), 0);
    struct bytes wanted = BYTES_LITERAL("wanted");
    struct bytes found = witness_find(root, wanted, BYTES_LITERAL("right"), &arena);
    ASSERT_BYTES(found, "d/e/wanted");
    found = witness_find(root, wanted, BYTES_LITERAL("ight"), &arena); /* it was appended */
    ASSERT_BYTES(found, "d/e/wanted");
    ck_assert_uint_eq(witness_find(root, wanted, BYTES_LITERAL("righ"), &arena).len, 0);
    ck_assert_uint_eq(witness_find(root, wanted, BYTES_LITERAL("other"), &arena).len, 0);
    ck_assert_uint_eq(witness_find(root, wanted, BYTES_NONE, &arena).len, 0);
    ck_assert_uint_eq(witness_find(root, BYTES_LITERAL("unknown"), BYTES_LITERAL("right"), &arena).len, 0);
    ck_assert_uint_eq(witness_find("/nowhere", wanted, BYTES_LITERAL("right"), &arena).len, 0);
}
END_TEST

START_TEST(inside_lines)
{
    struct file_view v = {0};
    char hash[65];
    sha256_hex(BYTES_LITERAL("hi\n"), hash);
    const char *output = arena_printf(
        &arena,
        "words of the target\nstdout: MARK kind f ;MARK\r\nMARK size 3 ;MARK\nMARK sha %s ;MARK\n"
        "MARK data aGkK. ;MARK\nMARK mode 644 ;MARK\nMARK end ;MARK\n[exit 0]\n",
        hash);
    witness_read_lines(bytes_of_string(output), BYTES_LITERAL("MARK"), &arena, &v);
    ck_assert(v.by == WITNESS_INSIDE && v.exists && v.kind == 'f' && v.size == 3 && v.mode == 0644 &&
              v.have_data);
    ASSERT_BYTES(v.data, "hi\n");
    ck_assert_str_eq(v.sha256, hash);
}
END_TEST

START_TEST(inside_lines_damaged)
{
    static const char *const outputs[] = {
        "",
        "MARK",
        "MARK ;MARK",
        "MARK kind f",
        "MARK kind f ;MARK\n", /* no end: not believed */
        "MARK kind f ;MARX\nMARK end",
        "kind f ;MARK end",
    };
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        struct file_view v = {0};
        witness_read_lines(bytes_of_string(outputs[i]), BYTES_LITERAL("MARK"), &arena, &v);
        ck_assert_msg(v.by == WITNESS_NONE, "%zu", i);
    }
    struct file_view v = {0}; /* data that is not what its hash says, and base64 that was cut */
    witness_read_lines(
        BYTES_LITERAL(
            "MARK kind f ;MARK MARK size 3 ;MARK MARK sha 0 ;MARK MARK data aGkK. ;MARK MARK end ;MARK"),
        BYTES_LITERAL("MARK"), &arena, &v);
    ck_assert(v.by == WITNESS_INSIDE && v.exists && !v.have_data && !v.sha256[0]);
    v = (struct file_view){0};
    witness_read_lines(BYTES_LITERAL("MARK kind f ;MARK\nMARK data aGk ;MARK\nMARK end ;MARK"),
                       BYTES_LITERAL("MARK"), &arena, &v);
    ck_assert(v.exists && !v.have_data);
}
END_TEST

START_TEST(inside_names)
{
    struct file_view v = {0};
    witness_read_lines(BYTES_LITERAL("MARK kind d ;MARK\nMARK name Yg==. ;MARK\nMARK name YQ==. ;MARK\nMARK "
                                     "names end ;MARK\nMARK end ;MARK"),
                       BYTES_LITERAL("MARK"), &arena, &v);
    ck_assert(v.kind == 'd' && v.have_entries);
    ck_assert_uint_eq(v.entry_count, 2);
    ASSERT_BYTES(v.entries[0], "a");
    ASSERT_BYTES(v.entries[1], "b");
    v = (struct file_view){0};
    witness_read_lines(BYTES_LITERAL("MARK kind d ;MARK\nMARK name Yg==. ;MARK\nMARK end ;MARK"),
                       BYTES_LITERAL("MARK"), &arena, &v);
    ck_assert(!v.have_entries); /* the list was not said to its end */
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, regular_file);
    tcase_add_test(tests, nothing_there);
    tcase_add_test(tests, the_root_itself);
    tcase_add_test(tests, no_way_out);
    tcase_add_test(tests, links);
    tcase_add_test(tests, pipes_do_not_block);
    tcase_add_test(tests, big_files);
    tcase_add_test(tests, names_with_a_nul);
    tcase_add_test(tests, directories);
    tcase_add_test(tests, find);
    tcase_add_test(tests, inside_lines);
    tcase_add_test(tests, inside_lines_damaged);
    tcase_add_test(tests, inside_names);
}

int main(void)
{
    return unit_main("witness", fill);
}
