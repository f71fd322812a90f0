/* Expressions of templates: what stands between braces in an attribute ("{table.data.rows + 1}") and in
 * when="…".
 *
 *   or  = and {"or" and}      and = not {"and" not}      not = "not" not | comparison
 *   comparison = sum [("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "eq" | "ne" | "lt" | "le" | "gt" | "ge")
 * sum] sum = product {("+" | "-") product}      product = unary {("*" | "/" | "%") unary}      unary = "-"
 * unary | atom atom = integer | 'text' | "true" | "false" | name {"." name} | function "(" [or {"," or}] ")"
 * | "(" or ")"
 *
 * A name may hold '-' between letters or digits, so a subtraction needs spaces around its sign. Parsing knows
 * functions and their number of arguments; what a name stands for is settled by the scope check
 * (domain_scope.c), which fills in slot, prop and fact. Evaluation is gen's, because facts of contents are.
 * Everything lives in the arena given. */
#ifndef GRAMMAR_EXPR_H
#define GRAMMAR_EXPR_H

#include "base/arena.h"
#include "base/error.h"
#include "grammar/functions.h"

/* Where something stands in a source file; `file` lives as long as the domain. */
struct plan_place {
    const char *file;
    unsigned line;
};

/* Fails with ERR_INPUT and "file:line: " before the message. */
int plan_fail(struct error **err, struct plan_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum expr_kind {
    EXPR_INTEGER, EXPR_TEXT, EXPR_BOOL, EXPR_NAME, EXPR_CALL,
    EXPR_NEGATE, EXPR_NOT, EXPR_AND, EXPR_OR,
    EXPR_ADD, EXPR_SUBTRACT, EXPR_MULTIPLY, EXPR_DIVIDE, EXPR_REMAINDER,
    EXPR_EQUAL, EXPR_UNEQUAL, EXPR_LESS, EXPR_LESS_EQUAL, EXPR_GREATER, EXPR_GREATER_EQUAL
};

/* Functions over values. EXPR_FN_BYTES stands for every row of function_table(): bytes in, bytes out. */
enum expr_function_id {
    EXPR_FN_LEN, EXPR_FN_LINES, EXPR_FN_CRC32, EXPR_FN_INT, EXPR_FN_STR, EXPR_FN_JSON, EXPR_FN_BASENAME,
    EXPR_FN_DIRNAME, EXPR_FN_STEM, EXPR_FN_EXTENSION, EXPR_FN_CONTAINS, EXPR_FN_STARTS, EXPR_FN_ENDS,
    EXPR_FN_REPLACE, EXPR_FN_SLICE, EXPR_FN_HEAD, EXPR_FN_TAIL, EXPR_FN_IF, EXPR_FN_MIN, EXPR_FN_MAX,
    EXPR_FN_STATE, EXPR_FN_LIVE, EXPR_FN_STEPS, EXPR_FN_BYTES, EXPR_FN_COUNT
};

struct expr_function {
    enum expr_function_id id;
    const char *name;
    unsigned min_args, max_args;
    const char *usage; /* "slice(x, from, to)" */
    const char *doc;
};

/* The table for the reference; functions of grammar/functions.h stand beside it. */
const struct expr_function *expr_function_table(size_t *count);

enum { EXPR_SLOT_NONE = -1 };

struct expr {
    enum expr_kind kind;
    int64_t integer;              /* EXPR_INTEGER, EXPR_BOOL */
    struct bytes text;            /* EXPR_TEXT: the text; EXPR_NAME: the first word */
    struct bytes rest;            /* EXPR_NAME: what follows the first dot, "" when nothing does */
    const struct expr_function *function;
    const struct function_row *row; /* EXPR_FN_BYTES */
    struct expr **args;           /* operands too */
    size_t arg_count;
    /* Settled by the scope check, for EXPR_NAME: */
    int slot;                     /* of the frame of the body it stands in */
    int prop;                     /* index into the handle type's properties, -1: none */
    struct bytes fact;            /* of the content that the name or property is, "" for none */
};

/* Parses the whole of text. */
int expr_parse(struct arena *arena, struct bytes text, struct plan_place place, struct expr **expr,
               struct error **err);

/* A template word: letters, digits, '_', and '-' inside. */
bool expr_is_name(struct bytes text);

#endif
