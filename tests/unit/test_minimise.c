/* corpus/minimise: what is kept shows everything, nothing of it is needless, small and quick ones are preferred, and the order in
 * which members joined does not matter. */
#include <stdlib.h>

#include "base/rng.h"
#include "store_case.h"

enum { PRIVATE = 100000 }; /* features from here on are shown by one task only: they make it a member */

static void put_timed(struct store *s, const struct task *t, int64_t ns, const uint64_t *features, size_t count)
{
    size_t fresh;
    struct store_execution e = {.task = t, .executed = true, .ns = ns, .steps = "[]", .features = features, .feature_count = count};
    OK(store_put_execution(s, &e, &fresh, err));
}

static struct store_minimised minimised(struct store *s, bool dry)
{
    struct store_minimised m;
    OK(store_minimise(s, dry, &m, err));
    return m;
}

/* A member that shows features [from, to): it joined by one of them. */
static void member(struct store *s, uint64_t index, unsigned steps, int64_t ns, uint64_t from, uint64_t to)
{
    uint64_t features[64];
    size_t count = 0;
    for (uint64_t f = from; f < to; f++)
        features[count++] = f;
    struct task *t = a_task(1, index, steps);
    put_timed(s, t, ns, features, count);
    task_free(t);
}

START_TEST(needless_ones_leave)
{
    struct store *s = opened(STORE_WRITE);
    ck_assert_uint_eq(minimised(s, false).members, 0);
    member(s, 0, 1, 1000, 0, 3);  /* inside the third */
    member(s, 1, 1, 1000, 3, 6);  /* likewise */
    member(s, 2, 1, 1000, 0, 10);
    member(s, 3, 1, 1000, 10, 11);
    struct store_minimised m = minimised(s, true);
    ck_assert(m.members == 4 && m.needed == 2 && m.features == 11);
    store_flush(s, NULL);
    ck_assert_int_eq(outside("SELECT count(*) FROM corpus"), 4);
    m = minimised(s, false);
    ck_assert(m.members == 4 && m.needed == 2);
    ck_assert_int_eq(outside("SELECT count(*) FROM corpus JOIN task ON task.id = task WHERE task_index IN (2, 3)"), 2);
    ck_assert_int_eq(outside("SELECT count(*) FROM retired JOIN task ON task.id = task WHERE task_index IN (0, 1) AND json <> ''"), 2);
    ck_assert_int_eq(outside("SELECT max(number) FROM corpus"), 2); /* no gaps */
    ck_assert_int_eq(outside("SELECT count(DISTINCT feature) FROM task_feature"), 11);
    m = minimised(s, false);
    ck_assert(m.members == 2 && m.needed == 2);
    store_close(s);
    expect_intact();
}
END_TEST

START_TEST(those_that_left_are_not_picked)
{
    struct store *s = opened(STORE_WRITE);
    struct rng rng;
    struct arena a;
    rng_seed(&rng, 1, 1);
    arena_init(&a);
    for (uint64_t i = 0; i < 20; i++)
        member(s, i, 1, 1000, i, i + 1);
    member(s, 20, 1, 1000, 0, 21);
    struct store_picked any;
    OK(store_pick(s, &rng, &a, &any, err)); /* what is kept of members in memory is not believed afterwards */
    minimised(s, false);
    for (int i = 0; i < 200; i++) {
        struct store_picked picked;
        OK(store_pick(s, &rng, &a, &picked, err));
        ck_assert_msg(bytes_find(picked.json, BYTES_LITERAL("Do 20 of"), 0) >= 0, "%.*s", BYTES_ARG(picked.json));
    }
    /* Not even when it is executed again. */
    member(s, 3, 1, 1000, 3, 4);
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM corpus"), 1);
    arena_release(&a);
    store_close(s);
}
END_TEST

/* Two ways to show the same: the quick one stays, of equally quick ones the smaller. */
START_TEST(quick_and_small_ones_stay)
{
    static const struct {
        unsigned steps[2];
        int64_t ns[2];
    } cases[] = {{{1, 1}, {900000000, 1000000}}, {{40, 1}, {1000000, 1000000}}, {{3, 2}, {50000000, 40000000}}};
    for (int i = 0; i < 3; i++)
        for (int dear_first = 0; dear_first < 2; dear_first++) {
            struct store *s = opened(STORE_WRITE);
            /* Each joins by one of its own, which the third one shows as well. */
            uint64_t same[3] = {1, 2, 3}, one[3] = {1, 2, 4}, both[2] = {3, 4};
            struct task *dear = a_task(1, 0, cases[i].steps[0]), *cheap = a_task(1, 1, cases[i].steps[1]), *third = a_task(1, 2, 1);
            put_timed(s, dear_first ? dear : cheap, cases[i].ns[!dear_first], same, 3);
            put_timed(s, dear_first ? cheap : dear, cases[i].ns[dear_first], one, 3);
            uint64_t joins = PRIVATE;
            put_timed(s, third, 1000, (uint64_t[]){both[0], both[1], joins}, 3);
            struct store_minimised m = minimised(s, false);
            ck_assert(m.members == 3 && m.needed == 2);
            ck_assert_int_eq(outside("SELECT count(*) FROM corpus JOIN task ON task.id = task WHERE task_index IN (1, 2)"), 2);
            task_free(dear);
            task_free(cheap);
            task_free(third);
            store_close(s);
            ck_assert_int_eq(unlink(db_path), 0);
        }
}
END_TEST

/* Random corpora in two orders. */
enum { MEMBERS = 60, SHOWN = 8 };

static void random_corpus(uint64_t round, bool backwards)
{
    struct store *s = opened(STORE_WRITE);
    for (uint64_t n = 0; n < MEMBERS; n++) {
        uint64_t i = backwards ? MEMBERS - 1 - n : n, features[SHOWN + 1];
        struct rng rng;
        rng_seed(&rng, round, i);
        for (int f = 0; f < SHOWN; f++)
            features[f] = rng_below(&rng, 1 + rng_below(&rng, 100));
        features[SHOWN] = PRIVATE + i;
        struct task *t = a_task(round, i, 1 + (unsigned)rng_below(&rng, 5));
        put_timed(s, t, (int64_t)rng_below(&rng, 100000000), features, SHOWN + 1);
        task_free(t);
    }
    OK(store_flush(s, err));
    /* What made each a member is forgotten: then the rest is a cover to be found. */
    store_close(s);
    outside_do("DELETE FROM task_feature WHERE feature >= 100000");
}

START_TEST(a_cover_without_needless_members)
{
    uint64_t round = (uint64_t)_i;
    int64_t sums[2];
    for (int backwards = 0; backwards < 2; backwards++) {
        random_corpus(round, backwards);
        int64_t all = outside("SELECT count(DISTINCT feature) FROM task_feature");
        struct store *s = opened(STORE_WRITE);
        struct store_minimised m = minimised(s, false);
        store_close(s);
        ck_assert(m.members == MEMBERS && m.needed < MEMBERS && (int64_t)m.features == all);
        ck_assert_int_eq(outside("SELECT count(*) FROM corpus"), (int64_t)m.needed);
        ck_assert_int_eq(outside("SELECT count(*) FROM retired"), (int64_t)(MEMBERS - m.needed));
        ck_assert_int_eq(outside("SELECT count(DISTINCT feature) FROM task_feature JOIN corpus USING (task)"), all);
        ck_assert_int_eq(outside("SELECT count(*) FROM corpus AS c WHERE NOT EXISTS (SELECT 1 FROM task_feature AS f WHERE f.task = c.task "
                                 "AND NOT EXISTS (SELECT 1 FROM task_feature AS g JOIN corpus AS d ON d.task = g.task "
                                 "WHERE g.feature = f.feature AND g.task <> f.task))"),
                         0);
        sums[backwards] = outside("SELECT sum((task_index + 1) * (task_index + 3)) FROM corpus JOIN task ON task.id = task");
        expect_intact();
        ck_assert_int_eq(unlink(db_path), 0);
    }
    ck_assert_int_eq(sums[0], sums[1]);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, needless_ones_leave);
    tcase_add_test(tests, those_that_left_are_not_picked);
    tcase_add_test(tests, quick_and_small_ones_stay);
    tcase_add_loop_test(tests, a_cover_without_needless_members, 1, 6);
}

int main(void)
{
    return unit_main("minimise", fill);
}
