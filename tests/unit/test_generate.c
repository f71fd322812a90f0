/* gen/generate: what templates derive to, exactly; that every task is sound, whatever the choices; budgets,
 * replay, altered derivations, threads. */
#include <pthread.h>

#include "grammar/plan.h"
#include "plan_model.h"

enum { MANY = 10000, SOME = 1000, STEPS = 20, BYTES = 65536 };

static struct settings settings;
static struct domain *kitchen;
static const struct domain *domains[1];
static struct generate_options options;

static void set_up(void)
{
    plan_set_up();
    settings_defaults(&settings);
    kitchen = plan_load(PLAN_DATA "/good/kitchen.xml");
    domains[0] = kitchen;
    options = (struct generate_options){domains, 1, NULL, &settings};
}

static void tear_down(void)
{
    domain_free(kitchen);
    plan_tear_down();
}

static struct task *make(uint64_t seed, uint64_t index)
{
    struct task *t = NULL;
    struct error *err = NULL;
    int status = generate_task(&options, seed, index, &t, &err);
    ck_assert_msg(status == 0, "%llu: %s", (unsigned long long)index, err ? err->text : "");
    return t;
}

static void write_out(const struct task *t, struct buf *out)
{
    buf_init(out, 1 << 24);
    task_write(t, out);
    ck_assert(!out->overflow);
}

static void check_same(const struct task *a, const struct task *b)
{
    struct buf x, y;
    write_out(a, &x);
    write_out(b, &y);
    ck_assert_msg(bytes_equal(buf_bytes(&x), buf_bytes(&y)), "%s\n%s", buf_string(&x), buf_string(&y));
    buf_release(&x);
    buf_release(&y);
}

/* --- cases: a template without choices, and the members of the task it derives to --- */

static void check_case(const char *file)
{
    struct domain *domain = plan_load(file);
    struct buf text, expected;
    struct arena arena;
    struct json *got, *want;
    char other[1024];
    arena_init(&arena);
    domains[0] = domain;
    struct task *t = make(1, 0);
    write_out(t, &text);
    snprintf(other, sizeof other, "%.*s.json", (int)(strlen(file) - 4), file);
    buf_init(&expected, 1 << 20);
    ck_assert_int_eq(fs_read(other, 1 << 20, &expected, NULL), 0);
    ck_assert_int_eq(json_read(&arena, buf_bytes(&text), NULL, "task", &got, NULL, NULL), 0);
    ck_assert_int_eq(json_read(&arena, buf_bytes(&expected), NULL, other, &want, NULL, NULL), 0);
    ck_assert_uint_ge(want->count, 6);
    for (const struct json *member = want->first; member; member = member->next)
        ck_assert_msg(json_equal(json_get_bytes(got, member->key), member), "%s: %.*s is not as in %s:\n%s",
                      file, BYTES_ARG(member->key), other, buf_string(&text));
    buf_release(&text);
    buf_release(&expected);
    arena_release(&arena);
    task_free(t);
    domain_free(domain);
}

START_TEST(cases)
{
    ck_assert_uint_ge(plan_each(PLAN_DATA "/cases", ".xml", check_case), 5);
}
END_TEST

/* --- faults that show only while deriving --- */

static void check_fault(const char *file)
{
    struct domain *domain = plan_load(file);
    struct task *t = NULL;
    struct error *err = NULL;
    domains[0] = domain;
    int status = generate_task(&options, 1, 0, &t, &err);
    ck_assert_msg((status == ERR_INPUT || status == ERR_LIMIT) && !t, "%s was derived", file);
    plan_check_message(file, err->text);
    error_free(err);
    domain_free(domain);
}

START_TEST(faults)
{
    ck_assert_uint_ge(plan_each(PLAN_DATA "/faults", ".xml", check_fault), 25);
}
END_TEST

/* --- soundness --- */

START_TEST(many_tasks_are_sound)
{
    size_t most = 0, by_workflow[4] = {0}, expectations = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        struct task *t = make(1, i);
        ck_assert_uint_le(t->step_count, STEPS);
        model_check(t);
        most = t->step_count > most ? t->step_count : most;
        expectations += t->expect->count;
        for (size_t w = 0; w < 4; w++)
            by_workflow[w] += strcmp(t->workflow, domain_workflow_name(kitchen, w)) == 0;
        task_free(t);
    }
    ck_assert_uint_eq(most, STEPS); /* the budget is reached, and never passed */
    ck_assert_uint_ge(expectations, 3 * MANY);
    for (size_t w = 0; w < 4; w++) {
        double share = (double)by_workflow[w] / MANY, expected = domain_workflow_weight(kitchen, w) / 6;
        ck_assert_msg(share > expected - 0.02 && share < expected + 0.02, "workflow %zu: %f", w, share);
    }
}
END_TEST

START_TEST(tasks_are_written_and_read)
{
    for (uint64_t i = 0; i < 300; i++) {
        struct task *t = make(2, i), *back = NULL;
        struct error *err = NULL;
        struct buf text;
        write_out(t, &text);
        ck_assert_msg(task_read(plan_ops, buf_bytes(&text), "task", &back, &err) == 0, "%s",
                      err ? err->text : "");
        check_same(t, back);
        ck_assert_str_eq(t->grammar_hash, domain_hash(kitchen));
        ck_assert_str_eq(t->domain, "kitchen");
        int64_t limit = 0;
        ck_assert(t->limits->count == 2 && json_as_integer(json_get(t->limits, "timeout_ms"), &limit) && limit == 60000);
        ck_assert(json_as_integer(json_get(t->limits, "tabs"), &limit) && limit == 3);
        ck_assert(utf8_valid(bytes_of_string(t->instruction)));
        buf_release(&text);
        task_free(t);
        task_free(back);
    }
}
END_TEST

/* --- budgets --- */

static size_t count_within(size_t max_bytes, uint64_t tasks)
{
    char number[32];
    size_t good = 0;
    snprintf(number, sizeof number, "%zu", max_bytes);
    ck_assert_int_eq(settings_set(&settings, "generate.max-bytes", number, NULL), 0);
    for (uint64_t i = 0; i < tasks; i++) {
        struct task *t = NULL;
        struct buf text;
        int status = generate_task(&options, 3, i, &t, NULL);
        ck_assert(status == 0 || status == ERR_LIMIT);
        if (status < 0)
            continue;
        write_out(t, &text);
        ck_assert_msg(text.len <= max_bytes, "%zu bytes of %zu", text.len, max_bytes);
        model_check(t);
        buf_release(&text);
        task_free(t);
        good++;
    }
    return good;
}

START_TEST(bytes_are_bounded)
{
    ck_assert_uint_eq(count_within(BYTES, 300), 300);
    ck_assert_uint_eq(count_within(16384, 300), 300);
    ck_assert_uint_eq(count_within(8192, 300), 300);
    ck_assert_uint_eq(count_within(3000, 300), 300);
    ck_assert_uint_eq(count_within(1024, 20), 0);
}
END_TEST

/* What the log says of the room: it stands behind the number of the swarm. */
static uint64_t sparing_of(const struct task *t)
{
    struct derivation d;
    uint64_t sparing = 0;
    derivation_init(&d);
    ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
    for (size_t i = 0; i < d.count; i++) {
        ck_assert(d.items[i].site != PLAN_SITE_ROOM || i == 2);
        sparing = d.items[i].site == PLAN_SITE_ROOM ? d.items[i].value : sparing;
    }
    derivation_release(&d);
    return sparing;
}

/* A task that gets too long is derived again, as sparingly as it takes, and its derivation says so. */
START_TEST(what_is_too_long_is_made_shorter)
{
    struct domain *roomy = plan_load(PLAN_DATA "/good/roomy.xml");
    size_t by_sparing[PLAN_SPARING_MOST + 1] = {0};
    domains[0] = roomy;
    for (uint64_t i = 0; i < SOME; i++) {
        struct task *t = make(1, i), *again = NULL, *other = NULL;
        struct derivation d;
        struct buf text;
        write_out(t, &text);
        ck_assert_msg(text.len <= 4096, "%zu bytes", text.len);
        by_sparing[sparing_of(t)]++;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        ck_assert_int_eq(generate_from(&options, roomy, &d, 1, i, &again, NULL), 0);
        check_same(t, again);
        ck_assert_int_eq(generate_from(&options, roomy, &d, 2, i, &other, NULL), 0);
        ck_assert_str_eq(t->derivation, other->derivation);
        derivation_release(&d);
        buf_release(&text);
        task_free(t);
        task_free(again);
        task_free(other);
    }
    ck_assert_uint_ge(by_sparing[0], SOME / 10);
    ck_assert_uint_ge(by_sparing[1], SOME / 20);
    ck_assert_uint_ge(by_sparing[PLAN_SPARING_MOST], SOME / 20);
    /* Only this workflow: nothing shorter is left. */
    struct task *t = NULL;
    struct error *err = NULL;
    options.workflow = "hopeless";
    ck_assert_int_eq(generate_task(&options, 1, 0, &t, &err), ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err->text, "the task gets longer than 4096 bytes"));
    error_free(err);
    ck_assert_int_eq(generate_task(&options, 1, 0, &t, NULL), ERR_LIMIT);
    domain_free(roomy);
}
END_TEST

static void push(struct derivation *d, struct choice entry)
{
    if (d->count == d->capacity) {
        d->capacity = 2 * d->capacity + 1;
        d->items = realloc(d->items, d->capacity * sizeof *d->items);
        ck_assert_ptr_nonnull(d->items);
    }
    d->items[d->count++] = entry;
}

/* An edited derivation that would get too long is made to fit too: the rounds that do fit stay. */
START_TEST(edits_that_are_too_long_are_made_shorter)
{
    struct domain *roomy = plan_load(PLAN_DATA "/good/roomy.xml");
    domains[0] = roomy;
    options.workflow = "rounds";
    for (uint64_t i = 0; i < 50; i++) {
        struct task *t = make(1, i), *longer = NULL;
        struct derivation d;
        struct buf text;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        struct choice stop = d.items[--d.count];
        for (size_t k = 0; k < 20; k++) {
            struct choice round = {.site = stop.site, .end = (uint32_t)d.count + 1, .value = 0};
            push(&d, round);
        }
        d.items[0].end = (uint32_t)d.count;
        ck_assert_int_eq(generate_from(&options, roomy, &d, 1, i, &longer, NULL), 0);
        write_out(longer, &text);
        ck_assert_uint_le(text.len, 4096);
        ck_assert_uint_ge(longer->step_count, 2);
        derivation_release(&d);
        buf_release(&text);
        task_free(t);
        task_free(longer);
    }
    domain_free(roomy);
}
END_TEST

START_TEST(steps_are_bounded)
{
    static const char *const limits[] = {"10", "8", "7", "6", "5", "1"};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        size_t good = 0;
        ck_assert_int_eq(settings_set(&settings, "generate.max-steps", limits[k], NULL), 0);
        for (uint64_t i = 0; i < 300; i++) {
            struct task *t = NULL;
            struct error *err = NULL;
            int status = generate_task(&options, 4, i, &t, &err);
            ck_assert_msg(status == 0 || status == ERR_LIMIT, "%s", err->text);
            ck_assert(status == 0 || strstr(err->text, "generate.max-steps"));
            error_free(err);
            if (status < 0)
                continue;
            ck_assert_int_le((int)t->step_count, atoi(limits[k]));
            model_check(t);
            task_free(t);
            good++;
        }
        ck_assert_msg(k == 0 ? good == 300 : k < 5 ? good > 0 : good == 0, "limit %s: %zu", limits[k], good);
    }
}
END_TEST

START_TEST(depth_is_bounded)
{
    ck_assert_int_eq(settings_set(&settings, "generate.depth", "2", NULL), 0);
    for (uint64_t i = 0; i < 500; i++) {
        struct task *t = make(5, i);
        model_check(t);
        task_free(t);
    }
}
END_TEST

/* --- replay --- */

static struct task *replay(const struct derivation *d, uint64_t seed, uint64_t index)
{
    struct task *t = NULL;
    struct error *err = NULL;
    int status = generate_from(&options, kitchen, d, seed, index, &t, &err);
    ck_assert_msg(status == 0, "%s", err ? err->text : "");
    return t;
}

static struct task *replay_text(const char *text, uint64_t seed, uint64_t index)
{
    struct derivation d;
    derivation_init(&d);
    ck_assert_int_eq(derivation_decode(&d, bytes_of_string(text), NULL), 0);
    struct task *t = replay(&d, seed, index);
    derivation_release(&d);
    return t;
}

/* A whole derivation needs nothing from the rng: another seed gives the same task, but for its seed and
 * index. */
START_TEST(replay_gives_the_same_bytes)
{
    for (uint64_t i = 0; i < SOME; i++) {
        struct task *t = make(6, i), *again = replay_text(t->derivation, 6, i),
                    *other = replay_text(t->derivation, 7, i + 1);
        check_same(t, again);
        ck_assert_str_eq(t->id, other->id);
        ck_assert_str_eq(t->derivation, other->derivation);
        task_free(t);
        task_free(again);
        task_free(other);
    }
}
END_TEST

/* Takes the entry and its subtree out; ends of what stands around it move along. */
static void cut_subtree(struct derivation *d, size_t at)
{
    size_t end = d->items[at].end, len = end - at;
    if (end <= at || end > d->count)
        return; /* an earlier edit damaged it */
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].end >= end)
            d->items[i].end -= (uint32_t)len;
    memmove(d->items + at, d->items + end, (d->count - end) * sizeof *d->items);
    d->count -= len;
}

static void truncate(struct derivation *d, struct rng *rng)
{
    d->count = rng_below(rng, d->count + 1);
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].end > d->count)
            d->items[i].end = (uint32_t)d->count;
}

static void alter(struct derivation *d, struct rng *rng)
{
    size_t at = rng_below(rng, d->count);
    switch (rng_below(rng, 5)) {
    case 0:
        truncate(d, rng);
        break;
    case 1:
        d->items[at].value = rng_below(rng, 2) ? rng_below(rng, 8) : rng_next(rng);
        break;
    case 2:
        cut_subtree(d, at);
        break;
    case 3:
        d->items[at].site = (uint32_t)rng_below(rng, 200);
        break;
    default:
        d->items[at].end = (uint32_t)rng_next(rng);
        break;
    }
}

/* Whatever stands in a derivation, it means a sound task, and that task's own derivation is whole again. */
START_TEST(altered_derivations_give_sound_tasks)
{
    struct rng rng;
    rng_seed(&rng, 8, 0);
    for (uint64_t i = 0; i < SOME; i++) {
        struct task *t = make(8, i);
        struct derivation d;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        for (uint64_t edits = rng_below(&rng, 3) + 1; edits && d.count; edits--)
            alter(&d, &rng);
        struct task *altered = replay(&d, 8, i), *again = replay_text(altered->derivation, 9, i);
        ck_assert_uint_le(altered->step_count, STEPS);
        model_check(altered);
        ck_assert_str_eq(altered->id, again->id);
        derivation_release(&d);
        task_free(t);
        task_free(altered);
        task_free(again);
    }
}
END_TEST

/* Cutting a round out of a repeat leaves the others as they are. */
START_TEST(rounds_can_be_cut_out)
{
    size_t cut = 0;
    for (uint64_t i = 0; i < 400; i++) {
        struct task *t = make(10, i);
        struct derivation d;
        derivation_init(&d);
        ck_assert_int_eq(derivation_decode(&d, bytes_of_string(t->derivation), NULL), 0);
        bool ordered = strcmp(t->workflow, "ordered") == 0;
        /* The rounds are the last children of the workflow: the last one that is no stop is d.items[…] whose
         * subtree is longer than one entry, before the end. */
        size_t last = 0;
        for (size_t at = 1; ordered && at < d.count; at = d.items[at].end)
            if (d.items[at].end > at + 1)
                last = at;
        if (last && d.items[last].end >= d.count - 1) {
            cut_subtree(&d, last);
            struct task *shorter = replay(&d, 10, i);
            if (shorter->step_count < t->step_count) {
                cut++;
                for (size_t s = 0; s + 1 < shorter->step_count; s++)
                    ck_assert(json_equal(shorter->steps[s].args, t->steps[s].args));
            }
            task_free(shorter);
        }
        derivation_release(&d);
        task_free(t);
    }
    ck_assert_uint_ge(cut, 20);
}
END_TEST

/* --- options --- */

START_TEST(options_choose)
{
    struct domain *minimal = plan_load(PLAN_DATA "/good/minimal.xml");
    const struct domain *both[] = {kitchen, minimal};
    struct generate_options o = {both, 2, NULL, &settings};
    struct task *t = NULL;
    struct error *err = NULL;
    for (uint64_t i = 0; i < 20; i++) {
        ck_assert_int_eq(generate_task(&o, 1, i, &t, NULL), 0);
        ck_assert_str_eq(t->domain, i % 2 ? "minimal" : "kitchen");
        task_free(t);
    }
    options.workflow = "side-by-side";
    for (uint64_t i = 0; i < 20; i++) {
        t = make(1, i);
        ck_assert_str_eq(t->workflow, "side-by-side");
        struct task *again = replay_text(t->derivation, 1, i);
        check_same(t, again);
        task_free(t);
        task_free(again);
    }
    options.workflow = "none";
    ck_assert_int_eq(generate_task(&options, 1, 0, &t, &err), ERR_INPUT);
    ck_assert_str_eq(err->text, "domain \"kitchen\" has no workflow \"none\"");
    error_free(err);
    o.domain_count = 0;
    ck_assert_int_eq(generate_task(&o, 1, 0, &t, NULL), ERR_INPUT);
    domain_free(minimal);
}
END_TEST

/* --- threads --- */

struct worker {
    pthread_t thread;
    uint64_t hashes[SOME];
    bool backwards;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    for (uint64_t k = 0; k < SOME; k++) {
        uint64_t i = w->backwards ? SOME - 1 - k : k;
        struct task *t = NULL;
        struct buf text;
        if (generate_task(&options, 11, i, &t, NULL) < 0)
            continue;
        buf_init(&text, 1 << 24);
        task_write(t, &text);
        w->hashes[i] = hash64(buf_bytes(&text));
        buf_release(&text);
        task_free(t);
    }
    return NULL;
}

START_TEST(threads_give_the_same_bytes)
{
    static struct worker workers[2];
    workers[1].backwards = true;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    size_t distinct = 0;
    for (size_t i = 0; i < SOME; i++) {
        ck_assert(workers[0].hashes[i] != 0 && workers[0].hashes[i] == workers[1].hashes[i]);
        distinct += i == 0 || workers[0].hashes[i] != workers[0].hashes[i - 1];
    }
    ck_assert_uint_eq(distinct, SOME);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, cases);
    tcase_add_test(tests, faults);
    tcase_add_test(tests, many_tasks_are_sound);
    tcase_add_test(tests, tasks_are_written_and_read);
    tcase_add_test(tests, bytes_are_bounded);
    tcase_add_test(tests, what_is_too_long_is_made_shorter);
    tcase_add_test(tests, edits_that_are_too_long_are_made_shorter);
    tcase_add_test(tests, steps_are_bounded);
    tcase_add_test(tests, depth_is_bounded);
    tcase_add_test(tests, replay_gives_the_same_bytes);
    tcase_add_test(tests, altered_derivations_give_sound_tasks);
    tcase_add_test(tests, rounds_can_be_cut_out);
    tcase_add_test(tests, options_choose);
    tcase_add_test(tests, threads_give_the_same_bytes);
}

int main(void)
{
    return unit_main("generate", fill);
}
