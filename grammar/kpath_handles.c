/* Handles: which of their properties may be made only when they are read, and where a guard says that a
 * handle is there already, so that none has to be produced. */
#include <string.h>

#include "grammar/kpath_internal.h"

struct bytes kpath_first_word(struct bytes rest)
{
    ptrdiff_t dot = bytes_find(rest, BYTES_LITERAL("."), 0);
    return dot < 0 ? rest : bytes_slice(rest, 0, (size_t)dot);
}

/* --- properties that nobody may have set before they are read --- */

bool *kpath_missing(struct kpath_builder *b, const struct handle_type *type)
{
    size_t t = 0;
    while (b->domain->types[t] != type)
        t++;
    return b->missing[t];
}

/* What a definition's own handle is read by: its slot and the property. */
struct own {
    int slot;
    const char *prop;
};

static bool expr_reads(const struct expr *e, struct own own)
{
    if (!e)
        return false;
    bool reads = e->kind == EXPR_NAME && e->slot == own.slot && e->rest.len &&
                 bytes_equal_string(kpath_first_word(e->rest), own.prop);
    for (size_t i = 0; i < e->arg_count && !reads; i++)
        reads = expr_reads(e->args[i], own);
    return reads;
}

static bool text_reads(const struct text *t, struct own own)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct text_part *part = &t->parts[i];
        if (expr_reads(part->expr, own))
            return true;
        for (size_t k = 0; part->kind == TEXT_RULE && k < part->call->arg_count; k++)
            if (text_reads(&part->call->args[k].value, own))
                return true;
    }
    return false;
}

static bool maker_reads(const struct maker *m, struct own own)
{
    bool reads = text_reads(&m->value, own) || text_reads(&m->low, own) || text_reads(&m->high, own);
    for (size_t i = 0; i < m->choice_count; i++)
        reads |= text_reads(&m->choices[i], own);
    for (size_t i = 0; i < m->parameter_count; i++)
        reads |= text_reads(&m->parameters[i].value, own);
    return reads;
}

/* Set by the definition, and not read by what it sets before that. */
static bool is_set(const struct plan_def *def, int slot, size_t prop)
{
    for (size_t i = 0; i < def->set_count; i++) {
        if (maker_reads(def->sets[i].maker, (struct own){slot, def->type->props[prop].name}))
            return false;
        if ((size_t)def->sets[i].prop == prop)
            return true;
    }
    return false;
}

void kpath_note_definition(struct kpath_builder *b, const struct plan_node *n)
{
    const struct plan_def *def = &n->u.def;
    bool *missing = kpath_missing(b, def->type);
    for (size_t p = 0; p < def->type->prop_count; p++)
        missing[p] |= !is_set(def, n->slot, p);
}

void kpath_note_result(struct kpath_builder *b, const struct plan_op *op)
{
    if (!op->into || !op->into->type)
        return;
    const struct handle_type *type = op->into->type;
    bool *missing = kpath_missing(b, type);
    for (size_t p = 0; p < type->prop_count; p++) {
        bool given = false;
        for (size_t i = 0; i < op->op->result_count; i++)
            given |= strcmp(op->op->results[i].name, type->props[p].name) == 0;
        missing[p] |= !given;
    }
}

/* --- guards over handles --- */

/* True when `number` is how many there are, and the comparison with `bound` fails for none. */
static bool excludes_none(enum expr_kind kind, const struct expr *bound)
{
    if (bound->kind != EXPR_INTEGER)
        return false;
    return (kind == EXPR_GREATER && bound->integer >= 0) ||
           (kind == EXPR_GREATER_EQUAL && bound->integer > 0) ||
           (kind == EXPR_UNEQUAL && bound->integer == 0) || (kind == EXPR_EQUAL && bound->integer > 0);
}

/* live('file', 'present'), of handles that the <with> takes. */
static bool counts_fitting(const struct kpath_graph *g, const struct expr *e, const struct plan_with *with)
{
    if (e->kind != EXPR_CALL || e->function->id != EXPR_FN_LIVE || e->args[0]->kind != EXPR_TEXT)
        return false;
    const struct handle_type *type = NULL;
    for (size_t t = 0; t < g->domain->type_count; t++)
        if (bytes_equal_string(e->args[0]->text, g->domain->types[t]->name))
            type = g->domain->types[t];
    if (!type || !handle_type_is(type, with->type))
        return false;
    for (size_t i = 0; i < with->state_count; i++)
        if (e->arg_count > 1 && e->args[1]->kind == EXPR_TEXT &&
            bytes_equal_string(e->args[1]->text, with->states[i]))
            return true;
    return with->state_count == 0;
}

static bool says_there_is_one(const struct kpath_graph *g, const struct expr *e, const struct plan_with *with)
{
    if (!e)
        return false;
    if (e->kind == EXPR_AND)
        return says_there_is_one(g, e->args[0], with) || says_there_is_one(g, e->args[1], with);
    return e->arg_count == 2 && e->kind != EXPR_CALL && counts_fitting(g, e->args[0], with) &&
           excludes_none(e->kind, e->args[1]);
}

/* Only in a step's body, which begins with a frame of its own: elsewhere the handle that there is may have a
 * name already, and a <with> takes none twice. Nothing has been done since the guards were looked at. */
bool kpath_is_given(const struct kpath_graph *g, const struct kpath_body *body, const struct plan_with *with)
{
    if (!body->call || body->call->arg_count)
        return false;
    return says_there_is_one(g, body->given, with) || says_there_is_one(g, body->when, with);
}
