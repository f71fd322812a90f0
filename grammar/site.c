/* The table of sites: what the reader numbered in the plan, and what the grammar numbered after it, as
 * whoever edits derivations sees it. Made once, when a domain is loaded; everything in it lives in the
 * domain's arena.
 *
 * A site of the plan belongs to the step or workflow that it stands in, one of a property's maker to the kind
 * of handle. Numbers are given in one place each (domain_body.c, domain_op.c, domain_maker.c) and every one
 * of them is described here. */
#include "grammar/site.h"

#include <string.h>

#include "grammar/domain_internal.h"
#include "grammar/grammar_internal.h"

struct plan_site {
    struct site site;
    const struct plan_node *node; /* NULL: workflow, swarm, or a property's maker */
    const struct maker *maker;    /* SITE_VALUE: what chooses; NULL: the spelling of a path */
};

struct listing {
    struct reading *r;
    struct plan_site *sites;
    const char *owner; /* of what is being listed */
};

/* --- making the table --- */

static struct plan_site *describe(struct listing *l, uint32_t site, enum site_kind kind, uint64_t choices,
                                  struct plan_place place)
{
    struct plan_site *row = &l->sites[site];
    row->site = (struct site){.kind = kind,
                              .choices = choices,
                              .name = l->owner,
                              .place = arena_printf(l->r->arena, "%s:%u", place.file, place.line)};
    return row;
}

/* The number that a bound stands for, when it is written out. */
static bool bound_of(const struct text *bound, int64_t *out)
{
    const struct expr *e = bound->parts[0].expr;
    bool negative = e->kind == EXPR_NEGATE && e->args[0]->kind == EXPR_INTEGER;
    if (!negative && e->kind != EXPR_INTEGER)
        return false;
    *out = negative ? -e->args[0]->integer : e->integer;
    return true;
}

static uint64_t choices_of(const struct maker *m)
{
    int64_t low, high;
    if (m->kind == MAKE_PICK)
        return m->choice_count;
    if (m->kind == MAKE_RECIPE)
        return PLAN_SEEDS;
    bool known = bound_of(&m->low, &low) && bound_of(&m->high, &high);
    return known ? (uint64_t)high - (uint64_t)low + 1 : 0;
}

static void list_maker(struct listing *l, const struct maker *m)
{
    if (m && m->site)
        describe(l, m->site, SITE_VALUE, choices_of(m), m->place)->maker = m;
}

static size_t count_nodes(const struct plan_node *first)
{
    size_t count = 0;
    for (const struct plan_node *n = first; n; n = n->next)
        count++;
    return count;
}

/* as="absolute|tilde"; what is computed may hold any number of them. */
static uint64_t spellings_of(const struct text *as)
{
    uint64_t count = 1;
    if (as->count != 1 || as->parts[0].kind != TEXT_LITERAL)
        return as->count ? 0 : 1;
    for (size_t i = 0; i < as->parts[0].literal.len; i++)
        count += as->parts[0].literal.data[i] == '|';
    return count;
}

static void list_sets(struct listing *l, const struct plan_def *def)
{
    for (size_t i = 0; i < def->set_count; i++)
        list_maker(l, def->sets[i].maker);
}

static void list_node(struct listing *l, const struct plan_node *n)
{
    struct plan_site *row = NULL;
    switch (n->kind) {
    case PLAN_LET:
    case PLAN_PARAM:
        list_maker(l, n->u.maker);
        break;
    case PLAN_SET:
        list_maker(l, n->u.set.maker);
        break;
    case PLAN_DEF:
        list_sets(l, &n->u.def);
        break;
    case PLAN_WITH:
        describe(l, n->site, SITE_HANDLE, 0, n->place)->node = n;
        row = describe(l, n->site + 1, SITE_PRODUCE, n->u.with.producer_count, n->place);
        break;
    case PLAN_DO:
        row = describe(l, n->site, SITE_DO, n->u.call.step_count, n->place);
        break;
    case PLAN_WALK:
        row = describe(l, n->site, SITE_WALK, n->u.call.step_count + 1, n->place);
        row->site.least = n->u.call.min;
        break;
    case PLAN_ONE_OF:
        row = describe(l, n->site, SITE_ONE_OF, count_nodes(n->first), n->place);
        break;
    case PLAN_REPEAT:
        row = describe(l, n->site, SITE_ROUND, 2, n->place);
        row->site.least = n->u.repeat.min;
        break;
    case PLAN_OPTIONAL:
        row = describe(l, n->site, SITE_OPTIONAL, 2, n->place);
        break;
    case PLAN_OP:
        if (n->u.op.as)
            row = describe(l, n->site, SITE_VALUE, spellings_of(n->u.op.as), n->place);
        break;
    default:
        break;
    }
    if (row)
        row->node = n;
}

static void list_body(struct listing *l, const struct plan_node *first)
{
    for (const struct plan_node *n = first; n; n = n->next) {
        list_node(l, n);
        list_body(l, n->first);
    }
}

static void list_steps(struct listing *l, const struct list *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        const struct plan_step *step = steps->items[i];
        l->owner = step->name;
        list_body(l, step->body);
    }
}

/* A property that is inherited is listed with each kind that has it, and belongs to the one that declares it,
 * which comes first. */
static void list_types(struct listing *l)
{
    for (size_t i = l->r->types.count; i-- > 0;) {
        const struct handle_type *type = l->r->types.items[i];
        l->owner = type->name;
        for (size_t k = 0; k < type->prop_count; k++)
            list_maker(l, type->props[k].maker);
    }
}

static void list_grammar(struct listing *l)
{
    struct domain *d = l->r->domain;
    const struct grammar *g = d->grammar;
    d->grammar_sites = arena_alloc(l->r->arena, (g->site_end - d->site_end + 1) * sizeof *d->grammar_sites);
    struct place last = {0};
    const char *text = "";
    for (uint32_t site = d->site_end; site < g->site_end; site++) {
        struct site *row = &d->grammar_sites[site - d->site_end];
        struct place place;
        grammar_describe_site(g, site, row, &place);
        if (!*text || place.file != last.file || place.line != last.line)
            text = arena_printf(l->r->arena, "%s:%u", g->files.items[place.file], place.line);
        last = place;
        row->place = text;
    }
}

void domain_list_sites(struct reading *r)
{
    struct domain *d = r->domain;
    struct listing l = {r, arena_alloc(r->arena, d->site_end * sizeof *l.sites), ""};
    struct plan_place top = {d->file, 1};
    d->sites = l.sites;
    describe(&l, PLAN_SITE_WORKFLOW, SITE_WORKFLOW, d->workflow_count, top);
    describe(&l, PLAN_SITE_SWARM, SITE_SWARM, 0, top);
    describe(&l, PLAN_SITE_ROOM, SITE_ROOM, PLAN_SPARING_MOST + 1, top);
    list_types(&l);
    list_steps(&l, &r->steps);
    list_steps(&l, &r->workflows);
    list_grammar(&l);
}

/* --- looking into it --- */

bool site_opens(enum site_kind kind)
{
    static const bool opens[SITE_KINDS] = {
        [SITE_WORKFLOW] = true, [SITE_ONE_OF] = true,      [SITE_ROUND] = true,
        [SITE_OPTIONAL] = true, [SITE_DO] = true,          [SITE_WALK] = true,
        [SITE_PRODUCE] = true,  [SITE_ALTERNATIVE] = true, [SITE_COUNT] = true,
    };
    return opens[kind];
}

uint32_t domain_site_end(const struct domain *d)
{
    return grammar_site_end(d->grammar);
}

bool domain_site(const struct domain *d, uint32_t site, struct site *out)
{
    if (site >= domain_site_end(d))
        return false;
    *out = site < d->site_end ? d->sites[site].site : d->grammar_sites[site - d->site_end];
    return true;
}

static uint64_t cheapest_step(const struct plan_step *const *steps, size_t count)
{
    uint64_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (plan_cost_less(steps[i]->cost, steps[best]->cost))
            best = i;
    return best;
}

static uint64_t cheapest_alternative(const struct plan_node *n)
{
    const struct plan_node *best = NULL;
    uint64_t index = 0, found = 0;
    for (const struct plan_node *alt = n->first; alt; alt = alt->next, index++) {
        if (!(alt->weight > 0) || (best && !plan_cost_less(alt->cost, best->cost)))
            continue;
        best = alt;
        found = index;
    }
    return found;
}

uint64_t domain_site_cheapest(const struct domain *d, uint32_t site)
{
    if (site >= domain_site_end(d))
        return 0;
    if (site >= d->site_end)
        return grammar_site_cheapest(d->grammar, site);
    const struct plan_site *row = &d->sites[site];
    switch (row->site.kind) {
    case SITE_WORKFLOW:
        return cheapest_step((const struct plan_step *const *)d->workflows, d->workflow_count);
    case SITE_DO:
        return cheapest_step(row->node->u.call.steps, row->node->u.call.step_count);
    case SITE_WALK: /* to stop */
        return row->node->u.call.step_count;
    case SITE_ROUND:
        return 1;
    case SITE_ONE_OF:
        return cheapest_alternative(row->node);
    default:
        return 0;
    }
}

/* --- values for people --- */

static void name_step(const struct plan_step *const *steps, size_t count, uint64_t value, struct buf *out)
{
    buf_add(out, bytes_of_string(value < count ? steps[value]->name : "stop"));
}

static void name_alternative(const struct plan_node *n, uint64_t value, struct buf *out)
{
    const struct plan_node *alt = n->first;
    for (uint64_t left = value; left && alt->next; left--)
        alt = alt->next;
    buf_addf(out, "alternative %llu, %s:%u", (unsigned long long)value + 1, alt->place.file, alt->place.line);
}

static void name_value(const struct maker *m, uint64_t value, struct buf *out)
{
    int64_t low;
    if (m && m->kind == MAKE_INT && bound_of(&m->low, &low)) {
        buf_addf(out, "%lld", (long long)((uint64_t)low + value));
    } else if (m && m->kind == MAKE_PICK) {
        const struct text *text = &m->choices[value % m->choice_count];
        if (text->count == 1 && text->parts[0].kind == TEXT_LITERAL)
            buf_addf(out, "\"%.*s\"", BYTES_ARG(text->parts[0].literal));
        else
            buf_addf(out, "pick %llu of %zu", (unsigned long long)value + 1, m->choice_count);
    } else {
        buf_addf(out, "%llu", (unsigned long long)value);
    }
}

static void name_handle(uint64_t value, struct buf *out)
{
    if (value)
        buf_addf(out, "%llu before the newest", (unsigned long long)value);
    else
        buf_add(out, BYTES_LITERAL("the newest"));
}

static void name_plan_value(const struct domain *d, const struct plan_site *row, uint64_t value,
                            struct buf *out)
{
    const struct plan_node *n = row->node;
    switch (row->site.kind) {
    case SITE_WORKFLOW:
        name_step((const struct plan_step *const *)d->workflows, d->workflow_count, value % d->workflow_count,
                  out);
        break;
    case SITE_SWARM:
        buf_addf(out, "subset %016llx", (unsigned long long)value);
        break;
    case SITE_ROOM:
        buf_addf(out, "sparing %llu of %d", (unsigned long long)value, PLAN_SPARING_MOST);
        break;
    case SITE_ONE_OF:
        name_alternative(n, value % row->site.choices, out);
        break;
    case SITE_ROUND:
        buf_add(out, bytes_of_string(value % 2 ? "stop" : "go on"));
        break;
    case SITE_OPTIONAL:
        buf_add(out, bytes_of_string(value % 2 ? "done" : "left out"));
        break;
    case SITE_DO:
        name_step(n->u.call.steps, n->u.call.step_count, value % n->u.call.step_count, out);
        break;
    case SITE_WALK:
        name_step(n->u.call.steps, n->u.call.step_count, value % row->site.choices, out);
        break;
    case SITE_PRODUCE:
        name_step(n->u.with.producers, n->u.with.producer_count,
                  n->u.with.producer_count ? value % n->u.with.producer_count : 0, out);
        break;
    case SITE_HANDLE:
        name_handle(value, out);
        break;
    default:
        name_value(row->maker, value, out);
        break;
    }
}

void domain_site_value(const struct domain *d, uint32_t site, uint64_t value, struct buf *out)
{
    struct site row;
    buf_clear(out);
    if (!domain_site(d, site, &row))
        buf_addf(out, "%llu", (unsigned long long)value);
    else if (site < d->site_end)
        name_plan_value(d, &d->sites[site], value, out);
    else
        grammar_site_value(d->grammar, site, value, out);
}
