/* domains/domain.rng and docs/templates-reference.md are what the element table and ops.xml make of them, and
 * the schema and the loader agree: shipped templates are valid by xmllint, malformed ones are not.
 *
 * TASKGEN_UPDATE=1 writes the two files anew. */
#include <dirent.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/fs.h"
#include "base/subprocess.h"
#include "grammar/elements.h"
#include "unit.h"

#define SCHEMA TASKGEN_SOURCE_DIR "/domains/domain.rng"
#define REFERENCE TASKGEN_SOURCE_DIR "/docs/templates-reference.md"

static struct ops *ops;

static void set_up(void)
{
    ck_assert_int_eq(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL), 0);
}

static void tear_down(void)
{
    ops_free(ops);
}

static void check_made(const char *file, void (*make)(const struct ops *ops, struct buf *out))
{
    struct buf made, shipped;
    buf_init(&made, 4 << 20);
    buf_init(&shipped, 4 << 20);
    make(ops, &made);
    if (getenv("TASKGEN_UPDATE"))
        ck_assert_int_eq(fs_write(file, buf_bytes(&made), NULL), 0);
    ck_assert_int_eq(fs_read(file, 4 << 20, &shipped, NULL), 0);
    ck_assert_msg(bytes_equal(buf_bytes(&made), buf_bytes(&shipped)),
                  "%s is not what the element table makes: run this test with TASKGEN_UPDATE=1", file);
    buf_release(&made);
    buf_release(&shipped);
}

START_TEST(files_are_made)
{
    check_made(SCHEMA, elements_write_schema);
    check_made(REFERENCE, elements_write_reference);
}
END_TEST

/* Exit status of xmllint: 0 valid, 3 or 4 not valid; anything else (schema at fault, no xmllint) fails the
 * test. */
static bool is_valid(const char *file)
{
    const char *const argv[] = {"xmllint", "--noout", "--nonet", "--relaxng", SCHEMA, file, NULL};
    struct buf out, errors;
    int status = -1;
    buf_init(&out, 1 << 20);
    buf_init(&errors, 1 << 20);
    ck_assert_msg(subprocess_run(argv, BYTES_NONE, 20000, 1 << 20, &out, &errors, &status, NULL) == 0,
                  "xmllint cannot be run (Debian package libxml2-utils)");
    int code = WEXITSTATUS(status);
    ck_assert_msg(code == 0 || code == 3 || code == 4, "xmllint: %s", buf_string(&errors));
    if (code && getenv("TASKGEN_VERBOSE"))
        fprintf(stderr, "%s\n", buf_string(&errors));
    buf_release(&out);
    buf_release(&errors);
    return code == 0;
}

static size_t check_folder(const char *folder, const char *skip, bool valid)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char file[1024];
        size_t len = strlen(entry->d_name);
        if (len < 4 || strcmp(entry->d_name + len - 4, ".xml") != 0 || strcmp(entry->d_name, skip) == 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        ck_assert_msg(is_valid(file) == valid, "%s is %s by domain.rng", file, valid ? "not valid" : "valid");
        count++;
    }
    closedir(directory);
    return count;
}

START_TEST(shipped_templates_are_valid)
{
    ck_assert_uint_ge(check_folder(TASKGEN_SOURCE_DIR "/domains", "ops.xml", true), 1);
    ck_assert_uint_ge(check_folder(TASKGEN_SOURCE_DIR "/tests/data/plan/good", "", true), 3);
}
END_TEST

START_TEST(malformed_templates_are_not)
{
    ck_assert_uint_ge(check_folder(TASKGEN_SOURCE_DIR "/tests/data/plan/misshapen", "", false), 5);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, files_are_made);
    tcase_add_test(tests, shipped_templates_are_valid);
    tcase_add_test(tests, malformed_templates_are_not);
}

int main(void)
{
    return unit_main("domain-schema", fill);
}
