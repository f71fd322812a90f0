/* mutate_hazards on the shipped domains: hazards name what exists, strength means what it says, mutated tasks
 * read back and go back. */
#include <stdio.h>

#include "base/fs.h"
#include "base/subprocess.h"
#include "gen/generate.h"
#include "mutate/mutate.h"
#include "unit.h"

static struct ops *ops;
static struct settings settings;

static void set_up(void)
{
    struct error *err = NULL;
    ck_assert_msg(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) == 0, "%s",
                  err ? err->text : "?");
    settings_defaults(&settings);
}

static void tear_down(void)
{
    ops_free(ops);
}

static struct domain *load(const char *file)
{
    struct error *err = NULL;
    struct domain *d = NULL;
    ck_assert_msg(domain_load(file, ops, generate_recipes(), &d, &err) == 0, "%s", err ? err->text : "?");
    return d;
}

static struct task *generate(const struct domain *d, uint64_t index)
{
    struct error *err = NULL;
    struct task *t = NULL;
    const struct generate_options o = {.domains = &d, .domain_count = 1, .settings = &settings};
    ck_assert_msg(generate_task(&o, 1, index, &t, &err) == 0, "%s", err ? err->text : "?");
    return t;
}

/* The record as a string of its own. */
static char *record_of(const struct task *t)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 4);
    task_write(t, &text);
    char *copy = xstrdup(buf_string(&text));
    buf_release(&text);
    return copy;
}

static void hazards(struct task *t, const struct domain *d, double strength)
{
    struct error *err = NULL;
    ck_assert_msg(mutate_hazards(t, d, ops, &settings, strength, &err) == 0, "%s", err ? err->text : "?");
}

static void reads_back_and_goes_back(struct task *t, const char *calm)
{
    struct error *err = NULL;
    struct task *back = NULL;
    char *hostile = record_of(t);
    ck_assert_msg(task_read(ops, bytes_of_string(hostile), "mutated", &back, &err) == 0, "%s\n",
                  err ? err->text : "?");
    for (size_t n = t->mutations->count; n; n--)
        ck_assert(mutate_undo(back, n - 1));
    char *again = record_of(back);
    ck_assert_str_eq(calm, again);
    free(again);
    free(hostile);
    task_free(back);
}

static const char *const domains[] = {"lifecycle", "filesystem", "process", "network", "perf",
                                      "sdlc",      "ml",         "data",    "report",  "browser"};

/* At strength 1 about as often as written, at 0 never, twice the same; at 1/2 a part of what strikes at 1. */
START_TEST(shipped_domains)
{
    char file[512];
    snprintf(file, sizeof file, "%s/domains/%s.xml", TASKGEN_SOURCE_DIR, domains[_i]);
    struct domain *d = load(file);
    double expected = 0;
    for (size_t i = 0; i < domain_hazard_count(d); i++)
        expected += domain_hazard(d, i)->probability;
    ck_assert(expected > 0);
    size_t whole = 0, half = 0, tasks = 120;
    for (uint64_t i = 0; i < tasks; i++) {
        struct task *calm = generate(d, i), *full = task_copy(calm), *twice = task_copy(calm),
                    *less = task_copy(calm);
        char *record = record_of(calm);
        hazards(calm, d, 0);
        char *same = record_of(calm);
        ck_assert_str_eq(record, same);
        hazards(full, d, 1);
        hazards(twice, d, 7); /* no more than 1 */
        hazards(less, d, 0.5);
        char *first = record_of(full), *second = record_of(twice);
        ck_assert_str_eq(first, second);
        whole += full->mutations->count;
        half += less->mutations->count;
        ck_assert_uint_le(less->mutations->count, full->mutations->count);
        reads_back_and_goes_back(full, record);
        free(first);
        free(second);
        free(same);
        free(record);
        task_free(calm);
        task_free(full);
        task_free(twice);
        task_free(less);
    }
    ck_assert_uint_gt(whole, 0);
    ck_assert_uint_le(half, whole);
    ck_assert(whole <= 2 * expected * (double)tasks);
    domain_free(d);
}
END_TEST

/* Every hazard of a shipped domain finds something to do in one of its tasks. */
START_TEST(no_hazard_is_idle)
{
    char file[512];
    snprintf(file, sizeof file, "%s/domains/%s.xml", TASKGEN_SOURCE_DIR, domains[_i]);
    struct domain *d = load(file);
    for (size_t h = 0; h < domain_hazard_count(d); h++) {
        const struct domain_hazard *hazard = domain_hazard(d, h);
        bool struck = false;
        for (uint64_t i = 0; i < 60 && !struck; i++) {
            struct task *t = generate(d, i);
            struct rng rng;
            rng_seed(&rng, 3, i);
            struct mutation m = {.task = t,
                                 .ops = ops,
                                 .rng = &rng,
                                 .settings = &settings,
                                 .on = hazard->on,
                                 .kinds = hazard->kinds};
            struck = mutator_find(hazard->mutator)->apply(&m);
            task_free(t);
        }
        ck_assert_msg(struck, "%s: %s never finds a place", hazard->place, hazard->mutator);
    }
    domain_free(d);
}
END_TEST

/* Calm and hostile tasks of a domain as a public validator sees them. */
START_TEST(schema_agrees)
{
    char file[512];
    snprintf(file, sizeof file, "%s/domains/%s.xml", TASKGEN_SOURCE_DIR, domains[_i]);
    struct domain *d = load(file);
    struct error *err = NULL;
    struct buf lines, out, errors;
    int status = -1;
    buf_init(&lines, 1 << 26);
    buf_init(&out, 1 << 16);
    buf_init(&errors, 1 << 16);
    for (uint64_t i = 0; i < 30; i++) {
        struct task *t = generate(d, i);
        struct rng rng;
        rng_seed(&rng, 4, i);
        if (i % 2)
            mutate_task(t, ops, &settings, &rng, 1 + i % 4);
        task_write(t, &lines);
        buf_add_byte(&lines, '\n');
        task_free(t);
    }
    const char *const argv[] = {"/usr/bin/python3", TASKGEN_SOURCE_DIR "/tests/validate_tasks.py",
                                TASKGEN_SOURCE_DIR "/domains/task-1.schema.json", NULL};
    ck_assert_msg(subprocess_run(argv, buf_bytes(&lines), 60000, 1 << 16, &out, &errors, &status, &err) == 0,
                  "%s", err ? err->text : "?");
    ck_assert_msg(status == 0, "%s%s", buf_string(&out), buf_string(&errors));
    buf_release(&lines);
    buf_release(&out);
    buf_release(&errors);
    domain_free(d);
}
END_TEST

static const struct {
    const char *hazard, *message;
} faults[] = {
    {"mutator=\"frob\" p=\"1\"", "found the mutator 'frob', expected one that 'taskgen mutators' lists"},
    {"mutator=\"null-byte\" p=\"0\" on=\"body shoe\"",
     "on of the hazard null-byte: found 'shoe', expected words of: name path body script"},
    {"mutator=\"large-file\" p=\"1\" kinds=\"huge\"",
     "kinds of the hazard large-file: found 'huge', expected words of: pattern random"},
    {"mutator=\"tab-flood\" p=\"1\" kinds=\"x\"",
     "kinds of the hazard tab-flood: found 'x', expected nothing"},
};

START_TEST(foreign_words)
{
    struct error *err = NULL;
    char *directory = fs_fresh_dir("hazard", &err), file[512], text[1024];
    ck_assert_msg(directory != NULL, "%s", err ? err->text : "?");
    snprintf(file, sizeof file, "%s/x.xml", directory);
    snprintf(text, sizeof text,
             "<domain xmlns=\"urn:taskgen:domain:1\" name=\"x\">\n<workflow name=\"w\"><write path=\"a\" "
             "content=\"b\"/></workflow>\n<hazard %s/>\n</domain>\n",
             faults[_i].hazard);
    ck_assert_int_eq(fs_write(file, bytes_of_string(text), NULL), 0);
    struct domain *d = load(file);
    struct task *t = generate(d, 0);
    ck_assert_int_eq(mutate_hazards(t, d, ops, &settings, 1, &err), ERR_INPUT);
    const char *place = strstr(err->text, "x.xml:3: ");
    ck_assert_msg(place && strcmp(place + 9, faults[_i].message) == 0, "%s", err->text);
    ck_assert_int_eq(mutate_hazards(t, d, ops, &settings, 1, NULL), ERR_INPUT);
    ck_assert_int_eq(mutate_hazards(t, d, ops, &settings, 0, NULL), 0);
    error_free(err);
    task_free(t);
    domain_free(d);
    fs_remove_tree(directory, NULL);
    free(directory);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, shipped_domains, 0, sizeof domains / sizeof *domains);
    tcase_add_loop_test(tests, no_hazard_is_idle, 0, sizeof domains / sizeof *domains);
    tcase_add_loop_test(tests, schema_agrees, 0, sizeof domains / sizeof *domains);
    tcase_add_loop_test(tests, foreign_words, 0, sizeof faults / sizeof *faults);
}

int main(void)
{
    return unit_main("hazards", fill);
}
