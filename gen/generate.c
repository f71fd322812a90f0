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

static int weigh_workflows(struct plan_run *run, const char *only)
{
    const struct domain *d = run->domain;
    double *weights = plan_weights(run, d->workflow_count), total = 0;
    for (size_t i = 0; i < d->workflow_count; i++) {
        bool wanted = !only || strcmp(only, d->workflows[i]->name) == 0;
        weights[i] = !wanted ? 0 : only ? 1 : d->workflows[i]->weight;
        total += weights[i];
    }
    if (total > 0)
        return 0;
    return error_set(run->err, ERR_INPUT, "domain \"%s\" has no workflow \"%s\"", d->name, only);
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

static int generate(const struct generate_options *o, const struct domain *d, const struct derivation *replay,
                    uint64_t seed, uint64_t index, struct task **task, struct error **err)
{
    struct plan_run run;
    run_init(&run, d, o->settings, replay, seed, index, err);
    int status = run_workflow(&run, replay ? NULL : o->workflow);
    if (status == 0)
        status = finish(&run);
    if (status < 0)
        task_free(run.task);
    else
        *task = run.task;
    run_release(&run);
    return status;
}

int generate_task(const struct generate_options *o, uint64_t seed, uint64_t index, struct task **task,
                  struct error **err)
{
    if (!o->domain_count)
        return error_set(err, ERR_INPUT, "no domain to generate tasks from");
    return generate(o, o->domains[index % o->domain_count], NULL, seed, index, task, err);
}

int generate_from(const struct generate_options *o, const struct domain *domain, const struct derivation *d,
                  uint64_t seed, uint64_t index, struct task **task, struct error **err)
{
    return generate(o, domain, d, seed, index, task, err);
}
