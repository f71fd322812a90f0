/* What stands directly below an alternative: a walk over its body and over all texts, makers and rules in it,
 * down to where the next choice opens something. */
#include <string.h>

#include "grammar/kpath_internal.h"

static void scan_text(struct kpath_builder *b, const struct text *t);

/* --- what is found --- */

static void add_child(struct kpath_builder *b, uint32_t site, uint32_t rest, bool unlikely)
{
    struct kpath_graph *g = b->graph;
    if (b->making) {
        struct kpath_property *p = &g->properties.items[g->properties.count - 1];
        for (uint32_t i = 0; i < p->site_count; i++)
            if (g->sites.items[p->site + i] == site)
                return;
        POOL_ADD(g->sites, site);
        p->site_count++;
        return;
    }
    struct kpath_alternative *a = &g->alternatives.items[b->alternative];
    if (b->kid_of[site] > a->child) {
        struct kpath_child *known = &g->kids.items[b->kid_of[site] - 1];
        known->rest = rest < known->rest ? rest : known->rest;
        known->unlikely &= unlikely;
        return;
    }
    POOL_ADD(g->kids, ((struct kpath_child){.site = site, .rest = rest, .unlikely = unlikely}));
    a->child_count++;
    b->kid_of[site] = (uint32_t)g->kids.count;
}

static uint32_t name_number(struct kpath_graph *g, struct bytes name)
{
    for (size_t i = 0; i < g->names.count; i++)
        if (bytes_equal(g->names.items[i], name))
            return (uint32_t)i;
    POOL_ADD(g->names, name);
    return (uint32_t)g->names.count - 1;
}

static void add_read(struct kpath_builder *b, struct bytes name)
{
    struct kpath_graph *g = b->graph;
    uint32_t number = name_number(g, name), *first, *count;
    if (b->making) {
        struct kpath_property *p = &g->properties.items[g->properties.count - 1];
        first = &p->read;
        count = &p->read_count;
    } else {
        struct kpath_alternative *a = &g->alternatives.items[b->alternative];
        first = &a->read;
        count = &a->read_count;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (g->reads.items[*first + i] == number)
            return;
    POOL_ADD(g->reads, number);
    ++*count;
}

/* --- expressions and texts --- */

static void scan_expr(struct kpath_builder *b, const struct expr *e)
{
    if (!e)
        return;
    if (e->kind == EXPR_NAME && e->rest.len)
        add_read(b, kpath_first_word(e->rest));
    for (size_t i = 0; i < e->arg_count; i++)
        scan_expr(b, e->args[i]);
}

static void wait_for_kids(struct kpath_builder *b, const struct node *n, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        POOL_ADD(b->waiting, b->domain->grammar->kids.items[n->first + i]);
}

static void scan_node(struct kpath_builder *b, const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case NODE_CHOICE:
        kpath_open(b, n->site, SITE_ALTERNATIVE, NULL);
        add_child(b, n->site, 0, false);
        break;
    case NODE_REPEAT:
        if (n->u.repeat.min == n->u.repeat.max) {
            wait_for_kids(b, n, n->count);
            break;
        }
        kpath_open(b, n->site, SITE_COUNT, NULL);
        add_child(b, n->site, 0, false);
        break;
    case NODE_CALL: /* what is computed from parameters alone chooses nothing */
        wait_for_kids(b, n, n->count);
        POOL_ADD(b->waiting, b->domain->grammar->rules.items[n->target].body);
        break;
    case NODE_FIELD_OF:
    case NODE_FUNCTION:
        wait_for_kids(b, n, 1);
        break;
    case NODE_SEQUENCE:
        wait_for_kids(b, n, n->count);
        break;
    default: /* a leaf */
        break;
    }
}

static void scan_waiting(struct kpath_builder *b)
{
    b->stamp++;
    while (b->waiting.count) {
        uint32_t index = b->waiting.items[--b->waiting.count];
        if (b->node_stamps[index] == b->stamp)
            continue;
        b->node_stamps[index] = b->stamp;
        scan_node(b, &b->domain->grammar->nodes.items[index]);
    }
}

static void scan_rule(struct kpath_builder *b, const struct rule_call *call)
{
    const struct rule *rule = &b->domain->grammar->rules.items[call->rule];
    for (uint32_t i = 0; i < rule->arity; i++)
        scan_text(b, &call->order[i]->value);
    POOL_ADD(b->waiting, rule->body);
    scan_waiting(b);
}

static void scan_text(struct kpath_builder *b, const struct text *t)
{
    for (size_t i = 0; t && i < t->count; i++) {
        scan_expr(b, t->parts[i].expr);
        if (t->parts[i].kind == TEXT_RULE)
            scan_rule(b, t->parts[i].call);
    }
}

static void scan_named(struct kpath_builder *b, const struct named_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        scan_text(b, &texts[i].value);
}

static void scan_maker(struct kpath_builder *b, const struct maker *m)
{
    if (!m)
        return;
    switch (m->kind) {
    case MAKE_RULE:
        scan_rule(b, m->call);
        break;
    case MAKE_VALUE:
        scan_text(b, &m->value);
        break;
    case MAKE_INT:
        scan_text(b, &m->low);
        scan_text(b, &m->high);
        break;
    case MAKE_RECIPE:
        scan_named(b, m->parameters, m->parameter_count);
        break;
    case MAKE_PICK:
        for (size_t i = 0; i < m->choice_count; i++)
            scan_text(b, &m->choices[i]);
        break;
    }
}

/* --- bodies --- */

static void scan_op(struct kpath_builder *b, const struct plan_op *op)
{
    for (size_t i = 0; i < op->arg_count; i++) {
        if (op->args[i].kind == OP_VALUE_TEXT)
            scan_text(b, &op->args[i].text);
        else
            scan_named(b, op->args[i].items, op->args[i].item_count);
    }
    const struct text *more[] = {op->session,         op->as,    op->after_ms, op->timeout_ms,
                                 op->cancel_after_ms, op->repeat};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        scan_text(b, more[i]);
    kpath_note_result(b, op);
}

static void scan_expect(struct kpath_builder *b, const struct plan_expect *e)
{
    scan_text(b, e->file);
    scan_text(b, e->json);
    scan_text(b, e->site);
    for (size_t i = 0; i < EXPECT_PREDICATE_COUNT; i++)
        scan_text(b, e->values[i]);
}

static void scan_with(struct kpath_builder *b, const struct plan_node *n, uint32_t rest)
{
    const struct plan_with *with = &n->u.with;
    bool given = b->undisturbed &&
                 kpath_is_given(b->graph, &b->graph->alternatives.items[b->alternative].body, with);
    bool unlikely = false;
    for (size_t i = 0; b->needs && i < b->needs->input_count; i++)
        unlikely |= b->needs->inputs[i] == n && !n->when;
    if (with->producer_count && !given) {
        kpath_open(b, n->site + 1, SITE_PRODUCE, n);
        add_child(b, n->site + 1, rest, unlikely);
    }
    if (with->can_define && !given)
        memset(kpath_missing(b, with->type), true, with->type->prop_count * sizeof(bool));
}

static void scan_definition(struct kpath_builder *b, const struct plan_node *n)
{
    for (size_t i = 0; i < n->u.def.set_count; i++)
        scan_maker(b, n->u.def.sets[i].maker);
    kpath_note_definition(b, n);
}

static void scan_choice(struct kpath_builder *b, const struct plan_node *n, enum site_kind kind, bool asked,
                        uint32_t rest)
{
    if (!asked)
        return;
    if (kind == SITE_ONE_OF) /* guards are looked at before the choice */
        for (const struct plan_node *alt = n->first; alt; alt = alt->next)
            scan_expr(b, alt->when);
    kpath_open(b, n->site, kind, n);
    add_child(b, n->site, rest, false);
}

static void scan_list(struct kpath_builder *b, const struct plan_node *first, uint32_t reserve);

static void scan_plan_node(struct kpath_builder *b, const struct plan_node *n, uint32_t rest)
{
    switch (n->kind) {
    case PLAN_SAY:
        scan_text(b, &n->u.say);
        break;
    case PLAN_LET:
    case PLAN_PARAM:
        scan_maker(b, n->u.maker);
        break;
    case PLAN_DEF:
        scan_definition(b, n);
        break;
    case PLAN_WITH:
        scan_with(b, n, rest);
        break;
    case PLAN_SET:
        scan_maker(b, n->u.set.maker);
        break;
    case PLAN_DO:
        scan_choice(b, n, SITE_DO, true, rest);
        break;
    case PLAN_WALK:
        scan_choice(b, n, SITE_WALK, n->u.call.max > 0, rest);
        break;
    case PLAN_ONE_OF:
        scan_choice(b, n, SITE_ONE_OF, true, rest);
        break;
    case PLAN_REPEAT:
        scan_choice(b, n, SITE_ROUND, n->u.repeat.max > 0, rest);
        break;
    case PLAN_OPTIONAL:
        scan_choice(b, n, SITE_OPTIONAL, n->weight > 0, rest);
        break;
    case PLAN_PARALLEL:
        scan_list(b, n->first, rest);
        break;
    case PLAN_OP:
        scan_op(b, &n->u.op);
        break;
    case PLAN_EXPECT:
        scan_expect(b, &n->u.expect);
        break;
    default: /* become, alt: nothing to scan, or done elsewhere */
        break;
    }
}

static bool is_passed(const struct kpath_builder *b, const struct plan_node *n)
{
    const struct plan_do *call = b->graph->alternatives.items[b->alternative].body.call;
    for (size_t i = 0; call && i < call->arg_count; i++)
        if (call->args[i].input == n)
            return true;
    return false;
}

/* As the interpreter does it: what a node's later siblings take at least is kept back for them. */
static void scan_list(struct kpath_builder *b, const struct plan_node *first, uint32_t reserve)
{
    uint32_t rest = reserve;
    for (const struct plan_node *n = first; n; n = n->next)
        rest += n->cost.steps;
    for (const struct plan_node *n = first; n; n = n->next) {
        rest -= n->cost.steps;
        scan_expr(b, n->when);
        if (!is_passed(b, n))
            scan_plan_node(b, n, rest);
        b->undisturbed &= n->kind == PLAN_SAY || n->kind == PLAN_LET || n->kind == PLAN_PARAM;
    }
}

void kpath_scan_alternative(struct kpath_builder *b, uint32_t alternative)
{
    struct kpath_graph *g = b->graph;
    struct kpath_alternative *a = &g->alternatives.items[alternative];
    struct kpath_body body = a->body;
    b->alternative = alternative;
    b->needs = body.needs;
    b->undisturbed = true;
    a->child = (uint32_t)g->kids.count;
    a->read = (uint32_t)g->reads.count;
    if (body.node == NONE) {
        for (size_t i = 0; body.call && i < body.call->arg_count; i++)
            scan_text(b, &body.call->args[i].value);
        scan_list(b, body.list, 0);
        return;
    }
    const struct node *n = &b->domain->grammar->nodes.items[body.node];
    if (!body.repeats)
        POOL_ADD(b->waiting, body.node);
    else if (body.times)
        wait_for_kids(b, n, body.times > 1 || body.times > n->u.repeat.min ? n->count : 1);
    scan_waiting(b);
}

void kpath_scan_property(struct kpath_builder *b, const struct handle_type *type, size_t prop)
{
    struct kpath_graph *g = b->graph;
    struct kpath_property property = {.type = type,
                                      .prop = prop,
                                      .name = name_number(g, bytes_of_string(type->props[prop].name)),
                                      .site = (uint32_t)g->sites.count,
                                      .read = (uint32_t)g->reads.count};
    POOL_ADD(g->properties, property);
    b->making = true;
    scan_maker(b, type->props[prop].maker);
    b->making = false;
}
