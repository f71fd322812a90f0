/* gen/import: inputs of other kinds as tasks. Each of tests/data/import/in is read on its own; what comes out, tasks or one line of
 * fault, stands in tests/data/import/out (TASKGEN_UPDATE=1 writes it anew). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "gen/import/import_internal.h"
#include "unit.h"

#define DATA TASKGEN_SOURCE_DIR "/tests/data/import"

static struct ops *ops;
static struct import im;
static char *dir;
static struct buf told;

static void note(void *user, const char *message)
{
    buf_addf(&told, "%s\n", message);
}

static void set_up(void)
{
    dir = fs_fresh_dir("test-import", NULL);
    ck_assert_ptr_nonnull(dir);
    ck_assert_int_eq(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, NULL), 0);
    import_init(&im, ops, NULL);
    buf_init(&told, 1 << 20);
    im.bad = note;
}

static void tear_down(void)
{
    import_release(&im);
    buf_release(&told);
    ops_free(ops);
    fs_remove_tree(dir, NULL);
    free(dir);
}

/* ---- cases ---- */

static void add_outcome(struct buf *out, const struct import *got, int status, struct error *err)
{
    if (status < 0) {
        const char *text = strstr(err->text, "/in/") ? strstr(err->text, "/in/") + 4 : err->text;
        ck_assert(status == ERR_INPUT && err->code == ERR_INPUT && !strchr(err->text, '\n'));
        buf_addf(out, "fault: %s\n", text);
    }
    for (size_t i = 0; status == 0 && i < got->count; i++) {
        buf_addf(out, "%s line %lld: ", got->seeds[i].format, (long long)got->seeds[i].line);
        task_write(got->seeds[i].task, out);
        buf_add_byte(out, '\n');
    }
    error_free(err);
}

static void run_case(const char *name)
{
    char in[1024], expected_file[1024];
    struct buf out, expected;
    struct error *err = NULL;
    snprintf(in, sizeof in, DATA "/in/%s", name);
    snprintf(expected_file, sizeof expected_file, DATA "/out/%s.txt", name);
    buf_init(&out, 1 << 24);
    buf_init(&expected, 1 << 24);
    struct import got;
    import_init(&got, ops, NULL);
    int status = import_path(&got, in, &err);
    add_outcome(&out, &got, status, err);
    import_release(&got);
    if (getenv("TASKGEN_UPDATE"))
        ck_assert_int_eq(fs_write(expected_file, buf_bytes(&out), NULL), 0);
    ck_assert_msg(fs_read(expected_file, 1 << 24, &expected, NULL) == 0, "%s is missing", expected_file);
    ck_assert_msg(bytes_equal(buf_bytes(&out), buf_bytes(&expected)), "%s: found\n%s\nexpected\n%s", name, buf_string(&out),
                  buf_string(&expected));
    buf_release(&out);
    buf_release(&expected);
}

START_TEST(cases)
{
    DIR *d = opendir(DATA "/in");
    int count = 0;
    ck_assert_ptr_nonnull(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            run_case(e->d_name);
            count++;
        }
    closedir(d);
    ck_assert_int_ge(count, 25);
}
END_TEST

/* ---- directories ---- */

static void put(const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    ck_assert_int_eq(fs_make_dirs(path, NULL), 0);
    *slash = '/';
    ck_assert_int_eq(fs_write(path, bytes_of_string(text), NULL), 0);
}

static void link_to(const char *to, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    ck_assert_int_eq(symlink(to, path), 0);
}

static const char *name_of(size_t index)
{
    return im.seeds[index].file + strlen(dir) + 1;
}

START_TEST(a_directory)
{
    put("b.txt", "b");
    put("a/z.txt", "z");
    put("a/.hidden", "h");
    put("provenance.jsonl", "{}");
    put("c.json", "{\"format\":\"taskgen/task/1\"}");
    put("task/task.toml", "[task]\nname = 'a/b'\n");
    put("task/solution/solve.sh", "true\n");
    put("broken/task.toml", "=\n");
    put("broken/solution/solve.sh", "true\n");
    link_to("..", "a/round");
    link_to("../b.txt", "a/link.txt");
    link_to("nowhere", "a/dangling");
    char path[1024];
    snprintf(path, sizeof path, "%s/pipe", dir);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/", dir);
    ck_assert_int_eq(import_path(&im, path, NULL), 0);
    ck_assert_uint_eq(im.count, 4);
    ck_assert_str_eq(name_of(0), "a/link.txt");
    ck_assert_str_eq(name_of(1), "a/z.txt");
    ck_assert_str_eq(name_of(2), "b.txt");
    ck_assert_str_eq(name_of(3), "task");
    ck_assert_str_eq(im.seeds[3].format, "harbor");
    ck_assert_uint_eq(im.passed_over, 2);
    ck_assert_ptr_nonnull(strstr(buf_string(&told), "/broken/task.toml:1: found '=', expected a key\n"));
    ck_assert_ptr_nonnull(strstr(buf_string(&told), "/c.json: "));
}
END_TEST

START_TEST(what_is_named_must_be_good)
{
    char path[1024];
    struct error *err = NULL;
    put("c.json", "{\"format\":\"taskgen/task/1\"}");
    snprintf(path, sizeof path, "%s/c.json", dir);
    ck_assert_int_eq(import_path(&im, path, &err), ERR_INPUT);
    error_free(err);
    err = NULL;
    snprintf(path, sizeof path, "%s/none", dir);
    ck_assert_int_eq(import_path(&im, path, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "none: No such file"));
    error_free(err);
    err = NULL;
    ck_assert_int_eq(import_path(&im, "/dev/null", &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "neither a file nor a directory"));
    error_free(err);
}
END_TEST

/* A dataset reads what lies beside it, and nothing else. */
START_TEST(a_dataset_stays_in_its_directory)
{
    put("secret.txt", "secret");
    put("set/in.txt", "beside");
    put("set/d.jsonl", "{\"input\":\"x\",\"files\":{\"a\":\"in.txt\",\"b\":\"../secret.txt\",\"c\":\"out.txt\"}}\n");
    link_to("../secret.txt", "set/out.txt");
    char path[1024];
    snprintf(path, sizeof path, "%s/set/d.jsonl", dir);
    ck_assert_int_eq(import_path(&im, path, NULL), 0);
    ck_assert_uint_eq(im.count, 1);
    static const char *const expected[] = {"beside", "../secret.txt", "out.txt"};
    for (int i = 0; i < 3; i++)
        ck_assert(bytes_equal_string(json_get(im.seeds[0].task->steps[i].args, "content")->text, expected[i]));
}
END_TEST

/* A long session becomes several tasks, none of them longer than may be. */
START_TEST(a_long_log)
{
    struct buf log;
    buf_init(&log, 1 << 24);
    for (int i = 0; i < 200; i++)
        buf_addf(&log, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":{\"n\":%d}}}\n", i, i);
    ck_assert_int_eq(import_bytes(&im, "log", buf_bytes(&log), NULL), 0);
    size_t steps = 0;
    for (size_t i = 0; i < im.count; i++) {
        steps += im.seeds[i].task->step_count;
        ck_assert_uint_le(im.seeds[i].task->step_count, IMPORT_STEPS_MAX);
    }
    ck_assert(im.count == 4 && steps == 200 && im.seeds[1].line == IMPORT_STEPS_MAX + 1);
    buf_release(&log);
}
END_TEST

START_TEST(too_large)
{
    struct error *err = NULL;
    uint8_t *data = xcalloc(1, IMPORT_FILE_MAX + 1);
    ck_assert_int_eq(import_bytes(&im, "zeros", bytes_of(data, IMPORT_FILE_MAX), NULL), 0);
    ck_assert_int_eq(import_bytes(&im, "zeros", bytes_of(data, IMPORT_FILE_MAX + 1), &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "zeros: 1048577 bytes, expected at most 1048576 of a file without lines of tasks");
    error_free(err);
    free(data);
}
END_TEST

/* ---- TOML ---- */

static const struct {
    const char *text, *json; /* what stands under x, or the message */
} toml_cases[] = {
    {"x = 1", "1"},
    {"x = +1_000", "1000"},
    {"x = -0.5e3", "-0.5e3"},
    {"x = 0xff", "\"0xff\""},
    {"x = inf", "\"inf\""},
    {"x = true", "true"},
    {"x = null", "\"null\""},
    {"x = 1979-05-27T07:32:00Z", "\"1979-05-27T07:32:00Z\""},
    {"x = \"a\\tb\\u00e9\\\"\"", "\"a\\tb\xc3\xa9\\\"\""},
    {"x = 'C:\\n'", "\"C:\\\\n\""},
    {"x = \"\"\"\na\n\"b\"\"\"\"", "\"a\\n\\\"b\\\"\""},
    {"x = '''\r\na'''", "\"a\""},
    {"x = \"\"\"a \\\n\n   b\"\"\"", "\"a b\""},
    {"x = [1, [2, 'a'],\n # c\n {k = 1, 'l.m' = 2},]", "[1,[2,\"a\"],{\"k\":1,\"l.m\":2}]"},
    {"x = {}", "{}"},
    {"x.y.z = 1\nx.y.w = 2", "{\"y\":{\"z\":1,\"w\":2}}"},
    {"[x]\na = 1\n[x.b]\nc = 2\r\n# end", "{\"a\":1,\"b\":{\"c\":2}}"},
    {"[[x]]\na = 1\n[[x]]\n[x.b]\nc = 2", "[{\"a\":1},{\"b\":{\"c\":2}}]"},
    {"x = 1 2", "w:1: found '2', expected the end of the line"},
    {"\nx = \"a", "w:2: found the end, expected a quote at the end of the text"},
    {"x = \"a\nb\"", "w:1: found the end of the line, expected a quote at the end of the text"},
    {"x = \"\\q\"", "w:1: found 'q', expected an escape: \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX or \\UXXXXXXXX"},
    {"x = \"\\ud800\"", "w:1: found '\"', expected a character behind an escape of one that is none"},
    {"x = [1 2]", "w:1: found '2', expected ',' or ']'"},
    {"x", "w:1: found the end, expected '=' behind the key"},
    {"x = 1\nx = 2", "w:2: found '=', expected a key that has no value yet"},
    {"x = 1\n[x]", "w:2: found ']', expected a table's name that is no value already"},
    {"x = ", "w:1: found the end, expected a value"},
    {"x = \"\xff\x01\"", "w:1: found byte 0x01, expected a quote at the end of the text"},
    {"= 1", "w:1: found '=', expected a key"},
};

START_TEST(toml)
{
    for (size_t i = 0; i < sizeof toml_cases / sizeof *toml_cases; i++) {
        struct arena a;
        struct json *value = NULL;
        struct error *err = NULL;
        struct buf out;
        arena_init(&a);
        buf_init(&out, 1 << 16);
        if (toml_read(&a, bytes_of_string(toml_cases[i].text), "w", &value, &err) < 0)
            buf_add_string(&out, err->text);
        else
            json_write(&out, json_get(value, "x"), JSON_COMPACT);
        ck_assert_msg(!strcmp(buf_string(&out), toml_cases[i].json), "%s: found %s, expected %s", toml_cases[i].text, buf_string(&out),
                      toml_cases[i].json);
        error_free(err);
        buf_release(&out);
        arena_release(&a);
    }
}
END_TEST

START_TEST(toml_is_not_nested_without_end)
{
    struct buf text;
    struct arena a;
    struct json *value = NULL;
    struct error *err = NULL;
    arena_init(&a);
    buf_init(&text, 1 << 16);
    buf_add_string(&text, "x = ");
    for (int i = 0; i < 20000; i++)
        buf_add_string(&text, i % 2 ? "{a=" : "[");
    ck_assert_int_eq(toml_read(&a, buf_bytes(&text), "w", &value, &err), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "expected a value that is not nested so deep"));
    error_free(err);
    buf_release(&text);
    arena_release(&a);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, cases);
    tcase_add_test(tests, a_directory);
    tcase_add_test(tests, what_is_named_must_be_good);
    tcase_add_test(tests, a_dataset_stays_in_its_directory);
    tcase_add_test(tests, a_long_log);
    tcase_add_test(tests, too_large);
    tcase_add_test(tests, toml);
    tcase_add_test(tests, toml_is_not_nested_without_end);
}

int main(void)
{
    return unit_main("import", fill);
}
