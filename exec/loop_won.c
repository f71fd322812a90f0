/* What has paid so far, by where tasks come from, what they were picked for and what was done to them (loop_yield.h): noted after each, and read from
 * the database at the begin, so that a run goes on with what earlier ones have learnt. */
#include "exec/loop_internal.h"

#include "mutate/mutate.h"
#include "mutate/tree/tree.h"

#include <stdio.h>
#include <string.h>

static size_t mutator_row(const char *name)
{
    size_t i = 0;
    while (mutator_at(i) && strcmp(mutator_at(i)->name, name))
        i++;
    return mutator_at(i) ? i : LOOP_YIELD_ROWS;
}

static size_t tree_row(const char *name)
{
    size_t i = 0;
    while (tree_mutator_at(i) && strcmp(tree_mutator_at(i)->name, name))
        i++;
    return tree_mutator_at(i) ? i : LOOP_YIELD_ROWS;
}

static size_t focus_row(const char *name)
{
    size_t i = 0;
    while (feedback_at(i) && strcmp(feedback_at(i)->name, name))
        i++;
    return feedback_at(i) ? i : LOOP_YIELD_ROWS;
}

/* Names of tree mutators may be those of others too: what was edited is told by what stands before. */
static void note_mutation(struct loop *l, const struct json *m, double won, double seconds)
{
    struct bytes text = json_as_text(json_get(m, "mutator"));
    char name[64];
    snprintf(name, sizeof name, "%.*s", BYTES_ARG(text));
    bool tree = json_get(json_get(m, "before"), "derivation") != NULL;
    loop_yield_note(tree ? &l->trees : &l->mutators, tree ? tree_row(name) : mutator_row(name), won, seconds);
}

void loop_note_yield(struct loop *l, const struct loop_work *work, double won, int64_t ns)
{
    double seconds = (double)ns / 1e9;
    pthread_mutex_lock(&l->lock);
    if (work->source < LOOP_SOURCES)
        loop_yield_note(&l->sources, work->source, won, seconds);
    const struct feedback *focus = work->picked.feature ? feedback_of(work->picked.feature) : NULL;
    if (focus)
        loop_yield_note(&l->focuses, focus_row(focus->name), won, seconds);
    for (const struct json *m = work->task->mutations->first; m; m = m->next)
        note_mutation(l, m, won, seconds);
    pthread_mutex_unlock(&l->lock);
}

static int load_kind(struct loop *l, const char *kind, struct loop_yields *y, size_t (*row)(const char *name), struct error **err)
{
    struct store_yield *rows;
    size_t count;
    struct arena a;
    arena_init(&a);
    int status = store_yields(l->options->store, kind, &a, &rows, &count, err);
    for (size_t i = 0; !status && i < count; i++)
        loop_yield_note(y, row(rows[i].name), (double)rows[i].won, (double)rows[i].ns / 1e9);
    arena_release(&a);
    return status;
}

static size_t source_row(const char *name)
{
    size_t i = 0;
    while (i < LOOP_SOURCES && strcmp(loop_source_name((enum loop_source)i), name))
        i++;
    return i < LOOP_SOURCES ? i : LOOP_YIELD_ROWS;
}

int loop_load_yields(struct loop *l, struct error **err)
{
    TRY(load_kind(l, "source", &l->sources, source_row, err));
    TRY(load_kind(l, "focus", &l->focuses, focus_row, err));
    TRY(load_kind(l, "mutator", &l->mutators, mutator_row, err));
    return load_kind(l, "mutator", &l->trees, tree_row, err); /* where both have a name, both begin with what it has won */
}
