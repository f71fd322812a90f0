/* Facts of an execution say what the questions say without them, on every recording there is; and thousands of rounds are judged in
 * bounded work. */
#include "exec/oracle/feedback.h"
#include "exec/oracle/facts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "exec/oracle/effect.h"
#include "exec/oracle/expect.h"
#include "exec/oracle/record.h"
#include "execution_case.h"

static struct ops *ops;

static void setup(void)
{
    ops = oracle_ops();
}

static void teardown(void)
{
    ops_free(ops);
}

/* --- the same answers --- */

static void same_touches(const struct execution *plain, const struct execution *known, size_t index, const char *where)
{
    for (size_t i = 0; i < plain->count; i++) {
        struct bytes path = observation_argument(&plain->observations[i], "path");
        ck_assert_msg(background_touches(plain, index, path) == background_touches(known, index, path), "%s: %zu, %zu", where, index, i);
    }
}

static void same_answers(const struct execution *plain, struct arena *a, const char *where)
{
    struct execution known = facts_known(plain, a);
    struct kept_loss x = {0}, y = {0};
    ck_assert_msg(kept_lost(plain, &x) == kept_lost(&known, &y), "%s", where);
    ck_assert(bytes_equal(x.path, y.path) && x.before == y.before && x.after == y.after);
    for (size_t i = 0; i <= plain->count; i++) {
        ck_assert_msg(calm_until(plain, i) == calm_until(&known, i), "%s: calm %zu", where, i);
        ck_assert_msg(effects_seen_until(plain, i) == effects_seen_until(&known, i), "%s: seen %zu", where, i);
        ck_assert_msg(client_illegal(plain, i) == client_illegal(&known, i), "%s: illegal %zu", where, i);
        same_touches(plain, &known, i, where);
    }
}

/* How many recordings in the directory; subdirectories are the checks'. */
static size_t look_into(const char *directory)
{
    size_t count = 0;
    DIR *dir = opendir(directory);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[8192];
        struct arena a;
        struct buf text;
        struct execution e;
        struct task *task;
        if (strncmp(entry->d_name, "fail-", 5) != 0 && strncmp(entry->d_name, "pass-", 5) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        arena_init(&a);
        buf_init(&text, 1 << 20);
        ck_assert_int_eq(fs_read(path, 1 << 20, &text, NULL), 0);
        ck_assert_int_eq(execution_read(ops, buf_bytes(&text), path, &a, &e, &task, NULL), 0);
        same_answers(&e, &a, path);
        task_free(task);
        buf_release(&text);
        arena_release(&a);
        count++;
    }
    closedir(dir);
    return count;
}

START_TEST(recordings_answer_the_same)
{
    size_t count = 0;
    DIR *dir = opendir(ORACLE_DATA);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[4096];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", ORACLE_DATA, entry->d_name);
        if (entry->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            count += look_into(path);
    }
    closedir(dir);
    ck_assert_uint_gt(count, 500);
}
END_TEST

/* --- many rounds --- */

enum { ROUNDS = 500, SCRIPT = 4096 };

static struct json *script_args(struct arena *a, const char *end)
{
    char text[SCRIPT];
    memset(text, 'x', sizeof text);
    text[0] = '#';
    snprintf(text + sizeof text - 64, 64, "\n%s", end);
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "language", json_text(a, "sh"));
    json_set(a, args, "script", json_text(a, text));
    json_set(a, args, "content", json_text(a, text));
    json_set(a, args, "path", json_text(a, "a"));
    return args;
}

/* Six steps, each carried out ROUNDS times. With work in proportion to the square of the rounds, a round costs microseconds; with the
 * cube, this would go on for hours. */
START_TEST(thousands_of_rounds_are_judged)
{
    static const char *const steps[][2] = {{"write", "true &"},           {"run", "sh a"}, {"run", "export NAME=valuevalue; pwd"},
                                           {"run", "echo $NAME; pwd"}, {"read", "true"}, {"write", "true"}};
    enum { STEPS = sizeof steps / sizeof *steps };
    struct execution_case c;
    case_init(&c, ops);
    struct observation *all = arena_alloc(&c.arena, ROUNDS * STEPS * sizeof *all);
    for (size_t i = 0; i < STEPS; i++)
        task_add_step(c.task, ops_find(ops, steps[i][0]), script_args(&c.task->arena, steps[i][1]));
    for (size_t i = 0; i < STEPS * ROUNDS; i++) {
        const struct task_step *step = &c.task->steps[i / ROUNDS];
        all[i] = (struct observation){.step = step, .args = step->args, .outcome = {.class = OUTCOME_OK, .replies = 1, .has_exit = true},
                                      .before = case_file(BYTES_LITERAL("x")), .after = case_file(BYTES_LITERAL("x"))};
    }
    c.execution.observations = all;
    c.execution.count = STEPS * ROUNDS;
    struct verdicts v = {.arena = &c.arena};
    oracle_judge(&c.execution, &v);
    uint64_t features[256];
    ck_assert_uint_gt(features_of(&c.execution, NULL, features, 256), 0);
    case_release(&c);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, recordings_answer_the_same);
    tcase_add_test(tests, thousands_of_rounds_are_judged);
}

int main(void)
{
    return unit_main("facts", fill);
}
