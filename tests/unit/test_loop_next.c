/* What the loop runs next: shares of fresh tasks, mutants of kept ones, and edits of their derivations. No
 * target is needed for that, only a store with something kept. */
#include "exec/loop_internal.h"

#include "base/clock.h"
#include "plan_case.h"

static struct settings settings;
static struct domain *shop;
static const struct domain *domains[1];
static struct generate_options generate;
static struct store *store;
static char *directory;
static struct loop loop;
static struct loop_options options;

enum { KEPT = 8, ROUNDS = 300 };

static void keep(uint64_t index)
{
    struct task *t = NULL;
    struct error *err = NULL;
    size_t new_features = 0;
    uint64_t feature = 1000 + index;
    ck_assert_int_eq(generate_task(&generate, 5, index, &t, NULL), 0);
    struct store_execution e = {.task = t,
                                .outcome = EXECUTION_PASSED,
                                .executed = true,
                                .steps = "[]",
                                .features = &feature,
                                .feature_count = 1};
    ck_assert_msg(store_put_execution(store, &e, &new_features, &err) == 0, "%s", err ? err->text : "");
    ck_assert_uint_eq(new_features, 1);
    task_free(t);
}

static void set_up(void)
{
    char file[512];
    plan_set_up();
    settings_defaults(&settings);
    settings_set(&settings, "loop.mutate-ramp", "0", NULL); /* the whole share at once */
    settings_set(&settings, "loop.choices", "1", NULL);
    settings_set(&settings, "loop.mutate-share", "0.45", NULL);
    settings_set(&settings, "loop.splice-share", "0", NULL);
    settings_set(&settings, "loop.adapt", "0", NULL);
    shop = plan_load(TASKGEN_SOURCE_DIR "/tests/data/tree/shop.xml");
    domains[0] = shop;
    generate = (struct generate_options){.domains = domains, .domain_count = 1, .settings = &settings};
    directory = fs_fresh_dir("test-loop-next", NULL);
    snprintf(file, sizeof file, "%s/t.db", directory);
    ck_assert_int_eq(store_open(file, STORE_WRITE, &settings, &store, NULL), 0);
    for (uint64_t i = 0; i < KEPT; i++)
        keep(i);
    ck_assert_int_eq(store_flush(store, NULL), 0);
    options = (struct loop_options){.store = store,
                                    .generate = &generate,
                                    .settings = &settings,
                                    .ops = plan_ops,
                                    .seed = 6,
                                    .feed_back = true,
                                    .workers = 1};
    loop = (struct loop){.options = &options};
    pthread_mutex_init(&loop.lock, NULL);
}

static void tear_down(void)
{
    pthread_mutex_destroy(&loop.lock);
    store_close(store);
    fs_remove_tree(directory, NULL);
    free(directory);
    domain_free(shop);
    plan_tear_down();
}

struct counts {
    int fresh, edited, other, donated;
};

static bool is_edit(const struct json *m)
{
    return json_get(json_get(m, "before"), "derivation") != NULL;
}

static void count_work(const struct loop_work *work, struct counts *n)
{
    const struct json *first = work->task->mutations->first;
    if (!*work->parent)
        n->fresh++;
    else if (first && is_edit(first))
        n->edited++;
    else
        n->other++;
    for (const struct json *m = first; m; m = m->next)
        n->donated += strstr((const char *)json_as_text(json_get(m, "detail")).data, "another task") != NULL;
}

static struct counts run_rounds(void)
{
    struct counts n = {0};
    struct arena a;
    struct rng rng;
    arena_init(&a);
    rng_seed(&rng, 7, 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct loop_work work;
        struct error *err = NULL;
        int more = loop_next(&loop, &rng, &a, &work, &err);
        ck_assert_msg(more == 1, "%s", err ? err->text : "nothing");
        count_work(&work, &n);
        loop_work_release(&work);
        arena_clear(&a);
    }
    arena_release(&a);
    return n;
}

static void set(const char *name, const char *value)
{
    ck_assert_int_eq(settings_set(&settings, name, value, NULL), 0);
}

START_TEST(shares_are_kept)
{
    struct counts n = run_rounds(); /* 0.45 mutants, of which 0.3 edits where one comes of it */
    ck_assert_int_gt(n.fresh, ROUNDS * 4 / 10);
    ck_assert_int_gt(n.other, ROUNDS / 5);
    ck_assert_int_gt(n.edited, ROUNDS / 20);
    ck_assert_int_lt(n.edited, n.other);
}
END_TEST

static int fresh_with(int64_t kept)
{
    struct arena a;
    struct rng rng;
    int fresh = 0;
    arena_init(&a);
    rng_seed(&rng, 7, 0);
    loop.total.corpus = kept;
    for (int i = 0; i < 100; i++) {
        struct loop_work work;
        ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
        fresh += !*work.parent;
        loop_work_release(&work);
        arena_clear(&a);
    }
    arena_release(&a);
    return fresh;
}

/* While few tasks are kept most are fresh, even where many are passed over: each of those makes room for a fresh one. */
START_TEST(share_grows)
{
    struct target_options o = {.spec = "mcp:server", .settings = &settings, .ops = plan_ops};
    struct target *mcp = NULL;
    ck_assert_int_eq(target_new(&o, &mcp, NULL), 0);
    options.target = mcp;
    set("loop.mutate-share", "0.9");
    set("loop.mutate-ramp", "30");
    set("loop.tree-share", "0");
    ck_assert_int_eq(fresh_with(0), 100);
    int few = fresh_with(30); /* 55 */
    ck_assert(few > 40 && few < 70);
    ck_assert_int_lt(fresh_with(3000), 25);
    set("loop.mutate-share", "0");
    set("loop.splice-share", "0.9");
    set("loop.splice-ramp", "300");
    ck_assert_int_eq(fresh_with(0), 100);
    ck_assert_int_gt(fresh_with(30), 80);
    ck_assert_int_lt(fresh_with(30000), 60); /* names of this little template are often the same */
    set("loop.mutate-share", "0.9");
    set("loop.splice-share", "0");
    target_note_lack(mcp, "remove");
    int passed_over = fresh_with(30);
    ck_assert(passed_over > 40 && passed_over < 75);
    target_free(mcp);
}
END_TEST

/* Kept and fresh ones in one session, each a whole task; and when nothing may be learnt, as often. */
START_TEST(two_in_one_session)
{
    set("loop.splice-share", "1");
    set("loop.splice-ramp", "0");
    set("loop.choices", "4");
    for (int blind = 0; blind < 2; blind++) {
        int joined = 0, kept = 0;
        struct arena a;
        struct rng rng;
        arena_init(&a);
        rng_seed(&rng, 7, 0);
        set("loop.feedback", blind ? "0" : "1");
        for (int i = 0; i < 60; i++) {
            struct loop_work work;
            ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
            bool join = work.task->mutations->last && bytes_equal_string(json_as_text(json_get(work.task->mutations->last, "mutator")), "join");
            ck_assert(join == (work.source == LOOP_SPLICE));
            joined += join;
            kept += work.picked.number > 0;
            ck_assert(!join || *work.parent);
            loop_work_release(&work);
            arena_clear(&a);
        }
        arena_release(&a);
        ck_assert_int_gt(joined, 20); /* names of this little template are often the same */
        ck_assert(blind ? !kept : kept > 5);
    }
}
END_TEST

START_TEST(edits_alone)
{
    set("loop.mutate-share", "1");
    set("loop.tree-share", "1");
    struct counts n = run_rounds();
    ck_assert_int_eq(n.fresh, 0);
    ck_assert_int_gt(n.edited,
                     ROUNDS / 2); /* some mutators find nothing to edit; then the others have the task */
    ck_assert_int_gt(n.donated, 5);
}
END_TEST

START_TEST(no_edits)
{
    set("loop.mutate-share", "1");
    set("loop.tree-share", "0");
    ck_assert_int_eq(run_rounds().edited, 0);
}
END_TEST

/* Kept tasks of a template that is not loaded, or that has changed since. */
START_TEST(other_grammar)
{
    struct domain *kitchen = plan_load(PLAN_DATA "/good/kitchen.xml");
    set("loop.mutate-share", "1");
    set("loop.tree-share", "1");
    domains[0] = kitchen;
    ck_assert_int_eq(run_rounds().edited, 0);
    domain_free(kitchen);
}
END_TEST

static int wired_rounds(void)
{
    struct arena a;
    struct rng rng;
    int wired = 0;
    arena_init(&a);
    rng_seed(&rng, 8, 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct loop_work work;
        struct wire_mutation found;
        ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
        bool any = false;
        for (size_t s = 0; s < work.task->step_count; s++)
            any = any || wire_find(work.task, work.task->steps[s].id, "wire", &found) ||
                  wire_find(work.task, work.task->steps[s].id, "env", &found);
        ck_assert(any == work.wired);
        wired += any;
        loop_work_release(&work);
    }
    arena_release(&a);
    return wired;
}

/* Frames are mutated where there are some, in the share that is set, and not at all with --mutate 0. */
START_TEST(frames)
{
    struct target_options o = {.spec = "mcp:server", .settings = &settings, .ops = plan_ops};
    struct target *mcp = NULL, *commands = NULL;
    ck_assert_int_eq(target_new(&o, &mcp, NULL), 0);
    o.spec = "exec:";
    ck_assert_int_eq(target_new(&o, &commands, NULL), 0);
    options.mutate = 1;
    options.target = mcp;
    int some = wired_rounds();
    ck_assert(some > ROUNDS / 20 && some < ROUNDS / 4);
    set("loop.wire-share", "1");
    ck_assert_int_gt(wired_rounds(), ROUNDS * 9 / 10);
    options.mutate = 0;
    ck_assert_int_eq(wired_rounds(), 0);
    options.mutate = 1;
    options.feed_back = false;
    ck_assert_int_eq(wired_rounds(), 0);
    options.feed_back = true;
    options.target = commands;
    ck_assert_int_eq(wired_rounds(), 0);
    target_free(mcp);
    target_free(commands);
}
END_TEST

/* How many of the rounds bring a task that needs a `remove`: some do, some do not. */
static int removing_rounds(void)
{
    struct arena a;
    struct rng rng;
    int removing = 0;
    arena_init(&a);
    rng_seed(&rng, 9, 0);
    for (int i = 0; i < ROUNDS / 10; i++) {
        struct loop_work work;
        ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
        for (size_t n = 0; n < work.task->need_count; n++)
            removing += strcmp(work.task->needs[n], "remove") == 0;
        loop_work_release(&work);
    }
    arena_release(&a);
    return removing;
}

/* While exploring, tasks that the target was found unable to run are passed over, as far as there are others. A number of tasks
 * that was asked for is made whatever they need. */
START_TEST(unfit_tasks)
{
    struct target_options o = {.spec = "mcp:server", .settings = &settings, .ops = plan_ops};
    struct target *mcp = NULL;
    ck_assert_int_eq(target_new(&o, &mcp, NULL), 0);
    options.target = mcp;
    set("loop.mutate-share", "0");
    int before = removing_rounds();
    ck_assert(before > 0 && before < ROUNDS / 10);
    target_note_lack(mcp, "remove");
    ck_assert_int_eq(removing_rounds(), 0);
    options.count = 100000;
    ck_assert_int_gt(removing_rounds(), 0);
    target_free(mcp);
}
END_TEST

/* How many of the rounds bring a task that arms each class. */
static void arming_rounds(int arming[ARM_CLASSES])
{
    struct arena a;
    struct rng rng;
    arena_init(&a);
    rng_seed(&rng, 9, 0);
    memset(arming, 0, ARM_CLASSES * sizeof *arming);
    for (int i = 0; i < ROUNDS; i++) {
        struct loop_work work;
        struct arm_set set;
        ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
        arm_task(work.task, &set);
        for (size_t n = 0; n < ARM_CLASSES; n++)
            arming[n] += arm_has(&set, n);
        loop_work_release(&work);
    }
    arena_release(&a);
}

/* While exploring, what has been tried least comes first; a number of tasks that was asked for is made in order. */
START_TEST(classes_tried_little)
{
    struct domain *files = plan_load(TASKGEN_SOURCE_DIR "/domains/filesystem.xml");
    domains[0] = files;
    set("loop.choices", "8");
    set("loop.mutate-share", "0");
    int plain[ARM_CLASSES], sought[ARM_CLASSES];
    options.count = 100000;
    arming_rounds(plain);
    size_t rare = 0;
    while (rare < ARM_CLASSES && !(plain[rare] > ROUNDS / 30 && plain[rare] < ROUNDS / 5))
        rare++;
    ck_assert_uint_lt(rare, ARM_CLASSES);
    ck_assert_uint_eq(loop.armed[rare], 0);
    options.count = 0;
    for (size_t i = 0; i < ARM_CLASSES; i++)
        loop.armed[i] = i == rare ? 0 : 1000000;
    arming_rounds(sought);
    ck_assert_msg(sought[rare] > plain[rare] * 3 / 2, "%d, %d when sought", plain[rare], sought[rare]);
    ck_assert_int_eq((int)loop.armed[rare], sought[rare]);
    domain_free(files);
}
END_TEST

/* How many indices one more task has taken. */
static uint64_t indices_of_one(void)
{
    struct loop_work work;
    struct rng rng;
    struct arena a;
    arena_init(&a);
    rng_seed(&rng, 11, 0);
    uint64_t before = loop.next_index;
    ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
    loop_work_release(&work);
    arena_release(&a);
    return loop.next_index - before;
}

/* Of several tasks one is chosen only where running one takes much longer than making one does. */
START_TEST(choosing_is_worth_it)
{
    set("loop.choices", "8");
    set("loop.mutate-share", "0");
    ck_assert_uint_eq(indices_of_one(), 8); /* nobody knows yet what running one takes */
    loop.run_ns = 1000;
    ck_assert_uint_eq(indices_of_one(), 1);
    loop.run_ns = 1e15;
    ck_assert_uint_eq(indices_of_one(), 8);
}
END_TEST

enum { FEW_ROUNDS = 160 };

/* Of the tasks that are run, how many are of this workflow, which takes 5 s where the others take 0.3; NULL: the first of them that comes a
 * fourth time is given to `often`, and takes no longer than the others. */
static int rounds_of(const char *workflow, struct task **often)
{
    int count = 0;
    struct rng rng;
    struct arena a;
    struct task *seen[FEW_ROUNDS];
    arena_init(&a);
    rng_seed(&rng, 9, 0);
    memset(loop.armed, 0, sizeof loop.armed);
    memset(&loop.costs, 0, sizeof loop.costs);
    loop.next_index = 0;
    bool slow = workflow != NULL;
    for (int i = 0; i < FEW_ROUNDS; i++) {
        struct loop_work work;
        ck_assert_int_eq(loop_next(&loop, &rng, &a, &work, NULL), 1);
        loop_cost_note(&loop.costs, work.task, slow && !strcmp(work.task->workflow, workflow) ? INT64_C(5000000000) : 300000000);
        seen[i] = work.task;
        int same = 0;
        for (int k = 0; k <= i; k++)
            same += strcmp(seen[k]->workflow, work.task->workflow) == 0;
        if (!workflow && same == 4) {
            *often = task_copy(work.task);
            workflow = (*often)->workflow;
        }
    }
    for (int i = 0; i < FEW_ROUNDS; i++) {
        count += strcmp(seen[i]->workflow, workflow) == 0;
        task_free(seen[i]);
    }
    arena_release(&a);
    return count;
}

/* What waits for half a minute is run less often than what takes no time, and still is run. */
START_TEST(slow_workflows)
{
    struct domain *files = plan_load(TASKGEN_SOURCE_DIR "/domains/filesystem.xml");
    struct task *often = NULL;
    domains[0] = files;
    set("loop.choices", "8");
    set("loop.mutate-share", "0");
    int before = rounds_of(NULL, &often);
    int now = rounds_of(often->workflow, NULL);
    ck_assert_msg(before >= 4 && now > 0 && now < before, "%s: %d, %d when it is slow", often->workflow, before, now);
    task_free(often);
    domain_free(files);
}
END_TEST

/* Tasks of one class were asked for: they come in order. */
START_TEST(selected_tasks)
{
    struct select_options chosen = {.generate = &generate, .ops = plan_ops, .steps_low = 1, .steps_high = 100};
    struct selection *selection = NULL;
    ck_assert_int_eq(selection_new(&chosen, 6, &selection, NULL), 0);
    ck_assert(!selection_plain(selection));
    set("loop.choices", "8");
    set("loop.mutate-share", "0");
    run_rounds();
    ck_assert_uint_gt(loop.next_index, 2 * ROUNDS);
    loop.next_index = 0;
    options.select = selection;
    run_rounds();
    ck_assert_uint_eq(loop.next_index, ROUNDS);
    selection_free(selection);
}
END_TEST

/* Notes get a twentieth of the workers' time while exploring; what is none never waits. */
START_TEST(notes_wait)
{
    struct finding note = {.detail = "should: be kinder"}, other = {.detail = "is unkind"};
    int64_t second_ns = 1000000000;
    loop.start_ns = clock_monotonic_ns() - 100 * second_ns;
    options.workers = 2;
    loop.note_ns = 9 * second_ns;
    ck_assert(!loop_note_waits(&loop, &note));
    loop.note_ns = 20 * second_ns;
    ck_assert(loop_note_waits(&loop, &note));
    ck_assert(!loop_note_waits(&loop, &other));
    options.feed_back = false;
    ck_assert(!loop_note_waits(&loop, &note));
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, shares_are_kept);
    tcase_add_test(tests, share_grows);
    tcase_add_test(tests, two_in_one_session);
    tcase_add_test(tests, edits_alone);
    tcase_add_test(tests, no_edits);
    tcase_add_test(tests, other_grammar);
    tcase_add_test(tests, frames);
    tcase_add_test(tests, unfit_tasks);
    tcase_add_test(tests, classes_tried_little);
    tcase_add_test(tests, choosing_is_worth_it);
    tcase_add_test(tests, slow_workflows);
    tcase_add_test(tests, notes_wait);
    tcase_add_test(tests, selected_tasks);
}

int main(void)
{
    return unit_main("loop_next", fill);
}
