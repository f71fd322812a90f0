/* mutate/ against a model sandbox: what is still expected of a mutated task is true there; undo in any order.
 */
#include "model_task.h"
#include "mutate/join.h"
#include "mutate/mutate.h"

static struct settings settings;

/* All is made and hashed here, so the 10 MiB of large-file are left out. */
static void set_up(void)
{
    task_set_up();
    settings_defaults(&settings);
    ck_assert_int_eq(settings_set(&settings, "budget.bytes", "2M", NULL), 0);
}

static const char *const tokens[] = {"../", "aux", "-rf", "\xff\xfe", "1e3", "*", "line\r\n", "\xc3\xa9", "{\"a\":1}", "notes"};

/* In some, a token of a dictionary too; it is drawn too seldom to be left to chance. */
static bool with_token(struct task *t, struct rng *rng, uint64_t i)
{
    struct dictionary *words = dictionary_new();
    for (size_t n = 0; n < sizeof tokens / sizeof *tokens; n++)
        dictionary_add(words, bytes_of_string(tokens[n]));
    struct mutation m = {.task = t, .ops = ops, .rng = rng, .settings = &settings, .words = words};
    bool done = i % 3 == 0 && mutator_find("dictionary")->apply(&m);
    dictionary_free(words);
    task_identify(t);
    return done;
}

static void check_expectations(struct model *m, const struct task *t, struct model_result *results, const char *given)
{
    for (const struct json *e = t->expect->first; e; e = e->next) {
        if (model_holds(m, t, results, e))
            continue;
        struct buf text; /* too long for Check's messages */
        buf_init(&text, 1 << 24);
        json_write(&text, e, JSON_COMPACT);
        fprintf(stderr, "not true: %s\nin %s\nfrom %s\n", buf_string(&text), record_of(t), given);
        buf_release(&text);
        ck_abort_msg("task %d: an expectation is not true", (int)t->index);
    }
}

/* The heart of it: what is still expected is true in a correct sandbox. */
START_TEST(expectations_stay_true)
{
    size_t kept = 0, lost = 0, words = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        struct arena a;
        struct rng rng;
        arena_init(&a);
        struct model m = {.arena = &a};
        struct task *t = model_random_task(7, i, &m);
        size_t before = t->expect->count;
        char *given = xstrdup(record_of(t));
        rng_seed(&rng, 8, i);
        words += with_token(t, &rng, i);
        mutate_task(t, ops, &settings, &rng, 1 + i % 3);
        struct model fresh = {.arena = &a, .makes_parents = m.makes_parents, .text_only = m.text_only, .strict = m.strict};
        struct model_result *results = model_task(&fresh, t, &rng);
        check_expectations(&fresh, t, results, given);
        kept += t->expect->count;
        lost += before - t->expect->count;
        free(given);
        task_free(t);
        arena_release(&a);
    }
    ck_assert_uint_gt(words, 500);
    ck_assert_uint_gt(kept * 2, lost); /* nor does everything go */
}
END_TEST

/* A random task whose files have names that begin so. NULL: one of its programs lists what is there. */
static struct task *named_task(uint64_t seed, uint64_t index, const char *prefix, struct model *m)
{
    static const char *const names[] = {"\"d\"", "d/", "a.txt", "b.txt", "c.txt", "g.txt", "f.bin"};
    enum { NAMES = sizeof names / sizeof *names };
    struct task *plain = model_random_task(seed, index, m), *t;
    struct buf text;
    const char *from = record_of(plain);
    if (strstr(from, "model-list")) {
        task_free(plain);
        return NULL;
    }
    buf_init(&text, 1 << 24);
    while (*from) {
        size_t n = 0;
        while (n < NAMES && strncmp(from, names[n], strlen(names[n])))
            n++;
        if (n == 0)
            buf_addf(&text, "\"%sd\"", prefix);
        else if (n < NAMES)
            buf_addf(&text, "%s%s", prefix, names[n]);
        else
            buf_add_byte(&text, (uint8_t)*from);
        from += n < NAMES ? strlen(names[n]) : 1;
    }
    struct json *object = NULL;
    ck_assert_int_eq(json_read(m->arena, buf_bytes(&text), NULL, "task", &object, NULL, NULL), 0);
    json_remove(object, json_get(object, "id"));
    buf_clear(&text);
    json_write(&text, object, JSON_COMPACT);
    struct error *err = NULL;
    ck_assert_msg(task_read(ops, buf_bytes(&text), "task", &t, &err) == 0, "%s", err ? err->text : "");
    buf_release(&text);
    task_free(plain);
    return t;
}

/* The same of two tasks in one session, where what is done to one is no reason to expect less of the other. */
START_TEST(joined_ones_stay_true_too)
{
    size_t kept = 0, lost = 0, joined = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        struct arena a;
        struct rng rng;
        arena_init(&a);
        struct model m = {.arena = &a}, other = {.arena = &a};
        struct task *one = named_task(17, i, "one-", &m), *two = named_task(18, i, "two-", &other);
        struct task *t = one && two ? mutate_join(one, two, &settings) : NULL;
        task_free(one);
        task_free(two);
        if (t) {
            size_t before = t->expect->count;
            char *given = xstrdup(record_of(t));
            rng_seed(&rng, 8, i);
            mutate_task(t, ops, &settings, &rng, 1 + i % 2);
            struct model fresh = {.arena = &a, .makes_parents = m.makes_parents, .text_only = m.text_only, .strict = m.strict};
            if (m.makes_parents == other.makes_parents && m.text_only == other.text_only && m.strict == other.strict)
                check_expectations(&fresh, t, model_task(&fresh, t, &rng), given);
            kept += t->expect->count;
            lost += before - t->expect->count;
            joined++;
            free(given);
        }
        task_free(t);
        arena_release(&a);
    }
    ck_assert_uint_gt(joined, 500);
    ck_assert_uint_gt(kept, 2 * lost);
}
END_TEST

/* Whatever the order, what can be undone is undone, and all of it is the task as it was. */
START_TEST(undo_in_any_order)
{
    size_t waited = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        struct arena a;
        struct rng rng;
        arena_init(&a);
        struct model m = {.arena = &a};
        struct task *t = i % 2 ? random_task(9, i) : model_random_task(9, i, &m);
        char *before = xstrdup(record_of(t));
        rng_seed(&rng, 10, i);
        mutate_task(t, ops, &settings, &rng, 2);
        with_token(t, &rng, i);
        mutate_task(t, ops, &settings, &rng, 3);
        for (size_t tries = 0; t->mutations->count; tries++) {
            ck_assert_msg(tries < 1000, "task %d: nothing can be undone in %s", (int)i, record_of(t));
            char *now = xstrdup(record_of(t));
            bool undone = mutate_undo(t, rng_below(&rng, t->mutations->count));
            if (!undone)
                ck_assert_str_eq(now, record_of(t));
            waited += !undone;
            struct task *back = task_of_string(record_of(t));
            task_free(back);
            free(now);
        }
        ck_assert_msg(strcmp(before, record_of(t)) == 0, "task %d\nwas %s\nis  %s", (int)i, before,
                      record_of(t));
        free(before);
        task_free(t);
        arena_release(&a);
    }
    ck_assert_uint_gt(waited, 0);
}
END_TEST

/* What is expected once some of the mutations are undone is true with those that are left: a later one makes uncertain what an earlier one had
 * already taken away. */
START_TEST(what_is_left_stays_true)
{
    size_t undone = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        struct arena a;
        struct rng rng;
        arena_init(&a);
        struct model m = {.arena = &a};
        struct task *t = model_random_task(19, i, &m);
        char *given = xstrdup(record_of(t));
        rng_seed(&rng, 20, i);
        mutate_task(t, ops, &settings, &rng, 2 + i % 3);
        undone += t->mutations->count > 1 && mutate_undo(t, rng_below(&rng, t->mutations->count - 1));
        struct model fresh = {.arena = &a, .makes_parents = m.makes_parents, .text_only = m.text_only, .strict = m.strict};
        check_expectations(&fresh, t, model_task(&fresh, t, &rng), given);
        free(given);
        task_free(t);
        arena_release(&a);
    }
    ck_assert_uint_gt(undone, 1000);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, task_tear_down);
    tcase_add_test(tests, expectations_stay_true);
    tcase_add_test(tests, joined_ones_stay_true_too);
    tcase_add_test(tests, undo_in_any_order);
    tcase_add_test(tests, what_is_left_stays_true);
}

int main(void)
{
    return unit_main("mutate model", fill);
}
