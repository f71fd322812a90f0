/* Expectations, by the files of tests/data/oracle/expect: what each fact is, and whether the task passed. */
#include <dirent.h>
#include <stdio.h>

#include "exec/oracle/expect.h"
#include "exec/oracle/record.h"
#include "oracle_case.h"

static const char *fact_name(enum fact f)
{
    return f == FACT_HOLDS ? "holds" : f == FACT_FAILS ? "fails" : "unknown";
}

static void check_file(const struct ops *ops, const char *path)
{
    struct arena a;
    struct buf text;
    struct execution e;
    struct task *task;
    struct error *err = NULL;
    const char *why;
    arena_init(&a);
    buf_init(&text, 1 << 20);
    const struct json *root = oracle_load(&a, path), *fact = json_get(root, "facts")->first;
    ck_assert_int_eq(fs_read(path, 1 << 20, &text, NULL), 0);
    ck_assert_msg(execution_read(ops, buf_bytes(&text), path, &a, &e, &task, &err) == 0, "%s",
                  err ? err->text : "");
    size_t row = 0;
    for (const struct json *x = task->expect->first; x; x = x->next, fact = fact->next, row++) {
        struct fact_report r;
        ck_assert_msg(fact != NULL, "%s: %zu facts for more expectations", path, row);
        expect_evaluate(&e, x, &a, &r);
        ck_assert_msg(bytes_equal_string(fact->text, fact_name(r.fact)),
                      "%s: expectation %zu %s (%s), expected it %.*s", path, row, fact_name(r.fact),
                      r.why ? r.why : "", BYTES_ARG(fact->text));
        ck_assert_msg(r.fact != FACT_FAILS || (r.why && *r.why), "%s: expectation %zu fails without a word",
                      path, row);
    }
    bool passed = oracle_passed(&e, &why, &a), wanted = json_as_bool(json_get(root, "passed"), false);
    ck_assert_msg(passed == wanted, "%s: %s (%s)", path, passed ? "passed" : "did not pass",
                  why ? why : "no reason");
    ck_assert_msg(passed || (why && *why), "%s: failed without a reason", path);
    task_free(task);
    buf_release(&text);
    arena_release(&a);
}

START_TEST(files)
{
    struct ops *ops = oracle_ops();
    DIR *dir = opendir(ORACLE_DATA "/expect");
    size_t count = 0;
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[8192];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/expect/%s", ORACLE_DATA, entry->d_name);
        check_file(ops, path);
        count++;
    }
    closedir(dir);
    ck_assert_uint_ge(count, 15);
    ops_free(ops);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, files);
}

int main(void)
{
    return unit_main("expect", fill);
}
