/* What a grammar is inside: one flat table of nodes, made by the readers (tg_read.c, regex.c, json_grammar.c), settled by
 * grammar_compile (resolve.c, fold.c, alphabet.c, cheapest.c, cost.c, level.c) and walked by grammar_derive (derive.c).
 *
 * Nodes refer to each other, to bytes, spans and weights by index into pools of the grammar. Readers build bottom-up, so
 * a child always has a lower index than its parent, and all nodes of a rule lie between rule.first_node and
 * rule.node_end; passes that need children first are plain loops. Only rule references go against the order. */
#ifndef GRAMMAR_GRAMMAR_INTERNAL_H
#define GRAMMAR_GRAMMAR_INTERNAL_H

#include "grammar/functions.h"
#include "grammar/grammar.h"

#define NONE UINT32_MAX

enum {
    PARAMETERS_MOST = 16,      /* of one rule */
    SLOTS_MOST = 32,           /* its parameters and what is computed from them alone */
    NESTING_MOST = 200,        /* parentheses inside each other, in rules and in regular expressions */
    REPEAT_MOST = 1000000000,  /* bound that may be written */
    SOURCE_MOST = 4 << 20,     /* bytes of all texts of one grammar */
    HIDDEN_MOST = 1 << 30      /* bytes of all texts that functions and arguments are computed from at one time */
};

/* Where something stands, for messages. Lines and columns count from 1, columns in code points. */
struct place {
    uint32_t file; /* index into grammar.files */
    uint32_t line, column;
};

enum node_kind {
    /* Leaves: written at once. */
    NODE_TEXT,      /* bytes [first, first+count) of the text pool */
    NODE_SET,       /* one of those bytes */
    NODE_CHARS,     /* one code point out of spans [first, first+count), as UTF-8; u.possible of them */
    NODE_INT,       /* decimal text of a number in u.range (as int64_t) */
    NODE_FIELD,     /* a binary integer in u.range (as uint64_t), width bytes */
    NODE_BITS,      /* spans [first, first+count) packed, width bytes */
    NODE_PARAMETER, /* the bytes bound to slot `target` of the rule */
    NODE_LAST_LEAF = NODE_PARAMETER,
    /* One child, at kids[first]: */
    NODE_FIELD_OF,  /* a binary integer, whose decimal text the child gives */
    NODE_FUNCTION,  /* functions' row `target` applied to what the child gives */
    /* Children kids[first, first+count): */
    NODE_SEQUENCE,
    NODE_CHOICE,    /* weights[u.choice.weights …]; target: index of the cheapest child; levels[u.choice.levels …] */
    NODE_REPEAT,    /* the first u.repeat.min to max times, the second, if there is one, in between */
    NODE_RULE,      /* rule `target`; before resolving: the rule of name u.name; children: arguments. After compile there
                     * are none: each has become a copy of what it refers to */
    NODE_CALL,      /* rule `target`, with at least one argument */
    NODE_KINDS
};

/* Cheapest completion, settled by compile. Bytes are the most that the cheapest derivation can take:
 * `bytes` plus, for each slot of the rule, a coefficient times the length of what is bound to it. */
struct cost {
    uint64_t bytes;
    uint32_t coefficients; /* index into the pool: how many, then one for each slot from 0 on; NONE: all are 0 */
    uint32_t steps;        /* nodes visited */
    uint32_t height;       /* nesting of rules, of the lowest derivation rather than of the cheapest */
};

/* An input of n bytes gives at most fixed + factor × (n - literal); `literal` of its bytes are always the same, and what
 * they give is in `fixed`. */
struct function_bound {
    uint32_t fixed, literal, factor;
};

struct node {
    uint8_t kind;
    uint8_t width;         /* FIELD, FIELD_OF: 1..8; BITS: any */
    bool little;           /* FIELD, FIELD_OF: low byte first */
    bool open_ended;       /* REPEAT: no upper bound was written */
    bool flat;             /* settled by compile: no rule below, so that depth does not matter */
    uint32_t first, count, target;
    uint32_t site;         /* settled by compile, of those that choose */
    uint32_t deeper;       /* rules entered on the way to this node: the length of a chain of references it stands for */
    uint32_t referred;     /* the rule that it refers, or referred, to; NONE: no reference */
    union {
        struct { uint64_t low, high; } range;
        struct { uint32_t min, max; } repeat;
        struct { uint32_t first, count; } name; /* bytes of the text pool */
        struct { uint32_t weights, levels, level_count; } choice;
        struct function_bound function; /* settled by compile, where a length depends on the bytes */
        uint64_t possible;
    } u;
    struct cost cost;
    struct place place;
};

struct span {
    uint64_t low, high;
    uint64_t extra; /* CHARS: code points in the spans before; BITS: number of bits */
};

struct rule {
    char *name, *place_text;
    struct place place;
    char **parameters;
    uint32_t arity;
    uint32_t slots;              /* arity, and what compile adds */
    uint32_t first_node, node_end;
    uint32_t body;
    uint32_t computed;           /* kids[computed …]: the expressions of the slots beyond arity */
    struct cost call;            /* of a call, less its arguments: coefficients for the parameters alone */
    bool priced;                 /* call is known */
};

/* How to draw an alternative when the slack is at least `surplus`, and below that of the next level: those that cost no
 * more than that above the cheapest, by their weights. */
struct level {
    uint64_t surplus;
    uint32_t slots; /* index into the pool, one for each alternative */
};

/* Where a choice is made. Copies that references become keep the site of what they copy, which belongs to the rule that
 * the choice is written in. */
struct grammar_site {
    uint32_t node, rule;
    uint32_t part;  /* BITS: which of them */
    uint32_t width; /* REPEAT: entries directly below its own that each repetition has; 0: that differs, or there are none */
};

#define POOL(type) struct { type *items; size_t count, capacity; }
/* Makes room for `more` items behind count. */
#define POOL_ROOM(pool, more) \
    ((pool).items = pool_room((pool).items, &(pool).capacity, (pool).count + (more), sizeof *(pool).items))
#define POOL_ADD(pool, item) (POOL_ROOM(pool, 1), (pool).items[(pool).count++] = (item))
void *pool_room(void *items, size_t *capacity, size_t need, size_t size);

struct grammar {
    POOL(struct node) nodes;
    POOL(uint32_t) kids;
    POOL(uint8_t) text;
    POOL(struct span) spans;
    POOL(double) weights;
    POOL(struct level) levels;
    POOL(struct weight_slot) slots;
    POOL(uint64_t) coefficients;
    POOL(struct rule) rules;
    POOL(char *) files;              /* names for messages */
    POOL(char *) imported;           /* canonical paths of files read */
    uint32_t *index;                 /* hash table of rules by name; size a power of two */
    size_t index_size;
    size_t source;                   /* bytes read so far */
    unsigned import_depth;
    POOL(struct grammar_site) sites; /* first_site, and those after it */
    uint32_t first_site, site_end;
    bool compiled;
};

/* grammar.c: building. */
uint32_t grammar_file(struct grammar *g, const char *name);
/* ERR_INPUT "FILE:LINE:COLUMN: …". */
int grammar_fail(const struct grammar *g, struct place place, struct error **err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* ERR_LIMIT when the texts of the grammar are more than SOURCE_MOST. */
int grammar_count_source(struct grammar *g, size_t bytes, const char *file, struct error **err);
/* A new rule; ERR_INPUT when there is one of this name. Its body is set by the reader, its nodes start here. */
int grammar_new_rule(struct grammar *g, struct bytes name, struct place place, uint32_t *rule, struct error **err);
uint32_t node_new(struct grammar *g, enum node_kind kind, struct place place);
uint32_t node_text(struct grammar *g, struct bytes text, struct place place);
/* Of the given children; a sequence of one is that one. */
uint32_t node_list(struct grammar *g, enum node_kind kind, const uint32_t *kids, size_t count, struct place place);
/* An alternative may have weight 0. weights NULL: all 1. */
uint32_t node_choice(struct grammar *g, const uint32_t *kids, const double *weights, size_t count, struct place place);
/* separator NONE: none. max NONE: no upper bound. */
uint32_t node_repeat(struct grammar *g, uint32_t item, uint32_t separator, uint32_t min, uint32_t max,
                     struct place place);
uint32_t node_reference(struct grammar *g, struct bytes name, const uint32_t *arguments, size_t count,
                        struct place place);
struct bytes grammar_text(const struct grammar *g, uint32_t first, uint32_t count);
uint32_t grammar_find(const struct grammar *g, struct bytes name); /* a rule, or NONE */

/* tg_read.c, json_grammar.c, regex.c: readers. */
int tg_read(struct grammar *g, struct bytes text, const char *file, unsigned line, bool need_header,
            struct error **err);
/* The pattern between the slashes; place is that of its first character. depth: nesting that it stands in. */
int regex_read(struct grammar *g, struct bytes pattern, struct place place, unsigned depth, uint32_t *node,
               struct error **err);
/* A file that `import "path"` in the file `from` names. */
int grammar_import(struct grammar *g, struct bytes path, const char *from, struct error **err);

/* Steps of grammar_compile, in this order. */
int grammar_resolve(struct grammar *g, struct error **err);  /* names to rules; numbers of arguments */
int grammar_fold(struct grammar *g, struct error **err);     /* drops what never is, computes what is constant */
void grammar_bound_functions(struct grammar *g);             /* u.function of every function node */
int grammar_find_cheapest(struct grammar *g, uint32_t **order, size_t *count, struct error **err); /* and heights */
int grammar_price(struct grammar *g, const uint32_t *order, size_t count, struct error **err); /* costs */
void grammar_list_sites(struct grammar *g, uint32_t first_site, const uint32_t *order, size_t count);
void grammar_make_levels(struct grammar *g); /* of every choice */

/* Shared by readers and passes. */
static inline bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Value of a hex digit, or -1; c may be -1. */
static inline int hex_digit(int c)
{
    int lower = c | 0x20;
    return is_digit(c) ? c - '0' : c > 0 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static inline uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t multiply_capped(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* field.c */
uint64_t leaf_least(const struct grammar *g, const struct node *n); /* bytes of a leaf's shortest text; PARAMETER: 0 */
void field_encode(const struct node *n, uint64_t value, uint8_t out[8]); /* n->width bytes */
/* The value of a FIELD_OF whose child gave this text; ERR_INPUT when it is none or does not fit. */
int field_value(const struct grammar *g, const struct node *n, struct bytes text, uint64_t *value, struct error **err);
/* grammar_site.c; the buffer is appended to. */
struct site;
void grammar_describe_site(const struct grammar *g, uint32_t site, struct site *out, struct place *place);
uint64_t grammar_site_cheapest(const struct grammar *g, uint32_t site);
void grammar_site_value(const struct grammar *g, uint32_t site, uint64_t value, struct buf *out);
/* alphabet.c */
/* The most bytes a function node gives for an input of n bytes. */
uint64_t function_most(const struct node *n, uint64_t input);

#endif
