/* The graph of k-paths: choice points are opened when something that may stand in a task has them directly
 * below it, their alternatives wait in a row, and each is scanned once for what is below it. So only what a
 * workflow leads to is in the graph. When the row is empty, properties that were read and that nobody may
 * have set are looked at, which may open more; this goes on until nothing new turns up.
 *
 * What no budget admits is only known once the graph stands. It is then made anew without that, until nothing
 * more of the kind is found. */
#include <stdlib.h>
#include <string.h>

#include "grammar/kpath_internal.h"

/* --- choice points --- */

/* The next value of the choice point that is being opened. */
static void add_value(struct kpath_builder *b, uint32_t site, enum kpath_why why, struct plan_place place,
                      const struct kpath_body *body)
{
    struct kpath_graph *g = b->graph;
    struct kpath_row *row = &g->rows[site];
    uint32_t value = row->value_count++, number = KPATH_NONE;
    if (why == KPATH_MAY)
        why = kpath_banned(b, site, value);
    if (why != KPATH_MAY) {
        if (why != KPATH_SENSELESS)
            POOL_ADD(g->nevers, ((struct kpath_never){why, site, value, place}));
    } else {
        number = (uint32_t)g->alternatives.count;
        row->count++;
        POOL_ADD(g->alternatives, ((struct kpath_alternative){.site = site, .value = value, .body = *body}));
    }
    POOL_ADD(g->numbers, number);
}

static void add_list(struct kpath_builder *b, uint32_t site, enum kpath_why why, struct plan_place place,
                     const struct plan_node *choice, const struct plan_node *list)
{
    add_value(b, site, why, place, &(struct kpath_body){.choice = choice, .list = list, .node = NONE});
}

static void open_workflows(struct kpath_builder *b, uint32_t site)
{
    const struct domain *d = b->domain;
    for (size_t i = 0; i < d->workflow_count; i++) {
        const struct plan_step *w = d->workflows[i];
        enum kpath_why why = w->weight > 0 ? KPATH_MAY : KPATH_WEIGHT;
        if (b->workflow)
            why = strcmp(b->workflow, w->name) == 0 ? KPATH_MAY : KPATH_SENSELESS;
        add_list(b, site, why, w->place, NULL, w->body);
    }
}

static void open_one_of(struct kpath_builder *b, uint32_t site, const struct plan_node *n)
{
    for (const struct plan_node *alt = n->first; alt; alt = alt->next) {
        struct kpath_body body = {.choice = n, .list = alt->first, .when = alt->when, .node = NONE};
        add_value(b, site, alt->weight > 0 ? KPATH_MAY : KPATH_WEIGHT, alt->place, &body);
    }
}

/* A do of one step does it whatever that needs; all else does first what has what it needs. Guards of a walk
 * are looked at once, before its first step. */
static void open_calls(struct kpath_builder *b, uint32_t site, const struct plan_node *n)
{
    const struct plan_do *call = &n->u.call;
    const struct kpath_body *around = &b->graph->alternatives.items[b->alternative].body;
    bool any = strcmp(call->names, "*") == 0, walk = n->kind == PLAN_WALK;
    const struct expr *given = n->when ? n->when : b->undisturbed ? around->when : NULL;
    for (size_t i = 0; i < call->step_count; i++) {
        const struct plan_step *step = call->steps[i];
        struct kpath_body body = {.choice = n,
                                  .list = step->body,
                                  .call = call,
                                  .when = step->when,
                                  .given = walk ? NULL : given,
                                  .node = NONE};
        body.needs = walk || call->step_count > 1 ? step : NULL;
        add_value(b, site, any && !(step->weight > 0) ? KPATH_WEIGHT : KPATH_MAY, step->place, &body);
    }
    if (walk) /* to stop */
        add_list(b, site, call->min < call->max ? KPATH_MAY : KPATH_SENSELESS, n->place, n, NULL);
}

static void open_producers(struct kpath_builder *b, uint32_t site, const struct plan_node *n)
{
    for (size_t i = 0; i < n->u.with.producer_count; i++)
        add_list(b, site, KPATH_MAY, n->u.with.producers[i]->place, n, n->u.with.producers[i]->body);
}

static void open_round(struct kpath_builder *b, uint32_t site, const struct plan_node *n)
{
    add_list(b, site, KPATH_MAY, n->place, n, n->first);
    add_list(b, site, n->u.repeat.min < n->u.repeat.max ? KPATH_MAY : KPATH_SENSELESS, n->place, n, NULL);
}

static void open_optional(struct kpath_builder *b, uint32_t site, const struct plan_node *n)
{
    struct kpath_body done = {.choice = n, .list = n->first, .when = n->when, .node = NONE};
    add_list(b, site, n->weight < 1 ? KPATH_MAY : KPATH_SENSELESS, n->place, n, NULL);
    add_value(b, site, KPATH_MAY, n->place, &done);
}

static void open_rule(struct kpath_builder *b, uint32_t site, enum site_kind kind)
{
    const struct grammar *g = b->domain->grammar;
    uint32_t index = g->sites.items[site - g->first_site].node;
    const struct node *n = &g->nodes.items[index];
    struct plan_place place = {"", 0};
    if (kind == SITE_COUNT) {
        struct kpath_body least = {.node = index, .repeats = true, .times = n->u.repeat.min};
        struct kpath_body more = {.node = index, .repeats = true, .times = n->u.repeat.min + 1};
        add_value(b, site, KPATH_MAY, place, &least);
        add_value(b, site, KPATH_MAY, place, &more);
        return;
    }
    uint32_t texts = 0, words = KPATH_NONE;
    for (uint32_t i = 0; i < n->count; i++)
        texts += g->nodes.items[g->kids.items[n->first + i]].kind == NODE_TEXT;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t kid = g->kids.items[n->first + i];
        bool word = texts > KPATH_WORDS && g->nodes.items[kid].kind == NODE_TEXT;
        if (word && words != KPATH_NONE) {
            b->graph->rows[site].value_count++;
            POOL_ADD(b->graph->numbers, words);
            continue;
        }
        if (word)
            words = (uint32_t)b->graph->alternatives.count;
        add_value(b, site, KPATH_MAY, place, &(struct kpath_body){.node = kid, .times = word ? texts : 0});
    }
}

void kpath_open(struct kpath_builder *b, uint32_t site, enum site_kind kind, const struct plan_node *n)
{
    struct kpath_graph *g = b->graph;
    struct kpath_row *row = &g->rows[site];
    if (row->value_count)
        return;
    row->first = (uint32_t)g->alternatives.count;
    row->values = (uint32_t)g->numbers.count;
    if (kind == SITE_WORKFLOW)
        open_workflows(b, site);
    else if (kind == SITE_ONE_OF)
        open_one_of(b, site, n);
    else if (kind == SITE_DO || kind == SITE_WALK)
        open_calls(b, site, n);
    else if (kind == SITE_PRODUCE)
        open_producers(b, site, n);
    else if (kind == SITE_ROUND)
        open_round(b, site, n);
    else if (kind == SITE_OPTIONAL)
        open_optional(b, site, n);
    else
        open_rule(b, site, kind);
}

/* --- until nothing new turns up --- */

static bool is_read(const struct kpath_graph *g, const char *prop)
{
    for (size_t i = 0; i < g->names.count; i++)
        if (bytes_equal_string(g->names.items[i], prop))
            return true;
    return false;
}

/* True when there was one that had not been looked at. */
static bool scan_properties(struct kpath_builder *b)
{
    bool any = false;
    for (size_t t = 0; t < b->domain->type_count; t++) {
        const struct handle_type *type = b->domain->types[t];
        for (size_t p = 0; p < type->prop_count; p++) {
            if (b->made[t][p] || !b->missing[t][p] || !type->props[p].maker ||
                !is_read(b->graph, type->props[p].name))
                continue;
            b->made[t][p] = true;
            kpath_scan_property(b, type, p);
            any = true;
        }
    }
    return any;
}

static void scan_all(struct kpath_builder *b)
{
    size_t done = 1; /* the parent of properties is put together at the end */
    kpath_open(b, PLAN_SITE_WORKFLOW, SITE_WORKFLOW, NULL);
    do {
        while (done < b->graph->alternatives.count)
            kpath_scan_alternative(b, (uint32_t)done++);
    } while (scan_properties(b));
}

static bool has_kid(const struct kpath_graph *g, uint32_t from, uint32_t site)
{
    for (size_t i = from; i < g->kids.count; i++)
        if (g->kids.items[i].site == site)
            return true;
    return false;
}

static void gather_properties(struct kpath_graph *g)
{
    struct kpath_alternative *made = &g->alternatives.items[KPATH_MADE];
    made->child = (uint32_t)g->kids.count;
    for (size_t i = 0; i < g->sites.count; i++)
        if (!has_kid(g, made->child, g->sites.items[i]))
            POOL_ADD(g->kids, ((struct kpath_child){.site = g->sites.items[i]}));
    made->child_count = (uint32_t)g->kids.count - made->child;
}

static int by_site(const void *a, const void *b)
{
    const struct kpath_child *x = a, *y = b;
    return (x->site > y->site) - (x->site < y->site);
}

static void settle_children(struct kpath_graph *g)
{
    for (size_t i = 0; i < g->alternatives.count; i++) {
        struct kpath_alternative *a = &g->alternatives.items[i];
        if (a->child_count)
            qsort(g->kids.items + a->child, a->child_count, sizeof *g->kids.items, by_site);
        for (uint32_t k = 0; k < a->child_count; k++) {
            struct kpath_child *child = &g->kids.items[a->child + k];
            child->first = g->rows[child->site].first;
            child->count = g->rows[child->site].count;
            child->offset = a->ways;
            a->ways += child->count;
        }
    }
}

/* --- making it --- */

static struct kpath_graph *graph_new(const struct domain *d)
{
    struct kpath_graph *g = xcalloc(1, sizeof *g);
    g->domain = d;
    g->rows = xcalloc(domain_site_end(d), sizeof *g->rows);
    struct site site;
    for (uint32_t i = 0; domain_site(d, i, &site); i++)
        g->rows[i] = (struct kpath_row){.kind = (uint8_t)site.kind, .opens = site_opens(site.kind)};
    POOL_ADD(g->alternatives, ((struct kpath_alternative){.site = KPATH_NONE, .body.node = NONE}));
    return g;
}

void kpath_graph_free(struct kpath_graph *g)
{
    if (!g)
        return;
    free(g->rows);
    free(g->alternatives.items);
    free(g->numbers.items);
    free(g->kids.items);
    free(g->reads.items);
    free(g->sites.items);
    free(g->names.items);
    free(g->properties.items);
    free(g->nevers.items);
    for (unsigned j = 0; j < KPATH_LONGEST; j++)
        free(g->start[j]);
    free(g);
}

static bool **flags_new(const struct domain *d)
{
    bool **flags = xcalloc(d->type_count + 1, sizeof *flags);
    for (size_t t = 0; t < d->type_count; t++)
        flags[t] = xcalloc(d->types[t]->prop_count + 1, sizeof **flags);
    return flags;
}

static void flags_free(const struct domain *d, bool **flags)
{
    for (size_t t = 0; t < d->type_count; t++)
        free(flags[t]);
    free(flags);
}

static struct kpath_graph *build(const struct domain *d, const char *workflow,
                                 const struct kpath_never *banned, size_t banned_count)
{
    struct kpath_builder b = {
        .domain = d, .workflow = workflow, .banned = banned, .banned_count = banned_count};
    b.graph = graph_new(d);
    b.kid_of = xcalloc(domain_site_end(d), sizeof *b.kid_of);
    b.node_stamps = xcalloc(d->grammar->nodes.count + 1, sizeof *b.node_stamps);
    b.missing = flags_new(d);
    b.made = flags_new(d);
    scan_all(&b);
    gather_properties(b.graph);
    settle_children(b.graph);
    flags_free(d, b.missing);
    flags_free(d, b.made);
    free(b.kid_of);
    free(b.node_stamps);
    free(b.waiting.items);
    return b.graph;
}

/* Numbers the j-paths: those that begin with the same shorter path lie in a row. */
static int number_paths(struct kpath_graph *g, unsigned k, struct error **err)
{
    g->longest = k;
    g->count[1] = g->alternatives.count - 1;
    const struct kpath_alternative *all = g->alternatives.items;
    for (unsigned j = 1; j < k; j++) {
        uint64_t shorter = j == 1 ? g->alternatives.count : g->count[j], next = 0;
        uint64_t *start = g->start[j] = xmalloc((shorter + 1) * sizeof *start);
        uint32_t elements[KPATH_LONGEST];
        for (uint64_t path = 0; path < shorter; path++) {
            start[path] = next;
            if (j == 1)
                elements[0] = (uint32_t)path;
            else
                kpath_elements(g, j, path, elements);
            next += all[elements[j - 1]].ways;
        }
        start[shorter] = g->count[j + 1] = next;
        if (next > KPATH_PATHS_MOST)
            return error_set(err, ERR_LIMIT, "domain \"%s\" has more than %d paths of %u choices",
                             g->domain->name, KPATH_PATHS_MOST, j + 1);
    }
    return 0;
}

int kpath_graph_new(const struct domain *d, const char *workflow, unsigned k, struct kpath_graph **graph,
                    struct error **err)
{
    if (k < 1 || k > KPATH_LONGEST)
        BUG("a graph of paths that are too short or too long");
    struct kpath_never *banned = NULL;
    size_t banned_count = 0;
    for (;;) {
        size_t more;
        *graph = build(d, workflow, banned, banned_count);
        struct kpath_never *found = kpath_over_budget(*graph, &more);
        if (more) {
            banned = xrealloc(banned, (banned_count + more) * sizeof *banned);
            memcpy(banned + banned_count, found, more * sizeof *banned);
            banned_count += more;
            kpath_graph_free(*graph);
        }
        free(found);
        if (!more)
            break;
    }
    free(banned);
    int status = number_paths(*graph, k, err);
    if (status < 0) {
        kpath_graph_free(*graph);
        *graph = NULL;
    }
    return status;
}
