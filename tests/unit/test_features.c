/* Features: the same for the same execution, different for different ones, bounded where nothing else bounds
 * them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "exec/oracle/feedback.h"
#include "exec/oracle/record.h"
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
        ck_assert_ptr_nonnull(feedback_of(a[i]));
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

/* ---- recordings ---- */

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every feature of the execution in words, sorted. */
static size_t told(const struct execution *e, const struct feedback_context *context, struct arena *a, const char ***lines)
{
    static uint64_t features[FEATURES];
    static const char *words[FEATURES];
    size_t count = features_of(e, context, features, FEATURES);
    features_tell(e, context, features, count, a, words);
    *lines = arena_alloc(a, (count + 1) * sizeof **lines);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(words[i] != NULL, "%s has no words", feedback_of(features[i])->name);
        (*lines)[i] = arena_printf(a, "%s: %s", feedback_of(features[i])->name, words[i]);
    }
    qsort(*lines, count, sizeof **lines, compare_text);
    return count;
}

static void read_recording(const char *path, struct arena *a, struct execution *e, struct task **task)
{
    struct buf text;
    struct error *err = NULL;
    buf_init(&text, 1 << 24);
    ck_assert_int_eq(fs_read(path, 1 << 24, &text, NULL), 0);
    ck_assert_msg(execution_read(ops, buf_bytes(&text), path, a, e, task, &err) == 0, "%s", err ? err->text : "");
    buf_release(&text);
    e->rules = rules;
}

static const char *const recordings[] = {"files", "tools", "session", "trouble", "unsent"};

/* A recording has exactly the features that it says. */
START_TEST(recorded)
{
    struct arena a;
    struct execution e;
    struct task *task = NULL;
    const char **lines;
    arena_init(&a);
    const char *path = arena_printf(&a, TASKGEN_SOURCE_DIR "/tests/data/feedback/%s.json", recordings[_i]);
    read_recording(path, &a, &e, &task);
    size_t count = told(&e, NULL, &a, &lines);
    const struct json *expected = json_get(oracle_load(&a, path), "features");
    bool same = count == expected->count;
    for (size_t i = 0; i < count && same; i++)
        same = bytes_equal(bytes_of_string(lines[i]), json_as_text(json_at(expected, i)));
    for (size_t i = 0; i < count && !same; i++)
        printf("%s\"%s\"", i ? ",\n  " : "  ", lines[i]);
    fflush(stdout);
    ck_assert_msg(same, "%s has other features, see above", recordings[_i]);
    task_free(task);
    arena_release(&a);
}
END_TEST

/* What observers saw are features as they are; how long a call took depends on what is usual. */
START_TEST(handed_in)
{
    struct execution_case c;
    const char **lines;
    struct seen seen[] = {{SEEN_SYSCALL, 5, "openat ENOENT tmp"}, {SEEN_SYSCALL, 6, "bind"}, {SEEN_CODE, 5, "index.js:1-2"}};
    case_init(&c, ops);
    struct observation *o = case_step(&c, "stat", "x");
    o->outcome.class = OUTCOME_TIMEOUT;
    o->outcome.ns = 90 * 1000000;
    struct feedback_latency usual[] = {{feedback_op(o) + 1, 1}, {feedback_op(o), 10 * 1000000}};
    struct feedback_context context = {.latencies = usual, .latency_count = 2};
    ck_assert_int_eq(feedback_parse("time,syscalls,code-coverage", &context.domains, NULL), 0);
    c.execution.seen = seen;
    c.execution.seen_count = 3;
    ck_assert_uint_eq(told(&c.execution, &context, &c.arena, &lines), 4);
    ck_assert_str_eq(lines[0], "code-coverage: index.js:1-2");
    ck_assert_str_eq(lines[1], "syscalls: bind");
    ck_assert_str_eq(lines[2], "syscalls: openat ENOENT tmp");
    ck_assert_str_eq(lines[3], "time: stat: at least 8 times as slow as usual");
    /* Less than a factor of two, or than some milliseconds, is usual too; and of an op that nobody knows nothing is. */
    static const struct {
        int64_t ns, median;
        size_t features;
    } cases[] = {{19, 10, 0}, {20, 10, 1}, {10, 20, 1}, {11, 20, 0}, {2, 1, 0}, {1, 3, 0}, {4, 1, 1}, {0, 10, 0}, {10, 0, 0}};
    c.execution.seen_count = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        o->outcome.ns = cases[i].ns * 1000000;
        usual[1].median_ns = cases[i].median * 1000000;
        ck_assert_msg(told(&c.execution, &context, &c.arena, &lines) == cases[i].features, "case %zu", i);
    }
    context.latency_count = 1;
    o->outcome.ns = INT64_MAX;
    ck_assert_uint_eq(told(&c.execution, &context, &c.arena, &lines), 0);
    case_release(&c);
}
END_TEST

/* A step that is carried out thousands of times, each time with another outcome: bounded, and in no time. */
START_TEST(many_steps)
{
    enum { STEPS = 20000 };
    struct execution_case c;
    static uint64_t features[FEATURES];
    case_init(&c, ops);
    struct observation first = *case_step(&c, "stat", "x"), *many = arena_alloc(&c.arena, STEPS * sizeof *many);
    for (int i = 0; i < STEPS; i++) {
        struct json *args = json_new(&c.arena, JSON_OBJECT);
        json_set(&c.arena, args, "path", json_text(&c.arena, arena_printf(&c.arena, "f%d", i)));
        many[i] = first;
        many[i].args = args;
        many[i].outcome.class = OUTCOME_TOOL_ERROR;
        many[i].outcome.code = i + 1;
    }
    c.execution.observations = many;
    c.execution.count = STEPS;
    struct feedback_context context = {0};
    ck_assert_int_eq(feedback_parse("-differential", &context.domains, NULL), 0); /* which asks for facts that a loop has */
    int64_t start = clock_monotonic_ns();
    size_t count = features_of(&c.execution, &context, features, FEATURES);
    ck_assert_uint_eq(count, FEATURES);
    ck_assert_uint_eq(of_domain(features, count, 2), FEATURES - 1); /* outcome comes first, and codes take what room there is */
    ck_assert_int_lt(clock_monotonic_ns() - start, 2000000000);
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
    tcase_add_loop_test(tests, recorded, 0, sizeof recordings / sizeof *recordings);
    tcase_add_test(tests, handed_in);
    tcase_add_test(tests, many_steps);
}

int main(void)
{
    return unit_main("features", fill);
}
