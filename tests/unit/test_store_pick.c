/* Which member of the corpus is picked: by what it shows that few others show, by its time, its age, and how often it was picked. */
#include <math.h>
#include <string.h>

#include "store_case.h"

static struct arena a;
static struct rng rng;

static void set_up(void)
{
    store_set_up();
    arena_init(&a);
    rng_seed(&rng, 1, 1);
}

static void tear_down(void)
{
    arena_release(&a);
    store_tear_down();
}

/* A member of the domain that took so many ns and shows these features. */
static void keep(struct store *s, const char *domain, uint64_t index, int64_t ns, const uint64_t *features, size_t count)
{
    struct task *t = a_task(1, index, 1);
    size_t fresh;
    t->domain = domain;
    task_identify(t);
    struct store_execution e = {.task = t, .outcome = EXECUTION_PASSED, .executed = true, .ns = ns, .steps = "[]",
                                .features = features, .feature_count = count};
    OK(store_put_execution(s, &e, &fresh, err));
    task_free(t);
}

static uint64_t feature(uint64_t domain, uint64_t n)
{
    return domain << 56 | n;
}

static void count_picks(struct store *s, int rounds, int *times, size_t members)
{
    memset(times, 0, members * sizeof *times);
    for (int i = 0; i < rounds; i++) {
        struct store_picked p;
        OK(store_pick(s, &rng, &a, &p, err));
        ck_assert_int_ge(p.number, 1);
        ck_assert_int_le(p.number, (int64_t)members);
        times[p.number - 1]++;
    }
}

START_TEST(an_empty_corpus)
{
    struct store *s = opened(STORE_WRITE);
    struct store_picked p;
    FAILS(ERR_LIMIT, "is empty", store_pick(s, &rng, &a, &p, err));
    FAILS(ERR_INPUT, "has no member 1", store_weigh(s, 1, &a, &p, err));
    store_close(s);
}
END_TEST

/* Members that are alike are picked alike often. */
START_TEST(equals_are_picked_alike)
{
    struct store *s = opened(STORE_WRITE);
    int times[8];
    for (uint64_t i = 0; i < 8; i++)
        keep(s, "ml", i, 1000000, &(uint64_t){feature(1, i)}, 1);
    count_picks(s, 400, times, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_int_gt(times[i], 20);
    store_close(s);
}
END_TEST

START_TEST(domains_take_turns)
{
    struct store *s = opened(STORE_WRITE);
    int times[10];
    for (uint64_t i = 0; i < 10; i++)
        keep(s, i < 9 ? "chatty" : "quiet", i, 1000000, &(uint64_t){feature(1, i)}, 1);
    count_picks(s, 100, times, 10);
    ck_assert_int_eq(times[9], 50);
    store_close(s);
}
END_TEST

/* Of two, one shows what nobody else does; one is ten times as quick; one was picked a hundred times. */
START_TEST(what_is_rare_quick_or_new_comes_first)
{
    struct store *s = opened(STORE_WRITE);
    int times[3];
    uint64_t common[] = {feature(1, 1), feature(1, 2)}, rare[] = {feature(1, 1), feature(1, 3)};
    keep(s, "ml", 0, 1000000, common, 2);
    keep(s, "ml", 1, 1000000, rare, 2);
    for (uint64_t i = 0; i < 50; i++) /* shows the first one's over and over */
        keep(s, "ml", 100 + i, 1000000, common, 2);
    count_picks(s, 200, times, 3 - 1);
    ck_assert_int_gt(times[1], 2 * times[0]);
    keep(s, "ml", 2, 100000, &(uint64_t){feature(2, 1)}, 1); /* quick, and a domain of its own */
    count_picks(s, 200, times, 3);
    ck_assert_int_gt(times[2], times[0] + times[1]);
    store_close(s);
}
END_TEST

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y));
}

/* Or the caller weighs features, of those that the store knows to be stable, and asks what else their members show. */
START_TEST(features_that_the_caller_weighs)
{
    struct store *s = opened(STORE_WRITE);
    struct store_picked p;
    uint64_t known[4], shown[4];
    size_t count;
    ck_assert_uint_eq(store_stable(s, 3, known, 4), 0);
    FAILS(ERR_LIMIT, "no member for that", store_pick_weighed(s, known, NULL, 0, &rng, &a, &p, err));
    for (uint64_t i = 0; i < 6; i++)
        keep(s, "ml", i, 1000000, (uint64_t[]){feature(3, i), feature(4, i), feature(3, 100)}, 3);
    ck_assert_uint_eq(store_stable(s, 3, known, 4), 4); /* the last ones of seven */
    ck_assert(known[0] == feature(3, 2) && known[3] == feature(3, 5));
    for (int i = 0; i < 40; i++) {
        OK(store_pick_weighed(s, known, (double[]){1, 0, 3, 0}, 4, &rng, &a, &p, err));
        ck_assert(p.feature == feature(3, p.number == 3 ? 2 : 4) && (p.number == 3 || p.number == 5));
        ck_assert(near(p.total, 4) && p.before <= p.draw * p.total && p.draw * p.total < p.before + store_weight(&p));
    }
    FAILS(ERR_LIMIT, "no member for that", store_pick_weighed(s, known, (double[]){0, 0, 0, 0}, 4, &rng, &a, &p, err));
    FAILS(ERR_LIMIT, "no member for that", store_pick_weighed(s, (uint64_t[]){feature(9, 9)}, (double[]){1}, 1, &rng, &a, &p, err));
    OK(store_member_features(s, p.task, 3, shown, 4, &count, err));
    ck_assert_uint_eq(count, 0); /* nothing was picked */
    OK(store_pick_weighed(s, known, (double[]){1}, 1, &rng, &a, &p, err));
    OK(store_member_features(s, p.task, 3, shown, 4, &count, err));
    ck_assert_uint_eq(count, 2);
    ck_assert(shown[0] + shown[1] == feature(3, 2) + feature(3, 100));
    store_close(s);
}
END_TEST

/* Of one domain of features: what was the first to show one that few have shown. */
START_TEST(a_rare_feature_brings_its_first_member)
{
    struct store *s = opened(STORE_WRITE);
    struct store_picked p, kept;
    int rare = 0;
    bool known;
    size_t fresh;
    FAILS(ERR_LIMIT, "no member for that", store_pick_rare(s, 3, &rng, &a, &p, err));
    keep(s, "ml", 0, 1000000, &(uint64_t){feature(3, 1)}, 1);
    keep(s, "ml", 1, 1000000, (uint64_t[]){feature(3, 1), feature(3, 2)}, 2);
    keep(s, "ml", 2, 1000000, &(uint64_t){feature(4, 1)}, 1);
    for (uint64_t i = 0; i < 20; i++)
        keep(s, "ml", 100 + i, 1000000, &(uint64_t){feature(3, 1)}, 1);
    for (int i = 0; i < 100; i++) {
        OK(store_pick_rare(s, 3, &rng, &a, &p, err));
        ck_assert_int_ne(p.number, 3);
        ck_assert(near(p.rarity, p.number == 2 ? 1 : 1.0 / 22) && near(store_weight(&p), p.rarity));
        ck_assert(p.before <= p.draw * p.total && p.draw * p.total < p.before + store_weight(&p));
        rare += p.number == 2;
    }
    ck_assert_int_gt(rare, 80);
    struct task *mutant = a_task(1, 1000, 2);
    struct store_execution e = {.task = mutant, .picked = &p, .outcome = EXECUTION_PASSED, .steps = "[]"};
    OK(store_put_execution(s, &e, &fresh, err));
    OK(store_pick_of(s, mutant->id, &a, &kept, &known, err));
    ck_assert(known && kept.feature == p.feature && kept.feature >> 56 == 3 && near(kept.rarity, p.rarity));
    task_free(mutant);
    store_close(s);
}
END_TEST

/* A pick is what its numbers say, also when they are read from the file by somebody else. */
START_TEST(a_pick_can_be_made_again_from_what_is_stored)
{
    struct store *s = opened(STORE_WRITE);
    for (uint64_t i = 0; i < 6; i++)
        keep(s, i % 2 ? "ml" : "report", i, 1000000 * (int64_t)(i + 1), (uint64_t[]){feature(1, i), feature(3, 7)}, 2);
    for (uint64_t i = 0; i < 40; i++) {
        struct store_picked p, kept;
        bool known;
        size_t fresh;
        OK(store_pick(s, &rng, &a, &p, err));
        ck_assert(near(store_weight(&p), p.rarity * p.speed * p.freshness / (1 + log2(1 + (double)p.selected))));
        ck_assert(p.before <= p.draw * p.total && p.draw * p.total < p.before + store_weight(&p));
        struct task *parent = NULL, *mutant = a_task(1, 1000 + i, 2);
        OK(task_read(ops, p.json, "pick", &parent, err));
        struct store_execution e = {.task = mutant, .parent = parent->id, .picked = &p, .outcome = EXECUTION_PASSED, .steps = "[]",
                                    .features = &(uint64_t){feature(5, i)}, .feature_count = i % 4 == 0};
        OK(store_put_execution(s, &e, &fresh, err));
        OK(store_pick_of(s, mutant->id, &a, &kept, &known, err));
        ck_assert(known);
        ck_assert_int_eq(kept.number, p.number);
        ck_assert_str_eq(kept.domain, p.domain);
        ck_assert_int_eq(kept.selected, p.selected);
        ck_assert(near(store_weight(&kept), store_weight(&p)) && near(kept.draw, p.draw) && near(kept.total, p.total));
        task_free(parent);
        task_free(mutant);
    }
    struct store_picked mine, theirs;
    bool known;
    struct task *fresh_one = a_task(1, 77, 1);
    OK(store_pick_of(s, fresh_one->id, &a, &mine, &known, err));
    ck_assert(!known);
    task_free(fresh_one);
    OK(store_flush(s, err));
    struct store *reader = opened(STORE_READ);
    for (int64_t number = 1; number <= 6; number++) {
        OK(store_weigh(s, number, &a, &mine, err));
        OK(store_weigh(reader, number, &a, &theirs, err));
        ck_assert_int_eq(mine.selected, theirs.selected);
        ck_assert(near(mine.rarity, theirs.rarity) && near(mine.speed, theirs.speed) && near(mine.freshness, theirs.freshness));
    }
    store_close(reader);
    store_close(s);
}
END_TEST

/* What was picked often, begot, or took long is still known to the next run. */
START_TEST(the_next_run_goes_on)
{
    struct store *s = opened(STORE_WRITE);
    int times[2];
    keep(s, "ml", 0, 1000000, &(uint64_t){feature(1, 0)}, 1);
    keep(s, "ml", 1, 1000000, &(uint64_t){feature(1, 1)}, 1);
    count_picks(s, 50, times, 2);
    store_close(s);
    outside_do("UPDATE exec SET ns = 1000000000 WHERE id = 2");
    outside_do("UPDATE exec SET at_ms = at_ms - 7200000");
    outside_do("UPDATE corpus SET begot = 1 WHERE number = 1");
    s = opened(STORE_WRITE);
    struct store_picked one, two;
    OK(store_weigh(s, 1, &a, &one, err));
    OK(store_weigh(s, 2, &a, &two, err));
    ck_assert_int_eq(one.selected, times[0]);
    ck_assert_int_eq(two.selected, times[1]);
    ck_assert(near(one.freshness, 1) && near(two.freshness, 0.5));
    ck_assert(near(one.speed, 3) && near(two.speed, 0.1 > sqrt(1e-3) ? 0.1 : sqrt(1e-3)));
    store_close(s);
    outside_do("DELETE FROM pick");
    outside_do("DELETE FROM task_feature WHERE task = 1");
    outside_do("DELETE FROM corpus WHERE number = 1"); /* by hand, or minimised */
    s = opened(STORE_WRITE);
    for (int i = 0; i < 20; i++) {
        OK(store_pick(s, &rng, &a, &one, err));
        ck_assert_int_eq(one.number, 2);
    }
    store_close(s);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_empty_corpus);
    tcase_add_test(tests, equals_are_picked_alike);
    tcase_add_test(tests, domains_take_turns);
    tcase_add_test(tests, what_is_rare_quick_or_new_comes_first);
    tcase_add_test(tests, a_rare_feature_brings_its_first_member);
    tcase_add_test(tests, features_that_the_caller_weighs);
    tcase_add_test(tests, a_pick_can_be_made_again_from_what_is_stored);
    tcase_add_test(tests, the_next_run_goes_on);
}

int main(void)
{
    return unit_main("store_pick", fill);
}
