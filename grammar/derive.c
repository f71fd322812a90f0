/* Deriving a text: the loop, choices and repetition. The machine and its budget are described in
 * derive_internal.h.
 *
 * Depth counts rules inside rules; from max_depth on only alternatives that end soonest are taken. Work
 * counts nodes and captured bytes; beyond its most, only the cheapest alternative and the least repetition
 * are taken, so that grammars that can go on without writing anything (a = a a | "") end too. */
#include "grammar/derive_internal.h"

#include <stdlib.h>

enum { WORK_FREE = 4096, WORK_PER_BYTE = 64, WORK_MOST = 1 << 26 };

/* Beyond any text; keeps sums of costs far from 2^64. */
static const uint64_t bytes_most = (uint64_t)1 << 40;

void derive_grow_stack(struct derive *d)
{
    size_t capacity = 2 * d->capacity;
    if (d->stack == d->first_stack) {
        d->stack = xmalloc(capacity * sizeof *d->stack);
        memcpy(d->stack, d->first_stack, sizeof d->first_stack);
    } else {
        d->stack = xrealloc(d->stack, capacity * sizeof *d->stack);
    }
    d->capacity = capacity;
}

static uint64_t linear_cost(const struct derive *d, const struct cost *c)
{
    const uint64_t *coefficients = &d->g->coefficients.items[c->coefficients];
    const struct slot *slots = &d->slots.items[d->frames.items[d->frames.count - 1].first_slot];
    uint64_t sum = c->bytes;
    for (uint64_t i = 0; i < coefficients[0]; i++)
        sum = add_capped(sum, multiply_capped(coefficients[i + 1], slots[i].len));
    return sum;
}

uint64_t derive_cost(const struct derive *d, const struct cost *c)
{
    return c->coefficients == NONE ? c->bytes : linear_cost(d, c);
}

/* Choices. ----------------------------------------------------------------------------------------------- */

/* Gives the weights of the alternatives that may be taken now, the others 0. Beyond the depth those that end
 * soonest are left, of the ones that fit. */
static void allow(struct derive *d, const struct node *n, uint64_t room, bool deep, double *weights)
{
    const double *declared = &d->g->weights.items[n->u.choice.weights];
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct cost *c = &derive_node(d, derive_kid(d, n, i))->cost;
        bool fits = d->work > d->work_most ? i == n->target : derive_cost(d, c) <= room;
        weights[i] = fits ? declared[i] : 0;
        if (fits && c->height < lowest)
            lowest = c->height;
    }
    for (uint32_t i = 0; deep && i < n->count; i++)
        if (derive_node(d, derive_kid(d, n, i))->cost.height > lowest)
            weights[i] = 0;
}

static size_t choose_narrowly(struct derive *d, const struct node *n, bool deep, size_t *handle)
{
    uint64_t room = add_capped(derive_cost(d, &n->cost), derive_slack(d));
    POOL_ROOM(d->weights, n->count);
    allow(d, n, room, deep, d->weights.items);
    return chooser_open_weighted(d->chooser, n->site, d->weights.items, n->count, handle);
}

/* The best level there is for this slack; NULL: none is made for it. */
static const struct level *find_level(const struct derive *d, const struct node *n, uint64_t slack)
{
    const struct level *levels = &d->g->levels.items[n->u.choice.levels];
    for (uint32_t i = n->u.choice.level_count; i-- > 0;)
        if (levels[i].surplus <= slack)
            return &levels[i];
    return NULL;
}

/* Returns the node to go on with. */
static uint32_t choose(struct derive *d, const struct node *n, uint32_t depth, size_t *handle)
{
    size_t index;
    bool deep = depth >= d->max_depth && !n->flat;
    bool one_by_one = deep || d->work > d->work_most || d->chooser->guide;
    const struct level *level = one_by_one ? NULL : find_level(d, n, derive_slack(d));
    if (level)
        index = chooser_open_by_slots(d->chooser, n->site, &d->g->slots.items[level->slots], n->count,
                                      handle);
    else
        index = choose_narrowly(d, n, deep, handle);
    uint32_t chosen = derive_kid(d, n, (uint32_t)index);
    d->reserve += derive_cost(d, &derive_node(d, chosen)->cost);
    d->reserve -= derive_cost(d, &n->cost);
    return chosen;
}

/* Repetition. -------------------------------------------------------------------------------------------- */

struct unit {
    uint32_t item, separator; /* nodes; separator NONE: none */
    uint64_t item_cost, separator_cost;
    uint64_t work;
};

static struct unit unit_of(const struct derive *d, const struct node *n)
{
    const struct node *item = derive_node(d, derive_kid(d, n, 0));
    struct unit u = {.item = derive_kid(d, n, 0),
                     .separator = NONE,
                     .item_cost = derive_cost(d, &item->cost),
                     .work = item->cost.steps};
    if (n->count > 1) {
        const struct node *separator = derive_node(d, derive_kid(d, n, 1));
        u.separator = derive_kid(d, n, 1);
        u.separator_cost = derive_cost(d, &separator->cost);
        u.work += separator->cost.steps;
    }
    return u;
}

/* How many more than the least are allowed now. */
static uint64_t most_extra(const struct derive *d, const struct node *n, const struct unit *u, uint32_t depth)
{
    uint64_t extra = n->u.repeat.max - n->u.repeat.min;
    if (d->work > d->work_most || (depth >= d->max_depth && !n->flat))
        return 0;
    uint64_t cost = add_capped(u->item_cost, u->separator_cost);
    /* The first item has no separator before it. */
    uint64_t room = add_capped(derive_slack(d), n->u.repeat.min ? 0 : u->separator_cost);
    if (cost && extra > room / cost)
        extra = room / cost;
    uint64_t work = (d->work_most - d->work) / (u->work ? u->work : 1);
    return extra < work ? extra : work;
}

static uint64_t repeat_cost(const struct unit *u, uint64_t count)
{
    return count ? u->item_cost * count + u->separator_cost * (count - 1) : 0;
}

/* Items and separators that are leaves are written here and now. */
static bool repeat_leaves(struct derive *d, const struct unit *u, uint32_t count)
{
    const struct node *item = derive_node(d, u->item);
    const struct node *separator = u->separator == NONE ? NULL : derive_node(d, u->separator);
    if (item->kind > NODE_LAST_LEAF || (separator && separator->kind > NODE_LAST_LEAF))
        return false;
    d->work += count;
    for (uint32_t i = 0; i < count; i++) {
        if (i && separator)
            derive_leaf(d, separator);
        derive_leaf(d, item);
    }
    return true;
}

static int expand_repeat(struct derive *d, uint32_t node, uint32_t depth)
{
    const struct node *n = derive_node(d, node);
    struct unit u = unit_of(d, n);
    uint64_t count = n->u.repeat.min;
    bool chooses = n->u.repeat.max > n->u.repeat.min;
    size_t handle = 0;
    if (chooses) {
        enum count_shape shape = n->open_ended ? COUNT_OPEN : COUNT_BOUNDED;
        count += chooser_open_count(d->chooser, n->site, most_extra(d, n, &u, depth) + 1, shape, &handle);
        d->reserve += repeat_cost(&u, count) - repeat_cost(&u, n->u.repeat.min);
    }
    if (count == 0 || repeat_leaves(d, &u, (uint32_t)count)) {
        if (chooses)
            chooser_shut(d->chooser, handle);
        return 0;
    }
    if (chooses)
        derive_push(d, (struct item){.mark = MARK_CLOSE, .value = (uint32_t)handle});
    derive_push(
        d, (struct item){.mark = MARK_REPEAT, .node = node, .depth = depth, .value = (uint32_t)count - 1});
    derive_push(d, (struct item){.mark = MARK_EXPAND, .node = u.item, .depth = depth});
    return 0;
}

/* One more item, after a separator. */
static int repeat_again(struct derive *d, struct item item)
{
    if (item.value == 0)
        return 0;
    const struct node *n = derive_node(d, item.node);
    item.value--;
    derive_push(d, item);
    derive_push(d, (struct item){.mark = MARK_EXPAND, .node = derive_kid(d, n, 0), .depth = item.depth});
    if (n->count > 1)
        derive_push(d, (struct item){.mark = MARK_EXPAND, .node = derive_kid(d, n, 1), .depth = item.depth});
    return 0;
}

/* The loop. ---------------------------------------------------------------------------------------------- */

static int (*const expanders[NODE_KINDS])(struct derive *, uint32_t, uint32_t) = {
    [NODE_FIELD_OF] = derive_function,
    [NODE_FUNCTION] = derive_function,
    [NODE_REPEAT] = expand_repeat,
    [NODE_CALL] = derive_call,
};

/* Texts are what is written most. */
static inline void write_leaf(struct derive *d, const struct node *n)
{
    if (n->kind != NODE_TEXT) {
        derive_leaf(d, n);
        return;
    }
    derive_emit(d, d->g->text.items + n->first, n->count);
    d->reserve -= n->count;
}

/* Follows a node down its first children to a leaf, or to what has to wait. */
static int expand(struct derive *d, uint32_t node, uint32_t depth)
{
    for (;;) {
        const struct node *n = derive_node(d, node);
        d->work++;
        depth += n->deeper;
        if (n->kind == NODE_SEQUENCE) {
            for (uint32_t i = n->count; i-- > 1;)
                derive_push(d,
                            (struct item){.mark = MARK_EXPAND, .node = derive_kid(d, n, i), .depth = depth});
            node = derive_kid(d, n, 0);
        } else if (n->kind == NODE_CHOICE) {
            size_t handle;
            node = choose(d, n, depth, &handle);
            const struct node *chosen = derive_node(d, node);
            if (chosen->kind <= NODE_LAST_LEAF) {
                write_leaf(d, chosen);
                chooser_shut(d->chooser, handle);
                return 0;
            }
            derive_push(d, (struct item){.mark = MARK_CLOSE, .value = (uint32_t)handle});
        } else if (n->kind <= NODE_LAST_LEAF) {
            write_leaf(d, n);
            return 0;
        } else {
            return expanders[n->kind](d, node, depth);
        }
    }
}

static int (*const handlers[MARKS])(struct derive *, struct item) = {
    [MARK_REPEAT] = repeat_again,  [MARK_CAPTURED] = derive_captured, [MARK_ARGUMENT] = derive_argument,
    [MARK_BIND] = derive_frame,    [MARK_SLOT] = derive_slot,         [MARK_BODY] = derive_body,
    [MARK_RETURN] = derive_return,
};

static int run(struct derive *d)
{
    while (d->top) {
        struct item item = d->stack[--d->top];
        if (item.mark == MARK_CLOSE)
            chooser_shut(d->chooser, item.value);
        else if (item.mark == MARK_EXPAND)
            TRY(expand(d, item.node, item.depth));
        else
            TRY(handlers[item.mark](d, item));
    }
    return 0;
}

/* Starting. ---------------------------------------------------------------------------------------------- */

/* With arguments from outside: their slots, and those computed of them, which takes no budget. */
static int bind_arguments(struct derive *d, uint32_t rule, const struct bytes *args)
{
    const struct rule *r = &d->g->rules.items[rule];
    for (uint32_t i = 0; i < r->arity; i++)
        TRY(derive_bind(d, args[i]));
    POOL_ADD(d->frames, ((struct frame){.rule = rule, .first_slot = 0}));
    for (uint32_t i = r->slots; i-- > r->arity;)
        derive_push(d, (struct item){.mark = MARK_SLOT, .value = i});
    return run(d);
}

static int derive_all(struct derive *d, uint32_t rule, const struct bytes *args)
{
    const struct rule *r = &d->g->rules.items[rule];
    if (r->arity)
        TRY(bind_arguments(d, rule, args));
    uint64_t least = derive_cost(d, &derive_node(d, r->body)->cost);
    if (least > d->max_bytes)
        return error_set(d->err, ERR_LIMIT,
                         "rule '%s' of %s may need %llu bytes even at its shortest, the limit is %llu",
                         r->name, r->place_text, (unsigned long long)least, (unsigned long long)d->max_bytes);
    if (d->shortest)
        d->max_bytes = least;
    d->reserve = least;
    d->limit = d->target->len + (size_t)d->max_bytes;
    derive_push(d, (struct item){.mark = MARK_EXPAND, .node = r->body});
    return run(d);
}

static void derive_release(struct derive *d)
{
    if (d->stack != d->first_stack)
        free(d->stack);
    free(d->captures.items);
    free(d->frames.items);
    free(d->slots.items);
    free(d->weights.items);
    buf_release(&d->text);
    buf_release(&d->made);
    buf_release(&d->bound);
}

static uint64_t least_of(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t least = a < b ? a : b;
    return least < c ? least : c;
}

int grammar_derive(const struct grammar *g, int rule, const struct bytes *args, size_t arg_count,
                   struct chooser *chooser, const struct grammar_limits *limits, struct buf *out,
                   struct error **err)
{
    if (!g->compiled)
        BUG("a grammar derived from before it was compiled");
    if (rule < 0 || (size_t)rule >= g->rules.count)
        return error_set(err, ERR_INPUT, "rule %d is not there, there are %zu", rule, g->rules.count);
    if (arg_count != g->rules.items[rule].arity)
        return error_set(err, ERR_INPUT, "rule '%s' takes %u arguments, found %zu", g->rules.items[rule].name,
                         g->rules.items[rule].arity, arg_count);
    if (out->overflow)
        return error_set(err, ERR_LIMIT, "rule '%s' is derived into a buffer that is full",
                         g->rules.items[rule].name);
    struct derive d;
    memset(&d, 0, offsetof(struct derive, first_stack));
    d.g = g;
    d.chooser = chooser;
    d.target = out;
    d.max_bytes = least_of(limits->max_bytes, out->max - out->len, bytes_most);
    d.max_depth = limits->max_depth;
    d.shortest = limits->shortest;
    d.work_most = least_of(WORK_FREE + WORK_PER_BYTE * d.max_bytes, WORK_MOST, UINT64_MAX);
    d.stack = d.first_stack;
    d.capacity = FIRST_STACK;
    d.err = err;
    buf_init(&d.text, HIDDEN_MOST);
    buf_init(&d.made, HIDDEN_MOST);
    buf_init(&d.bound, HIDDEN_MOST);

    struct chooser before = *chooser;
    size_t length = out->len, choices = chooser->log->count;
    int status = derive_all(&d, (uint32_t)rule, args);
    if (status < 0) {
        buf_cut(out, length);
        chooser->log->count = choices;
        chooser->at = before.at;
        chooser->limit = before.limit;
    }
    derive_release(&d);
    return status;
}
