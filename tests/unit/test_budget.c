/* exec/target/session_budget: no budget is passed, whatever a task does: for each mutator there is, mutants of the shipped domains'
 * tasks are run against a driver that counts for itself, some of them in real boxes. */
#include <ftw.h>
#include <pthread.h>

#include "exec/runner.h"
#include "gen/generate.h"
#include "mutate/mutate.h"
#include "mutate/tree/tree.h"
#include "session_fixture.h"
#include "unit.h"

enum { CALLS = 12, BYTES = 20000, TABS = 3, PROCESSES = 24, MIB = 1 << 20, DISK_MIB = 8, MUTANTS = 6, BOXED = 1, TRIES = 20 };

static struct session_fixture f;

/* What came to the driver, counted there. */
static struct {
    const struct driver *real; /* carries calls out; NULL: they succeed at once */
    size_t calls, processes;
    uint64_t bytes, disk;
    int tabs, tabs_most;
    int64_t at_ns[64]; /* of the first batches */
    size_t batches;
} seen;
static struct driver counting;
static uint64_t tree_size;

static int add_size(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    tree_size += (uint64_t)st->st_blocks * 512;
    return 0;
}

static uint64_t text_of(const struct json *v)
{
    uint64_t size = 0;
    for (; v; v = v->next)
        size += v->text.len + v->key.len + text_of(v->first);
    return size;
}

static void look_at_box(struct session *s)
{
    struct process_info info[1];
    size_t now = session_processes(s, info, 1);
    seen.processes = now > seen.processes ? now : seen.processes;
    tree_size = 0;
    nftw(s->base, add_size, 16, FTW_PHYS);
    seen.disk = tree_size > seen.disk ? tree_size : seen.disk;
}

static void count_calls(struct session *s, struct call *const *calls, size_t count)
{
    if (seen.batches < sizeof seen.at_ns / sizeof *seen.at_ns)
        seen.at_ns[seen.batches] = clock_monotonic_ns();
    seen.batches++;
    for (size_t i = 0; i < count; i++) {
        seen.calls++;
        seen.bytes += text_of(calls[i]->args->first);
        seen.tabs += strcmp(calls[i]->op->name, "tab-open") == 0;
        seen.tabs -= strcmp(calls[i]->op->name, "tab-close") == 0;
        seen.tabs_most = seen.tabs > seen.tabs_most ? seen.tabs : seen.tabs_most;
        if (!seen.real)
            calls[i]->outcome.class = OUTCOME_OK;
    }
    if (seen.real) {
        seen.real->calls(s, calls, count);
        look_at_box(s);
    }
}

static enum support supports_all(struct session *s, const char *need)
{
    return SUPPORT_NATIVE;
}

static int nothing_opens(struct session *s, struct error **err)
{
    return 0;
}

static void nothing_closes(struct session *s)
{
}

static bool always(struct session *s)
{
    return true;
}

static const struct driver pretending = {.name = "pretending", .open = nothing_opens, .close = nothing_closes, .supports = supports_all,
                                         .alive = always, .calls = count_calls};

/* A target of which every call is counted: in a box, or one that only says yes. */
static void begin(bool boxed)
{
    const char *const small[][2] = {{"budget.calls", "12"},     {"budget.bytes", "20000"}, {"budget.tabs", "3"},
                                           {"budget.processes", "24"}, {"budget.disk", "8M"},     {"exec.grace", "100ms"},
                                           {"leftover.settle", "0"},   {"exec.step-timeout", "2s"}, {"exec.session-timeout", boxed ? "2s" : "300ms"}};
    memset(&seen, 0, sizeof seen);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        ck_assert_int_eq(settings_set(&f.settings, small[i][0], small[i][1], NULL), 0);
    struct target_options o = {.spec = "exec:", .settings = &f.settings, .ops = f.ops, .no_box = !boxed};
    ck_assert_int_eq(target_new(&o, &f.target, NULL), 0);
    counting = boxed ? *f.target->driver : pretending;
    seen.real = boxed ? f.target->driver : NULL;
    counting.calls = count_calls;
    f.target->driver = &counting;
}

static void end(void)
{
    if (f.session)
        session_close(f.session);
    f.session = NULL;
    target_free(f.target);
    f.target = NULL;
}

static void set_up(void)
{
    session_set_up(&f);
}

static void tear_down(void)
{
    session_tear_down(&f);
}

/* --- each budget --- */

static bool says(const char *reason)
{
    return f.call.outcome.class == OUTCOME_SKIPPED && f.call.outcome.skip_reason && strcmp(f.call.outcome.skip_reason, reason) == 0;
}

START_TEST(calls)
{
    struct session *beside = NULL;
    begin(false);
    session_begin(&f);
    size_t probes = seen.calls; /* canaries are not counted against it */
    ck_assert_int_eq(session_open_beside(f.session, &beside, NULL), 0);
    for (int i = 0; i < CALLS; i++) {
        f.call = fixture_call(&f, "read", fixture_json(&f, "{\"path\":\"a\"}"));
        session_calls(i % 2 ? f.session : beside, (struct call *[]){&f.call}, 1);
        ck_assert_int_eq(f.call.outcome.class, OUTCOME_OK);
    }
    do_call(&f, "read", "{\"path\":\"a\"}");
    ck_assert(says("budget.calls is used up"));
    session_calls(beside, (struct call *[]){&f.call}, 1);
    ck_assert(says("budget.calls is used up"));
    ck_assert_uint_eq(seen.calls - probes, CALLS);
    session_close(beside);
    end();
}
END_TEST

START_TEST(bytes)
{
    begin(false);
    session_begin(&f);
    char *big = arena_printf(&f.arena, "{\"path\":\"a\",\"content\":\"%*s\"}", BYTES / 2, "");
    ck_assert_int_eq(do_call(&f, "write", big), OUTCOME_OK);
    do_call(&f, "write", big);
    ck_assert(says("budget.bytes is used up"));
    ck_assert_int_eq(do_call(&f, "write", "{\"path\":\"a\",\"content\":\"small\"}"), OUTCOME_OK);
    ck_assert_uint_lt(session_bytes_left(f.session), BYTES / 2);
    end();
}
END_TEST

/* What a driver sent beyond what it was told counts too. */
static void sends_much(struct session *s, struct call *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        list[i]->outcome.class = OUTCOME_OK;
        list[i]->outcome.bytes_in = BYTES;
    }
}

START_TEST(bytes_of_frames)
{
    begin(false);
    session_begin(&f);
    counting.calls = sends_much;
    ck_assert_int_eq(do_call(&f, "read", "{\"path\":\"a\"}"), OUTCOME_OK);
    ck_assert_uint_eq(session_bytes_left(f.session), 0);
    do_call(&f, "read", "{\"path\":\"a\"}");
    ck_assert(says("budget.bytes is used up"));
    end();
}
END_TEST

START_TEST(tabs)
{
    begin(false);
    session_begin(&f);
    for (int i = 0; i < TABS; i++)
        ck_assert_int_eq(do_call(&f, "tab-open", "{}"), OUTCOME_OK);
    do_call(&f, "tab-open", "{}");
    ck_assert(says("budget.tabs is used up"));
    ck_assert_int_eq(do_call(&f, "tab-close", "{\"tab\":1}"), OUTCOME_OK);
    ck_assert_int_eq(do_call(&f, "tab-open", "{}"), OUTCOME_OK);
    end();
}
END_TEST

static void *call_often(void *session)
{
    struct arena a;
    arena_init(&a);
    for (int i = 0; i < 5; i++) {
        struct call call = {.op = ops_find(f.ops, "read"), .args = json_new(&a, JSON_OBJECT), .timeout_ms = 20000, .cancel_after_ms = -1,
                            .arena = &a};
        session_calls(session, (struct call *[]){&call}, 1);
    }
    arena_release(&a);
    return NULL;
}

/* Of a target, however many sessions it has. */
START_TEST(rate)
{
    enum { SESSIONS = 2, RATE = 50 };
    struct session *sessions[SESSIONS];
    pthread_t threads[SESSIONS];
    begin(false);
    ck_assert_int_eq(settings_set(&f.settings, "budget.rate", "50", NULL), 0);
    for (int i = 0; i < SESSIONS; i++)
        ck_assert_int_eq(session_open(f.target, &sessions[i], NULL), 0);
    int64_t start = clock_monotonic_ns();
    for (int i = 0; i < SESSIONS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, sessions[i]), 0);
    for (int i = 0; i < SESSIONS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_ge(clock_monotonic_ns() - start, (SESSIONS * 5 - 1) * (1000000000LL / RATE));
    for (int i = 0; i < SESSIONS; i++)
        session_close(sessions[i]);
    end();
}
END_TEST

START_TEST(processes)
{
    begin(true);
    if (!target_boxed(f.target, NULL)) {
        printf("not tested: this machine has no box\n");
        end();
        return;
    }
    session_begin(&f);
    do_call(&f, "run", "{\"language\":\"sh\",\"script\":\"i=0; while [ $i -lt 200 ]; do sleep 2 & i=$((i+1)); done; echo $i\"}");
    ck_assert_uint_gt(seen.processes, PROCESSES / 2);
    ck_assert_uint_le(seen.processes, PROCESSES);
    end();
}
END_TEST

START_TEST(disk)
{
    begin(true);
    session_begin(&f);
    /* more than the budget in files each of which is within it; slowly enough that the kernel is not a race */
    f.call = fixture_call(&f, "run", fixture_json(&f, "{\"language\":\"sh\",\"script\":\"for i in $(seq 400); do head -c 1048576 /dev/zero > f$i; "
                                                      "sleep 0.01; done; echo all\"}"));
    session_calls(f.session, (struct call *[]){&f.call}, 1);
    ck_assert_int_eq(f.call.outcome.class, OUTCOME_HARNESS);
    ck_assert_msg(bytes_equal_string(f.call.outcome.message, "budget.disk is used up"), "%s", said_words(&f));
    ck_assert_uint_ge(seen.disk, (uint64_t)DISK_MIB * MIB);
    ck_assert_uint_le(seen.disk, 4ULL * DISK_MIB * MIB);
    end();
}
END_TEST

START_TEST(one_file)
{
    begin(true);
    session_begin(&f);
    do_call(&f, "run", "{\"language\":\"sh\",\"script\":\"trap '' XFSZ; dd if=/dev/zero of=big bs=1M count=64 2>&1\"}");
    ck_assert_uint_le(seen.disk, (uint64_t)(DISK_MIB + 1) * MIB);
    end();
}
END_TEST

/* --- under every mutator --- */

static struct domain *domain;
static struct generate_options options;

static void load(const char *name)
{
    struct error *err = NULL;
    char *path = arena_printf(&f.arena, TASKGEN_SOURCE_DIR "/domains/%s.xml", name);
    ck_assert_msg(domain_load(path, f.ops, generate_recipes(), &domain, &err) == 0, "%s", err ? err->text : "");
    options = (struct generate_options){.domains = (const struct domain *const *)&domain, .domain_count = 1, .settings = &f.settings};
}

/* A task of the domain with one to three mutations by this mutator; NULL: none fitted. */
static struct task *mutant(const struct mutator *m, const struct tree_mutator *t, uint64_t index, struct rng *rng)
{
    struct task *task = NULL;
    ck_assert_int_eq(generate_task(&options, 77, index, &task, NULL), 0);
    bool any = false;
    if (t) {
        struct task *edited = NULL;
        ck_assert_int_eq(tree_mutate(&options, domain, task, NULL, t, rng, &edited, NULL), 0);
        task_free(task);
        return edited;
    }
    for (uint64_t i = 0; i < 1 + index % 3; i++) {
        struct mutation change = {.task = task, .ops = f.ops, .rng = rng, .settings = &f.settings};
        any = m->apply(&change) || any;
    }
    task_identify(task);
    if (any)
        return task;
    task_free(task);
    return NULL;
}

/* Waiting costs no budget, only this test's time. */
static void without_waits(struct task *task)
{
    for (size_t i = 0; i < task->step_count; i++) {
        struct task_step *step = &task->steps[i];
        step->after_ms = 0;
        if (strcmp(step->op->name, "idle") == 0)
            step->args = fixture_json(&f, "{\"ms\":0}");
    }
}

static void run(const char *name, const struct task *task)
{
    struct execution e;
    struct arena a;
    struct error *err = NULL;
    arena_init(&a);
    const struct driver *real = seen.real;
    memset(&seen, 0, sizeof seen);
    seen.real = real;
    int status = runner_execute(f.target, task, &a, NULL, &e, &err);
    ck_assert_msg(status == 0, "%s: %s", name, err ? err->text : "");
    size_t sent = 0;
    for (size_t i = 0; i < e.count; i++)
        sent += e.observations[i].outcome.class != OUTCOME_SKIPPED && strcmp(e.observations[i].step->op->name, "idle") != 0;
    /* the canaries of the session are no calls of the task: at most a read and a write, and what they are made of */
    ck_assert_msg(seen.calls <= CALLS + 8, "%s: %zu calls", name, seen.calls);
    ck_assert_msg(sent <= CALLS, "%s: %zu steps", name, sent);
    ck_assert_msg(seen.bytes <= BYTES + 4096, "%s: %llu bytes", name, (unsigned long long)seen.bytes);
    ck_assert_msg(seen.tabs_most <= TABS, "%s: %d tabs", name, seen.tabs_most);
    ck_assert_msg(seen.processes <= PROCESSES, "%s: %zu processes", name, seen.processes);
    ck_assert_msg(seen.disk <= 4ULL * DISK_MIB * MIB, "%s: %llu bytes on disk", name, (unsigned long long)seen.disk);
    arena_release(&a);
}

static size_t try_mutator(const char *name, const struct mutator *m, const struct tree_mutator *t, size_t wanted)
{
    struct rng rng;
    size_t made = 0;
    rng_seed(&rng, 78, 0);
    for (uint64_t index = 0; index < TRIES && made < wanted; index++) {
        struct task *task = mutant(m, t, index, &rng);
        if (!task)
            continue;
        without_waits(task);
        run(name, task);
        task_free(task);
        made++;
    }
    return made;
}

static void try_all(bool boxed, size_t wanted, const char *const *domains, size_t *total)
{
    begin(boxed);
    for (; *domains; domains++) {
        load(*domains);
        for (size_t i = 0; mutator_at(i); i++)
            if (strcmp(mutator_at(i)->group, "tree") != 0 && !tree_mutator_find(mutator_at(i)->name))
                *total += try_mutator(mutator_at(i)->name, mutator_at(i), NULL, wanted);
        for (size_t i = 0; tree_mutator_at(i); i++)
            *total += try_mutator(tree_mutator_at(i)->name, NULL, tree_mutator_at(i), wanted);
        domain_free(domain);
    }
    end();
}

START_TEST(mutants_that_are_counted)
{
    size_t total = 0;
    try_all(false, MUTANTS, (const char *const[]){"process", "browser", NULL}, &total);
    ck_assert_uint_gt(total, 150);
}
END_TEST

START_TEST(mutants_in_boxes)
{
    size_t total = 0;
    try_all(true, BOXED, (const char *const[]){"process", NULL}, &total);
    ck_assert_uint_gt(total, 15);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, calls);
    tcase_add_test(tests, bytes);
    tcase_add_test(tests, bytes_of_frames);
    tcase_add_test(tests, tabs);
    tcase_add_test(tests, rate);
    tcase_add_test(tests, processes);
    tcase_add_test(tests, disk);
    tcase_add_test(tests, one_file);
    tcase_add_test(tests, mutants_that_are_counted);
    tcase_add_test(tests, mutants_in_boxes);
}

int main(void)
{
    return unit_main("budget", fill);
}
