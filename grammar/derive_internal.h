/* The machine that derives a text: derive.c has the loop, choices and repetition, derive_leaf.c what is written at once,
 * derive_capture.c what needs the text of something else first: functions, computed fields, arguments.
 *
 * Items wait on a stack: nodes to be expanded, and marks for what is to be done once everything above them is finished.
 * Text goes to a target, first the caller's buffer. A capture turns the target into the machine's own buffer until its
 * mark comes up, and then does something with what was gathered; captures nest.
 *
 * Budget. `reserve` is the cost of what waits on the stack for the current target, if it is all derived the cheapest
 * way. Invariant: target->len + reserve <= limit; the difference is the slack. Whoever chooses takes only what the slack
 * allows and adds to the reserve what it costs more than the cheapest; whoever writes takes its cost from the reserve.
 * So every derivation can always be finished within the limit. */
#ifndef GRAMMAR_DERIVE_INTERNAL_H
#define GRAMMAR_DERIVE_INTERNAL_H

#include <string.h>

#include "grammar/chooser_internal.h"
#include "grammar/grammar_internal.h"

enum { FIRST_STACK = 256 };

enum mark {
    MARK_EXPAND,   /* node, at depth */
    MARK_CLOSE,    /* chooser_close of handle `value` */
    MARK_REPEAT,   /* `value` more times the item of node, at depth */
    MARK_CAPTURED, /* the innermost capture is complete */
    MARK_ARGUMENT, /* argument `value` of the call node, at depth */
    MARK_BIND,     /* all arguments of the call node are there: make its frame, at depth */
    MARK_SLOT,     /* compute slot `value` of the innermost frame's rule */
    MARK_BODY,     /* all slots are there: on with the body of the innermost frame's rule, at depth */
    MARK_RETURN,   /* drop the innermost frame */
    MARKS
};

struct item {
    uint32_t mark, node, depth, value;
};

struct capture {
    uint32_t node;            /* FUNCTION, FIELD_OF; NONE: a slot */
    size_t start;             /* of its text in derive.text */
    struct buf *outer_target;
    size_t outer_limit;
    uint64_t outer_reserve;
    uint64_t priced;          /* what the reserve has for it: bytes of the node; length of the argument */
    uint64_t rate;            /* slot: bytes of reserve for each byte of it */
};

struct slot {
    size_t at, len; /* in derive.bound */
};

struct frame {
    uint32_t rule;
    size_t first_slot; /* index into derive.slots */
};

struct derive {
    const struct grammar *g;
    struct chooser *chooser;
    struct buf *target;
    size_t limit;         /* that target->len never passes */
    uint64_t reserve;
    uint64_t max_bytes;   /* of the whole text; also of what is captured, unless the cheapest is longer */
    size_t max_depth;
    bool shortest;        /* max_bytes is what the cheapest takes */
    uint64_t work, work_most; /* nodes visited and bytes captured; beyond the most only the cheapest is taken */
    struct item *stack;
    size_t top, capacity;
    POOL(struct capture) captures;
    POOL(struct frame) frames;
    POOL(struct slot) slots;
    POOL(double) weights; /* of the alternatives that are allowed */
    struct buf text;      /* what captures gather */
    struct buf made;      /* what a function makes of it */
    struct buf bound;     /* the bytes of slots, innermost last */
    struct error **err;
    struct item first_stack[FIRST_STACK];
};

/* derive.c */
void derive_grow_stack(struct derive *d);
uint64_t derive_cost(const struct derive *d, const struct cost *c); /* with the lengths of the innermost frame */

/* derive_leaf.c: writes a leaf and takes its cost from the reserve. */
void derive_leaf(struct derive *d, const struct node *n);

/* derive_capture.c */
int derive_function(struct derive *d, uint32_t node, uint32_t depth); /* FUNCTION and FIELD_OF */
int derive_call(struct derive *d, uint32_t node, uint32_t depth);
/* Binds bytes from outside to the next slot. */
int derive_bind(struct derive *d, struct bytes value);
/* The handlers of the marks from MARK_CAPTURED to MARK_RETURN. */
int derive_captured(struct derive *d, struct item item);
int derive_argument(struct derive *d, struct item item);
int derive_frame(struct derive *d, struct item item);
int derive_slot(struct derive *d, struct item item);
int derive_body(struct derive *d, struct item item);
int derive_return(struct derive *d, struct item item);

static inline void derive_push(struct derive *d, struct item item)
{
    if (d->top == d->capacity)
        derive_grow_stack(d);
    d->stack[d->top++] = item;
}

static inline uint64_t derive_slack(const struct derive *d)
{
    return d->limit - d->target->len - d->reserve;
}

static inline const struct node *derive_node(const struct derive *d, uint32_t node)
{
    return &d->g->nodes.items[node];
}

static inline uint32_t derive_kid(const struct derive *d, const struct node *n, uint32_t index)
{
    return d->g->kids.items[n->first + index];
}

/* Appends to the target, which has room for it by the invariant. */
static inline void derive_emit(struct derive *d, const uint8_t *data, size_t len)
{
    struct buf *b = d->target;
    if (len >= b->cap - b->len || len == 0) { /* has to grow; or data may be NULL */
        buf_add(b, bytes_of(data, len));
        return;
    }
    if (len == 1)
        b->data[b->len] = *data;
    else
        memcpy(b->data + b->len, data, len);
    b->len += len;
}

#endif
