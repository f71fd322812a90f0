/* exec/resolve: every wrapper at any depth, what is data and stays so, budgets, and tasks at fault. */
#include "base/json.h"
#include "exec/resolve.h"
#include "unit.h"

static struct task *task;
static struct arena a;
static struct json *results; /* step -> result object */
static struct resolved out;
static struct error *err;
static struct buf text;
static const struct op_arg op_args[] = {{.name = "v", .type = OP_JSON},
                                        {.name = "uses", .type = OP_TEXTS, .unsent = true},
                                        {.name = "url", .type = OP_TEXT, .site = true}};
static const struct op op = {.name = "try", .args = op_args, .arg_count = 3};
static const char *site; /* the address of the fixture site */

static const struct json *result_of(void *user, struct bytes step)
{
    ck_assert_ptr_eq(user, &results);
    return json_get_bytes(results, step);
}

static struct json *read_json(const char *source)
{
    struct json *value = NULL;
    struct error *why = NULL;
    ck_assert_msg(json_read(&a, bytes_of_string(source), NULL, "test", &value, NULL, &why) == 0, "%s: %s",
                  source, why ? why->text : "");
    return value;
}

static void set_up(void)
{
    arena_init(&a);
    task = task_new();
    task->contents = read_json(
        "{\"c\":\"content\",\"b\":{\"$bytes\":\"AP8=\"},\"z\":{\"$recipe\":\"zeros\",\"size\":100},"
        "\"bad\":{\"$recipe\":\"no such recipe\"}}");
    results = read_json("{\"s1\":{\"pid\":17,\"deep\":{\"a/b\":[1,{\"$from\":\"s1\",\"at\":\"/"
                        "pid\"}]},\"null\":null},\"s2\":{}}");
    buf_init(&text, 1 << 20);
    err = NULL;
}

static void tear_down(void)
{
    error_free(err);
    buf_release(&text);
    task_free(task);
    arena_release(&a);
}

static int resolve_value(struct json *args, size_t max)
{
    struct task_step step = {.id = "s9", .op = &op, .args = args};
    struct resolver r = {.task = task, .result = result_of, .user = &results, .site = site, .max_bytes = max};
    error_free(err);
    err = NULL;
    return resolve_step(&r, &step, &a, &out, &err);
}

static int resolve(const char *args)
{
    return resolve_value(read_json(args), 1000);
}

/* The resolved arguments as canonical text. */
static const char *resolved(const char *args)
{
    int status = resolve(args);
    ck_assert_msg(status == 0 && !out.skip_reason, "%s: %s", args, err ? err->text : out.skip_reason);
    buf_clear(&text);
    json_write(&text, out.args, JSON_SORTED);
    return buf_string(&text);
}

START_TEST(plain_values_stay)
{
    static const char *const same[] = {"{}", "{\"a\":[1,null,true,\"x\",{\"b\":[]}],\"path\":\"a/b\"}",
                                       "{\"a\":{\"$other\":1}}"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ck_assert_str_eq(resolved(same[i]), same[i]);
    ck_assert_ptr_null(out.path_as);
}
END_TEST

START_TEST(the_step_is_not_changed)
{
    struct json *args = read_json("{\"content\":{\"$content\":\"c\"}}");
    ck_assert_int_eq(resolve_value(args, 1000), 0);
    json_write(&text, args, JSON_SORTED);
    ck_assert_str_eq(buf_string(&text), "{\"content\":{\"$content\":\"c\"}}");
}
END_TEST

START_TEST(what_is_for_the_harness_is_left_out)
{
    ck_assert_str_eq(resolved("{\"uses\":[\"git\"],\"v\":{\"uses\":1}}"), "{\"v\":{\"uses\":1}}");
}
END_TEST

START_TEST(addresses_of_the_site)
{
    ck_assert_int_eq(resolve("{\"url\":\"{site}/x\"}"), 0);
    ck_assert_str_eq(out.skip_reason, "site");
    site = "http://127.0.0.1:1";
    ck_assert_str_eq(resolved("{\"url\":\"{site}/x?{site}\",\"v\":\"{site}\"}"), "{\"url\":\"http://127.0.0.1:1/x?{site}\",\"v\":\"{site}\"}");
    ck_assert_str_eq(resolved("{\"url\":\" {site}\"}"), "{\"url\":\" {site}\"}");
    ck_assert_str_eq(resolved("{\"url\":{\"$bytes\":\"e3NpdGV9/w==\"}}"), "{\"url\":\"http://127.0.0.1:1\\u00ff\"}");
    site = NULL;
}
END_TEST

START_TEST(contents)
{
    ck_assert_str_eq(resolved("{\"content\":{\"$content\":\"c\"}}"), "{\"content\":\"content\"}");
    ck_assert_int_eq(resolve("{\"content\":{\"$content\":\"b\"},\"more\":[{\"$content\":\"z\"}]}"), 0);
    ASSERT_BYTES(json_get(out.args, "content")->text, "\0\xff");
    ck_assert_uint_eq(json_at(json_get(out.args, "more"), 0)->text.len, 100);
}
END_TEST

START_TEST(budgets)
{
    struct json *two = read_json("{\"a\":{\"$content\":\"z\"},\"b\":{\"$content\":\"z\"}}");
    ck_assert_int_eq(resolve_value(two, 200), 0);
    ck_assert_ptr_null(out.skip_reason);
    ck_assert_int_eq(resolve_value(two, 199), 0);
    ck_assert_str_eq(out.skip_reason, "content 'z' is longer than the 99 bytes that may still be sent");
    ck_assert_ptr_null(out.args);
    ck_assert_int_eq(resolve_value(two, 0), 0);
    ck_assert_ptr_nonnull(out.skip_reason);
}
END_TEST

START_TEST(run_time_values)
{
    ck_assert_str_eq(resolved("{\"pid\":{\"$from\":\"s1\",\"at\":\"/pid\"}}"), "{\"pid\":17}");
    /* What a target says is data, also when it looks like a wrapper. */
    ck_assert_str_eq(resolved("{\"x\":{\"$from\":\"s1\",\"at\":\"/deep/a~1b\"}}"),
                     "{\"x\":[1,{\"$from\":\"s1\",\"at\":\"/pid\"}]}");
    ck_assert_str_eq(resolved("{\"x\":{\"$from\":\"s1\",\"at\":\"/null\"}}"), "{\"x\":null}");
    ck_assert_str_eq(resolved("{\"x\":{\"$from\":\"s2\",\"at\":\"\"}}"), "{\"x\":{}}");
}
END_TEST

START_TEST(missing_values_skip)
{
    ck_assert_int_eq(resolve("{\"pid\":{\"$from\":\"s2\",\"at\":\"/pid\"}}"), 0);
    ck_assert_str_eq(out.skip_reason, "step s2 gave no value at '/pid'");
    ck_assert_int_eq(resolve("{\"a\":[[{\"$from\":\"s7\",\"at\":\"/pid\"}]]}"), 0);
    ck_assert_str_eq(out.skip_reason, "step s7 gave no value at '/pid'");
    struct task_step step = {.id = "s9", .op = &op, .args = read_json("{\"a\":{\"$from\":\"s1\",\"at\":\"/pid\"}}")};
    ck_assert_int_eq(resolve_step(&(struct resolver){.task = task}, &step, &a, &out, &err), 0);
    ck_assert_ptr_nonnull(out.skip_reason);
}
END_TEST

START_TEST(paths)
{
    ck_assert_str_eq(
        resolved("{\"path\":{\"$path\":\"a\",\"as\":\"absolute\"},\"to\":{\"$path\":\"b\",\"as\":\"link\"}}"),
        "{\"path\":\"a\",\"to\":\"b\"}");
    ck_assert_str_eq(out.path_as, "absolute");
    ck_assert_str_eq(out.to_as, "link");
    ck_assert_int_eq(resolve("{\"path\":{\"$path\":{\"$bytes\":\"/wBh\"},\"as\":\"dotted\"}}"), 0);
    ASSERT_BYTES(json_get(out.args, "path")->text, "\xff\0a");
    ck_assert_str_eq(out.path_as, "dotted");
    /* Deeper ones have no place in a call for how they are spelled. */
    ck_assert_str_eq(resolved("{\"a\":{\"path\":{\"$path\":\"a\",\"as\":\"tilde\"}}}"),
                     "{\"a\":{\"path\":\"a\"}}");
    ck_assert_ptr_null(out.path_as);
}
END_TEST

START_TEST(literals)
{
    ck_assert_str_eq(
        resolved("{\"a\":{\"$literal\":{\"$from\":\"s1\",\"at\":\"/pid\"}},\"b\":{\"$content\":\"c\"}}"),
        "{\"a\":{\"$from\":\"s1\",\"at\":\"/pid\"},\"b\":\"content\"}");
    ck_assert_str_eq(resolved("{\"a\":{\"$literal\":{\"$literal\":1}}}"), "{\"a\":{\"$literal\":1}}");
}
END_TEST

START_TEST(raw_stays)
{
    struct json *args = json_new(&a, JSON_OBJECT);
    json_set(&a, args, "n", json_raw(&a, BYTES_LITERAL("1e999")));
    ck_assert_int_eq(resolve_value(args, 0), 0);
    ck_assert_int_eq(json_get(out.args, "n")->kind, JSON_RAW);
    ASSERT_BYTES(json_get(out.args, "n")->text, "1e999");
}
END_TEST

START_TEST(deep_values)
{
    enum { DEEP = 50000 };
    struct json *args = json_new(&a, JSON_OBJECT), *at = json_set(&a, args, "a", json_new(&a, JSON_ARRAY));
    for (int i = 0; i < DEEP; i++)
        at = json_add(at, json_new(&a, JSON_ARRAY));
    json_add(at, read_json("{\"$content\":\"c\"}"));
    ck_assert_int_eq(resolve_value(args, 1000), 0);
    at = json_get(out.args, "a");
    for (int i = 0; i < DEEP; i++)
        at = at->first;
    ASSERT_BYTES(at->first->text, "content");
}
END_TEST

START_TEST(tasks_at_fault)
{
    static const struct {
        const char *args, *text;
    } rows[] = {
        {"{\"a\":{\"$content\":\"none\"}}", "step s9: $content: found 'none', expected a name in contents"},
        {"{\"a\":{\"$content\":5}}", "step s9: $content: found '5', expected a name in contents"},
        {"{\"a\":{\"$bytes\":\"%%%\"}}", "step s9: $bytes: found what is no base64"},
        {"{\"path\":{\"$path\":5,\"as\":\"link\"}}", "step s9: $path: found number, expected a string"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(resolve(rows[i].args), ERR_INPUT);
        ck_assert_str_eq(err->text, rows[i].text);
        ck_assert_ptr_null(out.args);
    }
    ck_assert_int_eq(resolve("{\"a\":{\"$content\":\"bad\"}}"), ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err->text, "step s9: $content 'bad': "));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, plain_values_stay);
    tcase_add_test(tests, the_step_is_not_changed);
    tcase_add_test(tests, what_is_for_the_harness_is_left_out);
    tcase_add_test(tests, addresses_of_the_site);
    tcase_add_test(tests, contents);
    tcase_add_test(tests, budgets);
    tcase_add_test(tests, run_time_values);
    tcase_add_test(tests, missing_values_skip);
    tcase_add_test(tests, paths);
    tcase_add_test(tests, literals);
    tcase_add_test(tests, raw_stays);
    tcase_add_test(tests, deep_values);
    tcase_add_test(tests, tasks_at_fault);
}

int main(void)
{
    return unit_main("resolve", fill);
}
