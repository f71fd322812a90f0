/* Who joins the corpus: the loop against a target that does some things only once, and what the store makes of trials. */
#include "exec/loop_internal.h"
#include "execution_case.h"
#include "loop_case.h"

static struct loop_progress total;

/* A target without a box, so that it can count how often it ran; one worker, so that everything happens in order. */
static struct loop_options a_loop(void)
{
    struct target_options target = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = true};
    struct store_run run = {.verb = "fuzz", .command = "test", .target = "exec:", .grammar = "", .settings = "{}"};
    int64_t id = 0;
    if (!f.target)
        ck_assert_int_eq(target_new(&target, &f.target, NULL), 0);
    ck_assert_int_eq(store_run_begin(store, &run, &id, NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "feedback.again-share", "1", NULL), 0);
    ck_assert_int_eq(settings_set(&f.settings, "leftover.settle", "0", NULL), 0);
    uint64_t features; /* scripts of different length are one and the same here */
    ck_assert_int_eq(feedback_parse("-size", &features, NULL), 0);
    return (struct loop_options){.target = f.target, .store = store, .run = id, .settings = &f.settings, .ops = f.ops,
                                 .feed_back = true, .features = features, .count = 1, .workers = 1};
}

static struct task *a_script(const char *script)
{
    struct task *task;
    struct error *err = NULL;
    const char *text = arena_printf(&f.arena, "{\"format\":\"taskgen/task/1\",\"instruction\":\"t\",\"steps\":[{\"id\":\"s1\",\"op\":\"run\","
                                              "\"args\":{\"language\":\"sh\",\"script\":\"%s\"}}]}", script);
    ck_assert_msg(task_read(f.ops, bytes_of_string(text), "test", &task, &err) == 0, "%s", err ? err->text : "");
    return task;
}

static void run_scripts(const struct loop_options *base, const char *const *scripts, size_t count)
{
    struct loop_options o = *base;
    struct task *tasks[8];
    struct error *err = NULL;
    for (size_t i = 0; i < count; i++)
        tasks[i] = a_script(scripts[i]);
    o.tasks = tasks;
    o.task_count = count;
    ck_assert_msg(loop_run(&o, &total, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(total.executions, (int64_t)count);
    for (size_t i = 0; i < count; i++)
        task_free(tasks[i]);
}

/* Ends with `status` the first time and with 0 from then on. */
static const char *once(int status)
{
    return arena_printf(&f.arena, "test -e %s/%d && exit 0; : > %s/%d; exit %d", directory, status, directory, status, status);
}

static int64_t members(void)
{
    struct store_totals t;
    ck_assert_int_eq(store_totals(store, &t, NULL), 0);
    return t.corpus;
}

START_TEST(stable_is_kept)
{
    struct loop_options o = a_loop();
    run_scripts(&o, (const char *[]){"exit 0"}, 1);
    ck_assert_int_eq(members(), 1);
    ck_assert_int_eq(total.again, 1); /* one more session decides for all that it shows */
    ck_assert(total.features >= 3 && total.corpus == 1);
    run_scripts(&o, (const char *[]){"exit 0", "exit 7", "exit 7"}, 3);
    ck_assert_int_eq(total.again, 1);
    ck_assert_int_eq(total.features, 1); /* the status, and nothing else is new */
    ck_assert_int_eq(members(), 2);
    run_scripts(&o, (const char *[]){"exit 7", "exit 0"}, 2);
    ck_assert(total.again == 0 && total.features == 0 && total.corpus == 0);
}
END_TEST

START_TEST(unstable_is_not)
{
    struct loop_options o = a_loop();
    run_scripts(&o, (const char *[]){"exit 0"}, 1);
    run_scripts(&o, (const char *[]){once(7)}, 1);
    ck_assert_int_eq(total.again, 1);
    ck_assert(total.features == 0 && total.corpus == 0 && members() == 1);
    /* What fails three times is left alone. */
    for (int i = 0; i < 3; i++) {
        fs_remove_tree(arena_printf(&f.arena, "%s/7", directory), NULL);
        run_scripts(&o, (const char *[]){once(7)}, 1);
        ck_assert_int_eq(total.again, i < 2);
    }
    run_scripts(&o, (const char *[]){"exit 7"}, 1);
    ck_assert(total.again == 0 && members() == 1);
    struct store_domain codes;
    ck_assert_int_eq(store_domain(store, 2, &codes, NULL), 0);
    ck_assert(codes.features == 2 && codes.stable == 1);
}
END_TEST

/* A sandbox's own state is gone with its session: what shows again must do so in a fresh one. */
START_TEST(sessions_are_fresh)
{
    struct loop_options o = a_loop();
    o.reset = RUNNER_RESET_NEVER;
    run_scripts(&o, (const char *[]){": > other", "test -e made && exit 7; : > made", "test -e made && exit 7; : > made"}, 3);
    ck_assert_int_eq(members(), 1);
}
END_TEST

START_TEST(no_time_for_it)
{
    struct loop_options o = a_loop();
    ck_assert_int_eq(settings_set(&f.settings, "feedback.again-share", "0", NULL), 0);
    run_scripts(&o, (const char *[]){"exit 0", "exit 7"}, 2);
    ck_assert(total.again == 0 && members() == 0 && total.features == 0);
    ck_assert_int_eq(settings_set(&f.settings, "feedback.again-share", "1", NULL), 0);
    run_scripts(&o, (const char *[]){"exit 7"}, 1); /* what waited is made up for with the next that shows it */
    ck_assert(total.again == 1 && members() == 1);
}
END_TEST

/* A session is only held where there is time for one as long as the first. */
START_TEST(slow_ones_wait)
{
    struct loop_options o = a_loop();
    ck_assert_int_eq(settings_set(&f.settings, "feedback.again-share", "0.3", NULL), 0);
    run_scripts(&o, (const char *[]){"exit 0", "sleep 0.5; exit 7"}, 2);
    ck_assert(total.again == 1 && members() == 1);
}
END_TEST

/* Tasks that a person runs are run once, and what they show is believed. */
START_TEST(run_runs_once)
{
    struct loop_options o = a_loop();
    o.feed_back = false;
    run_scripts(&o, (const char *[]){"exit 0", once(7)}, 2);
    ck_assert(total.again == 0 && members() == 2 && total.corpus == 2);
}
END_TEST

START_TEST(domains_are_switched_off)
{
    struct loop_options o = a_loop();
    struct error *err = NULL;
    ck_assert_int_eq(feedback_parse("-code,-size", &o.features, &err), 0);
    run_scripts(&o, (const char *[]){"exit 0", "exit 7"}, 2);
    ck_assert_int_eq(members(), 1);
    struct store_domain codes, all;
    ck_assert_int_eq(store_domain(store, 2, &codes, NULL), 0);
    ck_assert_int_eq(store_domain(store, 0, &all, NULL), 0);
    ck_assert(codes.features == 0 && codes.shown == 0 && all.features > 0 && all.stable == all.features);
}
END_TEST

START_TEST(words_of_a_set)
{
    uint64_t set;
    struct error *err = NULL;
    ck_assert(feedback_parse("all", &set, &err) == 0 && set == feedback_all());
    ck_assert(feedback_parse("outcome", &set, &err) == 0 && set == 1 << 1);
    ck_assert(feedback_parse("-outcome,-code", &set, &err) == 0 && set == (feedback_all() & ~(uint64_t)6));
    ck_assert(feedback_parse("all,-code", &set, &err) == 0 && set == (feedback_all() & ~(uint64_t)4));
    ck_assert(feedback_parse("outcome,code,-outcome", &set, &err) == 0 && set == 1 << 2);
    static const char *const wrong[] = {"", "x", "outcome,", "-", "outcomes", "out", "--code"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(feedback_parse(wrong[i], &set, &err), ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(err->text, "expected one of outcome code"));
        error_free(err);
        err = NULL;
    }
    for (size_t i = 0; feedback_at(i); i++) {
        const struct feedback *d = feedback_at(i);
        ck_assert(d->id > 0 && d->id < FEEDBACK_IDS && d->shows >= 1 && d->shows <= d->runs);
        ck_assert_ptr_eq(feedback_find(d->id), d); /* no id twice */
        ck_assert_ptr_eq(feedback_of((uint64_t)d->id << 56 | 5), d);
    }
}
END_TEST

/* ---- what a session decides ---- */

/* Three of five: as soon as that is reached, or cannot be any more. Who did not look on says nothing. */
START_TEST(three_of_five)
{
    static const struct {
        const char *sessions; /* + it shows, - something else does, . nobody looked on */
        bool stable, failed;
        unsigned tries;
    } cases[] = {
        {"+", false, false, 1},   {"++", false, false, 2}, {"+++", true, false, 3},   {"+-+-+", true, false, 5},
        {"++--+", true, false, 5}, {"---", false, true, 3}, {"++---", false, true, 5}, {"-+--", false, true, 4},
        {"....", false, false, 0}, {".+.++", true, false, 3}, {"+++-", true, false, 3}, {"----", false, true, 3},
    };
    struct seen shown = {SEEN_SYSCALL, 5, "this"}, other = {SEEN_SYSCALL, 6, "that"};
    struct execution_case c;
    case_init(&c, f.ops);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store_trial trial = {.feature = UINT64_C(21) << 56 | 5};
        struct loop_admission m = {.trials = {.items = &trial, .count = 1}, .context = {.domains = feedback_all()}};
        for (const char *s = cases[i].sessions; *s; s++) {
            c.execution.seen = *s == '+' ? &shown : &other;
            c.execution.seen_count = *s != '.';
            loop_admission_ran(&m, &c.execution);
        }
        ck_assert_msg(trial.stable == cases[i].stable && trial.failed == cases[i].failed && trial.tries == cases[i].tries, "%s: %u",
                      cases[i].sessions, trial.tries);
    }
    struct store_trial trial = {.feature = UINT64_C(1) << 56 | 5};
    struct loop_admission m = {.trials = {.items = &trial, .count = 1}, .context = {.domains = feedback_all()}};
    c.execution.harness = true;
    loop_admission_ran(&m, &c.execution);
    c.execution.harness = false;
    c.execution.executed = false;
    c.execution.skip_reason = "a need";
    loop_admission_ran(&m, &c.execution);
    ck_assert_uint_eq(trial.tries, 0); /* our own trouble decides nothing, nor does what was not sent */
    c.execution.skip_reason = NULL;
    loop_admission_ran(&m, &c.execution);
    ck_assert(trial.failed && trial.tries == 1);
    case_release(&c);
}
END_TEST

/* ---- trials in the store ---- */

enum { STRONG = 1, WEAK = 20 };

static uint64_t feature(unsigned domain, unsigned n)
{
    return (uint64_t)domain << 56 | n;
}

struct shown {
    struct store_execution e;
    struct store_trials trials;
    struct store_trial items[8];
    uint64_t features[8];
};

static void show(struct shown *s, const char *script, const uint64_t *features, size_t count)
{
    size_t fresh = 99;
    struct error *err = NULL;
    memcpy(s->features, features, count * sizeof *features);
    s->trials = (struct store_trials){.items = s->items};
    s->e = (struct store_execution){.task = a_script(script), .executed = true, .steps = "[1]", .features = s->features,
                                    .feature_count = count, .trials = &s->trials, .weak = UINT64_C(1) << WEAK};
    ck_assert_msg(store_put_execution(store, &s->e, &fresh, &err) == 0, "%s", err ? err->text : "");
    ck_assert_uint_eq(fresh, 0);
}

static size_t end(struct shown *s, bool joins)
{
    size_t gained = 99;
    struct error *err = NULL;
    ck_assert_msg(store_admit(store, &s->e, joins, &gained, &err) == 0, "%s", err ? err->text : "");
    task_free((struct task *)s->e.task);
    return gained;
}

static void reopen(void)
{
    struct error *err = NULL;
    char *file = strings_printf("%s/t.db", directory);
    store_close(store);
    ck_assert_msg(store_open(file, STORE_WRITE, &f.settings, &store, &err) == 0, "%s", err ? err->text : "");
    free(file);
}

START_TEST(trials_go_on)
{
    static struct shown a, b;
    const uint64_t one[] = {feature(STRONG, 1), feature(STRONG, 2)};
    show(&a, "a", one, 2);
    ck_assert_uint_eq(a.trials.count, 2);
    show(&b, "b", one, 2); /* somebody is at both */
    ck_assert_uint_eq(b.trials.count, 0);
    ck_assert_uint_eq(end(&b, true), 0);
    a.items[0].tries = 2;
    a.items[0].shows = 1;
    a.items[1].tries = a.items[1].shows = 1;
    a.items[1].stable = true;
    a.items[1].text = "words";
    ck_assert_uint_eq(end(&a, true), 1);
    ck_assert_int_eq(members(), 1);
    reopen();
    show(&b, "b", one, 2); /* one is stable, the other is half tried */
    ck_assert(b.trials.count == 1 && b.items[0].feature == one[0] && b.items[0].tries == 2 && b.items[0].shows == 1);
    b.items[0].failed = true;
    ck_assert_uint_eq(end(&b, false), 0);
    reopen();
    for (int i = 0; i < 2; i++) {
        show(&a, "c", one, 2);
        ck_assert(a.trials.count == 1 && a.items[0].tries == 0 && a.items[0].shows == 0);
        a.items[0].failed = true;
        end(&a, false);
    }
    reopen();
    show(&a, "d", one, 2); /* failed too often */
    ck_assert_uint_eq(a.trials.count, 0);
    end(&a, true);
    ck_assert_int_eq(members(), 1);
}
END_TEST

/* The execution was lost with its batch: so is what was handed out with it, and it can be handed out again. */
START_TEST(lost_with_its_batch)
{
    static struct shown a, b;
    const uint64_t one[] = {feature(STRONG, 1)};
    struct finding odd = {.signature = "0123456789abcdef", .text = "t", .layer = "l", .primitive = "p", .check = "c", .op = "o", .detail = "d",
                          .title = "t", .evidence = "e", .target = "t", .identity = "i", .task = "{}"};
    bool grew;
    show(&a, "a", one, 1);
    ck_assert_uint_eq(a.trials.count, 1);
    ck_assert_int_lt(store_put_finding(store, 12345, &odd, &grew, NULL), 0); /* there is no such run */
    a.items[0].stable = true;
    ck_assert_uint_eq(end(&a, true), 0);
    ck_assert_int_eq(members(), 0);
    show(&b, "b", one, 1);
    ck_assert_uint_eq(b.trials.count, 1);
    b.items[0].stable = true;
    ck_assert_uint_eq(end(&b, true), 1);
    ck_assert_int_eq(members(), 1);
}
END_TEST

START_TEST(weak_ones_go_along)
{
    static struct shown a;
    const uint64_t both[] = {feature(STRONG, 1), feature(WEAK, 1)};
    show(&a, "a", &both[1], 1);
    ck_assert_uint_eq(a.trials.count, 0); /* nothing to try it for */
    end(&a, true);
    show(&a, "b", both, 2);
    ck_assert_uint_eq(a.trials.count, 2);
    a.items[1].tries = a.items[1].shows = 3;
    a.items[1].stable = a.items[0].failed = true;
    ck_assert_uint_eq(end(&a, false), 0); /* stable, and no reason to join */
    show(&a, "c", both, 2);
    ck_assert(a.trials.count == 2 && a.items[1].shows == 3);
    a.items[0].stable = a.items[1].stable = true;
    ck_assert_uint_eq(end(&a, true), 2);
    ck_assert_int_eq(members(), 1);
}
END_TEST

START_TEST(how_common)
{
    static struct shown a;
    const uint64_t all[] = {feature(STRONG, 1), feature(STRONG, 2), feature(WEAK, 1)};
    for (size_t i = 1; i <= 3; i++) {
        show(&a, arena_printf(&f.arena, "%zu", i), all, i);
        for (size_t k = 0; k < a.trials.count; k++)
            a.items[k].stable = true;
        end(&a, true);
    }
    reopen(); /* counts are those of the file */
    struct store_rarity r[4];
    ck_assert_int_eq(store_rarity(store, (uint64_t[]){all[0], all[1], all[2], feature(STRONG, 9)}, 4, r, NULL), 0);
    ck_assert(r[0].shown == 3 && r[1].shown == 2 && r[2].shown == 1 && r[3].shown == 0);
    ck_assert(r[0].stable && r[1].stable && !r[2].stable && !r[3].stable);
    struct store_domain d;
    ck_assert_int_eq(store_domain(store, STRONG, &d, NULL), 0);
    ck_assert(d.features == 2 && d.stable == 2 && d.shown == 5);
    ck_assert_int_eq(store_domain(store, WEAK, &d, NULL), 0);
    ck_assert(d.features == 1 && d.stable == 0 && d.shown == 1);
    ck_assert_int_eq(store_domain(store, 0, &d, NULL), 0);
    ck_assert(d.features == 3 && d.stable == 2 && d.shown == 6);
    struct store_totals t;
    ck_assert_int_eq(store_totals(store, &t, NULL), 0);
    ck_assert_int_eq(t.features, 2);
    show(&a, "4", (uint64_t[]){feature(STRONG, 3), feature(2, 1)}, 2);
    a.items[0].stable = a.items[1].stable = true;
    end(&a, true);
    struct store_domain_yield yields[256];
    ck_assert_int_eq(store_domain_yields(store, yields, NULL), 0);
    ck_assert(yields[STRONG].let_in == 3 && yields[STRONG].alone == 2);
    ck_assert(yields[2].let_in == 1 && yields[2].alone == 0 && yields[WEAK].let_in == 0);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, loop_set_up, loop_tear_down);
    tcase_add_test(tests, stable_is_kept);
    tcase_add_test(tests, unstable_is_not);
    tcase_add_test(tests, sessions_are_fresh);
    tcase_add_test(tests, no_time_for_it);
    tcase_add_test(tests, slow_ones_wait);
    tcase_add_test(tests, run_runs_once);
    tcase_add_test(tests, domains_are_switched_off);
    tcase_add_test(tests, words_of_a_set);
    tcase_add_test(tests, three_of_five);
    tcase_add_test(tests, trials_go_on);
    tcase_add_test(tests, lost_with_its_batch);
    tcase_add_test(tests, weak_ones_go_along);
    tcase_add_test(tests, how_common);
}

int main(void)
{
    return unit_main("admit", fill);
}
