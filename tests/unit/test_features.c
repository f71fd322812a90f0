/* Features: the same for the same execution, different for different ones, bounded where nothing else bounds
 * them. */
#include <stdio.h>

#include "exec/oracle/feedback.h"
#include "execution_case.h"

enum { FEATURES = 512 };

static struct ops *ops;
static struct normaliser *rules;

static void setup(void)
{
    struct error *err = NULL;
    ops = oracle_ops();
    ck_assert_msg(normaliser_load(TASKGEN_SOURCE_DIR "/domains/normalise.json", &rules, &err) == 0, "%s", err ? err->text : "");
}

static void teardown(void)
{
    ops_free(ops);
    normaliser_free(rules);
}

static size_t of_domain(const uint64_t *features, size_t count, unsigned domain)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += features[i] >> 56 == domain;
    return found;
}

static void write_and_read(struct execution_case *c, const char *path, struct bytes reply)
{
    struct bytes content = BYTES_LITERAL("caf\xE9\n");
    struct observation *o = case_step(c, "write", path);
    json_set(&c->arena, o->args, "content", json_string(&c->arena, content));
    o->before = case_absent();
    o->after = case_file(content);
    o = case_step(c, "read", path);
    o->before = o->after = case_file(content);
    case_result(c, o, "content", reply);
}

START_TEST(same_execution_same_features)
{
    struct execution_case first, second;
    uint64_t a[FEATURES], b[FEATURES];
    case_init(&first, ops);
    case_init(&second, ops);
    write_and_read(&first, "one.txt", BYTES_LITERAL("caf\xEF\xBF\xBD\n"));
    write_and_read(&second, "two.txt", BYTES_LITERAL("caf\xEF\xBF\xBD\n"));
    size_t count = features_of(&first.execution, NULL, a, FEATURES);
    ck_assert_uint_gt(count, 5);
    ck_assert_uint_eq(features_of(&second.execution, NULL, b, FEATURES), count);
    ck_assert_int_eq(memcmp(a, b, count * sizeof *a), 0); /* names do not matter */
    for (size_t i = 0; i < count; i++) {
        ck_assert(a[i] >> 56 >= 1 && a[i] >> 56 <= 8);
        ck_assert(i == 0 || a[i] > a[i - 1]); /* sorted, no doubles */
    }
    ck_assert_uint_eq(of_domain(a, count, 3), 1); /* the read uses what the write made */
    ck_assert_uint_eq(of_domain(a, count, 7), 1); /* and its bytes differ */
    case_release(&first);
    case_release(&second);
}
END_TEST

START_TEST(what_differs_shows)
{
    struct execution_case plain, other;
    uint64_t a[FEATURES], b[FEATURES];
    case_init(&plain, ops);
    case_init(&other, ops);
    plain.execution.rules = other.execution.rules = rules;
    write_and_read(&plain, "x", BYTES_LITERAL("caf\xE9\n"));
    write_and_read(&other, "x", BYTES_LITERAL("caf\xE9\n"));
    size_t count = features_of(&plain.execution, NULL, a, FEATURES);
    ck_assert_uint_eq(of_domain(a, count, 7), 0);
    other.observations[1].outcome = (struct outcome){
        .class = OUTCOME_TOOL_ERROR, .message = BYTES_LITERAL("no file /a/b 17"), .code = 2};
    size_t more = features_of(&other.execution, NULL, b, FEATURES);
    ck_assert_uint_eq(of_domain(b, more, 8), 1);
    ck_assert_uint_eq(of_domain(b, more, 2), 1);
    /* Only numbers and paths of the message differ: nothing new. */
    other.observations[1].outcome.message = BYTES_LITERAL("no file /c/d/e 4711");
    uint64_t again[FEATURES];
    ck_assert_uint_eq(features_of(&other.execution, NULL, again, FEATURES), more);
    ck_assert_int_eq(memcmp(b, again, more * sizeof *b), 0);
    case_release(&plain);
    case_release(&other);
}
END_TEST

/* However many messages and shapes there are, an op has no more than its slots. */
START_TEST(domains_are_capped)
{
    static uint64_t seen[8][4096];
    size_t counts[16] = {0};
    for (int i = 0; i < 3000; i++) {
        struct execution_case c;
        uint64_t features[FEATURES];
        char text[64];
        case_init(&c, ops);
        struct observation *o = case_step(&c, "stat", "x");
        snprintf(text, sizeof text, "word%c%c%c", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
        o->outcome.class = OUTCOME_TOOL_ERROR;
        o->outcome.message = arena_copy(&c.arena, bytes_of_string(text));
        case_result(&c, o, text, BYTES_NONE);
        size_t count = features_of(&c.execution, NULL, features, FEATURES);
        for (size_t k = 0; k < count; k++) {
            unsigned domain = features[k] >> 56;
            bool known = false;
            if (domain != 5 && domain != 8)
                continue;
            for (size_t n = 0; n < counts[domain] && !known; n++)
                known = seen[domain - 5][n] == features[k];
            if (!known && counts[domain] < 4096)
                seen[domain - 5][counts[domain]++] = features[k];
        }
        case_release(&c);
    }
    ck_assert_uint_gt(counts[5], 32);
    ck_assert_uint_le(counts[5], 64);
    ck_assert_uint_gt(counts[8], 32);
    ck_assert_uint_le(counts[8], 64);
}
END_TEST

START_TEST(room_is_kept_to)
{
    struct execution_case c;
    uint64_t features[5] = {0};
    case_init(&c, ops);
    write_and_read(&c, "x", BYTES_LITERAL("y"));
    ck_assert_uint_eq(features_of(&c.execution, NULL, features, 4), 4);
    ck_assert_uint_eq(features[4], 0);
    ck_assert_uint_eq(features_of(&c.execution, NULL, features, 0), 0);
    c.execution.count = 0;
    ck_assert_uint_eq(features_of(&c.execution, NULL, features, 4), 0);
    case_release(&c);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, same_execution_same_features);
    tcase_add_test(tests, what_differs_shows);
    tcase_add_test(tests, domains_are_capped);
    tcase_add_test(tests, room_is_kept_to);
}

int main(void)
{
    return unit_main("features", fill);
}
