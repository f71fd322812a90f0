/* Mutants of tasks of a target's own tools: their derivation edited and completed again, as long as the tool
 * list is the one it came from. The log is the tree, so an edit is local: another choice at one place, or a
 * part drawn anew. */
#include <string.h>

#include "exec/loop_internal.h"

enum { EDITS_MAX = 3 };

/* Takes out what hangs below entry `at`: a replay draws it anew. */
static void empty_subtree(struct derivation *d, size_t at)
{
    uint32_t end = d->items[at].end, removed = end - (uint32_t)at - 1;
    memmove(&d->items[at + 1], &d->items[end], (d->count - end) * sizeof *d->items);
    d->count -= removed;
    for (size_t i = 0; i < d->count; i++)
        if (i > at || d->items[i].end >= end)
            d->items[i].end -= removed;
}

static void edit(struct derivation *d, struct rng *rng)
{
    size_t at = (size_t)rng_below(rng, d->count);
    if (d->items[at].end > at + 1 && rng_chance(rng, 0.5))
        empty_subtree(d, at);
    else
        d->items[at].value = rng_next(rng);
}

bool loop_tools_own(const struct loop_options *o, const struct task *t)
{
    return o->tools && strcmp(t->domain, "tools") == 0 &&
           strcmp(t->grammar_hash, toolset_hash(o->tools)) == 0;
}

int loop_tools_mutant(const struct loop_options *o, const struct task *parent, struct rng *rng,
                      struct task **task, struct error **err)
{
    struct derivation d;
    derivation_init(&d);
    int status = 0;
    if (derivation_decode(&d, bytes_of_string(parent->derivation), NULL) == 0 && d.count) {
        for (uint64_t edits = 1 + rng_below(rng, EDITS_MAX); edits > 0; edits--)
            edit(&d, rng);
        status = toolset_task_from(o->tools, o->ops, o->settings, &d, parent->seed, rng_next(rng), task, err);
        status = status < 0 ? status : 1;
    }
    derivation_release(&d);
    return status;
}
