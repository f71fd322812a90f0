/* Parser of template expressions and the table of their functions. A recursive descent over the text, with a
 * bound on nesting, so that no input exhausts the stack. See expr.h for the grammar. */
#include "grammar/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* MAX_LENGTH also bounds the height of the tree, and with it the recursion of whoever walks it. */
enum { MAX_NESTING = 64, MAX_ARGS = 8, MAX_LENGTH = 2000 };

static const struct expr_function functions[] = {
    {EXPR_FN_LEN, "len", 1, 1, "len(x)", "number of bytes"},
    {EXPR_FN_LINES, "lines", 1, 1, "lines(x)", "number of line feeds"},
    {EXPR_FN_CRC32, "crc32", 1, 1, "crc32(x)", "CRC-32 as a number"},
    {EXPR_FN_INT, "int", 1, 1, "int(x)", "the whole number that the text x spells"},
    {EXPR_FN_STR, "str", 1, 1, "str(x)", "x as text"},
    {EXPR_FN_JSON, "json", 1, 1, "json(x)", "x as JSON text"},
    {EXPR_FN_BASENAME, "basename", 1, 1, "basename(path)", "the part after the last slash"},
    {EXPR_FN_DIRNAME, "dirname", 1, 1, "dirname(path)",
     "the part before the last slash, . when there is none"},
    {EXPR_FN_STEM, "stem", 1, 1, "stem(path)", "basename without its last extension"},
    {EXPR_FN_EXTENSION, "extension", 1, 1, "extension(path)", "last extension without its dot"},
    {EXPR_FN_CONTAINS, "contains", 2, 2, "contains(x, part)", "true when part stands in x"},
    {EXPR_FN_STARTS, "starts", 2, 2, "starts(x, part)", "true when x starts with part"},
    {EXPR_FN_ENDS, "ends", 2, 2, "ends(x, part)", "true when x ends with part"},
    {EXPR_FN_REPLACE, "replace", 3, 3, "replace(x, old, new)", "x with the first old replaced by new"},
    {EXPR_FN_SLICE, "slice", 3, 3, "slice(x, from, to)", "bytes from offset from up to, without, offset to"},
    {EXPR_FN_HEAD, "head", 2, 2, "head(x, n)", "first n lines"},
    {EXPR_FN_TAIL, "tail", 2, 2, "tail(x, n)", "last n lines"},
    {EXPR_FN_IF, "if", 3, 3, "if(condition, a, b)", "a when the condition holds, else b"},
    {EXPR_FN_MIN, "min", 2, MAX_ARGS, "min(a, b, …)", "the smallest number"},
    {EXPR_FN_MAX, "max", 2, MAX_ARGS, "max(a, b, …)", "the biggest number"},
    {EXPR_FN_STATE, "state", 1, 1, "state(handle)", "the state the handle is in now"},
    {EXPR_FN_LIVE, "live", 1, 2, "live('file', 'present')",
     "how many handles of that kind there are, in that state"},
    {EXPR_FN_STEPS, "steps", 0, 0, "steps()", "how many steps the task has so far"},
};

static const struct expr_function bytes_function = {EXPR_FN_BYTES, "", 1, 1, "", ""};

const struct expr_function *expr_function_table(size_t *count)
{
    *count = sizeof functions / sizeof functions[0];
    return functions;
}

int plan_fail(struct error **err, struct plan_place place, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(err, ERR_INPUT, "%s:%u: %s", place.file, place.line, text);
}

struct parser {
    struct arena *arena;
    struct bytes text;
    size_t at;
    unsigned depth;
    struct plan_place place;
    struct error **err;
};

static int parse_or(struct parser *p, struct expr **out);

static int fail(struct parser *p, const char *what, const char *expected)
{
    return plan_fail(p->err, p->place, "expression \"%.*s\", at character %zu: %s, expected %s",
                     BYTES_ARG(p->text), p->at + 1, what, expected);
}

static bool is_alpha(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(uint8_t c)
{
    return is_alpha(c) || is_digit(c);
}

static uint8_t peek(const struct parser *p, size_t ahead)
{
    return p->at + ahead < p->text.len ? p->text.data[p->at + ahead] : 0;
}

static void skip_space(struct parser *p)
{
    while (peek(p, 0) == ' ' || peek(p, 0) == '\t' || peek(p, 0) == '\n' || peek(p, 0) == '\r')
        p->at++;
}

/* Length of the name that starts at offset `at`: letters, digits, '_', and '-' between two of them. */
static size_t name_length(struct bytes text, size_t at)
{
    if (at >= text.len || !is_alpha(text.data[at]))
        return 0;
    size_t end = at + 1;
    while (end < text.len) {
        uint8_t c = text.data[end];
        bool inner_dash = c == '-' && end + 1 < text.len && is_word(text.data[end + 1]);
        if (!is_word(c) && !inner_dash)
            break;
        end++;
    }
    return end - at;
}

bool expr_is_name(struct bytes text)
{
    return text.len > 0 && name_length(text, 0) == text.len;
}

static struct expr *expr_new(struct parser *p, enum expr_kind kind, size_t arg_count)
{
    struct expr *e = arena_alloc(p->arena, sizeof *e);
    e->kind = kind;
    e->slot = EXPR_SLOT_NONE;
    e->prop = -1;
    e->arg_count = arg_count;
    if (arg_count)
        e->args = arena_alloc(p->arena, arg_count * sizeof *e->args);
    return e;
}

/* Takes the sign or word when it stands next. Words end at a word's end. */
static bool take(struct parser *p, const char *token)
{
    skip_space(p);
    size_t len = strlen(token);
    if (p->text.len - p->at < len || memcmp(p->text.data + p->at, token, len) != 0)
        return false;
    if (is_alpha((uint8_t)token[0]) && name_length(p->text, p->at) != len)
        return false;
    p->at += len;
    return true;
}

static int parse_integer(struct parser *p, struct expr **out)
{
    struct expr *e = expr_new(p, EXPR_INTEGER, 0);
    int base = 10;
    if (peek(p, 0) == '0' && peek(p, 1) == 'o') {
        base = 8;
        p->at += 2;
    }
    size_t digits = 0;
    for (; is_digit(peek(p, 0)); p->at++, digits++) {
        int digit = peek(p, 0) - '0';
        if (digit >= base)
            return fail(p, "a digit that octal numbers do not have", "0 to 7");
        if (__builtin_mul_overflow(e->integer, base, &e->integer) ||
            __builtin_add_overflow(e->integer, digit, &e->integer))
            return fail(p, "a number too big", "one below 2^63");
    }
    if (!digits || is_alpha(peek(p, 0)))
        return fail(p, "a malformed number", "digits");
    *out = e;
    return 0;
}

static int parse_text(struct parser *p, struct expr **out)
{
    uint8_t quote = peek(p, 0);
    size_t from = ++p->at;
    while (p->at < p->text.len && p->text.data[p->at] != quote)
        p->at++;
    if (p->at == p->text.len)
        return fail(p, "text without its closing quote", quote == '"' ? "\"" : "'");
    struct expr *e = expr_new(p, EXPR_TEXT, 0);
    e->text = arena_copy(p->arena, bytes_slice(p->text, from, p->at++));
    *out = e;
    return 0;
}

static const struct expr_function *find_function(struct bytes name, const struct function_row **row)
{
    *row = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (bytes_equal_string(name, functions[i].name))
            return &functions[i];
    *row = function_find(name);
    return *row ? &bytes_function : NULL;
}

/* The arguments behind the opening parenthesis, and the closing one. */
static int parse_arguments(struct parser *p, struct expr **args, size_t *count)
{
    *count = 0;
    if (take(p, ")"))
        return 0;
    do {
        if (*count == MAX_ARGS)
            return fail(p, "too many arguments", "at most 8");
        TRY(parse_or(p, &args[(*count)++]));
    } while (take(p, ","));
    return take(p, ")") ? 0 : fail(p, "an argument list without its end", ", or )");
}

static int parse_call(struct parser *p, struct bytes name, struct expr **out)
{
    const struct function_row *row;
    const struct expr_function *function = find_function(name, &row);
    struct expr *args[MAX_ARGS];
    size_t count;
    if (!function)
        return plan_fail(p->err, p->place,
                         "unknown function \"%.*s\", see docs/templates-reference.md for those there are",
                         BYTES_ARG(name));
    TRY(parse_arguments(p, args, &count));
    if (count < function->min_args || count > function->max_args)
        return plan_fail(p->err, p->place, "function %.*s has %zu arguments, expected %s", BYTES_ARG(name),
                         count, row ? "one" : function->usage);
    struct expr *e = expr_new(p, EXPR_CALL, count);
    e->text = arena_copy(p->arena, name);
    e->function = function;
    e->row = row;
    for (size_t i = 0; i < count; i++)
        e->args[i] = args[i];
    *out = e;
    return 0;
}

/* name {"." word}: the words after the first dot may be anything that columns are called, so they take all
 * but space and operators. */
static int parse_name(struct parser *p, struct expr **out)
{
    size_t from = p->at, first = name_length(p->text, from);
    p->at += first;
    size_t dot = p->at;
    while (peek(p, 0) == '.') {
        size_t word = 0;
        while (is_word(peek(p, 1 + word)) || (word && peek(p, 1 + word) == '-' && is_word(peek(p, 2 + word))))
            word++;
        if (!word)
            return fail(p, "a dot without a name after it", "a property");
        p->at += 1 + word;
    }
    struct bytes whole = bytes_slice(p->text, from, p->at);
    if (peek(p, 0) == '(') {
        p->at++;
        return parse_call(p, whole, out);
    }
    bool truth = bytes_equal_string(whole, "true");
    if (truth || bytes_equal_string(whole, "false")) {
        *out = expr_new(p, EXPR_BOOL, 0);
        (*out)->integer = truth;
        return 0;
    }
    struct expr *e = expr_new(p, EXPR_NAME, 0);
    e->text = arena_copy(p->arena, bytes_slice(whole, 0, first));
    e->rest = p->at > dot ? arena_copy(p->arena, bytes_slice(p->text, dot + 1, p->at)) : BYTES_NONE;
    *out = e;
    return 0;
}

static int parse_atom(struct parser *p, struct expr **out)
{
    skip_space(p);
    uint8_t c = peek(p, 0);
    if (is_digit(c))
        return parse_integer(p, out);
    if (c == '\'' || c == '"')
        return parse_text(p, out);
    if (is_alpha(c))
        return parse_name(p, out);
    if (!take(p, "("))
        return fail(p, p->at == p->text.len ? "it ends too early" : "an unexpected character",
                    "a name, a number, 'text' or (");
    TRY(parse_or(p, out));
    return take(p, ")") ? 0 : fail(p, "a parenthesis without its end", ")");
}

static int parse_unary(struct parser *p, struct expr **out)
{
    if (!take(p, "-"))
        return parse_atom(p, out);
    if (++p->depth > MAX_NESTING)
        return fail(p, "nested too deep", "at most 64 levels");
    struct expr *e = expr_new(p, EXPR_NEGATE, 1);
    TRY(parse_unary(p, &e->args[0]));
    p->depth--;
    *out = e;
    return 0;
}

struct operator {
    const char *token;
    enum expr_kind kind;
};

/* Longer tokens first, so that "<=" is not read as "<". */
static const struct operator products[] = {
    {"*", EXPR_MULTIPLY}, {"/", EXPR_DIVIDE}, {"%", EXPR_REMAINDER}, {NULL, EXPR_ADD}};
static const struct operator sums[] = {{"+", EXPR_ADD}, {"-", EXPR_SUBTRACT}, {NULL, EXPR_ADD}};
static const struct operator comparisons[] = {
    {"==", EXPR_EQUAL}, {"=", EXPR_EQUAL}, {"!=", EXPR_UNEQUAL}, {"<=", EXPR_LESS_EQUAL}, {"<", EXPR_LESS},
    {">=", EXPR_GREATER_EQUAL}, {">", EXPR_GREATER}, {"eq", EXPR_EQUAL}, {"ne", EXPR_UNEQUAL},
    {"le", EXPR_LESS_EQUAL}, {"lt", EXPR_LESS}, {"ge", EXPR_GREATER_EQUAL}, {"gt", EXPR_GREATER}, {NULL, EXPR_ADD}};
static const struct operator ands[] = {{"and", EXPR_AND}, {NULL, EXPR_ADD}};
static const struct operator ors[] = {{"or", EXPR_OR}, {NULL, EXPR_ADD}};

static const struct operator *take_operator(struct parser *p, const struct operator *table)
{
    for (; table->token; table++)
        if (take(p, table->token))
            return table;
    return NULL;
}

/* operand {operator operand}, at most `most` operators. */
static int parse_chain(struct parser *p, const struct operator *table, unsigned most,
                       int (*operand)(struct parser *, struct expr **), struct expr **out)
{
    TRY(operand(p, out));
    const struct operator *found;
    for (unsigned n = 0; n < most && (found = take_operator(p, table)); n++) {
        struct expr *e = expr_new(p, found->kind, 2);
        e->args[0] = *out;
        TRY(operand(p, &e->args[1]));
        *out = e;
    }
    return 0;
}

static int parse_product(struct parser *p, struct expr **out)
{
    return parse_chain(p, products, MAX_NESTING, parse_unary, out);
}

static int parse_sum(struct parser *p, struct expr **out)
{
    return parse_chain(p, sums, MAX_NESTING, parse_product, out);
}

static int parse_not(struct parser *p, struct expr **out)
{
    if (!take(p, "not"))
        return parse_chain(p, comparisons, 1, parse_sum, out);
    if (++p->depth > MAX_NESTING)
        return fail(p, "nested too deep", "at most 64 levels");
    struct expr *e = expr_new(p, EXPR_NOT, 1);
    TRY(parse_not(p, &e->args[0]));
    p->depth--;
    *out = e;
    return 0;
}

static int parse_and(struct parser *p, struct expr **out)
{
    return parse_chain(p, ands, MAX_NESTING, parse_not, out);
}

static int parse_or(struct parser *p, struct expr **out)
{
    if (++p->depth > MAX_NESTING)
        return fail(p, "nested too deep", "at most 64 levels");
    TRY(parse_chain(p, ors, MAX_NESTING, parse_and, out));
    p->depth--;
    return 0;
}

int expr_parse(struct arena *arena, struct bytes text, struct plan_place place, struct expr **expr,
               struct error **err)
{
    struct parser p = {arena, text, 0, 0, place, err};
    if (text.len > MAX_LENGTH)
        return plan_fail(err, place, "expression of %zu characters, expected at most %d", text.len,
                         MAX_LENGTH);
    TRY(parse_or(&p, expr));
    skip_space(&p);
    return p.at == text.len ? 0 : fail(&p, "something follows the expression", "its end");
}
