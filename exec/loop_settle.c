/* After an execution: store it, judge it, hand each signature on (loop_confirm.c), let it join the corpus (loop_admit.c), and count what
 * it has brought. */
#include "exec/loop_internal.h"

#include "exec/compare.h"
#include "exec/ending.h"
#include "exec/oracle/check.h"
#include "exec/oracle/facts.h"

#include <string.h>

/* Of what a task has brought, in tasks that joined the corpus: features lead to findings, of which there are fewer. */
static const double FOUND_WORTH = 40;

struct steps_wanted {
    const struct execution *e;
    struct arena *arena;
    size_t keep; /* of each output */
};

/* So much of it as a line of a report has room for. */
static const char *short_why(const char *why, struct arena *a)
{
    enum { WHY_MAX = 240 };
    size_t length = why ? strlen(why) : 0, keep = length < WHY_MAX ? length : WHY_MAX;
    while (keep && keep < length && ((unsigned char)why[keep] & 0xc0) == 0x80)
        keep--;
    return why ? arena_printf(a, "%.*s%s", (int)keep, why, keep < length ? "..." : "") : NULL;
}

/* A short JSON record of the steps, for people who look into the database. */
static const char *steps_record(void *user)
{
    const struct steps_wanted *wanted = user;
    const struct execution *e = wanted->e;
    struct arena *a = wanted->arena;
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct json *row = json_add(list, outline_row(o, a));
        json_set(a, row, "ms", json_integer(a, o->outcome.ns / 1000000));
        if (o->outcome.raw.len)
            json_set(a, row, "raw", json_string(a, bytes_slice(o->outcome.raw, 0, wanted->keep)));
    }
    struct buf text;
    buf_init(&text, 1 << 26);
    json_write(&text, list, JSON_COMPACT);
    char *copy = arena_string(a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

static int store_it(struct loop *l, const struct loop_work *work, const struct execution *e, struct arena *a,
                    enum execution_outcome outcome, const char *why, bool keep, struct loop_admission *m, struct error **err)
{
    const struct loop_options *o = l->options;
    struct steps_wanted *wanted = arena_alloc(a, sizeof *wanted);
    const char *ending_op;
    *wanted = (struct steps_wanted){e, a, (size_t)settings_int(o->settings, "store.keep-output")};
    *m = (struct loop_admission){.work = work, .record = {
        .run = o->run,
        .task = work->task,
        .parent = *work->parent ? work->parent : NULL,
        .outcome = outcome,
        .executed = e->executed,
        .skip_reason = e->skip_reason,
        .ns = e->ns,
        .why = short_why(why, a),
        .ending = ending_of(e, &ending_op),
        .ending_op = ending_op,
        .picked = work->picked.number ? &work->picked : NULL,
        .make_steps = steps_record,
        .make_user = wanted,
    }};
    /* What could not be sent as a whole brings nothing: kept, it would only breed more of its kind. */
    keep = keep && outcome != EXECUTION_HARNESS && outcome != EXECUTION_SKIPPED;
    return loop_admission_begin(l, m, e, keep, a, err);
}

/* What domains and mutators were tried, and won. */
static int count_yield(struct loop *l, const struct loop_work *work, const struct execution *e, struct arena *a,
                       const struct loop_admission *brought, size_t gained, struct error **err)
{
    const struct loop_options *o = l->options;
    loop_note_yield(l, work, brought->worth + FOUND_WORTH * (double)brought->found, e->ns);
    TRY(store_count(o->store, "domain", work->task->domain, 1, gained > 0, e->ns, err));
    TRY(store_count(o->store, "source", loop_source_name(work->source), 1, gained > 0, e->ns, err));
    const struct feedback *focus = work->picked.feature ? feedback_of(work->picked.feature) : NULL;
    if (focus)
        TRY(store_count(o->store, "focus", focus->name, 1, gained > 0, e->ns, err));
    for (const struct json *m = work->task->mutations->first; m; m = m->next) {
        const char *name = arena_string(a, json_as_text(json_get(m, "mutator")));
        TRY(store_count(o->store, "mutator", name, 1, gained > 0, e->ns, err));
    }
    /* Those that could not be applied to this target's calls: skipped, and no failure. */
    for (size_t i = 0; i < e->count; i++) {
        const struct outcome_fault *fault = e->observations[i].outcome.fault;
        if (fault && !fault->applied)
            TRY(store_count(o->store, "mutator-skipped", fault->mutator, 1, 0, 0, err));
    }
    return 0;
}

static int64_t calls_of(const struct execution *e)
{
    int64_t calls = 0;
    for (size_t i = 0; i < e->count; i++)
        calls += e->observations[i].outcome.class != OUTCOME_SKIPPED;
    return calls;
}

static void count_it(struct loop *l, const struct execution *e, enum execution_outcome outcome)
{
    pthread_mutex_lock(&l->lock);
    if (outcome != EXECUTION_SKIPPED && outcome != EXECUTION_HARNESS)
        loop_cost_note(&l->costs, e->task, e->ns);
    l->total.executions++;
    l->total.calls += calls_of(e);
    l->total.executed += e->executed && outcome != EXECUTION_HARNESS;
    l->total.passed += outcome == EXECUTION_PASSED;
    l->total.failed += outcome == EXECUTION_FAILED;
    l->total.skipped += outcome == EXECUTION_SKIPPED;
    l->total.harness += outcome == EXECUTION_HARNESS;
    pthread_mutex_unlock(&l->lock);
}

static enum execution_outcome outcome_of(const struct execution *e, struct arena *a, const char **why)
{
    if (e->harness)
        return EXECUTION_HARNESS;
    if (!e->executed && e->skip_reason)
        return EXECUTION_SKIPPED;
    return oracle_passed(e, why, a) ? EXECUTION_PASSED : EXECUTION_FAILED;
}

/* A task that holds a secret itself (somebody's own, or one made of what a target said) is kept without it, as a task of its own:
 * the store would leave the secret out of the text, which then would not be that of this id. NULL: it holds none, or is no task
 * without it; then its text alone is kept, and it is never picked again. */
static struct task *task_without_secrets(const struct loop *l, const struct task *task, bool *holds)
{
    const struct redactor *secrets = target_secrets(l->options->target);
    struct task *clean = NULL;
    *holds = false;
    if (redactor_empty(secrets))
        return NULL;
    struct buf text, kept;
    struct arena a;
    buf_init(&text, (size_t)1 << 30);
    buf_init(&kept, (size_t)1 << 30);
    arena_init(&a);
    task_write(task, &text);
    *holds = redact_into(secrets, buf_bytes(&text), NULL, REDACT_WHOLE, &kept);
    struct json *object = NULL;
    if (*holds && json_read(&a, buf_bytes(&kept), NULL, "task", &object, NULL, NULL) == 0) {
        json_remove(object, json_get(object, "id"));
        buf_clear(&text);
        json_write(&text, object, JSON_COMPACT);
        task_read(l->options->ops, buf_bytes(&text), "task", &clean, NULL);
    }
    arena_release(&a);
    buf_release(&text);
    buf_release(&kept);
    return clean;
}

void loop_describe(const struct loop *l, const struct execution *e, struct arena *a, struct store_execution *record)
{
    struct steps_wanted wanted = {e, a, (size_t)settings_int(l->options->settings, "store.keep-output")};
    const char *why = NULL;
    record->outcome = outcome_of(e, a, &why);
    record->why = short_why(why, a);
    record->executed = e->executed;
    record->skip_reason = e->skip_reason;
    record->ns = e->ns;
    record->ending = ending_of(e, &record->ending_op);
    record->steps = steps_record(&wanted);
    record->make_steps = NULL;
}

static int settle_verdicts(struct loop *l, const struct loop_work *work, const struct execution *e, struct loop_admission *m,
                           struct arena *a, struct error **err)
{
    struct verdicts verdicts = {.arena = a};
    oracle_judge(e, &verdicts);
    if (!verdicts.count)
        return 0;
    struct buf task_text;
    buf_init(&task_text, (size_t)1 << 30);
    task_write(work->task, &task_text);
    int status = 0;
    for (size_t i = 0; i < verdicts.count && !status; i++)
        status = loop_settle_verdict(l, e, buf_string(&task_text), &verdicts.items[i], m, err);
    buf_release(&task_text);
    return status;
}

static int settle(struct loop *l, const struct loop_work *work, const struct execution *plain, bool keep, struct arena *a,
                  struct error **err)
{
    const struct loop_options *o = l->options;
    struct execution known = facts_known(plain, a);
    const struct execution *e = &known;
    struct loop_admission m;
    const char *why = NULL;
    size_t gained = 0;
    enum execution_outcome outcome = outcome_of(e, a, &why);
    TRY(store_it(l, work, e, a, outcome, why, keep, &m, err));
    count_it(l, e, outcome);
    if (o->executed)
        o->executed(o->user, work->task, e, why);
    TRY(settle_verdicts(l, work, e, &m, a, err)); /* before the rest, since its fresh sessions show features too */
    TRY(loop_admission_end(&m, e, a, &gained, err));
    return count_yield(l, work, e, a, &m, gained, err);
}

int loop_settle(struct loop *l, const struct loop_work *work, const struct execution *e, struct arena *a, struct error **err)
{
    bool holds;
    struct task *clean = task_without_secrets(l, work->task, &holds);
    struct loop_work kept = *work;
    if (clean)
        kept.task = clean;
    int status = settle(l, &kept, e, clean || !holds, a, err);
    task_free(clean);
    return status;
}
