/* The registry of mutators, and who applies them: a domain's hazards while a task is generated, the loop
 * while it explores. */
#include "mutate/mutate.h"

#include <string.h>

#include "base/hash.h"
#include "gen/classes.h"
#include "mutate/mutate_internal.h"

static const struct mutator *const registry[] = {
    &mutator_null_byte,
    &mutator_encoding,
    &mutator_newline,
    &mutator_large_file,
    &mutator_truncated_multibyte,
    &mutator_base64_lookalike,
    &mutator_long_name,
    &mutator_path_trick,
    &mutator_special_file,
    &mutator_deep_nesting,
    &mutator_number_edge,
    &mutator_shell_quote,
    &mutator_dictionary,
    &mutator_tab_flood,
    &mutator_heavy_tabs,
    &mutator_dialog_storm,
    &mutator_navigation_race,
    &mutator_kill_browser,
    &mutator_odd_address,
    &mutator_odd_value,
    &mutator_odd_text,
    &mutator_lose_session,
    &mutator_process_spawn,
    &mutator_interleave,
    &mutator_cancel,
    &mutator_restart_between,
    &mutator_idle_between,
    &mutator_repeat,
    &mutator_background,
    &mutator_stale_handle,
    &mutator_drop,
    &mutator_duplicate,
    &mutator_swap,
    &mutator_move,
    &mutator_bad_utf8,
    &mutator_embedded_newline,
    &mutator_split_frame,
    &mutator_oversize_frame,
    &mutator_duplicate_key,
    &mutator_id_type,
    &mutator_missing_field,
    &mutator_batch,
    &mutator_bom,
    &mutator_unknown_version,
    &mutator_early_close,
    &mutator_no_newline_flood,
    &mutator_slow_reader,
    &mutator_kill_server,
    &mutator_stop_server,
    &mutator_small_disk,
    &mutator_small_shm,
    &mutator_locale,
    &mutator_uid,
    &mutator_closed_stdin,
    &mutator_env_canary,
};

enum { TRIES = 8 /* of mutate_task, for each mutation that is asked for */ };

/* Of mutators, when a class is asked for: those that provoke it. The others show what nobody thought of. */
#define TOWARDS_SHARE 0.5

const struct mutator *mutator_at(size_t index)
{
    return index < sizeof registry / sizeof *registry ? registry[index] : NULL;
}

const struct mutator *mutator_find(const char *name)
{
    for (size_t i = 0; mutator_at(i); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

static int check_words(const struct domain_hazard *h, const char *attribute, const char *words,
                       const char *known, struct error **err)
{
    struct bytes bad;
    if (mutation_words_within(words, known, &bad))
        return 0;
    return error_set(err, ERR_INPUT, "%s: %s of the hazard %s: found '%.*s', expected %s%s", h->place,
                     attribute, h->mutator, BYTES_ARG(bad), *known ? "words of: " : "nothing", known);
}

static int check_hazard(const struct domain_hazard *h, struct error **err)
{
    const struct mutator *mutator = mutator_find(h->mutator);
    if (!mutator)
        return error_set(err, ERR_INPUT,
                         "%s: found the mutator '%s', expected one that 'taskgen mutators' lists", h->place,
                         h->mutator);
    TRY(check_words(h, "on", h->on, mutator->places, err));
    return check_words(h, "kinds", h->kinds, mutator->kinds, err);
}

int mutate_check_hazards(const struct domain *d, struct error **err)
{
    for (size_t i = 0; i < domain_hazard_count(d); i++)
        TRY(check_hazard(domain_hazard(d, i), err));
    return 0;
}

/* 1: it struck; 0: it did not; negative: error. */
static int apply_hazard(struct task *t, const struct domain_hazard *h, const struct ops *ops,
                        const struct settings *settings, double strength, struct rng *rng, struct error **err)
{
    TRY(check_hazard(h, err));
    struct mutation m = {
        .task = t, .ops = ops, .rng = rng, .settings = settings, .on = h->on, .kinds = h->kinds};
    return rng_chance(rng, h->probability * strength) && mutator_find(h->mutator)->apply(&m);
}

int mutate_hazards(struct task *t, const struct domain *d, const struct ops *ops,
                   const struct settings *settings, double strength, struct error **err)
{
    if (strength <= 0)
        return 0;
    uint64_t seed = hash64_mix(t->seed, hash64(BYTES_LITERAL("hazard")));
    bool struck = false;
    for (size_t i = 0; i < domain_hazard_count(d); i++) {
        /* A stream for each: at another strength those that strike still strike alike. */
        struct rng rng;
        rng_seed(&rng, hash64_mix(seed, i), t->index);
        int applied = apply_hazard(t, domain_hazard(d, i), ops, settings, strength > 1 ? 1 : strength, &rng, err);
        if (applied < 0)
            return applied;
        struck = struck || applied;
    }
    if (struck)
        task_identify(t);
    return 0;
}

/* Who draws it. */
enum when { WHEN_MADE, WHEN_CALLED, WHEN_STARTED };

static enum when when_of(const struct mutator *mutator)
{
    if (mutator->at_start)
        return WHEN_STARTED;
    return strcmp(mutator->group, "wire") == 0 || strcmp(mutator->group, "env") == 0 ? WHEN_CALLED : WHEN_MADE;
}

/* It provokes one of the classes. */
static bool provokes(const struct mutator *mutator, const struct arm_set *classes)
{
    for (size_t i = 0; class_at(i); i++)
        if (arm_has(classes, i) && *class_at(i)->mutators && mutation_words_have(class_at(i)->mutators, mutator->name))
            return true;
    return false;
}

/* A random one of those; with classes, of those that provoke one of them. */
static bool apply_among(struct mutation *m, enum when when, const struct arm_set *classes, const double *odds)
{
    double sum = 0;
    uint64_t fitting = 0;
    const struct mutator *chosen = NULL;
    for (size_t i = 0; mutator_at(i); i++) {
        bool lacks = registry[i] == &mutator_dictionary && !dictionary_count(m->words);
        if (when_of(registry[i]) != when || (classes && !provokes(registry[i], classes)) || lacks)
            continue;
        sum += odds ? odds[i] : 0;
        if (odds ? rng_chance(m->rng, odds[i] / sum) : rng_below(m->rng, ++fitting) == 0)
            chosen = registry[i];
    }
    return chosen && chosen->apply(m);
}

static bool apply_one(struct mutation *m, enum when when, const struct mutate_choice *choice)
{
    bool towards = choice && choice->classes && rng_chance(m->rng, TOWARDS_SHARE);
    return apply_among(m, when, towards ? choice->classes : NULL, choice ? choice->odds : NULL);
}

size_t mutate_task_by(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng, size_t count,
                      const struct mutate_choice *choice)
{
    size_t applied = 0;
    for (size_t tries = 0; applied < count && tries / TRIES < count; tries++) {
        struct mutation m = {.task = t, .ops = ops, .rng = rng, .settings = settings, .words = choice ? choice->words : NULL};
        applied += apply_one(&m, WHEN_MADE, choice);
    }
    task_identify(t);
    return applied;
}

size_t mutate_task(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng,
                   size_t count)
{
    return mutate_task_by(t, ops, settings, rng, count, NULL);
}

static bool apply_any(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng, enum when when,
                      const struct mutate_choice *choice)
{
    struct mutation m = {.task = t, .ops = ops, .rng = rng, .settings = settings};
    bool applied = false;
    for (size_t tries = 0; !applied && tries < TRIES; tries++)
        applied = apply_one(&m, when, choice);
    task_identify(t);
    return applied;
}

bool mutate_wire(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng,
                 const struct mutate_choice *choice)
{
    return apply_any(t, ops, settings, rng, WHEN_CALLED, choice);
}

bool mutate_start(struct task *t, const struct ops *ops, const struct settings *settings, struct rng *rng,
                  const struct mutate_choice *choice)
{
    return apply_any(t, ops, settings, rng, WHEN_STARTED, choice);
}
