/* corpus/store: kill -9 of a writer at any moment. What it had acknowledged is there, the file is whole, the
 * next writer gets in at once.
 *
 * A child writes executions and findings and says "finding n is stored" and "so many executions were flushed"
 * over a pipe, the parent kills it after a random time. The pipe's write is behind the store's return, as an
 * announcement would be. */
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "store_case.h"

enum { ROUNDS = 20, CREATIONS = 20, LONGEST_MS = 120 };

struct acknowledged {
    char kind; /* 'f': finding `number`, 'e': `number` executions */
    uint32_t number;
};

static void say(int fd, char kind, uint32_t number)
{
    struct acknowledged a = {.kind = kind, .number = number};
    if (write(fd, &a, sizeof a) != sizeof a)
        _exit(9);
}

/* Numbers go on from round to round. Never returns. */
static void write_for_ever(int fd, uint32_t round)
{
    struct store *s = NULL;
    struct store_run run = {.verb = "fuzz", .target = "demo", .grammar = "g", .seed = 1, .settings = "{}"};
    int64_t id;
    if (store_open(db_path, STORE_WRITE, &settings, &s, NULL) < 0 || store_run_begin(s, &run, &id, NULL) < 0)
        _exit(8);
    say(fd, 'o', 0);
    for (uint32_t i = 0; i < 1000000; i++) {
        uint32_t number = round << 20 | i;
        struct task *t = a_task(1, number, 1 + i % 3);
        uint64_t features[2] = {i % 50, number};
        size_t fresh;
        bool grew;
        struct store_execution e = {.run = id,
                                    .task = t,
                                    .outcome = EXECUTION_FAILED,
                                    .steps = "[\"xxxxxxxxxxxxxxxxxxxxxxxxxxxx\"]",
                                    .features = features,
                                    .feature_count = 2};
        if (store_put_execution(s, &e, &fresh, NULL) < 0)
            _exit(7);
        if (i % 7 == 3) {
            char signature[17];
            snprintf(signature, sizeof signature, "%016x", number);
            struct finding f = a_finding(signature);
            if (store_put_finding(s, id, &f, &grew, NULL) < 0 || !grew)
                _exit(6);
            say(fd, 'f', number);
        }
        if (i % 11 == 5) {
            if (store_flush(s, NULL) < 0)
                _exit(5);
            say(fd, 'e', i + 1);
        }
        task_free(t);
    }
    _exit(4);
}

static pid_t start_writer(uint32_t round, int *from)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        close(ends[0]);
        write_for_ever(ends[1], round);
    }
    close(ends[1]);
    *from = ends[0];
    return pid;
}

/* Kills it and must find that it was alive until then. */
static void kill_writer(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the writer ended by itself: %x",
                  status);
}

START_TEST(nothing_acknowledged_is_lost)
{
    struct rng rng;
    /* Other moments each time; the numbers that a failure needs are in its message. */
    rng_seed(&rng, (uint64_t)clock_monotonic_ns(), 0);
    static uint32_t findings[1 << 16];
    size_t found = 0;
    int64_t executions = 0;
    OK(settings_set(&settings, "loop.batch-ms", "5", err));
    OK(settings_set(&settings, "loop.batch", "10", err));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        int from;
        struct acknowledged a = {0};
        pid_t pid = start_writer(round, &from);
        ck_assert_int_eq(read(from, &a, sizeof a),
                         sizeof a); /* it has opened: nobody is in its way any more */
        ck_assert_int_eq(a.kind, 'o');
        clock_sleep_ms((int64_t)rng_below(&rng, LONGEST_MS));
        kill_writer(pid);
        int64_t flushed = 0;
        while (read(from, &a, sizeof a) == sizeof a) {
            if (a.kind == 'e')
                flushed = a.number;
            else if (found < sizeof findings / sizeof *findings)
                findings[found++] = a.number;
        }
        close(from);
        executions += flushed;
        expect_intact();
        ck_assert_int_ge(outside("SELECT count(*) FROM exec"), executions);
        ck_assert_int_eq(outside("SELECT count(*) FROM run"), round + 1);
        /* Memory never knew more than the file: every execution but the first 50 brought exactly one feature.
         */
        ck_assert_int_eq(outside("SELECT count(*) FROM feature"), outside("SELECT sum(gained) FROM exec"));
    }
    struct store *s = opened(STORE_READ);
    for (size_t i = 0; i < found; i++) {
        char signature[17];
        bool known = false;
        enum finding_state state;
        snprintf(signature, sizeof signature, "%016x", findings[i]);
        OK(store_find(s, signature, &known, &state, err));
        ck_assert_msg(known, "finding %s was acknowledged and is lost", signature);
    }
    store_close(s);
    ck_assert_uint_gt(found, ROUNDS);
    store_close(opened(STORE_WRITE));
    expect_intact();
}
END_TEST

/* While the file is being made: it is made whole, or can be made again. */
START_TEST(while_it_is_made)
{
    for (uint32_t round = 0; round < CREATIONS; round++) {
        int from;
        snprintf(db_path, sizeof db_path, "%s/made%u.db", dir, round);
        pid_t pid = start_writer(0, &from);
        int64_t until = clock_monotonic_ns() + round * 400000;
        while (clock_monotonic_ns() < until)
            continue;
        kill_writer(pid);
        close(from);
        struct store *s = opened(STORE_WRITE);
        int64_t run = a_run(s, 2, "g");
        struct task *t = a_task(2, 0, 1);
        put(s, run, t, EXECUTION_PASSED, NULL, NULL, 0);
        task_free(t);
        store_close(s);
        expect_intact();
        ck_assert_int_eq(outside("SELECT count(*) FROM exec WHERE outcome = 'passed'"), 1);
    }
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, store_set_up, store_tear_down);
    tcase_add_test(tests, nothing_acknowledged_is_lost);
    tcase_add_test(tests, while_it_is_made);
}

int main(void)
{
    return unit_main("store_kill", fill);
}
