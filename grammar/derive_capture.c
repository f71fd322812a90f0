/* Deriving: what needs the text of something else first.
 *
 * A function, a computed field or an argument captures: its child is derived into the machine's own buffer,
 * within a limit that is settled at the start, so that whatever comes out of it fits into what the budget has
 * for the node. Captured text that does not end up in the output (of sha256(x), or an argument nobody uses)
 * is held to max_bytes too, and counts as work.
 *
 * A call derives its arguments one by one in the caller's frame, each into a slot; then a frame is made of
 * these slots, the computed slots are derived in it, and then the body. What is bound lies in one buffer,
 * innermost last, and goes when the frame goes. */
#include "grammar/derive_internal.h"

/* Turns the target to the machine's buffer and has the child derived into it. `most`: its greatest length. */
static int begin(struct derive *d, struct capture capture, uint32_t child, uint32_t depth, uint64_t most)
{
    uint64_t least = derive_cost(d, &derive_node(d, child)->cost);
    size_t room = d->text.max - d->text.len;
    if (least > room)
        return error_set(d->err, ERR_LIMIT, "computed fields need more than %d bytes to be computed from",
                         HIDDEN_MOST);
    capture.start = d->text.len;
    capture.outer_target = d->target;
    capture.outer_limit = d->limit;
    capture.outer_reserve = d->reserve;
    POOL_ADD(d->captures, capture);
    d->target = &d->text;
    d->limit = d->text.len + (most < room ? (size_t)most : room);
    d->reserve = least;
    derive_push(d, (struct item){.mark = MARK_CAPTURED});
    derive_push(d, (struct item){.mark = MARK_EXPAND, .node = child, .depth = depth});
    return 0;
}

/* The greatest length of the input so that the function's output is no longer than `room`; at least `least`,
 * for which that is known, and at most `most`. Outputs do not get shorter when inputs get longer. */
static uint64_t input_within(const struct node *n, uint64_t room, uint64_t least, uint64_t most)
{
    if (function_most(n, most) <= room)
        return most;
    while (least < most) {
        uint64_t middle = least + (most - least) / 2 + 1;
        if (function_most(n, middle) <= room)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

int derive_function(struct derive *d, uint32_t node, uint32_t depth)
{
    const struct node *n = derive_node(d, node);
    uint32_t child = derive_kid(d, n, 0);
    uint64_t priced = derive_cost(d, &n->cost), least = derive_cost(d, &derive_node(d, child)->cost);
    uint64_t most = least > d->max_bytes ? least : d->max_bytes;
    if (n->kind == NODE_FUNCTION)
        most = input_within(n, priced + derive_slack(d), least, most);
    return begin(d, (struct capture){.node = node, .priced = priced}, child, depth, most);
}

static int finish_function(struct derive *d, const struct node *n, struct bytes input)
{
    if (n->kind == NODE_FIELD_OF) {
        uint64_t value;
        uint8_t encoded[8];
        TRY(field_value(d->g, n, input, &value, d->err));
        field_encode(n, value, encoded);
        buf_add(&d->made, bytes_of(encoded, n->width));
        return 0;
    }
    size_t rows;
    function_table(&rows)[n->target].apply(input, &d->made);
    return 0;
}

/* The argument becomes a slot; the reserve now knows its length. */
static int finish_slot(struct derive *d, const struct capture *c, struct bytes value)
{
    d->reserve += c->rate * value.len; /* before: what was priced, which is no more than that and the slack */
    d->reserve -= c->rate * c->priced;
    return derive_bind(d, value);
}

int derive_captured(struct derive *d, struct item item)
{
    struct capture c = d->captures.items[--d->captures.count];
    struct bytes input = bytes_slice(buf_bytes(&d->text), c.start, d->text.len);
    d->target = c.outer_target;
    d->limit = c.outer_limit;
    d->reserve = c.outer_reserve;
    d->work += input.len;
    if (c.node == NONE) {
        TRY(finish_slot(d, &c, input));
        buf_cut(&d->text, c.start);
        return 0;
    }
    buf_clear(&d->made);
    TRY(finish_function(d, derive_node(d, c.node), input));
    buf_cut(&d->text, c.start);
    if (d->made.overflow)
        return error_set(d->err, ERR_LIMIT, "a computed field is longer than %d bytes", HIDDEN_MOST);
    if (d->made.len > c.priced + derive_slack(d))
        BUG("a function gave more than its bound");
    d->reserve -= c.priced;
    derive_emit(d, d->made.data, d->made.len);
    return 0;
}

int derive_bind(struct derive *d, struct bytes value)
{
    struct slot slot = {.at = d->bound.len, .len = value.len};
    if (buf_add(&d->bound, value) < 0)
        return error_set(d->err, ERR_LIMIT, "arguments of nested calls are longer than %d bytes",
                         HIDDEN_MOST);
    POOL_ADD(d->slots, slot);
    return 0;
}

int derive_call(struct derive *d, uint32_t node, uint32_t depth)
{
    const struct node *n = derive_node(d, node);
    derive_push(d, (struct item){.mark = MARK_BIND, .node = node, .depth = depth});
    for (uint32_t i = n->count; i-- > 0;)
        derive_push(d, (struct item){.mark = MARK_ARGUMENT, .node = node, .depth = depth, .value = i});
    return 0;
}

/* The reserve has, for each argument, its cheapest length times what the callee's cheapest derivation takes
 * for a byte of it; so that is how much longer it may get. */
int derive_argument(struct derive *d, struct item item)
{
    const struct node *n = derive_node(d, item.node);
    const struct cost *call = &d->g->rules.items[n->target].call;
    uint32_t child = derive_kid(d, n, item.value);
    uint64_t least = derive_cost(d, &derive_node(d, child)->cost);
    uint64_t most = least > d->max_bytes ? least : d->max_bytes;
    uint64_t rate = 0;
    if (call->coefficients != NONE && item.value < d->g->coefficients.items[call->coefficients])
        rate = d->g->coefficients.items[call->coefficients + 1 + item.value];
    if (rate && most - least > derive_slack(d) / rate)
        most = least + derive_slack(d) / rate;
    return begin(d, (struct capture){.node = NONE, .priced = least, .rate = rate}, child, item.depth, most);
}

static const struct frame *innermost(const struct derive *d)
{
    return &d->frames.items[d->frames.count - 1];
}

int derive_frame(struct derive *d, struct item item)
{
    uint32_t rule = derive_node(d, item.node)->target;
    const struct rule *r = &d->g->rules.items[rule];
    POOL_ADD(d->frames, ((struct frame){.rule = rule, .first_slot = d->slots.count - r->arity}));
    derive_push(d, (struct item){.mark = MARK_RETURN});
    derive_push(d, (struct item){.mark = MARK_BODY, .depth = item.depth});
    for (uint32_t i = r->slots; i-- > r->arity;)
        derive_push(d, (struct item){.mark = MARK_SLOT, .value = i});
    return 0;
}

/* Nothing is chosen in a computed slot, so there is nothing to limit. */
int derive_slot(struct derive *d, struct item item)
{
    const struct rule *r = &d->g->rules.items[innermost(d)->rule];
    uint32_t expression = d->g->kids.items[r->computed + item.value - r->arity];
    return begin(d, (struct capture){.node = NONE}, expression, 0, UINT64_MAX);
}

/* The reserve has the cost of the call, where computed slots are bounds; they are known now. */
int derive_body(struct derive *d, struct item item)
{
    const struct rule *r = &d->g->rules.items[innermost(d)->rule];
    d->reserve -= derive_cost(d, &r->call);
    d->reserve += derive_cost(d, &derive_node(d, r->body)->cost);
    derive_push(d, (struct item){.mark = MARK_EXPAND, .node = r->body, .depth = item.depth + 1});
    return 0;
}

int derive_return(struct derive *d, struct item item)
{
    struct frame frame = d->frames.items[--d->frames.count];
    if (frame.first_slot < d->slots.count)
        buf_cut(&d->bound, d->slots.items[frame.first_slot].at);
    d->slots.count = frame.first_slot;
    return 0;
}
