/* Facts of properties, as far as it is certain what made the property: {table.data.rows} of a text that a
 * rule gave is wrong whatever is chosen. The scope check lets pass what some <set> somewhere could make
 * right; here it counts which of them can have been at work on this very handle. */
#include <string.h>

#include "grammar/flow_internal.h"

/* --- what made the properties --- */

static const struct maker **new_makers(const struct flow *f, const struct handle_type *type)
{
    return arena_alloc(f->r->arena, (type->prop_count + 1) * sizeof(struct maker *));
}

/* A kind that is made from this one may make the property in another way. */
static bool is_overridden(const struct flow *f, const struct handle_type *base, size_t prop)
{
    for (size_t i = 0; i < f->r->types.count; i++) {
        const struct handle_type *type = f->r->types.items[i];
        if (handle_type_is(type, base) && type->props[prop].maker != base->props[prop].maker)
            return true;
    }
    return false;
}

const struct maker **facts_of_def(const struct flow *f, const struct plan_def *def)
{
    const struct maker **makers = new_makers(f, def->type);
    for (size_t i = 0; i < def->type->prop_count; i++)
        makers[i] = def->type->props[i].maker;
    for (size_t i = 0; i < def->set_count; i++)
        makers[def->sets[i].prop] = def->sets[i].maker;
    return makers;
}

static bool is_set_somewhere(const struct flow *f, const char *prop)
{
    for (size_t i = 0; i < f->r->sets.count; i++)
        if (strcmp(((const struct known_set *)f->r->sets.items[i])->prop, prop) == 0)
            return true;
    return false;
}

/* Of a handle that any step may have made. */
const struct maker **facts_of_any(const struct flow *f, const struct handle_type *type)
{
    const struct maker **makers = new_makers(f, type);
    for (size_t i = 0; i < type->prop_count; i++)
        if (!is_set_somewhere(f, type->props[i].name) && !is_overridden(f, type, i))
            makers[i] = type->props[i].maker;
    return makers;
}

void facts_set(const struct flow *f, int slot, int prop, const struct maker *maker)
{
    struct slot_states *s = slot >= 0 && slot < f->slot_count ? &f->now[slot] : NULL;
    if (!s || !s->makers || !s->type)
        return;
    const struct maker **makers = new_makers(f, s->type);
    memcpy(makers, s->makers, s->type->prop_count * sizeof *makers);
    makers[prop] = maker;
    s->makers = makers;
}

/* Where ways meet, only what both agree on is certain. */
const struct maker **facts_join(const struct flow *f, const struct slot_states *a,
                                const struct slot_states *b)
{
    if (!a->makers || !b->makers || a->type != b->type)
        return NULL;
    if (a->makers == b->makers)
        return a->makers;
    const struct maker **makers = new_makers(f, a->type);
    for (size_t i = 0; i < a->type->prop_count; i++)
        makers[i] = a->makers[i] == b->makers[i] ? a->makers[i] : NULL;
    return makers;
}

/* --- reading them --- */

static int check_expr(const struct flow *f, struct plan_place place, const struct expr *e)
{
    for (size_t i = 0; i < e->arg_count; i++)
        TRY(check_expr(f, place, e->args[i]));
    if (e->kind != EXPR_NAME || e->prop < 0 || !e->fact.len || e->slot < 0 || e->slot >= f->slot_count)
        return 0;
    const struct slot_states *s = &f->now[e->slot];
    const struct maker *maker = s->makers && s->type && (size_t)e->prop < s->type->prop_count
                                    ? s->makers[e->prop]
                                    : NULL;
    if (!maker || maker_may_have_fact(f->r, maker, e->fact))
        return 0;
    return plan_fail(
        f->r->err, place,
        "\"%.*s.%.*s\": there is no fact \"%.*s\" of what made it at %s:%u, expected size, sha256, lines or "
        "a fact of that recipe",
        BYTES_ARG(e->text), BYTES_ARG(e->rest), BYTES_ARG(e->fact), maker->place.file, maker->place.line);
}

static int check_text(const struct flow *f, const struct text *t);

static int check_call(const struct flow *f, const struct rule_call *call)
{
    for (size_t i = 0; call && i < call->arg_count; i++)
        TRY(check_text(f, &call->args[i].value));
    return 0;
}

static int check_text(const struct flow *f, const struct text *t)
{
    for (size_t i = 0; t && i < t->count; i++) {
        if (t->parts[i].kind == TEXT_EXPR)
            TRY(check_expr(f, t->place, t->parts[i].expr));
        else if (t->parts[i].kind == TEXT_RULE)
            TRY(check_call(f, t->parts[i].call));
    }
    return 0;
}

static int check_maker(const struct flow *f, const struct maker *m)
{
    if (!m)
        return 0;
    TRY(check_call(f, m->call));
    TRY(check_text(f, &m->value));
    TRY(check_text(f, &m->low));
    TRY(check_text(f, &m->high));
    for (size_t i = 0; i < m->choice_count; i++)
        TRY(check_text(f, &m->choices[i]));
    for (size_t i = 0; i < m->parameter_count; i++)
        TRY(check_text(f, &m->parameters[i].value));
    return 0;
}

static int check_op(const struct flow *f, const struct plan_op *op)
{
    const struct text *common[] = {op->session,         op->as,    op->after_ms, op->timeout_ms,
                                   op->cancel_after_ms, op->repeat};
    for (size_t i = 0; i < op->arg_count; i++) {
        TRY(check_text(f, &op->args[i].text));
        for (size_t k = 0; k < op->args[i].item_count; k++)
            TRY(check_text(f, &op->args[i].items[k].value));
    }
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        TRY(check_text(f, common[i]));
    return 0;
}

static int check_expect(const struct flow *f, const struct plan_expect *e)
{
    TRY(check_text(f, e->file));
    TRY(check_text(f, e->json));
    TRY(check_text(f, e->site));
    for (int i = 0; i < EXPECT_PREDICATE_COUNT; i++)
        TRY(check_text(f, e->values[i]));
    return 0;
}

int facts_check(const struct flow *f, const struct plan_node *n)
{
    if (f->quiet)
        return 0;
    if (n->when)
        TRY(check_expr(f, n->place, n->when));
    switch (n->kind) {
    case PLAN_SAY:
        return check_text(f, &n->u.say);
    case PLAN_LET:
    case PLAN_PARAM:
        return check_maker(f, n->u.maker);
    case PLAN_SET:
        return check_maker(f, n->u.set.maker);
    case PLAN_DO:
        for (size_t i = 0; i < n->u.call.arg_count; i++)
            TRY(check_text(f, &n->u.call.args[i].value));
        return 0;
    case PLAN_OP:
        return check_op(f, &n->u.op);
    case PLAN_EXPECT:
        return check_expect(f, &n->u.expect);
    default: /* what a definition sets may read what it set before, which is not followed */
        return 0;
    }
}
