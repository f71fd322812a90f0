/* base/rng: golden values, from an independent program, because every stored seed depends on them; and fair
 * draws. */
#include "base/rng.h"
#include "unit.h"

START_TEST(published_vector)
{
    /* The reference values of xoshiro256** for the state 1, 2, 3, 4. */
    static const uint64_t expected[] = {
        11520u, 0u, 1509978240u, 1215971899390074240u, 1216172134540287360u, 607988272756665600u,
        16172922978634559625u, 8476171486693032832u, 10595114339597558777u, 2904607092377533576u,
    };
    struct rng r = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_uint_eq(rng_next(&r), expected[i]);
}
END_TEST

static const struct {
    uint64_t seed, index, expected[4];
} golden[] = {
    {0, 0, {0x8c4986f3f0e565d5u, 0xf4547fdf5c2f56b6u, 0x6a9e0d6a14f022fbu, 0xdf483d9e238576e0u}},
    {1, 0, {0x6082e9993631e7d5u, 0xe9acc0d447272233u, 0x05fef1147bb626b9u, 0x1777dc8fa6014861u}},
    {1, 1, {0x0040b293030dc336u, 0xa1e4967b50ae2534u, 0x4cefc7e016b26cd0u, 0xab87a562f1bba1c1u}},
    {42, 1000000, {0x90b2bf899106d4f3u, 0x89c95c482a495379u, 0xb8baa441f66625a7u, 0x4f9ca2a393272807u}},
    {UINT64_MAX,
     UINT64_MAX,
     {0x0dcdb86cccb7c092u, 0x215e2dd81b0dda6eu, 0x520b2c4142c55f19u, 0xa1198b94cf11a4e4u}},
};

START_TEST(golden_seeds)
{
    struct rng r;
    rng_seed(&r, golden[_i].seed, golden[_i].index);
    for (int k = 0; k < 4; k++)
        ck_assert_uint_eq(rng_next(&r), golden[_i].expected[k]);
}
END_TEST

START_TEST(golden_draws)
{
    static const uint64_t six[] = {3, 1, 0, 4, 1, 4, 3, 0, 0, 5, 0, 3, 0, 3, 0, 0};
    /* 2^63+1 makes almost half of the draws be drawn again. */
    static const uint64_t huge[] = {2156080658720746739u, 398414094096198794u, 7106360987451849627u,
                                    6012554534102148655u};
    struct rng r;
    rng_seed(&r, 7, 3);
    for (size_t i = 0; i < sizeof six / sizeof *six; i++)
        ck_assert_uint_eq(rng_below(&r, 6), six[i]);
    rng_seed(&r, 7, 3);
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        ck_assert_uint_eq(rng_below(&r, (UINT64_C(1) << 63) + 1), huge[i]);

    static const uint8_t bytes[11] = {0xdb, 0x92, 0xae, 0xa2, 0xaa, 0x8d, 0x56, 0x80, 0xe7, 0xd9, 0x47};
    uint8_t got[12] = {0};
    rng_seed(&r, 7, 3);
    rng_fill(&r, got, sizeof bytes);
    ck_assert_mem_eq(got, bytes, sizeof bytes);
    ck_assert_int_eq(got[11], 0);
    rng_fill(&r, NULL, 0);
}
END_TEST

START_TEST(fair)
{
    enum { SIDES = 7, DRAWS = 70000 };
    int seen[SIDES] = {0};
    struct rng r;
    rng_seed(&r, 1, 2);
    for (int i = 0; i < DRAWS; i++)
        seen[rng_below(&r, SIDES)]++;
    double chi = 0, expected = (double)DRAWS / SIDES;
    for (int i = 0; i < SIDES; i++)
        chi += (seen[i] - expected) * (seen[i] - expected) / expected;
    ck_assert_double_lt(chi, 22.46); /* 6 degrees of freedom, p = 0.001; the seed is fixed */
}
END_TEST

START_TEST(edges)
{
    struct rng r, same;
    rng_seed(&r, 9, 9);
    same = r;
    ck_assert_uint_eq(rng_below(&r, 0), 0);
    ck_assert_mem_eq(&r, &same, sizeof r); /* draws nothing */
    for (int i = 0; i < 1000; i++) {
        ck_assert_uint_eq(rng_below(&r, 1), 0);
        ck_assert_int_eq(rng_range(&r, 5, 5), 5);
        ck_assert_int_eq(rng_range(&r, 5, 4), 5);
        int64_t value = rng_range(&r, -2, 1);
        ck_assert(value >= -2 && value <= 1);
        ck_assert(!rng_chance(&r, 0) && !rng_chance(&r, -1) && rng_chance(&r, 1) && rng_chance(&r, 7));
        ck_assert(!rng_chance(&r, 0.0 / 0.0));
    }
    bool negative = false, positive = false;
    for (int i = 0; i < 64; i++) {
        int64_t value = rng_range(&r, INT64_MIN, INT64_MAX);
        negative |= value < 0;
        positive |= value > 0;
    }
    ck_assert(negative && positive);
}
END_TEST

START_TEST(chance)
{
    struct rng r;
    rng_seed(&r, 3, 4);
    int hits = 0;
    for (int i = 0; i < 100000; i++)
        hits += rng_chance(&r, 0.3);
    ck_assert_int_gt(hits, 29400);
    ck_assert_int_lt(hits, 30600);
}
END_TEST

START_TEST(neighbours_differ)
{
    struct rng a, b;
    for (uint64_t i = 0; i < 1000; i++) {
        rng_seed(&a, 5, i);
        rng_seed(&b, 5, i + 1);
        ck_assert_uint_ne(rng_next(&a), rng_next(&b));
        rng_seed(&b, 6, i);
        ck_assert_uint_ne(rng_next(&a), rng_next(&b));
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_test(tests, published_vector);
    tcase_add_loop_test(tests, golden_seeds, 0, sizeof golden / sizeof *golden);
    tcase_add_test(tests, golden_draws);
    tcase_add_test(tests, fair);
    tcase_add_test(tests, edges);
    tcase_add_test(tests, chance);
    tcase_add_test(tests, neighbours_differ);
}

int main(void)
{
    return unit_main("rng", fill);
}
