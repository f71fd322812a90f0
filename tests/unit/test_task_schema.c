/* gen/task_schema: the shipped schema is the one made from the vocabulary, and a public validator agrees with
 * our reader. */
#include <sys/wait.h>

#include "base/subprocess.h"
#include "gen/task_schema.h"
#include "task_data.h"

/* UPDATE=1 in the environment writes the file instead. */
START_TEST(schema_is_shipped)
{
    const char *path = TASKGEN_SOURCE_DIR "/domains/task-1.schema.json";
    struct error *err = NULL;
    struct buf made, shipped;
    buf_init(&made, 1 << 22);
    buf_init(&shipped, 1 << 22);
    task_schema(ops, &made);
    if (getenv("UPDATE"))
        ck_assert_msg(fs_write(path, buf_bytes(&made), &err) == 0, "%s", err ? err->text : "?");
    ck_assert_msg(fs_read(path, 1 << 22, &shipped, &err) == 0, "%s", err ? err->text : "?");
    ck_assert_msg(
        bytes_equal(buf_bytes(&made), buf_bytes(&shipped)),
        "domains/task-1.schema.json is not what domains/ops.xml makes; run this test with UPDATE=1");
    buf_release(&made);
    buf_release(&shipped);
}
END_TEST

/* A public validator's view of JSON Lines; the exit status of tests/validate_tasks.py. */
static int validated(struct bytes lines, struct buf *out)
{
    const char *const argv[] = {"/usr/bin/python3", TASKGEN_SOURCE_DIR "/tests/validate_tasks.py",
                                TASKGEN_SOURCE_DIR "/domains/task-1.schema.json", NULL};
    struct error *err = NULL;
    struct buf errors;
    int status = -1;
    buf_init(&errors, 1 << 16);
    ck_assert_msg(subprocess_run(argv, lines, 60000, 1 << 16, out, &errors, &status, &err) == 0, "%s",
                  err ? err->text : "?");
    ck_assert_msg(errors.len == 0, "%s", buf_string(&errors));
    buf_release(&errors);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(schema_agrees)
{
    struct buf lines, out;
    buf_init(&lines, 1 << 24);
    buf_init(&out, 1 << 16);
    struct bytes rest = data_file("valid.txt"), line;
    while (next_line(&rest, &line))
        if (!bytes_starts(line, BYTES_LITERAL("#"))) {
            buf_add(&lines, line);
            buf_add_byte(&lines, '\n');
        }
    buf_release(&file_text);
    for (uint64_t i = 0; i < 100; i++) {
        struct task *t = random_task(4, i);
        buf_addf(&lines, "%s\n", record_of(t));
        task_free(t);
    }
    ck_assert_msg(validated(buf_bytes(&lines), &out) == 0, "%s", buf_string(&out));
    buf_clear(&out);
    ck_assert_int_eq(
        validated(
            BYTES_LITERAL("{\"format\":\"taskgen/task/1\",\"instruction\":\"x\",\"steps\":[{\"id\":\"s1\","
                          "\"op\":\"read\",\"args\":{\"path\":7}}]}\n{}\n"),
            &out),
        1);
    ck_assert_msg(strstr(buf_string(&out), "line 1: $.steps[0].args.path: 7 is not valid"), "%s",
                  buf_string(&out));
    ck_assert_msg(strstr(buf_string(&out), "0 of 2 tasks are valid"), "%s", buf_string(&out));
    buf_release(&out);
    buf_release(&lines);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, task_set_up, task_tear_down);
    tcase_add_test(tests, schema_is_shipped);
    tcase_add_test(tests, schema_agrees);
}

int main(void)
{
    return unit_main("task schema", fill);
}
