/* A chooser with a guide: who is asked about what, and that the log alone says the same afterwards. */
#include "grammar_case.h"

/* Wishes for the last that can be had, in the places that it has an opinion about. */
struct last {
    struct chooser_guide guide;
    uint32_t only; /* a site; UINT32_MAX: all */
    size_t asked;
    size_t forbidden; /* values without weight that were offered */
};

static bool wish_last(struct chooser_guide *guide, const struct chooser *c, uint32_t site,
                      const double *weights, uint64_t n, uint64_t *value)
{
    struct last *l = (struct last *)guide;
    ck_assert_ptr_eq(c->guide, guide);
    l->asked++;
    if (l->only != UINT32_MAX && l->only != site)
        return false;
    *value = n - 1;
    while (weights && !(weights[*value] > 0)) {
        l->forbidden++;
        --*value;
    }
    return true;
}

static struct buf derive_with(const struct grammar *g, struct chooser_guide *guide,
                              const struct derivation *replay, size_t max_bytes, struct derivation *log)
{
    struct rng rng;
    struct chooser chooser;
    struct buf out;
    struct grammar_limits limits = {.max_bytes = max_bytes, .max_depth = 32};
    rng_seed(&rng, 5, 6);
    derivation_init(log);
    buf_init(&out, TEST_OUT_MOST);
    chooser_init(&chooser, &rng, replay, log);
    chooser.guide = guide;
    ck_assert_int_eq(grammar_derive(g, rule_of(g, "s"), NULL, 0, &chooser, &limits, &out, NULL), 0);
    return out;
}

START_TEST(test_wishes_come_true)
{
    struct grammar *g = load(
        "s = \"aaa\" @1000 | t{1..4} @1000 | \"z\" t{2..3}; t = \"bb\" @1000 | \"cc\" /[x-y]/;");
    struct last last = {{wish_last}, UINT32_MAX, 0, 0};
    struct derivation log, again;
    struct buf out = derive_with(g, &last.guide, NULL, 4096, &log);
    ck_assert_uint_eq(out.len, 1 + 3 * 3); /* the last of s, the most of t, the last of each */
    ck_assert_int_eq(out.data[0], 'z');
    ck_assert_int_eq(out.data[1], 'c');
    ck_assert_uint_eq(last.asked, 5); /* not about letters */
    struct buf replayed = derive_with(g, NULL, &log, 4096, &again);
    ck_assert(bytes_equal(buf_bytes(&out), buf_bytes(&replayed)));
    buf_release(&out);
    buf_release(&replayed);
    derivation_release(&log);
    derivation_release(&again);
    grammar_free(g);
}
END_TEST

/* What the budget forbids has no weight, so nobody can wish for it. */
START_TEST(test_budget_comes_first)
{
    struct grammar *g = load("s = \"a\" | \"bbbb\" | \"cccccccc\";");
    struct last last = {{wish_last}, UINT32_MAX, 0, 0};
    struct derivation log;
    struct buf out = derive_with(g, &last.guide, NULL, 5, &log);
    ASSERT_BYTES(buf_bytes(&out), "bbbb");
    ck_assert_uint_eq(last.forbidden, 1);
    buf_release(&out);
    derivation_release(&log);
    grammar_free(g);
}
END_TEST

/* No wish leaves the draw to the rng, with the weights as they are: 1 in 10 comes about 1 time in 10. */
START_TEST(test_no_wish)
{
    enum { DRAWS = 20000 };
    struct derivation log;
    struct rng rng;
    struct chooser chooser;
    struct last last = {{wish_last}, 77, 0, 0};
    size_t rare = 0, handle;
    rng_seed(&rng, 1, 2);
    derivation_init(&log);
    chooser_init(&chooser, &rng, NULL, &log);
    chooser.guide = &last.guide;
    for (int i = 0; i < DRAWS; i++) {
        rare += chooser_open_weighted(&chooser, 76, (double[]){9, 1}, 2, &handle);
        chooser_close(&chooser, handle);
    }
    ck_assert_uint_eq(last.asked, DRAWS);
    ck_assert_uint_gt(rare, DRAWS / 10 - 250); /* six standard deviations */
    ck_assert_uint_lt(rare, DRAWS / 10 + 250);
    ck_assert_uint_eq(chooser_open_weighted(&chooser, 77, (double[]){9, 1}, 2, &handle), 1);
    chooser_close(&chooser, handle);
    ck_assert_uint_eq(chooser_open_count(&chooser, 77, 12, COUNT_OPEN, &handle), 11);
    chooser_close(&chooser, handle);
    derivation_release(&log);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, test_wishes_come_true);
    tcase_add_test(tests, test_budget_comes_first);
    tcase_add_test(tests, test_no_wish);
}

int main(void)
{
    return unit_main("guide", fill);
}
