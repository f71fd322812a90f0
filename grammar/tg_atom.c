/* The compact notation: what an item is made of. Built-in names are two tables, fields here and functions in
 * functions.c; all others are rules. */
#include <stdlib.h>

#include "grammar/tg_read.h"

enum { BITS_MOST = 64, BITS_TOTAL_MOST = 2040 };

const char tg_item_expected[] = "a text, a rule, /regex/ or '('";

/* Built-in fields and functions. ------------------------------------------------------------------------- */

struct field {
    const char *name;
    uint8_t width;
    bool little;
};

static const struct field fields[] = {
    {"u8", 1, false},    {"u16le", 2, true}, {"u16be", 2, false}, {"u32le", 4, true},
    {"u32be", 4, false}, {"u64le", 8, true}, {"u64be", 8, false},
};

static const struct field *find_field(struct bytes name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (bytes_equal_string(name, fields[i].name))
            return &fields[i];
    return NULL;
}

bool tg_is_builtin(struct bytes name)
{
    return find_field(name) || function_find(name) || bytes_equal_string(name, "int") ||
           bytes_equal_string(name, "bits");
}

/* Numbers. ----------------------------------------------------------------------------------------------- */

static bool below(const struct bounds *b, uint64_t x, uint64_t y)
{
    return b->negative ? (int64_t)x < (int64_t)y : x < y;
}

static int fail_bounds(struct reader *r, const struct bounds *b)
{
    if (b->least == b->most)
        return lexer_expected(&r->lex, r->err, "%llu", (unsigned long long)b->least);
    if (b->negative)
        return lexer_expected(&r->lex, r->err, "a number from %lld to %lld", (long long)b->least,
                              (long long)b->most);
    return lexer_expected(&r->lex, r->err, "a number from %llu to %llu", (unsigned long long)b->least,
                          (unsigned long long)b->most);
}

int tg_number(struct reader *r, const struct bounds *b, uint64_t *value)
{
    if (token(r)->kind != TOKEN_NUMBER)
        return lexer_expected(&r->lex, r->err, "a number");
    bool negative;
    uint64_t magnitude;
    if (number_integer(token(r)->text, &negative, &magnitude) < 0)
        return lexer_expected(&r->lex, r->err, "a whole number that fits in 64 bits");
    /* A magnitude that int64_t cannot hold would come out with the wrong sign. */
    bool fits = !b->negative || magnitude <= (uint64_t)INT64_MAX + negative;
    *value = negative ? -magnitude : magnitude;
    if (!fits || (negative && !b->negative && magnitude) || below(b, *value, b->least) ||
        below(b, b->most, *value))
        return fail_bounds(r, b);
    return next(r);
}

int tg_range(struct reader *r, const struct bounds *b, bool single, uint64_t *low, uint64_t *high)
{
    struct place place = token(r)->place;
    TRY(tg_number(r, b, low));
    *high = *low;
    if (token(r)->kind == TOKEN_RANGE) {
        TRY(next(r));
        TRY(tg_number(r, b, high));
    } else if (!single) {
        return lexer_expected(&r->lex, r->err, "'..'");
    }
    if (below(b, *high, *low))
        return grammar_fail(r->g, place, r->err, "found an empty range: its end is below its begin");
    return 0;
}

/* Atoms. ------------------------------------------------------------------------------------------------- */

static int read_int(struct reader *r, uint32_t *node, struct place place)
{
    static const struct bounds bounds = {true, (uint64_t)INT64_MIN, INT64_MAX};
    *node = node_new(r->g, NODE_INT, place);
    uint64_t low, high;
    TRY(tg_range(r, &bounds, false, &low, &high));
    r->g->nodes.items[*node].u.range.low = low;
    r->g->nodes.items[*node].u.range.high = high;
    return tg_expect(r, ')', "");
}

static int read_field(struct reader *r, const struct field *field, uint32_t *node, struct place place)
{
    struct bounds bounds = {false, 0, UINT64_MAX >> (64 - 8 * field->width)};
    uint64_t low = 0, high = bounds.most;
    uint32_t child = NONE;
    if (token(r)->kind == TOKEN_NUMBER)
        TRY(tg_range(r, &bounds, true, &low, &high));
    else if (token(r)->kind != ')')
        TRY(tg_alternatives(r, &child));
    *node = child == NONE ? node_new(r->g, NODE_FIELD, place)
                          : node_list(r->g, NODE_FIELD_OF, &child, 1, place);
    struct node *n = &r->g->nodes.items[*node];
    n->width = field->width;
    n->little = field->little;
    n->u.range.low = low;
    n->u.range.high = high;
    return tg_expect(r, ')', "");
}

/* [value or range] ":" bits */
static int read_bits_part(struct reader *r, struct span *span)
{
    static const struct bounds any = {false, 0, UINT64_MAX}, width = {false, 1, BITS_MOST};
    bool given = token(r)->kind == TOKEN_NUMBER;
    struct place place = token(r)->place;
    if (given)
        TRY(tg_range(r, &any, true, &span->low, &span->high));
    TRY(tg_expect(r, ':', " and a number of bits"));
    TRY(tg_number(r, &width, &span->extra));
    uint64_t most = UINT64_MAX >> (64 - span->extra);
    if (!given)
        span->high = most;
    if (span->high > most)
        return grammar_fail(r->g, place, r->err, "found a value that does not fit in %u bits",
                            (unsigned)span->extra);
    return 0;
}

static int read_bits(struct reader *r, uint32_t *node, struct place place)
{
    *node = node_new(r->g, NODE_BITS, place);
    uint32_t first = (uint32_t)r->g->spans.count;
    uint64_t total = 0;
    for (bool more = true; more;) {
        struct span span = {0};
        TRY(read_bits_part(r, &span));
        total += span.extra;
        POOL_ADD(r->g->spans, span);
        more = token(r)->kind == ',';
        if (more)
            TRY(next(r));
    }
    if (total % 8 || total > BITS_TOTAL_MOST)
        return grammar_fail(r->g, place, r->err, "found %llu bits, expected a multiple of 8, at most %d",
                            (unsigned long long)total, BITS_TOTAL_MOST);
    struct node *n = &r->g->nodes.items[*node];
    n->first = first;
    n->count = (uint32_t)r->g->spans.count - first;
    n->width = (uint8_t)(total / 8);
    return tg_expect(r, ')', "");
}

static int read_function(struct reader *r, const struct function_row *row, uint32_t *node, struct place place)
{
    uint32_t child = NONE;
    TRY(tg_alternatives(r, &child));
    *node = node_list(r->g, NODE_FUNCTION, &child, 1, place);
    size_t rows;
    r->g->nodes.items[*node].target = (uint32_t)(row - function_table(&rows));
    return tg_expect(r, ')', "");
}

/* After name and "(". */
static int read_builtin(struct reader *r, struct bytes name, uint32_t *node, struct place place)
{
    const struct field *field = find_field(name);
    if (field)
        return read_field(r, field, node, place);
    const struct function_row *row = function_find(name);
    if (row)
        return read_function(r, row, node, place);
    return bytes_equal_string(name, "int") ? read_int(r, node, place) : read_bits(r, node, place);
}

uint32_t tg_parameter(const struct reader *r, struct bytes name)
{
    const struct rule *rule = &r->g->rules.items[r->rule];
    for (uint32_t i = 0; i < rule->arity; i++)
        if (bytes_equal_string(name, rule->parameters[i]))
            return i;
    return NONE;
}

static int read_call(struct reader *r, struct bytes name, uint32_t *node, struct place place)
{
    size_t mark = r->pending.count;
    for (bool more = token(r)->kind != ')'; more;) {
        uint32_t argument = NONE;
        TRY(tg_alternatives(r, &argument));
        POOL_ADD(r->pending, argument);
        more = token(r)->kind == ',';
        if (more)
            TRY(next(r));
    }
    TRY(tg_expect(r, ')', " or ','"));
    *node = node_reference(r->g, name, r->pending.items + mark, r->pending.count - mark, place);
    r->pending.count = mark;
    return 0;
}

static int read_name(struct reader *r, uint32_t *node)
{
    struct bytes name = token(r)->text; /* of the source, so it stays */
    struct place place = token(r)->place;
    TRY(next(r));
    bool call = token(r)->kind == '(' && !token(r)->space;
    uint32_t parameter = tg_parameter(r, name);
    if (parameter != NONE && !call) {
        *node = node_new(r->g, NODE_PARAMETER, place);
        r->g->nodes.items[*node].target = parameter;
        return 0;
    }
    if (parameter != NONE)
        return grammar_fail(r->g, place, r->err, "found arguments of the parameter '%.*s', which takes none",
                            BYTES_ARG(name));
    if (!call && tg_is_builtin(name))
        return lexer_expected(&r->lex, r->err, "'(' right after '%.*s', without a space", BYTES_ARG(name));
    if (!call) {
        *node = node_reference(r->g, name, NULL, 0, place);
        return 0;
    }
    TRY(next(r));
    return tg_is_builtin(name) ? read_builtin(r, name, node, place) : read_call(r, name, node, place);
}

static int read_atom(struct reader *r, uint32_t *node)
{
    struct token *t = token(r);
    struct place place = t->place;
    switch (t->kind) {
    case TOKEN_TEXT:
        *node = node_text(r->g, t->text, place);
        return next(r);
    case TOKEN_REGEX:
        TRY(regex_read(r->g, t->text, place, r->depth, node, r->err));
        return next(r);
    case TOKEN_NAME:
        return read_name(r, node);
    case '(':
        TRY(next(r));
        TRY(tg_alternatives(r, node));
        return tg_expect(r, ')', "");
    default:
        return lexer_expected(&r->lex, r->err, "%s", tg_item_expected);
    }
}

int tg_atom(struct reader *r, uint32_t *node)
{
    if (r->depth >= NESTING_MOST)
        return grammar_fail(r->g, token(r)->place, r->err, "nested deeper than %d", NESTING_MOST);
    r->depth++;
    TRY(read_atom(r, node)); /* after a failure nobody reads on, so depth does not matter */
    r->depth--;
    return 0;
}
