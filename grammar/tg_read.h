/* The parser of the compact notation, in two files: tg_read.c has statements, alternatives and repetition, tg_atom.c what an
 * item is made of. A function passes what it reads and leaves the token behind it as the current one. */
#ifndef GRAMMAR_TG_READ_H
#define GRAMMAR_TG_READ_H

#include "grammar/tg_lex.h"

struct reader {
    struct lexer lex;
    struct grammar *g;
    const char *file;
    uint32_t rule;       /* being read */
    unsigned depth;
    POOL(uint32_t) pending;
    POOL(double) weights;
    struct error **err;
};

/* Numbers that a place takes: from least to most, as int64_t when `negative`, else as uint64_t. */
struct bounds {
    bool negative;
    uint64_t least, most;
};

static inline struct token *token(struct reader *r)
{
    return &r->lex.token;
}

static inline int next(struct reader *r)
{
    return lexer_next(&r->lex, r->err);
}

/* Passes a token of this kind; `role` tells in a message what it is for, and may be "". */
int tg_expect(struct reader *r, int kind, const char *role);
int tg_alternatives(struct reader *r, uint32_t *node);
int tg_atom(struct reader *r, uint32_t *node);
int tg_number(struct reader *r, const struct bounds *b, uint64_t *value);
/* a..b, or one number alone where `single` allows it. */
int tg_range(struct reader *r, const struct bounds *b, bool single, uint64_t *low, uint64_t *high);
bool tg_is_builtin(struct bytes name);
uint32_t tg_parameter(const struct reader *r, struct bytes name); /* of the rule being read, or NONE */

extern const char tg_item_expected[];

#endif
