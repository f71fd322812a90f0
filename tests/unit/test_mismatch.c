/* Every round-trip mismatch is said by exactly one check: each kind of difference, at each place where bytes
 * are compared. */
#include "exec/oracle/roundtrip.h"
#include "execution_case.h"

static struct ops *ops;

static void setup(void)
{
    ops = oracle_ops();
}

static void teardown(void)
{
    ops_free(ops);
}

static void expect_one(const struct execution_case *c, const char *place, size_t row)
{
    struct arena a;
    arena_init(&a);
    struct verdicts v = {.arena = &a};
    size_t mismatches;
    const struct mismatch *m = roundtrip_find(&c->execution, &a, &mismatches);
    oracle_judge(&c->execution, &v);
    ck_assert_msg(mismatches == 1, "%s, byte %zu: %zu mismatches", place, row, mismatches);
    ck_assert_msg(v.count == 1, "%s, byte %zu (%s): %zu verdicts, first of %s", place, row,
                  difference_name(m->how), v.count, v.count ? v.items[0].check : "none");
    ck_assert_int_eq(v.items[0].layer, layer_of(m->effect));
    arena_release(&a);
}

static void stored(struct bytes sent, struct bytes got, const char *op, size_t row)
{
    struct execution_case c;
    case_init(&c, ops);
    struct observation *o = case_step(&c, op, "a");
    json_set(&c.arena, o->args, "content", json_string(&c.arena, sent));
    o->before = case_absent();
    o->after = case_file(got);
    expect_one(&c, op, row);
    /* Without a file to look at there is nothing to say about bytes. */
    o->after = (struct file_view){0};
    size_t count;
    roundtrip_find(&c.execution, &c.arena, &count);
    ck_assert_uint_eq(count, 0);
    case_release(&c);
}

static void replied(struct bytes sent, struct bytes got, const char *op, size_t row)
{
    struct execution_case c;
    case_init(&c, ops);
    struct observation *o = case_step(&c, op, "a");
    o->before = o->after = case_file(sent);
    case_result(&c, o, "content", got);
    expect_one(&c, op, row);
    case_release(&c);
}

static void moved(struct bytes sent, struct bytes got, const char *op, size_t row)
{
    struct execution_case c;
    case_init(&c, ops);
    struct observation *o = case_step(&c, op, "a");
    json_set(&c.arena, o->args, "to", json_text(&c.arena, "b"));
    o->before = case_file(sent);
    o->after = strcmp(op, "move") == 0 ? case_absent() : o->before;
    o->to_before = case_absent();
    o->to_after = case_file(got);
    expect_one(&c, op, row);
    case_release(&c);
}

/* At the fixture site, as an expectation of the step says. */
static void seen(struct bytes sent, struct bytes got, size_t row)
{
    struct execution_case c;
    case_init(&c, ops);
    struct observation *o = case_step(&c, "submit", "form");
    struct json *x = json_add(c.task->expect, json_new(&c.arena, JSON_OBJECT));
    json_set(&c.arena, x, "step", json_text(&c.arena, o->step->id));
    json_set(&c.arena, x, "site", json_text(&c.arena, "/forms/sent"));
    json_set(&c.arena, x, "at", json_text(&c.arena, "/fields/text"));
    json_set(&c.arena, x, "equals", json_string(&c.arena, sent));
    const struct web_field field = {.name = BYTES_LITERAL("text"), .value = got, .size = got.len};
    const struct web_visit visit = {
        .room = "", .method = "POST", .path = BYTES_LITERAL("/forms/sent"), .fields = &field, .field_count = 1, .end = WEB_WHOLE};
    c.execution.site = (struct site_view){.address = "http://127.0.0.1:1", .visits = &visit, .count = 1};
    expect_one(&c, "submit", row);
    case_release(&c);
}

START_TEST(exactly_one_check)
{
    struct arena a;
    arena_init(&a);
    const struct json *rows = oracle_load(&a, ORACLE_DATA "/difference.json");
    for (const struct json *row = rows->first; row; row = row->next) {
        struct bytes sent = oracle_bytes(&a, json_get(row, "sent")),
                     got = oracle_bytes(&a, json_get(row, "got"));
        if (bytes_equal(sent, got))
            continue;
        stored(sent, got, "write", row->offset);
        stored(sent, got, "upload", row->offset);
        replied(sent, got, "read", row->offset);
        replied(sent, got, "download", row->offset);
        moved(sent, got, "copy", row->offset);
        moved(sent, got, "move", row->offset);
        seen(sent, got, row->offset);
    }
    arena_release(&a);
}
END_TEST

/* Lines and ranges: a wrong reply is one mismatch, and one check's. */
static void part_is_one(const char *name, int64_t value, struct bytes file, struct bytes reply)
{
    struct execution_case c;
    case_init(&c, ops);
    struct observation *o = case_step(&c, "read", "a");
    json_set(&c.arena, o->args, name, json_integer(&c.arena, value));
    o->before = o->after = case_file(file);
    case_result(&c, o, "content", reply);
    expect_one(&c, name, (size_t)value);
    case_release(&c);
}

START_TEST(parts)
{
    static const char *const replies[] = {"",
                                          "zzz",
                                          "a\r\nb\r\n",
                                          ("\xEF\xBB\xBF"
                                           "a\nb\n"),
                                          "YQpiCg==",
                                          "a\nb\nc\nd\nx",
                                          "\xEF\xBF\xBD"};
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        part_is_one("head", 2, BYTES_LITERAL("a\nb\nc\nd\n"), bytes_of_string(replies[i]));
        part_is_one("tail", 2, BYTES_LITERAL("c\nd\na\nb\n"), bytes_of_string(replies[i]));
        part_is_one("length", 4, BYTES_LITERAL("a\nb\nc\nd\n"), bytes_of_string(replies[i]));
        part_is_one("offset", 4, BYTES_LITERAL("c\nd\na\nb\n"), bytes_of_string(replies[i]));
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, exactly_one_check);
    tcase_add_test(tests, parts);
}

int main(void)
{
    return unit_main("mismatch", fill);
}
