/* No task uses what nothing in it made, and whatever a task starts ends by itself: the checkers of task_soundness.h and task_bounds.h
 * over tasks of every template that is shipped. TASKGEN_LONG=1000000 checks that many rather than 20,000 (with CK_TIMEOUT_MULTIPLIER=100, since
 * Check stops a test after a minute). The checkers themselves are tested on tasks that are not sound. */
#include <glob.h>
#include <pthread.h>

#include "grammar/site.h"
#include "plan_case.h"
#include "task_bounds.h"
#include "task_soundness.h"

enum { TASKS = UNIT_ROUNDS(20000), EDITS = UNIT_ROUNDS(5000), THREADS = 2, DOMAINS = 32 };

/* --- the checker --- */

#define STEP(id, op, args)   "{\"id\":\"" id "\",\"op\":\"" op "\",\"args\":{" args "}}"
#define WRITE(id, path)      STEP(id, "write", "\"path\":\"" path "\",\"content\":\"x\"")
#define RUN(id, script)      STEP(id, "run", "\"language\":\"sh\",\"script\":\"" script "\"")
#define ON(id, op, path)     STEP(id, op, "\"path\":\"" path "\"")
#define TO(id, op, path, to) STEP(id, op, "\"path\":\"" path "\",\"to\":\"" to "\"")

static const struct {
    const char *steps, *expect, *fault; /* NULL: sound */
} table[] = {
    {WRITE("s1", "a") "," ON("s2", "read", "a"), "{\"file\":\"a\",\"size\":1}", NULL},
    {ON("s1", "read", "a"), "", "w, step s1 (read): a was made by nobody"},
    {WRITE("s1", "a") "," ON("s2", "remove", "a") "," ON("s3", "read", "a"), "",
     "w, step s3 (read): a is gone"},
    {WRITE("s1", "a") "," ON("s2", "remove", "a") "," WRITE("s3", "a") "," ON("s4", "stat", "a"), "", NULL},
    {WRITE("s1", "a") "," TO("s2", "move", "a", "b") "," ON("s3", "read", "b"), "", NULL},
    {WRITE("s1", "a") "," TO("s2", "move", "a", "b") "," ON("s3", "read", "a"), "",
     "w, step s3 (read): a is gone"},
    {TO("s1", "copy", "a", "b"), "", "w, step s1 (copy): a was made by nobody"},
    {WRITE("s1", "d/a") "," ON("s2", "list", "d") "," ON("s3", "list", "."), "", NULL},
    {WRITE("s1", "d/a") "," ON("s2", "remove", "d") "," ON("s3", "read", "./d//a"), "",
     "w, step s3 (read): d/a is gone"},
    {WRITE("s1", "d/a") "," TO("s2", "move", "d", "e") "," ON("s3", "read", "e/x/../a"), "", NULL},
    {WRITE("s1", "a"), "{\"file\":\"b\",\"size\":1}", "w, step - (expect): b was made by nobody"},
    {WRITE("s1", "a") "," ON("s2", "remove", "a"), "{\"file\":\"a\",\"size\":1}",
     "w, step - (expect): a is gone"},
    {WRITE("s1", "a") "," ON("s2", "remove", "a"), "{\"file\":\"a\",\"exists\":false}", NULL},
    /* programs */
    {RUN("s1", "date > out.txt") "," ON("s2", "read", "out.txt"), "", NULL},
    {ON("s1", "read", "out.txt") "," RUN("s2", "date > out.txt"), "",
     "w, step s1 (read): out.txt was made by nobody"},
    {RUN("s1", "cd d && touch x") "," ON("s2", "read", "d/x"), "", NULL},
    {RUN("s1", "touch it\\\\''s") "," ON("s2", "read", "it's"), "",
     "w, step s2 (read): it's was made by nobody"},
    {RUN("s1", "touch 'it'\\\\''s'") "," ON("s2", "read", "it's"), "", NULL},
    {RUN("s1", "cat b") "," WRITE("s2", "b") "," ON("s3", "remove", "b") "," ON("s4", "read", "b"), "",
     "w, step s4 (read): b is gone"},
    {WRITE("s1", "b") "," ON("s2", "remove", "b") "," RUN("s3", "date > b") "," ON("s4", "read", "b"), "",
     NULL},
    {STEP("s1", "run", "\"argv\":[\"ls\"],\"cwd\":\"d\""), "", "w, step s1 (run): d was made by nobody"},
    {RUN("s1", "for f in *.txt; do pack $f $f.z; done; : a.txt") "," ON("s2", "read", "a.txt.z"), "", NULL},
    {RUN("s1", "convert a.txt") "," ON("s2", "read", "b.txt"), "",
     "w, step s2 (read): b.txt was made by nobody"},
    /* what is meant to fail */
    {ON("s1", "read", "a"), "{\"step\":\"s1\",\"outcome\":\"error\"}", NULL},
    {WRITE("s1", "a") "," ON("s2", "read", "a"),
     "{\"step\":\"s1\",\"outcome\":\"error\"},{\"step\":\"s2\",\"outcome\":\"ok\"}",
     "w, step s2 (read): a was made by nobody"},
    /* links */
    {WRITE("s1", "d/a") "," TO("s2", "link", "d/l", "a") "," ON("s3", "read", "d/l"), "", NULL},
    {WRITE("s1", "d/a") "," TO("s2", "link", "l", "a") "," ON("s3", "read", "l"), "",
     "w, step s3 (read): a was made by nobody"},
    {TO("s1", "link", "l", "a") "," ON("s2", "remove", "l"), "", NULL},
    {TO("s1", "link", "l", "l") "," ON("s2", "read", "l"), "", "w, step s2 (read): l is a link to itself"},
    {WRITE("s1", "d/a") "," TO("s2", "link", "l", "d") "," ON("s3", "read", "l/a"), "", NULL},
    {WRITE("s1", "d/a") "," TO("s2", "link", "l", "d") "," ON("s3", "read", "l/b"), "",
     "w, step s3 (read): d/b was made by nobody"},
    {STEP("s1", "link", "\"path\":\"l\",\"to\":\"a\",\"kind\":\"hard\""), "",
     "w, step s1 (link): a was made by nobody"},
    /* groups, snapshots */
    {"{\"id\":\"s1\",\"op\":\"write\",\"group\":\"g\",\"args\":{\"path\":\"a\",\"content\":\"x\"}},"
     "{\"id\":\"s2\",\"op\":\"read\",\"group\":\"g\",\"args\":{\"path\":\"a\"}}",
     "", "w, step s2 (read): a is made at the same time"},
    {WRITE("s1", "a") "," STEP("s2", "snapshot", "\"name\":\"n\"") "," ON("s3", "remove", "a") "," STEP(
         "s4", "restore", "\"name\":\"n\"") "," ON("s5", "read", "a"),
     "", NULL},
    {STEP("s1", "snapshot", "\"name\":\"n\"") "," WRITE("s2", "a") "," STEP(
         "s3", "restore", "\"name\":\"n\"") "," ON("s4", "read", "a"),
     "", "w, step s4 (read): a was made by nobody"},
};

static struct task *task_of(const char *steps, const char *expect)
{
    char text[4096];
    struct json *all;
    struct error *err = NULL;
    struct task *t = task_new();
    snprintf(text, sizeof text, "{\"steps\":[%s],\"expect\":[%s]}", steps, expect);
    ck_assert_msg(json_read(&t->arena, bytes_of_string(arena_string(&t->arena, bytes_of_string(text))), NULL,
                            "task", &all, NULL, &err) == 0,
                  "%s: %s", text, err ? err->text : "");
    for (struct json *row = json_get(all, "steps")->first; row; row = row->next) {
        const struct op *op = ops_find(plan_ops, arena_string(&t->arena, json_get(row, "op")->text));
        ck_assert_ptr_nonnull(op);
        struct task_step *step = task_add_step(t, op, json_get(row, "args"));
        ck_assert(bytes_equal_string(json_get(row, "id")->text, step->id));
        if (json_get(row, "group"))
            step->group = arena_string(&t->arena, json_get(row, "group")->text);
    }
    t->expect = json_get(all, "expect");
    t->workflow = "w";
    return t;
}

START_TEST(the_checker_finds)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct task *t = task_of(table[i].steps, table[i].expect);
        char *fault = soundness_check(t);
        ck_assert_msg(fault ? table[i].fault && strcmp(fault, table[i].fault) == 0 : !table[i].fault,
                      "%zu: %s, expected %s", i, fault ? fault : "sound",
                      table[i].fault ? table[i].fault : "sound");
        free(fault);
        task_free(t);
    }
}
END_TEST

/* --- what ends by itself --- */

static const struct {
    const char *text, *form; /* NULL: it ends */
} programs[] = {
    {"while :; do :; done", "while :"},
    {"ulimit -t 20\n(while :; do :; done) & wait", NULL},
    {"for i in $(seq 600); do echo x; sleep 0.1; done", NULL},
    {"for i in $(seq 6000); do echo x; sleep 0.1; done", "a loop that sleeps"},
    {"for i in range(600):\n    time.sleep(0.05)", NULL},
    {"for i in range(600):\n    time.sleep(1)", "a loop that sleeps"},
    {"while True:\n    pass", "while True"},
    {"signal.alarm(20)\nwhile True:\n    pass", NULL},
    {"sleep 90; echo", NULL},
    {"sleep 600; echo", "sleep"},
    {"import time; time.sleep(3600)", "sleep"},
    {"yes | tr y n", "yes | "},
    {"yes | head -n 5", NULL},
    {"peer, _ = server.accept()", ".accept()"},
    {"server.settimeout(40)\npeer, _ = server.accept()", NULL},
    {"HTTPServer(a, H).serve_forever()", "serve_forever"},
    {"sleep 20 & kill -STOP $!; wait", "kill -STOP $!"},
    {"he had to sleep, and while true friends were there he did", "while true"}, /* words, not programs: in doubt it is told */
};

START_TEST(the_checker_of_bounds_finds)
{
    const char *form = bounds_of_text(bytes_of_string(programs[_i].text));
    ck_assert_msg(programs[_i].form ? form && strcmp(form, programs[_i].form) == 0 : !form, "'%s': %s, expected %s",
                  programs[_i].text, form ? form : "ends", programs[_i].form ? programs[_i].form : "ends");
}
END_TEST

/* --- the templates --- */

struct share {
    pthread_t thread;
    const struct generate_options *options;
    uint64_t first, last, checked;
    char fault[1024];
};

static void *check_share(void *argument)
{
    struct share *s = argument;
    for (uint64_t i = s->first; i < s->last && !*s->fault; i++) {
        struct task *t = NULL;
        struct error *err = NULL;
        if (generate_task(s->options, 20, i, &t, &err) < 0) {
            snprintf(s->fault, sizeof s->fault, "task %llu: %s", (unsigned long long)i, err->text);
            error_free(err);
            break;
        }
        char *fault = soundness_check(t);
        if (!fault)
            fault = bounds_check(t);
        if (fault)
            snprintf(s->fault, sizeof s->fault, "%s, seed 20, index %llu: %s", t->domain,
                     (unsigned long long)i, fault);
        free(fault);
        task_free(t);
        s->checked++;
    }
    return NULL;
}

static uint64_t tasks_to_check(void)
{
    const char *number = getenv("TASKGEN_LONG");
    return number ? strtoull(number, NULL, 10) : TASKS;
}

/* Domains that are shipped, without those that the environment leaves out: TASKGEN_ONLY=data,ml */
static size_t load_domains(const struct domain **domains)
{
    glob_t files;
    size_t count = 0;
    const char *only = getenv("TASKGEN_ONLY");
    ck_assert_int_eq(glob(TASKGEN_SOURCE_DIR "/domains/*.xml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc && count < DOMAINS; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", strrchr(files.gl_pathv[i], '/') + 1);
        name[strlen(name) - strlen(".xml")] = '\0';
        if (strncmp(name, "common", 6) != 0 && strcmp(name, "ops") != 0 && (!only || strstr(only, name)))
            domains[count++] = plan_load(files.gl_pathv[i]);
    }
    globfree(&files);
    return count;
}

START_TEST(tasks_are_sound)
{
    const struct domain *domains[DOMAINS];
    struct settings settings;
    struct share shares[THREADS];
    settings_defaults(&settings);
    struct generate_options options = {domains, load_domains(domains), NULL, &settings};
    uint64_t tasks = tasks_to_check(), checked = 0;
    for (size_t i = 0; i < THREADS; i++) {
        shares[i] = (struct share){
            .options = &options, .first = tasks * i / THREADS, .last = tasks * (i + 1) / THREADS};
        ck_assert_int_eq(pthread_create(&shares[i].thread, NULL, check_share, &shares[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(shares[i].thread, NULL), 0);
        checked += shares[i].checked;
    }
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_msg(!*shares[i].fault, "%s", shares[i].fault);
    ck_assert_uint_eq(checked, tasks);
    ck_assert_uint_ge(options.domain_count, getenv("TASKGEN_ONLY") ? 1 : 10);
    for (size_t i = 0; i < options.domain_count; i++)
        domain_free((struct domain *)domains[i]);
}
END_TEST

/* --- edits of derivations --- */

static size_t pick_opening(const struct domain *domain, const struct derivation *d, struct rng *rng)
{
    for (int tries = 0; tries < 100 && d->count > 1; tries++) {
        size_t entry = 1 + rng_below(rng, d->count - 1);
        struct site site;
        if (domain_site(domain, d->items[entry].site, &site) && site_opens(site.kind) &&
            site.kind < SITE_ALTERNATIVE)
            return entry;
    }
    return 0;
}

/* Cuts the subtree out; extents of what it stands in follow. */
static void cut(struct derivation *d, size_t at)
{
    uint32_t end = d->items[at].end, len = end - (uint32_t)at;
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].end >= end)
            d->items[i].end -= len;
    memmove(d->items + at, d->items + end, (d->count - end) * sizeof *d->items);
    d->count -= len;
}

/* Steps of `a` that `b` has too, in the same order: a greedy count. */
static size_t common_steps(const struct task *a, const struct task *b)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < a->step_count; i++)
        for (size_t k = at; k < b->step_count; k++)
            if (a->steps[i].op == b->steps[k].op && json_equal(a->steps[i].args, b->steps[k].args)) {
                count++;
                at = k + 1;
                break;
            }
    return count;
}

/* Takes one step, round, alternative … out of a task of each domain: what comes of it is sound, and most of
 * what was not taken out is as it was, since handles are counted from the newest and subtrees stand for
 * themselves. */
START_TEST(what_is_left_of_a_task_is_sound)
{
    const struct domain *domains[DOMAINS];
    struct settings settings;
    struct rng rng;
    settings_defaults(&settings);
    rng_seed(&rng, 1, 2);
    struct generate_options options = {domains, load_domains(domains), NULL, &settings};
    size_t steps = 0, kept = 0, cuts = 0;
    for (uint64_t i = 0; i < EDITS; i++) {
        const struct domain *domain = domains[i % options.domain_count];
        struct task *t = NULL, *less = NULL;
        struct error *err = NULL;
        struct derivation d;
        derivation_init(&d);
        ck_assert_int_eq(generate_task(&options, 21, i, &t, NULL), 0);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        size_t entry = pick_opening(domain, &d, &rng);
        if (entry) {
            cut(&d, entry);
            ck_assert_msg(generate_from(&options, domain, &d, 21, i, &less, &err) == 0, "%s",
                          err ? err->text : "");
            char *fault = soundness_check(less);
            ck_assert_msg(!fault, "%s, seed 21, index %llu, entry %zu: %s", t->domain, (unsigned long long)i,
                          entry, fault);
            steps += t->step_count < less->step_count ? t->step_count : less->step_count;
            kept += common_steps(t, less);
            cuts++;
            task_free(less);
        }
        derivation_release(&d);
        task_free(t);
    }
    ck_assert_uint_ge(cuts, EDITS / 2);
    ck_assert_msg(kept * 4 > steps * 3, "%zu of %zu steps are left as they were", kept, steps);
    for (size_t i = 0; i < options.domain_count; i++)
        domain_free((struct domain *)domains[i]);
}
END_TEST

/* Templates that are made for tests, with all there is in the notation. */
static void check_good(const char *file)
{
    const struct domain *domain = plan_load(file);
    struct settings settings;
    settings_defaults(&settings);
    ck_assert_int_eq(settings_set(&settings, "generate.max-steps", "200", NULL), 0);
    struct generate_options options = {&domain, 1, NULL, &settings};
    struct share share = {.options = &options, .last = 300};
    check_share(&share);
    ck_assert_msg(!*share.fault, "%s: %s", file, share.fault);
    domain_free((struct domain *)domain);
}

START_TEST(tasks_of_test_templates_are_sound)
{
    ck_assert_uint_ge(plan_each(PLAN_DATA "/good", ".xml", check_good), 8);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, plan_set_up, plan_tear_down);
    tcase_add_test(tests, the_checker_finds);
    tcase_add_loop_test(tests, the_checker_of_bounds_finds, 0, (int)(sizeof programs / sizeof *programs));
    tcase_add_test(tests, tasks_of_test_templates_are_sound);
    tcase_add_test(tests, tasks_are_sound);
    tcase_add_test(tests, what_is_left_of_a_task_is_sound);
}

int main(void)
{
    return unit_main("soundness", fill);
}
