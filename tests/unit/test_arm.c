/* Predicates: for each class tasks that arm it and tasks that nearly do, from tests/data/arm/CNN.jsonl: one
 * object a line, {"arms":true,"why":"…","steps":[{"op","args",…}]} and any other member of a record. */
#include "gen/arm/arm.h"
#include "task_case.h"

enum { FILE_MAX = 1 << 20 };

/* The record that a compact line stands for: ids "s1", "s2" … are put in. */
static struct task *task_of_case(struct arena *a, const struct json *line)
{
    struct json *record = json_new(a, JSON_OBJECT);
    json_set(a, record, "format", json_text(a, "taskgen/task/1"));
    json_set(a, record, "instruction", json_text(a, ""));
    for (const struct json *m = line->first; m; m = m->next)
        if (!bytes_equal_string(m->key, "arms") && !bytes_equal_string(m->key, "why"))
            json_set_bytes(a, record, m->key, json_copy(a, m));
    size_t number = 1;
    for (struct json *step = json_get(record, "steps")->first; step; step = step->next)
        json_set(a, step, "id", json_text(a, arena_printf(a, "s%zu", number++)));
    for (struct json *m = json_get(record, "mutations") ? json_get(record, "mutations")->first : NULL; m;
         m = m->next)
        json_set(a, m, "before", json_new(a, JSON_OBJECT));
    struct buf text;
    buf_init(&text, FILE_MAX);
    json_write(&text, record, JSON_COMPACT);
    struct task *t = task_of(buf_bytes(&text));
    buf_release(&text);
    return t;
}

static bool next_line(struct bytes *rest, struct bytes *line)
{
    ptrdiff_t end = bytes_find(*rest, BYTES_LITERAL("\n"), 0);
    if (end < 0)
        return false;
    *line = bytes_slice(*rest, 0, (size_t)end);
    *rest = bytes_slice(*rest, (size_t)end + 1, rest->len);
    return true;
}

/* Runs a class's file; counts its lines by what they expect. */
static void try_class(size_t index, unsigned counts[2])
{
    struct arena a;
    struct buf file;
    struct error *err = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/arm/%s.jsonl", TASKGEN_SOURCE_DIR, class_at(index)->id);
    arena_init(&a);
    buf_init(&file, FILE_MAX);
    ck_assert_msg(fs_read(path, FILE_MAX, &file, &err) == 0, "%s", err ? err->text : "?");
    struct bytes rest = buf_bytes(&file), line;
    while (next_line(&rest, &line)) {
        struct json *object = NULL;
        ck_assert_msg(json_read(&a, line, NULL, path, &object, NULL, &err) == 0, "%s", err ? err->text : "?");
        struct task *t = task_of_case(&a, object);
        struct arm_set armed;
        arm_task(t, &armed);
        bool expected = json_as_bool(json_get(object, "arms"), false);
        ck_assert_msg(arm_has(&armed, index) == expected, "%s %s: expected %s: %.*s", class_at(index)->id,
                      class_at(index)->slug, expected ? "armed" : "not armed",
                      BYTES_ARG(json_as_text(json_get(object, "why"))));
        counts[expected]++;
        task_free(t);
    }
    buf_release(&file);
    arena_release(&a);
}

START_TEST(class_cases)
{
    unsigned counts[2] = {0};
    try_class((size_t)_i, counts);
    ck_assert_msg(counts[true] && counts[false], "%s: both kinds of cases are wanted",
                  class_at((size_t)_i)->id);
}
END_TEST

START_TEST(empty_task_arms_nothing)
{
    struct arm_set armed = {{~UINT64_C(0), ~UINT64_C(0)}};
    struct task *t = task_of_string("{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"steps\":[]}");
    arm_task(t, &armed);
    ck_assert_uint_eq(arm_count(&armed), 0);
    task_free(t);
}
END_TEST

START_TEST(sets)
{
    struct arm_set a = {0}, b = {0};
    arm_add(&a, 0);
    arm_add(&a, 93);
    ck_assert(arm_has(&a, 0) && arm_has(&a, 93) && !arm_has(&a, 63) && !arm_has(&a, 64));
    ck_assert_uint_eq(arm_count(&a), 2);
    ck_assert(!arm_meets(&a, &b));
    arm_add(&b, 93);
    ck_assert(arm_meets(&a, &b));
}
END_TEST

/* Nothing that a record may hold makes looking at it slow or fail: contents of a gigabyte, deep ones,
 * run-time values. */
START_TEST(huge_contents_cost_nothing)
{
    struct task *t = task_of_string(
        "{\"format\":\"taskgen/task/"
        "1\",\"instruction\":\"\",\"contents\":{\"a\":{\"$recipe\":\"random\",\"size\":1000000000},"
        "\"b\":{\"$recipe\":\"csv\",\"rows\":1000000},\"c\":{\"$recipe\":\"splice\",\"base\":{\"$recipe\":"
        "\"lines\",\"lines\":1000000},"
        "\"at\":70000,\"insert\":{\"$recipe\":\"zeros\",\"size\":500000000}}},\"steps\":["
        "{\"id\":\"s1\",\"op\":\"upload\",\"args\":{\"path\":\"a\",\"content\":{\"$content\":\"a\"}}},"
        "{\"id\":\"s2\",\"op\":\"upload\",\"args\":{\"path\":\"b\",\"content\":{\"$content\":\"b\"}}},"
        "{\"id\":\"s3\",\"op\":\"upload\",\"args\":{\"path\":\"c\",\"content\":{\"$content\":\"c\"}}},"
        "{\"id\":\"s4\",\"op\":\"download\",\"args\":{\"path\":\"c\"}},"
        "{\"id\":\"s5\",\"op\":\"write\",\"args\":{\"path\":\"d\",\"content\":{\"$from\":\"s4\",\"at\":\"/"
        "content\"}}}]}");
    struct arm_set armed;
    for (int i = 0; i < 1000; i++)
        arm_task(t, &armed);
    ck_assert(arm_has(&armed, arm_class_find("big-frame-fatal")));
    ck_assert(arm_has(&armed, arm_class_find("nul-in-content")));
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, task_set_up, task_tear_down);
    tcase_add_loop_test(tests, class_cases, 0, ARM_CLASSES);
    tcase_add_test(tests, empty_task_arms_nothing);
    tcase_add_test(tests, sets);
    tcase_add_test(tests, huge_contents_cost_nothing);
}

int main(void)
{
    return unit_main("arm", fill);
}
