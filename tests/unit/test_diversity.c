/* Diversity: against counting by hand, and near-duplicates against comparing every pair. */
#include "gen/diversity.h"
#include "task_case.h"

/* A task that says `said` and has these ops in a row. */
static struct task *saying(const char *said, const char *const *op_names, size_t count)
{
    struct task *t = task_new();
    t->domain = "d";
    t->workflow = "w";
    t->instruction = arena_string(&t->arena, bytes_of_string(said));
    for (size_t i = 0; i < count; i++) {
        struct json *args = json_new(&t->arena, JSON_OBJECT);
        json_set(&t->arena, args, "path", json_text(&t->arena, "a"));
        task_add_step(t, ops_find(ops, op_names[i]), args);
    }
    task_identify(t);
    return t;
}

static const char *const one_op[] = {"read"};

START_TEST(likeness_by_hand)
{
    struct task *a = saying("Count the lines of notes.txt, please.", one_op, 1);
    struct task *b = saying("count THE lines of notes.txt (please)", one_op,
                            1); /* case and punctuation do not count */
    struct task *c = saying("Count the lines of other.txt, please.", one_op, 1);
    const char *const other_op[] = {"list"};
    struct task *d = saying("Count the lines of notes.txt, please.", other_op, 1);
    ck_assert_double_eq(diversity_likeness(a, a), 1);
    ck_assert_double_eq(diversity_likeness(a, b), 1);
    /* Four shingles of words and one of ops each. c has two of words in common with a, and that of the ops.
     */
    ck_assert_double_eq_tol(diversity_likeness(a, c), 3.0 / 7.0, 1e-9);
    ck_assert_double_eq_tol(diversity_likeness(a, d), 4.0 / 6.0, 1e-9);
    task_free(a);
    task_free(b);
    task_free(c);
    task_free(d);
}
END_TEST

START_TEST(counts_by_hand)
{
    struct diversity *d = diversity_new();
    struct task *a = saying("a b c a b", one_op, 1), *b = saying("a b", one_op, 1);
    struct diversity_measure m = diversity_of(d, NULL);
    ck_assert_uint_eq(m.tasks, 0);
    diversity_add(d, a);
    diversity_add(d, b);
    diversity_add(d, a);
    m = diversity_of(d, NULL);
    ck_assert_uint_eq(m.tasks, 3);
    ck_assert_uint_eq(m.equal, 1);
    ck_assert_uint_eq(m.near, 1);
    ck_assert_uint_eq(m.bigrams, 4 + 1 + 4);
    ck_assert_uint_eq(m.distinct_bigrams, 3); /* a b, b c, c a */
    ck_assert_uint_eq(m.text, 10 + 4 + 10);
    struct diversity_measure w = diversity_of(d, "w");
    ck_assert_mem_eq(&m, &w, sizeof m);
    ck_assert_str_eq(diversity_workflow(d, 0), "w");
    ck_assert_ptr_null(diversity_workflow(d, 1));
    ck_assert_uint_eq(diversity_of(d, "x").tasks, 0);
    task_free(a);
    task_free(b);
    diversity_free(d);
}
END_TEST

/* Asking in between changes nothing, and more of the same packs better. */
START_TEST(packing)
{
    struct diversity *d = diversity_new(), *asked = diversity_new();
    struct task *a = saying("The orange pencil faces the valley, and nobody knows why it does so.", one_op,
                            1);
    for (int i = 0; i < 50; i++) {
        diversity_add(d, a);
        diversity_add(asked, a);
        diversity_of(asked, NULL);
    }
    struct diversity_measure m = diversity_of(d, NULL);
    ck_assert_uint_eq(m.packed, diversity_of(asked, NULL).packed);
    ck_assert(m.packed > 50 && m.packed < m.text / 10);
    task_free(a);
    diversity_free(d);
    diversity_free(asked);
}
END_TEST

enum { TASKS = 400, WORDS = 40 };

/* Sentences that share most of their words, so that likenesses lie on both sides of the threshold. */
static struct task *sentence(struct rng *rng)
{
    struct buf text;
    buf_init(&text, 4096);
    uint64_t topic = rng_below(rng, 20), changes = rng_below(rng, 8);
    uint64_t changed[8];
    for (size_t i = 0; i < changes; i++)
        changed[i] = rng_below(rng, WORDS);
    for (uint64_t i = 0; i < WORDS; i++) {
        bool other = false;
        for (size_t k = 0; k < changes; k++)
            other |= changed[k] == i;
        buf_addf(&text, "w%llu ",
                 (unsigned long long)(other ? 1000 + rng_below(rng, 100000) : topic * 50 + i));
    }
    struct task *t = saying(buf_string(&text), one_op, 1);
    buf_release(&text);
    return t;
}

START_TEST(near_against_every_pair)
{
    struct task *tasks[TASKS];
    struct diversity *d = diversity_new();
    struct rng rng;
    size_t near = 0;
    rng_seed(&rng, 5, 0);
    for (size_t i = 0; i < TASKS; i++) {
        tasks[i] = sentence(&rng);
        bool found = false;
        for (size_t k = 0; k < i && !found; k++)
            found = diversity_likeness(tasks[i], tasks[k]) >= DIVERSITY_NEAR;
        near += found;
        diversity_add(d, tasks[i]);
    }
    uint64_t measured = diversity_of(d, NULL).near;
    ck_assert(near > TASKS / 10 && near < TASKS * 9 / 10);
    ck_assert_uint_le(measured, near); /* never too many */
    ck_assert_uint_ge(measured + 1, near);
    for (size_t i = 0; i < TASKS; i++)
        task_free(tasks[i]);
    diversity_free(d);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, task_set_up, task_tear_down);
    tcase_add_test(tests, likeness_by_hand);
    tcase_add_test(tests, counts_by_hand);
    tcase_add_test(tests, packing);
    tcase_add_test(tests, near_against_every_pair);
}

int main(void)
{
    return unit_main("diversity", fill);
}
