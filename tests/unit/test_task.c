/* gen/task: reading, writing, messages, ids, needs, changing steps, hostile input. */
#include "base/hash.h"
#include "task_data.h"

START_TEST(messages)
{
    struct bytes rest = data_file("errors.txt"), record, expected;
    int cases = 0;
    while (next_line(&rest, &record)) {
        if (bytes_starts(record, BYTES_LITERAL("#")))
            continue;
        ck_assert(next_line(&rest, &expected));
        struct task *t = (struct task *)1;
        struct error *err = NULL;
        ck_assert_msg(task_read(ops, record, "test:7", &t, &err) == ERR_INPUT, "accepted: %.*s",
                      BYTES_ARG(record));
        ck_assert_ptr_null(t);
        ck_assert_int_eq(err->code, ERR_INPUT);
        ptrdiff_t id = bytes_find(expected, BYTES_LITERAL("@ID@"), 0);
        bool same = bytes_equal_string(expected, err->text);
        if (id >= 0) /* whatever the id is, the rest of the message is known */
            same = strncmp(err->text, (const char *)expected.data, (size_t)id) == 0 &&
                   bytes_ends(bytes_of_string(err->text),
                              bytes_slice(expected, (size_t)id + 4, expected.len));
        ck_assert_msg(same, "got      %s\nexpected %.*s\nfor %.*s", err->text, BYTES_ARG(expected),
                      BYTES_ARG(record));
        error_free(err);
        cases++;
    }
    ck_assert_int_gt(cases, 60);
    buf_release(&file_text);
}
END_TEST

START_TEST(written_by_hand)
{
    /* Short forms are filled in, wrappers put in order, text in $bytes becomes text; the second writing is
     * the first. */
    struct bytes rest = data_file("valid.txt"), given, expected;
    int cases = 0;
    while (next_line(&rest, &given)) {
        if (bytes_starts(given, BYTES_LITERAL("#")))
            continue;
        ck_assert(next_line(&rest, &expected));
        struct task *t = task_of(given);
        const char *written = record_of(t);
        ck_assert_msg(bytes_equal_string(expected, written), "got      %s\nexpected %.*s", written,
                      BYTES_ARG(expected));
        task_free(t);
        t = task_of(expected);
        ck_assert(bytes_equal_string(expected, record_of(t)));
        task_free(t);
        cases++;
    }
    ck_assert_int_ge(cases, 4);
    buf_release(&file_text);
}
END_TEST

START_TEST(round_trip)
{
    for (uint64_t i = 0; i < 2000; i++) {
        struct task *t = random_task(1, i);
        char *first = xstrdup(record_of(t));
        struct task *back = task_of_string(first);
        ck_assert_str_eq(first, record_of(back));
        ck_assert_str_eq(t->id, back->id);
        ck_assert_uint_eq(t->seed, back->seed);
        struct task *copy = task_copy(back);
        task_free(back);
        ck_assert_str_eq(first, record_of(copy));
        task_identify(copy);
        ck_assert_str_eq(t->id, copy->id);
        task_free(copy);
        task_free(t);
        free(first);
    }
}
END_TEST

/* The id again, by cutting the members that do not count out of the text. */
START_TEST(id_is_documented)
{
    struct task *t = random_task(2, 7);
    struct arena a;
    struct json *record;
    struct buf text;
    char hex[33];
    arena_init(&a);
    buf_init(&text, 1 << 24);
    ck_assert_int_eq(json_read(&a, bytes_of_string(record_of(t)), NULL, "t", &record, NULL, NULL), 0);
    static const char *const left_out[] = {"id", "seed", "index", "derivation"};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_ptr_nonnull(json_get(record, left_out[i]));
        json_remove(record, json_get(record, left_out[i]));
    }
    json_write(&text, record, JSON_SORTED);
    hash128_hex(buf_bytes(&text), hex);
    ck_assert_str_eq(hex, t->id);
    char id[33];
    memcpy(id, t->id, sizeof id);
    t->seed++;
    t->index++;
    t->derivation = "";
    t->grammar_hash = "";
    task_identify(t);
    ck_assert_str_eq(id, t->id);
    t->instruction = "other";
    task_identify(t);
    ck_assert_str_ne(id, t->id);
    buf_release(&text);
    arena_release(&a);
    task_free(t);
}
END_TEST

static void assert_needs(const char *steps, const char *contents, const char *expected)
{
    char rest[512];
    snprintf(rest, sizeof rest, "\"contents\":{%s}", contents);
    char *text = wrap_steps(steps, rest);
    struct task *t = task_of_string(text);
    struct buf needs;
    buf_init(&needs, 4096);
    for (size_t i = 0; i < t->need_count; i++)
        buf_addf(&needs, "%s%s", i ? " " : "", t->needs[i]);
    ck_assert_str_eq(buf_string(&needs), expected);
    buf_release(&needs);
    task_free(t);
    free(text);
}

START_TEST(needs)
{
    assert_needs("", "", "");
    assert_needs("{\"id\":\"a\",\"op\":\"idle\",\"args\":{\"ms\":1}}", "", "");
    assert_needs("{\"id\":\"a\",\"op\":\"write\",\"args\":{\"path\":\"p\",\"content\":\"\\u0000ü\"}}", "",
                 "write");
    assert_needs(
        "{\"id\":\"a\",\"op\":\"write\",\"args\":{\"path\":\"p\",\"content\":{\"$bytes\":\"/w==\"}}}", "",
        "write write:bytes");
    assert_needs("{\"id\":\"a\",\"op\":\"read\",\"args\":{\"path\":{\"$bytes\":\"/w==\"}}}", "",
                 "read read:bytes");
    assert_needs("{\"id\":\"a\",\"op\":\"write\",\"args\":{\"path\":\"p\",\"content\":{\"$content\":\"c\"}}}",
                 "\"c\":{\"$recipe\":\"random\",\"size\":100}", "write write:bytes");
    assert_needs("{\"id\":\"a\",\"op\":\"write\",\"args\":{\"path\":\"p\",\"content\":{\"$content\":\"c\"}}}",
                 "\"c\":{\"$recipe\":\"csv\"}", "write");
    assert_needs(
        "{\"id\":\"a\",\"op\":\"run\",\"args\":{\"language\":\"python\",\"script\":\"\"}},"
        "{\"id\":\"b\",\"op\":\"start\",\"session\":\"x\",\"args\":{\"argv\":[\"a\"]}},"
        "{\"id\":\"c\",\"op\":\"tab-open\"},{\"id\":\"d\",\"op\":\"stage-dir\",\"args\":{\"path\":\"p\"}}",
        "", "browser run run:python sessions stage start");
    assert_needs("{\"id\":\"a\",\"op\":\"run\",\"args\":{\"language\":\"sh\",\"script\":\"\","
                 "\"uses\":[\"git\",\"python:numpy\",\"git\",\"\"]}}",
                 "", "program:git python:numpy run run:sh");
}
END_TEST

START_TEST(changing_steps)
{
    struct task *t = task_new();
    const struct op *pause = ops_find(ops, "pause"), *resume = ops_find(ops, "resume");
    for (int i = 0; i < 20; i++)
        task_add_step(t, pause, NULL);
    ck_assert_str_eq(t->steps[19].id, "s20");
    struct task_step *step = task_insert_step(t, 0, resume, NULL);
    ck_assert_str_eq(step->id, "s21");
    ck_assert_str_eq(t->steps[1].id, "s1");
    ck_assert_uint_eq(task_step_index(t, "s3"), 3);
    ck_assert_uint_eq(task_step_index(t, "s99"), t->step_count);
    ck_assert_ptr_null(task_find_step(t, "s99"));
    task_remove_step(t, 3);
    ck_assert_ptr_null(task_find_step(t, "s3"));
    ck_assert_uint_eq(t->step_count, 20);
    step = task_add_step(t, pause, NULL); /* s21 is taken */
    ck_assert_str_eq(step->id, "s22");
    ck_assert_int_eq(step->cancel_after_ms, -1);
    ck_assert_uint_eq(step->repeat, 1);
    ck_assert_str_eq(step->session, "main");
    json_set(&t->arena, step->args, "content", json_text(&t->arena, "x"));
    ck_assert_ptr_eq(task_bytes_argument(t, "s22", "content"), step->args->first);
    ck_assert_ptr_null(task_bytes_argument(t, "s22", "other"));
    ck_assert_ptr_null(task_bytes_argument(t, "nobody", "content"));
    task_free(t);
    task_free(NULL);
}
END_TEST

START_TEST(wrappers)
{
    struct arena a;
    arena_init(&a);
    struct json *value = json_new(&a, JSON_OBJECT);
    ck_assert(!task_is_wrapper(NULL, "$from"));
    ck_assert(!task_is_wrapper(value, "$from"));
    json_set(&a, value, "$from", json_text(&a, "s1"));
    ck_assert(task_is_wrapper(value, "$from"));
    ck_assert(!task_is_wrapper(value, "$path"));
    ck_assert(!task_is_wrapper(value->first, "$from"));
    arena_release(&a);
}
END_TEST

START_TEST(mutations_are_noted)
{
    struct task *t = task_new();
    struct json *before = json_text(&t->arena, "\xff");
    task_note_mutation(t, "null-byte", "s1", "/args/path", "a NUL", before);
    task_note_mutation(t, "x", "s1", "/repeat", "y", NULL);
    task_identify(t);
    ck_assert_ptr_nonnull(strstr(record_of(t),
                                 "\"mutations\":[{\"at\":\"/args/path\",\"before\":{\"$bytes\":\"/w==\"},"
                                 "\"detail\":\"a NUL\",\"mutator\":\"null-byte\",\"step\":\"s1\"},"
                                 "{\"at\":\"/repeat\",\"before\":null,"));
    struct task *back = task_of_string(record_of(t));
    ck_assert(bytes_equal(json_get(json_at(back->mutations, 0), "before")->text, BYTES_LITERAL("\xff")));
    task_free(back);
    task_free(t);
}
END_TEST

/* Every prefix and every single changed byte of a record is either refused with a message or reads as a task.
 */
START_TEST(damaged_records)
{
    struct task *t = random_task(3, 1);
    char *text = xstrdup(record_of(t));
    size_t len = strlen(text), accepted = 0;
    for (size_t cut = 0; cut < len; cut++) {
        struct task *back = NULL;
        struct error *err = NULL;
        ck_assert_int_lt(task_read(ops, bytes_of(text, cut), "t", &back, &err), 0);
        ck_assert_ptr_nonnull(err);
        error_free(err);
    }
    for (size_t i = 0; i < len; i++) {
        struct task *back = NULL;
        struct error *err = NULL;
        char kept = text[i];
        text[i] = (char)(kept ^ 1 << i % 8);
        int status = task_read(ops, bytes_of(text, len), "t", &back, &err);
        ck_assert(status == 0 ? back && !err : err && !back);
        accepted += status == 0;
        text[i] = kept;
        error_free(err);
        task_free(back);
    }
    ck_assert_uint_lt(accepted,
                      len / 4); /* digits of seed and index, letters of the derivation: not in the id */
    free(text);
    task_free(t);
}
END_TEST

START_TEST(hostile_depth)
{
    enum { DEPTH = 100000 };
    struct buf b;
    buf_init(&b, 1 << 24);
    buf_add_string(&b, "{\"format\":\"taskgen/task/"
                       "1\",\"instruction\":\"\",\"steps\":[{\"id\":\"s1\",\"op\":\"call\",\"args\":"
                       "{\"name\":\"x\",\"arguments\":");
    for (int i = 0; i < DEPTH; i++)
        buf_add_string(&b, "{\"a\":");
    struct error *err = NULL;
    struct task *t;
    ck_assert_int_eq(task_read(ops, buf_bytes(&b), "t", &t, &err), ERR_INPUT);
    error_free(err);
    buf_release(&b);

    /* In memory, where a generator may go deeper than a reader lets in, writing uses no stack. */
    t = task_new();
    struct json *value = json_new(&t->arena, JSON_ARRAY), *outer = value;
    for (int i = 0; i < DEPTH; i++)
        value = json_add(value, json_new(&t->arena, JSON_ARRAY));
    struct task_step *step = task_add_step(t, ops_find(ops, "call"), NULL);
    json_set(&t->arena, step->args, "name", json_text(&t->arena, "x"));
    json_set(&t->arena, step->args, "arguments", outer);
    task_identify(t);
    ck_assert_uint_gt(strlen(record_of(t)), 2 * DEPTH);
    task_free(t);
}
END_TEST

START_TEST(hostile_size)
{
    struct buf b;
    buf_init(&b, 1 << 24);
    buf_add_string(
        &b, "{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"steps\":[{\"id\":\"a\",\"op\":\"pause\"}");
    for (int i = 0; i < 4096; i++)
        buf_addf(&b, ",{\"id\":\"b%d\",\"op\":\"pause\"}", i);
    buf_add_string(&b, "]}");
    struct error *err = NULL;
    struct task *t;
    ck_assert_int_eq(task_read(ops, buf_bytes(&b), "t", &t, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "t: steps: found 4097 steps, expected at most 4096");
    error_free(err);
    buf_release(&b);
}
END_TEST

START_TEST(text_for_reading)
{
    struct bytes given = data_file("reading.json");
    struct task *t = task_of(given);
    buf_release(&file_text);
    struct bytes expected = data_file("reading.txt");
    struct buf out;
    buf_init(&out, 1 << 20);
    task_write_text(t, &out);
    ck_assert_msg(bytes_equal(buf_bytes(&out), expected), "got\n%s", buf_string(&out));
    buf_release(&out);
    buf_release(&file_text);
    task_free(t);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, task_set_up, task_tear_down);
    tcase_add_test(tests, messages);
    tcase_add_test(tests, written_by_hand);
    tcase_add_test(tests, round_trip);
    tcase_add_test(tests, id_is_documented);
    tcase_add_test(tests, needs);
    tcase_add_test(tests, changing_steps);
    tcase_add_test(tests, wrappers);
    tcase_add_test(tests, mutations_are_noted);
    tcase_add_test(tests, damaged_records);
    tcase_add_test(tests, hostile_depth);
    tcase_add_test(tests, hostile_size);
    tcase_add_test(tests, text_for_reading);
}

int main(void)
{
    return unit_main("task", fill);
}
