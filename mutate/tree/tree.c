/* The registry of tree mutators, and one mutant: edit, repair, look whether it is another task, record what
 * was done.
 *
 * Invariants: a mutant has only records of tree edits, the last of which holds its parent's derivation; the
 * derivation in a task is complete, so replaying it draws nothing and its seed does not matter. */
#include "mutate/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/tree/tree_internal.h"

static const struct tree_mutator *const registry[] = {
    &tree_regenerate,    &tree_replace_alternative, &tree_splice, &tree_recurse, &tree_hoist,
    &tree_drop,          &tree_duplicate,           &tree_swap,   &tree_move,    &tree_insert,
    &tree_rebind_handle,
};

enum { TRIES = 16, DETAIL_MOST = 4096 };

const struct tree_mutator *tree_mutator_at(size_t index)
{
    return index < sizeof registry / sizeof *registry ? registry[index] : NULL;
}

const struct tree_mutator *tree_mutator_find(const char *name)
{
    for (size_t i = 0; tree_mutator_at(i); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

int tree_repair(const struct generate_options *o, const struct domain *domain,
                const struct derivation *edited, uint64_t seed, uint64_t index, struct task **task,
                struct error **err)
{
    return generate_from(o, domain, edited, seed, index, task, err);
}

/* --- records --- */

static bool is_tree_edit(const struct json *record)
{
    const struct json *derivation = json_get(json_get(record, "before"), "derivation");
    return json_is(derivation, JSON_STRING) && !json_as_text(json_get(record, "step")).len;
}

/* The last `most` of the records that are tree edits. */
static void take_over(struct task *t, const struct json *records, size_t most)
{
    size_t count = 0;
    for (const struct json *r = records->first; r; r = r->next)
        count += is_tree_edit(r);
    for (const struct json *r = records->first; r; r = r->next)
        if (is_tree_edit(r) && count-- <= most)
            json_add(t->mutations, json_copy(&t->arena, r));
}

static void note(struct task *t, const struct task *parent, const struct tree_mutator *m, struct buf *detail)
{
    struct json *before = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, before, "derivation", json_text(&t->arena, parent->derivation));
    take_over(t, parent->mutations, TREE_RECORDS - 1);
    task_note_mutation(t, m->name, "", "", buf_string(detail), before);
    t->seed = parent->seed;
    t->index = parent->index;
    task_identify(t);
}

/* --- one mutant --- */

struct attempt {
    const struct generate_options *options;
    const struct domain *domain;
    const struct task *parent;
    char calm_id[33]; /* of the parent without what was done to its steps */
    struct derivation from, to;
    const struct derivation *donor;
    struct buf detail;
};

static int read_parent(struct attempt *a, struct error **err)
{
    const struct task *p = a->parent;
    if (!*p->derivation || strcmp(p->grammar_hash, domain_hash(a->domain)) != 0)
        return error_set(err, ERR_INPUT, "task %s is not of this grammar of domain \"%s\"", p->id,
                         domain_name(a->domain));
    if (derivation_decode(&a->from, bytes_of_string(p->derivation), err) < 0)
        return error_wrap(err, "task %s", p->id);
    if (!p->mutations->count) {
        memcpy(a->calm_id, p->id, sizeof a->calm_id);
        return 0;
    }
    struct task *calm;
    TRY(tree_repair(a->options, a->domain, &a->from, p->seed, p->index, &calm, err));
    memcpy(a->calm_id, calm->id, sizeof a->calm_id);
    task_free(calm);
    return 0;
}

/* Edits and repairs once. *task is NULL when there was nothing to edit, when a budget was passed or when
 * nothing is different. */
static int attempt(struct attempt *a, const struct tree_mutator *m, struct rng *rng, struct task **task,
                   struct error **err)
{
    struct tree_edit e = {.domain = a->domain,
                          .from = &a->from,
                          .donor = a->donor,
                          .to = &a->to,
                          .rng = rng,
                          .detail = &a->detail};
    struct error *trouble = NULL;
    *task = NULL;
    buf_clear(&a->detail);
    if (!m->edit(&e))
        return 0;
    int status = tree_repair(a->options, a->domain, &a->to, rng_next(rng), 0, task, &trouble);
    if (status == ERR_LIMIT) { /* the edit asks for more than a task may have */
        error_free(trouble);
        *task = NULL;
        return 0;
    }
    if (status < 0) {
        error_wrap(&trouble, "%s", m->name);
        if (err)
            *err = trouble;
        else
            error_free(trouble);
        return status;
    }
    if (strcmp((*task)->id, a->calm_id) == 0) {
        task_free(*task);
        *task = NULL;
        return 0;
    }
    note(*task, a->parent, m, &a->detail);
    return 0;
}

static int try_mutators(struct attempt *a, const struct tree_mutator *only, struct rng *rng,
                        struct task **task, struct error **err)
{
    TRY(read_parent(a, err));
    for (int tries = 0; tries < TRIES && !*task; tries++) {
        const struct tree_mutator *m = only;
        if (!m)
            m = registry[rng_below(rng, sizeof registry / sizeof *registry)];
        TRY(attempt(a, m, rng, task, err));
    }
    return 0;
}

int tree_mutate(const struct generate_options *o, const struct domain *domain, const struct task *parent,
                const struct derivation *donor, const struct tree_mutator *only, struct rng *rng,
                struct task **task, struct error **err)
{
    struct attempt a = {.options = o, .domain = domain, .parent = parent, .donor = donor};
    *task = NULL;
    derivation_init(&a.from);
    derivation_init(&a.to);
    buf_init(&a.detail, DETAIL_MOST);
    int status = try_mutators(&a, only, rng, task, err);
    derivation_release(&a.from);
    derivation_release(&a.to);
    buf_release(&a.detail);
    return status;
}

/* --- back --- */

static int derive_before(const struct generate_options *o, const struct domain *domain, const struct task *t,
                         const struct json *record, struct task **task, struct error **err)
{
    struct derivation before;
    derivation_init(&before);
    int status = derivation_decode(&before, json_as_text(json_get(json_get(record, "before"), "derivation")),
                                   err);
    if (status == 0)
        status = tree_repair(o, domain, &before, t->seed, t->index, task, err);
    derivation_release(&before);
    return status;
}

int tree_undo(const struct generate_options *o, const struct domain *domain, const struct task *t,
              struct task **task, struct error **err)
{
    const struct json *last = t->mutations->last;
    *task = NULL;
    if (!last || !is_tree_edit(last))
        return 0;
    TRY(derive_before(o, domain, t, last, task, err));
    for (const struct json *r = t->mutations->first; r != last; r = r->next)
        json_add((*task)->mutations, json_copy(&(*task)->arena, r));
    task_identify(*task);
    return 0;
}
