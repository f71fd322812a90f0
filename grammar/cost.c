/* Fifth step of compile: how many bytes the cheapest derivation of each node takes at the most.
 *
 * Without functions and parameters that is exact. In a rule with parameters it is linear in the lengths of
 * what is bound to its slots, so that it can be evaluated as soon as these are known. Nodes without rules
 * below them are priced in index order, all others in the order in which the search settled them: what they
 * need is priced before. */
#include "grammar/grammar_internal.h"

enum { STEPS_MOST = 1 << 24, SHORT_MOST = 64 /* no longer are outputs that do not grow with their input */ };

static const uint64_t bytes_most = (uint64_t)1 << 32;

struct linear {
    uint64_t bytes;
    uint64_t coefficients[SLOTS_MOST];
    uint32_t count; /* of coefficients; those behind are 0 */
};

static struct linear load(const struct grammar *g, const struct cost *c)
{
    struct linear l = {.bytes = c->bytes};
    if (c->coefficients == NONE)
        return l;
    const uint64_t *stored = &g->coefficients.items[c->coefficients];
    l.count = (uint32_t)stored[0];
    for (uint32_t i = 0; i < l.count; i++)
        l.coefficients[i] = stored[i + 1];
    return l;
}

static void store(struct grammar *g, struct cost *c, const struct linear *l)
{
    uint32_t count = l->count;
    while (count && l->coefficients[count - 1] == 0)
        count--;
    c->bytes = l->bytes;
    c->coefficients = NONE;
    if (count == 0)
        return;
    c->coefficients = (uint32_t)g->coefficients.count;
    POOL_ADD(g->coefficients, count);
    for (uint32_t i = 0; i < count; i++)
        POOL_ADD(g->coefficients, l->coefficients[i]);
}

static void add_times(struct linear *sum, const struct linear *more, uint64_t times)
{
    sum->bytes = add_capped(sum->bytes, multiply_capped(more->bytes, times));
    for (uint32_t i = 0; i < more->count; i++)
        sum->coefficients[i] = add_capped(sum->coefficients[i],
                                          multiply_capped(more->coefficients[i], times));
    if (more->count > sum->count)
        sum->count = more->count;
}

static struct linear child(const struct grammar *g, const struct node *n, uint32_t index)
{
    return load(g, &g->nodes.items[g->kids.items[n->first + index]].cost);
}

/* The input's length is not known, only its bound as a line; so is the bound of the output. */
static struct linear price_function(const struct grammar *g, const struct node *n)
{
    struct linear input = child(g, n, 0), output = {0};
    size_t rows;
    const struct function_row *row = &function_table(&rows)[n->target];
    if (input.count == 0) {
        output.bytes = function_most(n, input.bytes);
    } else if (!row->length) {
        output.bytes = n->u.function.fixed;
        input.bytes -= n->u.function.literal; /* is a part of it */
        add_times(&output, &input, n->u.function.factor);
    } else if (row->length(HIDDEN_MOST) <= SHORT_MOST) {
        output.bytes = row->length(HIDDEN_MOST);
    } else {
        output.bytes = row->length(0) + 2; /* see function_row.length */
        add_times(&output, &input, 2);
    }
    return output;
}

/* The body's cost, with each computed slot replaced by the bound of what computes it. */
static void price_call(struct grammar *g, struct rule *r)
{
    struct linear l = load(g, &g->nodes.items[r->body].cost);
    for (uint32_t slot = r->slots; slot-- > r->arity;) {
        const struct node *expression = &g->nodes.items[g->kids.items[r->computed + slot - r->arity]];
        struct linear bound = load(g, &expression->cost);
        uint64_t times = l.coefficients[slot];
        l.coefficients[slot] = 0;
        add_times(&l, &bound, times);
    }
    store(g, &r->call, &l);
    r->priced = true;
}

static struct linear price_rule(struct grammar *g, const struct node *n)
{
    struct rule *r = &g->rules.items[n->target];
    if (n->kind == NODE_RULE)
        return load(g, &g->nodes.items[r->body].cost);
    if (!r->priced)
        price_call(g, r);
    struct linear call = load(g, &r->call), sum = {.bytes = r->call.bytes};
    for (uint32_t i = 0; i < call.count; i++) {
        struct linear argument = child(g, n, i);
        add_times(&sum, &argument, call.coefficients[i]);
    }
    return sum;
}

static struct linear price(struct grammar *g, const struct node *n)
{
    struct linear sum = {0};
    switch (n->kind) {
    case NODE_PARAMETER:
        sum.coefficients[n->target] = 1;
        sum.count = n->target + 1;
        return sum;
    case NODE_FIELD_OF:
        sum.bytes = n->width;
        return sum;
    case NODE_FUNCTION:
        return price_function(g, n);
    case NODE_SEQUENCE:
        for (uint32_t i = 0; i < n->count; i++) {
            struct linear part = child(g, n, i);
            add_times(&sum, &part, 1);
        }
        return sum;
    case NODE_CHOICE:
        return child(g, n, n->target);
    case NODE_REPEAT:
        for (uint32_t i = 0; i < n->count && n->u.repeat.min; i++) {
            struct linear part = child(g, n, i);
            add_times(&sum, &part, n->u.repeat.min - i);
        }
        return sum;
    case NODE_RULE:
    case NODE_CALL:
        return price_rule(g, n);
    default:
        sum.bytes = leaf_least(g, n);
        return sum;
    }
}

static void price_node(struct grammar *g, uint32_t node)
{
    struct linear l = price(g, &g->nodes.items[node]);
    store(g, &g->nodes.items[node].cost, &l);
}

int grammar_price(struct grammar *g, const uint32_t *order, size_t count, struct error **err)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i].flat)
            price_node(g, (uint32_t)i);
    for (size_t i = 0; i < count; i++)
        if (!g->nodes.items[order[i]].flat)
            price_node(g, order[i]);
    for (size_t i = 0; i < g->rules.count; i++) {
        struct rule *r = &g->rules.items[i];
        const struct cost *c = &g->nodes.items[r->body].cost;
        if (c->steps > STEPS_MOST || c->bytes > bytes_most)
            return grammar_fail(g, r->place, err,
                                "rule '%s' is too big: its shortest text takes %llu bytes and %u steps, "
                                "more than %llu or %d",
                                r->name, (unsigned long long)c->bytes, c->steps,
                                (unsigned long long)bytes_most, STEPS_MOST);
        if (!r->priced)
            price_call(g, r);
    }
    return 0;
}
