/* The reader of regular expressions, in two files: regex.c has branches, groups and quantifiers, regex_class.c what stands for
 * one character: escapes, classes and the dot. */
#ifndef GRAMMAR_REGEX_INTERNAL_H
#define GRAMMAR_REGEX_INTERNAL_H

#include "grammar/regex_set.h"

struct regex {
    struct grammar *g;
    struct bytes pattern;
    size_t at;
    struct place place; /* of the pattern's first character; also of all nodes made */
    unsigned depth;     /* nesting, that of the rule included */
    unsigned groups;    /* open groups */
    bool code_points;
    POOL(uint32_t) pending;
    struct error **err;
};

/* The byte `ahead` bytes further on, or -1. */
static inline int peek_at(const struct regex *x, size_t ahead)
{
    return ahead < x->pattern.len - x->at ? x->pattern.data[x->at + ahead] : -1;
}

static inline int peek(const struct regex *x)
{
    return peek_at(x, 0);
}

bool regex_at(const struct regex *x, const char *text);
bool regex_skip(struct regex *x, const char *text); /* true when it was there */
/* ERR_INPUT "PLACE: in a regular expression: text". */
int regex_fail(struct regex *x, size_t at, const char *text);
bool regex_is_word(int c); /* ASCII letter or digit */

/* One atom that stands for one character: "." or a class, a set escape or a literal. */
int regex_character(struct regex *x, uint32_t *node);

#endif
