/* Words of the compact notation. One token is looked at a time; `space` tells whether white space or a comment stood
 * before it, since `name(` is a call and `name (` is not. */
#ifndef GRAMMAR_TG_LEX_H
#define GRAMMAR_TG_LEX_H

#include "grammar/grammar_internal.h"

enum token_kind {
    /* One character of punctuation is its own kind: = ; | ( ) { } ? * + , : @ */
    TOKEN_END = 256,
    TOKEN_NAME,    /* letter or _, then letters digits _ - . */
    TOKEN_NUMBER,  /* 12, -3, 1e6, 0x1F, 2.5 */
    TOKEN_TEXT,    /* "…" '…' x"…": text is decoded */
    TOKEN_REGEX,   /* text is what stands between the slashes */
    TOKEN_RANGE,   /* .. */
    TOKEN_FOREIGN  /* a character that begins nothing */
};

struct token {
    int kind;
    bool space;
    struct bytes text; /* borrowed from the source, or from the lexer until the next token */
    struct place place;
};

struct lexer {
    const struct grammar *grammar; /* for messages */
    struct bytes source;
    size_t at;
    struct place place; /* of `at` */
    struct buf decoded;
    struct token token;
};

void lexer_init(struct lexer *l, const struct grammar *g, struct bytes source, uint32_t file, unsigned line);
void lexer_release(struct lexer *l);
int lexer_next(struct lexer *l, struct error **err);
/* Fails with "PLACE: found TOKEN, expected …". */
int lexer_expected(const struct lexer *l, struct error **err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A written integer: "-12", "0x1F", "1e6", "2.5e3". -1 when it is none, or above 2^64-1. */
int number_integer(struct bytes text, bool *negative, uint64_t *magnitude);
/* A written decimal that is not negative: "8", "0.25", "1e3". -1 when it is something else or above 1e9. */
int number_weight(struct bytes text, double *value);

#endif
