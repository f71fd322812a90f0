/* Fourth step of compile: which derivation of each node is the cheapest, and how low the lowest is.
 *
 * Knuth's generalisation of Dijkstra's algorithm ("A generalization of Dijkstra's algorithm", 1977): nodes
 * are settled in the order of their weights; a node is given to the queue once what it needs is settled (of a
 * choice, the first child, which is the lightest). So each node is queued once, and what is never settled has
 * no derivation that ends. The order is also a proof that cheapest derivations end: each takes only what was
 * settled before it.
 *
 * Weights never fall on the way up. For cost they are (bytes, nodes visited), where text that is only fed to
 * a function counts if it is longer than what comes out; for height the nesting of rules. */
#include <stdlib.h>

#include "grammar/grammar_internal.h"

enum { PARAMETER_GUESS = 16 /* bytes that an argument is taken to have, when alternatives are compared */ };

struct weight {
    uint64_t major, minor;
};

struct search {
    struct grammar *g;
    bool by_height;
    struct weight *weights; /* of nodes, once queued */
    uint32_t *needs;        /* inputs of a node that are not settled yet */
    bool *settled;
    uint32_t *parents;
    uint32_t *uses, *uses_at; /* references of rule r: uses[uses_at[r] … uses_at[r+1]) */
    uint32_t *bodies;         /* rule that a node is the body of, or NONE */
    uint32_t *heap;
    size_t heap_count;
    uint32_t *order;
    size_t order_count;
};

static const uint32_t *kids_of(const struct search *s, const struct node *n)
{
    return &s->g->kids.items[n->first];
}

static bool has_kids(const struct node *n)
{
    return n->kind > NODE_LAST_LEAF;
}

/* The queue: a binary heap; equal weights go by index, so that the outcome is the same everywhere. ------- */

static bool before(const struct search *s, uint32_t a, uint32_t b)
{
    const struct weight *x = &s->weights[a], *y = &s->weights[b];
    if (x->major != y->major)
        return x->major < y->major;
    return x->minor != y->minor ? x->minor < y->minor : a < b;
}

static void heap_push(struct search *s, uint32_t node)
{
    size_t at = s->heap_count++;
    for (; at && before(s, node, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = node;
}

static uint32_t heap_pop(struct search *s)
{
    uint32_t top = s->heap[0], moved = s->heap[--s->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= s->heap_count)
            break;
        if (child + 1 < s->heap_count && before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s, s->heap[child], moved))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = moved;
    return top;
}

/* Weights. ----------------------------------------------------------------------------------------------- */

static void weight_add(struct weight *sum, const struct weight *more, uint64_t times)
{
    sum->major = add_capped(sum->major, multiply_capped(more->major, times));
    sum->minor = add_capped(sum->minor, multiply_capped(more->minor, times));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static const struct weight *body_weight(const struct search *s, const struct node *n)
{
    return &s->weights[s->g->rules.items[n->target].body];
}

static struct weight cost_of(const struct search *s, const struct node *n)
{
    struct weight w = {0, 1};
    const uint32_t *kids = has_kids(n) ? kids_of(s, n) : NULL;
    uint32_t all = n->count;
    switch (n->kind) {
    case NODE_FIELD_OF:
    case NODE_FUNCTION:
        weight_add(&w, &s->weights[kids[0]], 1);
        w.major = larger(w.major, n->kind == NODE_FIELD_OF ? n->width : function_most(n, w.major));
        return w;
    case NODE_REPEAT:
        for (uint32_t i = 0; i < all && n->u.repeat.min; i++)
            weight_add(&w, &s->weights[kids[i]], n->u.repeat.min - i);
        return w;
    case NODE_CHOICE:
        weight_add(&w, &s->weights[kids[n->target]], 1);
        return w;
    case NODE_RULE:
    case NODE_CALL:
        weight_add(&w, body_weight(s, n), 1);
        /* fall through */
    case NODE_SEQUENCE:
        for (uint32_t i = 0; i < all; i++)
            weight_add(&w, &s->weights[kids[i]], 1);
        return w;
    default:
        w.major = n->kind == NODE_PARAMETER ? PARAMETER_GUESS : leaf_least(s->g, n);
        return w;
    }
}

static struct weight height_of(const struct search *s, const struct node *n)
{
    struct weight w = {0, 0};
    if (!has_kids(n) || (n->kind == NODE_REPEAT && n->u.repeat.min == 0))
        return w;
    if (n->kind == NODE_RULE || n->kind == NODE_CALL)
        w.major = body_weight(s, n)->major + 1;
    for (uint32_t i = 0; i < n->count; i++)
        if (n->kind != NODE_CHOICE || s->settled[kids_of(s, n)[i]])
            w.major = larger(w.major, s->weights[kids_of(s, n)[i]].major);
    return w;
}

/* The search. -------------------------------------------------------------------------------------------- */

static uint32_t inputs_of(const struct node *n)
{
    if (!has_kids(n) || (n->kind == NODE_REPEAT && n->u.repeat.min == 0))
        return 0;
    if (n->kind == NODE_CHOICE)
        return 1;
    return n->count + (n->kind == NODE_RULE || n->kind == NODE_CALL);
}

static void enqueue(struct search *s, uint32_t node)
{
    struct node *n = &s->g->nodes.items[node];
    s->weights[node] = s->by_height ? height_of(s, n) : cost_of(s, n);
    heap_push(s, node);
}

/* One input of `node` is settled. */
static void notify(struct search *s, uint32_t node, uint32_t input)
{
    if (s->needs[node] == 0)
        return; /* a choice that has its lightest, or a repetition that needs none */
    struct node *n = &s->g->nodes.items[node];
    if (n->kind == NODE_CHOICE && !s->by_height)
        for (n->target = 0; kids_of(s, n)[n->target] != input; n->target++)
            continue;
    if (--s->needs[node] == 0)
        enqueue(s, node);
}

static void settle(struct search *s, uint32_t node)
{
    s->settled[node] = true;
    s->order[s->order_count++] = node;
    if (s->parents[node] != NONE)
        notify(s, s->parents[node], node);
    uint32_t rule = s->bodies[node];
    if (rule == NONE)
        return;
    for (uint32_t i = s->uses_at[rule]; i < s->uses_at[rule + 1]; i++)
        notify(s, s->uses[i], node);
}

static void run(struct search *s)
{
    size_t count = s->g->nodes.count;
    s->order_count = s->heap_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->settled[i] = false;
        s->needs[i] = inputs_of(&s->g->nodes.items[i]);
        if (s->needs[i] == 0)
            enqueue(s, i);
    }
    while (s->heap_count)
        settle(s, heap_pop(s));
}

static bool is_reference(const struct node *n)
{
    return n->kind == NODE_RULE || n->kind == NODE_CALL;
}

/* Who needs whom. Nodes that folding left behind may still name children, but come before the node that has
 * them now. */
static void link_nodes(struct search *s)
{
    const struct grammar *g = s->g;
    for (size_t i = 0; i < g->nodes.count; i++) {
        s->parents[i] = s->bodies[i] = NONE;
        if (is_reference(&g->nodes.items[i]))
            s->uses_at[g->nodes.items[i].target + 1]++;
    }
    for (size_t i = 0; i < g->nodes.count; i++)
        for (uint32_t k = 0; has_kids(&g->nodes.items[i]) && k < g->nodes.items[i].count; k++)
            s->parents[kids_of(s, &g->nodes.items[i])[k]] = (uint32_t)i;
    for (size_t r = 0; r < g->rules.count; r++) {
        s->bodies[g->rules.items[r].body] = (uint32_t)r;
        s->uses_at[r + 1] += s->uses_at[r];
    }
    uint32_t *at = xmalloc((g->rules.count + 1) * sizeof *at);
    for (size_t r = 0; r < g->rules.count; r++)
        at[r] = s->uses_at[r];
    for (size_t i = 0; i < g->nodes.count; i++)
        if (is_reference(&g->nodes.items[i]))
            s->uses[at[g->nodes.items[i].target]++] = (uint32_t)i;
    free(at);
}

/* A rule that never ends because of itself, rather than because of another one it needs: found by following
 * from any unsettled rule to an unsettled one it refers to, until one comes again. */
static const struct rule *endless_rule(const struct search *s, uint32_t start)
{
    const struct grammar *g = s->g;
    bool *seen = xcalloc(g->rules.count, sizeof *seen);
    uint32_t rule = start;
    while (!seen[rule]) {
        seen[rule] = true;
        const struct rule *r = &g->rules.items[rule];
        for (uint32_t i = r->first_node; i < r->node_end; i++) {
            const struct node *n = &g->nodes.items[i];
            if (is_reference(n) && !s->settled[g->rules.items[n->target].body]) {
                rule = n->target;
                break;
            }
        }
    }
    free(seen);
    return &g->rules.items[rule];
}

static int check_ends(const struct search *s, struct error **err)
{
    for (uint32_t r = 0; r < s->g->rules.count; r++) {
        if (s->settled[s->g->rules.items[r].body])
            continue;
        const struct rule *rule = endless_rule(s, r);
        return grammar_fail(s->g, rule->place, err,
                            "rule '%s' never ends: each of its alternatives needs the rule again",
                            rule->name);
    }
    return 0;
}

static void search_init(struct search *s, struct grammar *g)
{
    size_t nodes = g->nodes.count;
    *s = (struct search){.g = g};
    s->weights = xcalloc(nodes, sizeof *s->weights);
    s->needs = xmalloc(nodes * sizeof *s->needs);
    s->settled = xmalloc(nodes * sizeof *s->settled);
    s->parents = xmalloc(nodes * sizeof *s->parents);
    s->bodies = xmalloc(nodes * sizeof *s->bodies);
    s->uses = xmalloc(nodes * sizeof *s->uses);
    s->uses_at = xcalloc(g->rules.count + 1, sizeof *s->uses_at);
    s->heap = xmalloc(nodes * sizeof *s->heap);
    s->order = xmalloc(nodes * sizeof *s->order);
    link_nodes(s);
}

static void search_release(struct search *s)
{
    free(s->weights);
    free(s->needs);
    free(s->settled);
    free(s->parents);
    free(s->bodies);
    free(s->uses);
    free(s->uses_at);
    free(s->heap);
    free(s->order);
}

int grammar_find_cheapest(struct grammar *g, uint32_t **order, size_t *count, struct error **err)
{
    struct search s;
    search_init(&s, g);
    s.by_height = true;
    run(&s);
    int status = check_ends(&s, err);
    for (size_t i = 0; i < g->nodes.count; i++)
        if (s.settled[i])
            g->nodes.items[i].cost.height = (uint32_t)s.weights[i].major;
    s.by_height = false;
    if (status == 0) {
        run(&s);
        for (size_t i = 0; i < s.order_count; i++) {
            uint64_t steps = s.weights[s.order[i]].minor;
            g->nodes.items[s.order[i]].cost.steps = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
        }
        *order = s.order;
        *count = s.order_count;
        s.order = NULL;
    }
    search_release(&s);
    return status;
}
