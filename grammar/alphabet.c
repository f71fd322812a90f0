/* Third step of compile: how much an encoder can lengthen what it is applied to.
 *
 * The length of esc.json(x) depends on the bytes of x. Its bound has to hold for every derivation, and should
 * be near, or budgets would refuse what fits; so the bytes that each node can give are found first: the least
 * sets that agree with each other, by going over all nodes until nothing changes. That takes as many rounds
 * as rules are nested against their order; after ROUNDS_MOST of them any byte is assumed everywhere, which is
 * always right. */
#include <stdlib.h>
#include <string.h>

#include "grammar/grammar_internal.h"

enum { ROUNDS_MOST = 64, BYTE_VALUES = 256 };

struct byte_set {
    uint64_t words[BYTE_VALUES / 64];
};

static const struct byte_set any_byte = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static void set_add(struct byte_set *s, unsigned byte)
{
    s->words[byte / 64] |= (uint64_t)1 << byte % 64;
}

static bool set_has(const struct byte_set *s, unsigned byte)
{
    return s->words[byte / 64] >> byte % 64 & 1;
}

static void set_add_all(struct byte_set *s, const struct byte_set *more)
{
    for (size_t i = 0; i < sizeof s->words / sizeof *s->words; i++)
        s->words[i] |= more->words[i];
}

static void set_add_bytes(struct byte_set *s, struct bytes b)
{
    for (size_t i = 0; i < b.len; i++)
        set_add(s, b.data[i]);
}

/* What a function does with single bytes. */
struct effect {
    uint32_t fixed;              /* length for no input */
    uint32_t added[BYTE_VALUES]; /* what each byte alone adds to that */
    struct byte_set around;      /* bytes of the output for no input */
    struct byte_set output[BYTE_VALUES];
};

struct analysis {
    struct grammar *g;
    struct effect *effects; /* by row of the function table */
    struct byte_set *nodes, *rules;
    bool assume_any;
};

static void find_effect(const struct function_row *row, struct effect *e)
{
    struct buf made;
    buf_init(&made, 1024);
    row->apply(BYTES_NONE, &made);
    e->fixed = (uint32_t)made.len;
    set_add_bytes(&e->around, buf_bytes(&made));
    for (unsigned byte = 0; byte < BYTE_VALUES; byte++) {
        uint8_t single = (uint8_t)byte;
        buf_clear(&made);
        row->apply(bytes_of(&single, 1), &made);
        e->added[byte] = (uint32_t)made.len - e->fixed;
        set_add_bytes(&e->output[byte], buf_bytes(&made));
    }
    buf_release(&made);
}

/* The bytes of code points of these spans: exactly for ASCII, else any of 0x80..0xFF. */
static struct byte_set chars_set(const struct grammar *g, const struct node *n)
{
    struct byte_set s = {{0}};
    for (uint32_t i = 0; i < n->count; i++) {
        const struct span *span = &g->spans.items[n->first + i];
        for (uint64_t c = span->low; c <= span->high && c < 0x80; c++)
            set_add(&s, (unsigned)c);
        if (span->high >= 0x80)
            s.words[2] = s.words[3] = UINT64_MAX;
    }
    return s;
}

static struct byte_set function_set(const struct analysis *a, const struct node *n,
                                    const struct byte_set *input)
{
    size_t rows;
    const struct function_row *row = &function_table(&rows)[n->target];
    struct byte_set s = {{0}};
    if (row->length && !row->alphabet)
        return any_byte;
    if (row->length) {
        set_add_bytes(&s, bytes_of_string(row->alphabet));
        return s;
    }
    const struct effect *e = &a->effects[n->target];
    s = e->around;
    /* A whole UTF-8 sequence may be kept where its bytes alone are not. A surrogate may be escaped with hex
     * digits that its bytes alone do not bring in; no function makes more of one hex digit than of another.
     */
    s.words[2] |= input->words[2];
    s.words[3] |= input->words[3];
    for (unsigned byte = 0; byte < BYTE_VALUES; byte++)
        if (set_has(input, byte))
            set_add_all(&s, &e->output[byte]);
    return s;
}

static struct byte_set node_set(const struct analysis *a, const struct node *n)
{
    struct byte_set s = {{0}};
    switch (n->kind) {
    case NODE_TEXT:
    case NODE_SET:
        set_add_bytes(&s, grammar_text(a->g, n->first, n->count));
        return s;
    case NODE_CHARS:
        return chars_set(a->g, n);
    case NODE_INT:
        set_add_bytes(&s, BYTES_LITERAL("-0123456789"));
        return s;
    case NODE_FUNCTION:
        return function_set(a, n, &a->nodes[a->g->kids.items[n->first]]);
    case NODE_RULE:
    case NODE_CALL:
        return a->rules[n->target];
    case NODE_SEQUENCE:
    case NODE_CHOICE:
    case NODE_REPEAT:
        for (uint32_t i = 0; i < n->count; i++)
            set_add_all(&s, &a->nodes[a->g->kids.items[n->first + i]]);
        return s;
    default: /* binary fields, and parameters, which callers bind to anything */
        return any_byte;
    }
}

/* One round; false when it changed nothing. */
static bool go_over(struct analysis *a)
{
    for (size_t i = 0; i < a->g->nodes.count; i++)
        a->nodes[i] = a->assume_any ? any_byte : node_set(a, &a->g->nodes.items[i]);
    bool changed = false;
    for (size_t i = 0; i < a->g->rules.count; i++) {
        const struct byte_set *body = &a->nodes[a->g->rules.items[i].body];
        changed = changed || memcmp(&a->rules[i], body, sizeof *body) != 0;
        a->rules[i] = *body;
    }
    return changed;
}

/* Takes a part of the input into account: texts that are always there exactly, of all else the worst byte. */
static void bound_part(const struct analysis *a, struct function_bound *bound, const struct effect *e,
                       uint32_t part)
{
    const struct node *n = &a->g->nodes.items[part];
    for (uint32_t i = 0; n->kind == NODE_TEXT && i < n->count; i++)
        bound->fixed += e->added[a->g->text.items[n->first + i]];
    bound->literal += n->kind == NODE_TEXT ? n->count : 0;
    for (unsigned byte = 0; n->kind != NODE_TEXT && byte < BYTE_VALUES; byte++)
        if (set_has(&a->nodes[part], byte) && e->added[byte] > bound->factor)
            bound->factor = e->added[byte];
}

static void bound_function(const struct analysis *a, struct node *n)
{
    size_t rows;
    if (function_table(&rows)[n->target].length)
        return;
    const struct effect *e = &a->effects[n->target];
    uint32_t input = a->g->kids.items[n->first];
    const struct node *child = &a->g->nodes.items[input];
    n->u.function = (struct function_bound){.fixed = e->fixed};
    if (child->kind != NODE_SEQUENCE)
        bound_part(a, &n->u.function, e, input);
    for (uint32_t i = 0; child->kind == NODE_SEQUENCE && i < child->count; i++)
        bound_part(a, &n->u.function, e, a->g->kids.items[child->first + i]);
}

static bool has_functions(const struct grammar *g)
{
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i].kind == NODE_FUNCTION)
            return true;
    return false;
}

void grammar_bound_functions(struct grammar *g)
{
    if (!has_functions(g))
        return;
    size_t rows;
    const struct function_row *table = function_table(&rows);
    struct analysis a = {.g = g,
                         .effects = xcalloc(rows, sizeof *a.effects),
                         .nodes = xcalloc(g->nodes.count, sizeof *a.nodes),
                         .rules = xcalloc(g->rules.count, sizeof *a.rules)};
    for (size_t i = 0; i < rows; i++)
        if (!table[i].length)
            find_effect(&table[i], &a.effects[i]);
    for (int round = 0; go_over(&a); round++)
        a.assume_any = round >= ROUNDS_MOST;
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i].kind == NODE_FUNCTION)
            bound_function(&a, &g->nodes.items[i]);
    free(a.effects);
    free(a.nodes);
    free(a.rules);
}

uint64_t function_most(const struct node *n, uint64_t input)
{
    size_t rows;
    const struct function_row *row = &function_table(&rows)[n->target];
    const struct function_bound *bound = &n->u.function;
    if (row->length)
        return row->length(input);
    uint64_t rest = input > bound->literal ? input - bound->literal : 0;
    return add_capped(bound->fixed, multiply_capped(bound->factor, rest));
}
