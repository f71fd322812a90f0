/* corpus/store: transactions of many executions, readers beside the writer, writing threads. */
#include <pthread.h>

#include "base/clock.h"
#include "corpus/store_internal.h"
#include "store_case.h"

#define A "00000000000000aa"
#define B "00000000000000bb"

START_TEST(batches)
{
    OK(settings_set(&settings, "loop.batch", "3", err));
    OK(settings_set(&settings, "loop.batch-ms", "1h", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    for (int i = 1; i <= 7; i++) {
        put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
        ck_assert_int_eq(outside("SELECT count(*) FROM exec"), i / 3 * 3);
    }
    OK(store_flush(s, err));
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 7);
    OK(store_flush(s, err));
    put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), 8);
    task_free(t);
}
END_TEST

/* No further call comes, and it is committed all the same. */
START_TEST(batch_does_not_wait)
{
    OK(settings_set(&settings, "loop.batch-ms", "50", err));
    struct store *s = opened(STORE_WRITE);
    int64_t run = a_run(s, 1, "g");
    struct task *t = a_task(1, 0, 1);
    for (int round = 1; round <= 3; round++) {
        put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
        for (int i = 0; i < 200 && outside("SELECT count(*) FROM exec") < round; i++)
            clock_sleep_ms(25);
        ck_assert_int_eq(outside("SELECT count(*) FROM exec"), round);
    }
    store_close(s);
    task_free(t);
}
END_TEST

START_TEST(reader_beside_writer)
{
    struct store *w = opened(STORE_WRITE);
    int64_t run = a_run(w, 1, "g");
    struct task *t = a_task(1, 0, 1);
    struct finding f = a_finding(A);
    struct arena a;
    bool grew;
    arena_init(&a);
    struct store *r = opened(STORE_READ);
    put(w, run, t, EXECUTION_PASSED, NULL, NULL, 0);
    struct store_totals totals;
    OK(store_totals(r, &totals, err));
    ck_assert_int_eq(totals.executions, 0);
    OK(store_put_finding(w, run, &f, &grew, err));
    OK(store_totals(r, &totals, err));
    ck_assert_int_eq(totals.executions, 1);
    ck_assert_str_eq(only(r, &a, "0").signature, A);
    /* It does not write. */
    int64_t id;
    size_t fresh;
    enum finding_state state;
    struct store_run another = {.verb = "x"};
    struct store_execution e = {.run = run, .task = t};
    FAILS(ERR_OUTPUT, "reading only", store_run_begin(r, &another, &id, err));
    FAILS(ERR_OUTPUT, "reading only", store_put_execution(r, &e, &fresh, err));
    FAILS(ERR_OUTPUT, "reading only", store_put_finding(r, run, &f, &grew, err));
    FAILS(ERR_OUTPUT, "reading only", store_retested(r, A, 1, 1, &state, err));
    FAILS(ERR_OUTPUT, "reading only", store_count(r, "a", "b", 1, 1, 0, err));
    OK(store_flush(r, err));
    store_close(r);
    store_close(w);
    store_close(NULL);
    task_free(t);
    arena_release(&a);
}
END_TEST

enum { THREADS = 4, EACH = 150 };

struct worker {
    struct store *s;
    int64_t run;
    unsigned number;
    pthread_t thread;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    struct arena a;
    struct rng rng;
    arena_init(&a);
    rng_seed(&rng, 3, w->number);
    for (unsigned i = 0; i < EACH; i++) {
        struct task *t = a_task(w->number, i, 1);
        uint64_t features[3] = {rng_below(&rng, 500), 1000 + i, 1000000 * (w->number + 1) + i};
        put(w->s, w->run, t, i % 2 ? EXECUTION_FAILED : EXECUTION_PASSED, "[]", features, 3);
        OK(store_count(w->s, "domain", "all", 1, 0, 0, err));
        struct store_picked picked;
        OK(store_pick(w->s, &rng, &a, &picked, err));
        if (i % 10 == 0) {
            struct finding f = a_finding(i % 20 ? A : B);
            bool grew;
            OK(store_put_finding(w->s, w->run, &f, &grew, err));
            struct store_totals totals;
            OK(store_totals(w->s, &totals, err));
        }
        task_free(t);
    }
    arena_release(&a);
    return NULL;
}

START_TEST(threads)
{
    OK(settings_set(&settings, "loop.batch-ms", "1", err));
    struct store *s = opened(STORE_WRITE);
    struct worker workers[THREADS];
    int64_t run = a_run(s, 1, "g");
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.s = s, .run = run, .number = i};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    store_close(s);
    ck_assert_int_eq(outside("SELECT count(*) FROM exec"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT count(*) FROM feature WHERE hash >= 1000000"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT count(*) FROM feature WHERE hash BETWEEN 1000 AND 999999 AND count = 4"),
                     EACH);
    ck_assert_int_eq(outside("SELECT sum(count) FROM feature WHERE hash < 1000"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT tried FROM counter"), THREADS * EACH);
    ck_assert_int_eq(outside("SELECT sum(times_seen) FROM finding"), THREADS * EACH / 10);
    ck_assert_int_eq(outside("SELECT count(*) FROM finding"), 2);
    expect_intact();
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, batches);
    tcase_add_test(tests, batch_does_not_wait);
    tcase_add_test(tests, reader_beside_writer);
    tcase_add_test(tests, threads);
}

int main(void)
{
    return unit_main("store batches", fill);
}
