/* Second step of compile: alternatives of weight 0 are dropped, what is constant is computed, neighbouring
 * texts become one, and in rules with parameters what depends on parameters alone becomes a slot of its own,
 * computed once a call.
 *
 * Folding goes over the nodes in index order, so children are folded before their parents. A node is changed
 * in place; what it held before may stay behind in the table, referred to by nobody. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar_internal.h"

/* Folding is there to save time, so it stops where nested encoders or parentheses would make it cost memory
 * instead. */
enum { CONSTANT_MOST = 65536, POOL_MOST = 1 << 28 };

static struct node *kid(const struct grammar *g, const struct node *n, uint32_t index)
{
    return &g->nodes.items[g->kids.items[n->first + index]];
}

static struct bytes text_of(const struct grammar *g, const struct node *n)
{
    return grammar_text(g, n->first, n->count);
}

/* The text may be a part of the pool, which moves when it grows. */
static void become_text(struct grammar *g, struct node *n, struct bytes text)
{
    uint32_t first = (uint32_t)g->text.count;
    bool own = text.len && text.data >= g->text.items && text.data < g->text.items + g->text.count;
    size_t offset = own ? (size_t)(text.data - g->text.items) : 0;
    POOL_ROOM(g->text, text.len);
    if (text.len)
        memcpy(g->text.items + first, own ? g->text.items + offset : text.data, text.len);
    g->text.count += text.len;
    n->kind = NODE_TEXT;
    n->first = first;
    n->count = (uint32_t)text.len;
}

static bool is_affordable(const struct grammar *g, uint64_t length)
{
    return length <= CONSTANT_MOST && g->text.count + length <= POOL_MOST;
}

/* Appends the text of `more` to that of `text`, which lies at the end of the pool or is moved there. */
static void append_text(struct grammar *g, struct node *text, const struct node *more)
{
    if ((size_t)text->first + text->count != g->text.count)
        become_text(g, text, text_of(g, text));
    struct node tail = *more;
    become_text(g, &tail, text_of(g, more));
    text->count += tail.count;
}

/* Neighbouring texts become one, empty ones go. Returns how many children are left. */
static uint32_t join_texts(struct grammar *g, const struct node *n)
{
    uint32_t *kids = &g->kids.items[n->first];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        struct node *here = &g->nodes.items[kids[i]];
        struct node *last = kept ? &g->nodes.items[kids[kept - 1]] : NULL;
        bool texts = here->kind == NODE_TEXT && last && last->kind == NODE_TEXT;
        if (texts && is_affordable(g, (uint64_t)here->count + last->count))
            append_text(g, last, here);
        else if (here->kind != NODE_TEXT || here->count)
            kids[kept++] = kids[i];
    }
    return kept;
}

static int fold_sequence(struct grammar *g, struct node *n, struct error **err)
{
    n->count = join_texts(g, n);
    const struct node *only = n->count == 1 ? kid(g, n, 0) : NULL;
    if (n->count > 1 || (only && only->kind != NODE_TEXT))
        return 0;
    n->kind = NODE_TEXT;
    n->first = only ? only->first : 0;
    n->count = only ? only->count : 0;
    return 0;
}

/* Alternatives of one byte and equal weight, as in "0" | "1" | …, are a set. */
static void fold_to_set(struct grammar *g, struct node *n)
{
    const double *weights = &g->weights.items[n->u.choice.weights];
    bool alike = true;
    for (uint32_t i = 0; alike && i < n->count; i++)
        alike = kid(g, n, i)->kind == NODE_TEXT && kid(g, n, i)->count == 1 && !(weights[i] > weights[0]) &&
                !(weights[i] < weights[0]);
    if (!alike || !is_affordable(g, n->count))
        return;
    uint32_t first = (uint32_t)g->text.count;
    POOL_ROOM(g->text, n->count);
    for (uint32_t i = 0; i < n->count; i++)
        g->text.items[g->text.count++] = g->text.items[kid(g, n, i)->first];
    n->kind = NODE_SET;
    n->first = first;
}

static int fold_choice(struct grammar *g, struct node *n, struct error **err)
{
    uint32_t *kids = &g->kids.items[n->first];
    double *weights = &g->weights.items[n->u.choice.weights];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        if (!(weights[i] > 0))
            continue;
        kids[kept] = kids[i];
        weights[kept++] = weights[i];
    }
    if (kept == 0)
        return grammar_fail(g, n->place, err, "every alternative has weight 0, expected one above 0");
    n->count = kept;
    if (kept > 1) {
        fold_to_set(g, n);
        return 0;
    }
    n->kind = NODE_SEQUENCE;
    return fold_sequence(g, n, err);
}

static int fold_int(struct grammar *g, struct node *n, struct error **err)
{
    char text[24];
    if (n->u.range.low != n->u.range.high)
        return 0;
    int length = snprintf(text, sizeof text, "%lld", (long long)n->u.range.low);
    become_text(g, n, bytes_of(text, (size_t)length));
    return 0;
}

static int fold_field(struct grammar *g, struct node *n, struct error **err)
{
    uint8_t encoded[8];
    if (n->u.range.low != n->u.range.high)
        return 0;
    field_encode(n, n->u.range.low, encoded);
    become_text(g, n, bytes_of(encoded, n->width));
    return 0;
}

static int fold_field_of(struct grammar *g, struct node *n, struct error **err)
{
    const struct node *child = kid(g, n, 0);
    uint64_t value;
    if (child->kind != NODE_TEXT)
        return 0;
    TRY(field_value(g, n, text_of(g, child), &value, err));
    uint8_t encoded[8];
    field_encode(n, value, encoded);
    become_text(g, n, bytes_of(encoded, n->width));
    return 0;
}

static int fold_function(struct grammar *g, struct node *n, struct error **err)
{
    const struct node *child = kid(g, n, 0);
    if (child->kind != NODE_TEXT || !is_affordable(g, child->count))
        return 0;
    size_t rows;
    struct buf made;
    buf_init(&made, CONSTANT_MOST);
    function_table(&rows)[n->target].apply(text_of(g, child), &made);
    if (!made.overflow && is_affordable(g, made.len))
        become_text(g, n, buf_bytes(&made));
    buf_release(&made);
    return 0;
}

static int fold_repeat(struct grammar *g, struct node *n, struct error **err)
{
    uint32_t times = n->u.repeat.min;
    const struct node *item = kid(g, n, 0), *separator = n->count > 1 ? kid(g, n, 1) : NULL;
    if (n->u.repeat.max != times)
        return 0;
    if (times == 1) {
        n->kind = NODE_SEQUENCE;
        n->count = 1;
        return fold_sequence(g, n, err);
    }
    bool constant = item->kind == NODE_TEXT && (!separator || separator->kind == NODE_TEXT);
    uint64_t length = item->count + (separator ? (uint64_t)separator->count : 0);
    if (times && (!constant || !is_affordable(g, multiply_capped(length ? length : 1, times))))
        return 0;
    struct node result = *n;
    become_text(g, &result, BYTES_NONE);
    for (uint32_t i = 0; i < times; i++) {
        if (i && separator)
            append_text(g, &result, separator);
        append_text(g, &result, item);
    }
    *n = result;
    return 0;
}

static int (*const folds[NODE_KINDS])(struct grammar *, struct node *, struct error **) = {
    [NODE_CHOICE] = fold_choice, [NODE_SEQUENCE] = fold_sequence, [NODE_INT] = fold_int,
    [NODE_FIELD] = fold_field,   [NODE_FIELD_OF] = fold_field_of, [NODE_FUNCTION] = fold_function,
    [NODE_REPEAT] = fold_repeat,
};

/* Slots. ------------------------------------------------------------------------------------------------- */

/* Whether a node gives the same bytes each time, once its parameters are bound; children are known already.
 */
static bool is_settled(const struct grammar *g, const struct node *n, const bool *settled)
{
    if (n->kind == NODE_TEXT || n->kind == NODE_PARAMETER)
        return true;
    bool all = n->kind == NODE_FUNCTION || n->kind == NODE_FIELD_OF || n->kind == NODE_SEQUENCE;
    for (uint32_t i = 0; all && i < n->count; i++)
        all = settled[g->kids.items[n->first + i]];
    return all;
}

/* A function of parameters alone, as in esc.py(path), has a length that is known exactly once it is computed,
 * while its bound is many times that. So it is computed before the body, and the node becomes one more
 * parameter. */
static void add_slots(struct grammar *g, struct rule *r, bool *settled)
{
    r->computed = (uint32_t)g->kids.count;
    for (uint32_t i = r->first_node; i < r->node_end; i++) {
        settled[i] = is_settled(g, &g->nodes.items[i], settled);
        if (!settled[i] || g->nodes.items[i].kind != NODE_FUNCTION || r->slots == SLOTS_MOST)
            continue;
        struct node expression = g->nodes.items[i];
        POOL_ADD(g->nodes, expression);
        POOL_ADD(g->kids, (uint32_t)g->nodes.count - 1);
        g->nodes.items[i].kind = NODE_PARAMETER;
        g->nodes.items[i].target = r->slots++;
    }
}

int grammar_fold(struct grammar *g, struct error **err)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        struct node *n = &g->nodes.items[i];
        if (folds[n->kind])
            TRY(folds[n->kind](g, n, err));
    }
    bool *settled = xcalloc(g->nodes.count, sizeof *settled);
    for (size_t i = 0; i < g->rules.count; i++) {
        struct rule *r = &g->rules.items[i];
        r->slots = r->arity;
        if (r->arity)
            add_slots(g, r, settled);
    }
    free(settled);
    return 0;
}
