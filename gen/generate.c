/* Tasks from domains: sets up a run, derives a workflow, and fills the task's record. Everything a task
 * depends on is drawn from the stream of (seed, index), so a task never depends on its neighbours or on the
 * thread that makes it. */
#include "gen/generate.h"

#include <stdlib.h>
#include <string.h>

#include "gen/plan_internal.h"

enum {
    RECORD_ITSELF = 1024, /* members of the record that every task has */
    INSTRUCTION_MOST = 1 << 20
};

static bool recipe_known(const char *recipe)
{
    return recipe_find(bytes_of_string(recipe)) != NULL;
}

static bool parameter_known(const char *recipe, const char *parameter)
{
    const struct recipe *found = recipe_find(bytes_of_string(recipe));
    return found && recipe_parameter_known(found, parameter);
}

static bool fact_known(const char *recipe, const char *fact)
{
    const struct recipe *found = recipe_find(bytes_of_string(recipe));
    return found && recipe_fact_known(found, fact);
}

const struct domain_recipes *generate_recipes(void)
{
    static const struct domain_recipes recipes = {recipe_known, parameter_known, fact_known};
    return &recipes;
}

/* The setting is a ceiling for what the template asks for. */
static uint64_t lower(uint64_t limit, int64_t setting)
{
    return limit < (uint64_t)setting ? limit : (uint64_t)setting;
}

static void run_init(struct plan_run *run, const struct domain *d, const struct settings *settings,
                     const struct derivation *replay, uint64_t seed, uint64_t index, struct error **err)
{
    *run = (struct plan_run){.domain = d, .err = err, .bytes = RECORD_ITSELF};
    run->steps_max = (uint32_t)lower(d->limits.steps, settings_int(settings, "generate.max-steps"));
    run->depth_max = (uint32_t)lower(d->limits.depth, settings_int(settings, "generate.depth"));
    run->bytes_max = lower(d->limits.bytes, settings_int(settings, "generate.max-bytes"));
    run->content_max = (uint64_t)settings_int(settings, "generate.max-content");
    run->task = task_new();
    arena_init(&run->scratch);
    derivation_init(&run->log);
    buf_init(&run->said, INSTRUCTION_MOST);
    rng_seed(&run->rng, seed, index);
    chooser_init(&run->chooser, &run->rng, replay, &run->log);
    struct task *t = run->task;
    t->domain = arena_string(&t->arena, bytes_of_string(d->name));
    t->grammar_hash = arena_string(&t->arena, bytes_of_string(d->hash));
    t->seed = seed;
    t->index = index;
}

static void run_release(struct plan_run *run)
{
    buf_release(&run->said);
    derivation_release(&run->log);
    arena_release(&run->scratch);
}

/* At the very last, of all workflows that may be taken only the cheapest is. */
static void keep_cheapest(const struct domain *d, double *weights)
{
    const struct plan_step *best = NULL;
    for (size_t i = 0; i < d->workflow_count; i++)
        if (weights[i] > 0 && (!best || plan_cost_less(d->workflows[i]->cost, best->cost)))
            best = d->workflows[i];
    for (size_t i = 0; i < d->workflow_count; i++)
        weights[i] = d->workflows[i] == best ? weights[i] : 0;
}

static int weigh_workflows(struct plan_run *run, const char *only)
{
    const struct domain *d = run->domain;
    double *weights = plan_weights(run, d->workflow_count), total = 0;
    for (size_t i = 0; i < d->workflow_count; i++) {
        bool wanted = !only || strcmp(only, d->workflows[i]->name) == 0;
        weights[i] = !wanted ? 0 : only ? 1 : d->workflows[i]->weight;
        total += weights[i];
    }
    const struct choice *logged = run->chooser.limit ? &run->chooser.replay->items[0] : NULL;
    if (logged && logged->site == PLAN_SITE_WORKFLOW && logged->value < d->workflow_count &&
        !(weights[logged->value] > 0)) /* it was asked for by name when the log was made */
        total += weights[logged->value] = 1;
    if (run->any_workflow)
        keep_cheapest(d, weights);
    if (total > 0)
        return 0;
    return error_set(run->err, ERR_INPUT, "domain \"%s\" has no workflow \"%s\"", d->name, only);
}

/* It stands in the log, so that a replay derives the same. */
static void settle_sparing(struct plan_run *run)
{
    if (run->sparing)
        chooser_note(&run->chooser, PLAN_SITE_ROOM, run->sparing);
    else if (chooser_recalls(&run->chooser, PLAN_SITE_ROOM))
        run->sparing = chooser_uniform(&run->chooser, PLAN_SITE_ROOM, PLAN_SPARING_MOST + 1);
}

static int run_workflow(struct plan_run *run, const char *only)
{
    size_t handle;
    TRY(weigh_workflows(run, only));
    size_t index = chooser_open_weighted(&run->chooser, PLAN_SITE_WORKFLOW, run->weights,
                                         run->domain->workflow_count, &handle);
    const struct plan_step *workflow = run->domain->workflows[index];
    run->task->workflow = arena_string(&run->task->arena, bytes_of_string(workflow->name));
    if (workflow->cost.steps > run->steps_max)
        return error_set(run->err, ERR_LIMIT,
                         "%s:%u: workflow \"%s\" has at least %u steps, expected at most %u "
                         "(generate.max-steps)",
                         workflow->place.file, workflow->place.line, workflow->name, workflow->cost.steps,
                         run->steps_max);
    plan_swarm_draw(run);
    settle_sparing(run);
    struct frame frame = plan_frame(run, workflow->slot_count);
    TRY(plan_run_list(run, &frame, workflow->body, 0));
    chooser_close(&run->chooser, handle);
    return 0;
}

/* --- what the record says beside the steps --- */

static void set_limits(struct plan_run *run)
{
    const struct plan_limits *limits = &run->domain->limits;
    struct task *t = run->task;
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {{"timeout_ms", limits->ms},
                {"bytes", limits->payload},
                {"processes", limits->processes},
                {"tabs", limits->tabs}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value >= 0)
            json_set(&t->arena, t->limits, rows[i].name, json_integer(&t->arena, rows[i].value));
}

static int finish(struct plan_run *run)
{
    struct task *t = run->task;
    struct buf text;
    struct plan_place place = {run->domain->file, 1};
    plan_finish_expects(run);
    t->instruction = arena_string(&t->arena, buf_bytes(&run->said));
    buf_init(&text, SIZE_MAX);
    derivation_encode(&run->log, &text);
    t->derivation = arena_string(&t->arena, buf_bytes(&text));
    uint64_t length = text.len;
    buf_release(&text);
    set_limits(run);
    task_identify(t);
    return plan_charge(run, place, length);
}

/* What is derived, and how often that was tried. */
struct attempt {
    const struct domain *domain;
    const struct derivation *replay;
    struct chooser_guide *guide;
    const char *workflow;
    uint64_t seed, index;
    uint64_t sparing;
    bool any_workflow;
};

/* a->sparing becomes what the run was like in the end: a replay may bring its own. */
static int derive(const struct generate_options *o, struct attempt *a, struct task **task, bool *too_long,
                  struct error **err)
{
    struct plan_run run;
    run_init(&run, a->domain, o->settings, a->replay, a->seed, a->index, err);
    run.chooser.guide = a->guide;
    run.sparing = a->sparing;
    run.any_workflow = a->any_workflow;
    int status = run_workflow(&run, a->workflow);
    if (status == 0)
        status = finish(&run);
    if (status < 0)
        task_free(run.task);
    else
        *task = run.task;
    *too_long = run.too_long;
    a->sparing = run.sparing;
    run_release(&run);
    return status;
}

/* A task that gets too long is derived again, from the same draws, and is more sparing each time; at the very last by
 * the cheapest workflow. The message of a failure is the last one. */
static int generate(const struct generate_options *o, struct attempt a, struct task **task, struct error **err)
{
    for (;;) {
        struct error *failure = NULL;
        bool too_long;
        int status = derive(o, &a, task, &too_long, err ? &failure : NULL);
        bool last = status == 0 || !too_long || (a.any_workflow && a.sparing == PLAN_SPARING_MOST);
        if (last) {
            if (err)
                *err = failure;
            return status;
        }
        error_free(failure);
        a.any_workflow = a.sparing == PLAN_SPARING_MOST;
        a.sparing += a.sparing < PLAN_SPARING_MOST;
    }
}

int generate_task(const struct generate_options *o, uint64_t seed, uint64_t index, struct task **task,
                  struct error **err)
{
    if (!o->domain_count)
        return error_set(err, ERR_INPUT, "no domain to generate tasks from");
    struct attempt a = {.domain = o->domains[index % o->domain_count],
                        .workflow = o->workflow,
                        .seed = seed,
                        .index = index};
    return generate(o, a, task, err);
}

int generate_from(const struct generate_options *o, const struct domain *domain, const struct derivation *d,
                  uint64_t seed, uint64_t index, struct task **task, struct error **err)
{
    struct attempt a = {.domain = domain, .replay = d, .seed = seed, .index = index};
    return generate(o, a, task, err);
}

int generate_guided(const struct generate_options *o, const struct domain *domain, struct chooser_guide *guide,
                    uint64_t seed, uint64_t index, struct task **task, struct error **err)
{
    struct attempt a = {.domain = domain, .guide = guide, .workflow = o->workflow, .seed = seed, .index = index};
    return generate(o, a, task, err);
}
