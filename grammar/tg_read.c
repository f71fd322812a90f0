/* The compact notation: a recursive-descent parser with one token of look-ahead. Nesting is bounded by
 * NESTING_MOST, so is the C stack. Grammar: see grammar.h, and docs/grammar.md for people.
 *
 * Lists of nodes whose length is not known before they end are gathered on one stack, `pending`, from a mark
 * on. */
#include "grammar/tg_read.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

int tg_expect(struct reader *r, int kind, const char *role)
{
    if (token(r)->kind != kind)
        return lexer_expected(&r->lex, r->err, "'%c'%s", kind, role);
    return next(r);
}

static bool at_word(struct reader *r, const char *word)
{
    return token(r)->kind == TOKEN_NAME && bytes_equal_string(token(r)->text, word);
}

/* Items, sequences, alternatives. ------------------------------------------------------------------------ */

/* After "{": m [".." n] ["sep" atom] "}" */
static int read_braces(struct reader *r, uint32_t *node, struct place place)
{
    static const struct bounds counts = {false, 0, REPEAT_MOST};
    uint64_t min, max;
    uint32_t separator = NONE;
    TRY(tg_range(r, &counts, true, &min, &max));
    if (at_word(r, "sep")) {
        TRY(next(r));
        TRY(tg_atom(r, &separator));
    }
    *node = node_repeat(r->g, *node, separator, (uint32_t)min, (uint32_t)max, place);
    return tg_expect(r, '}', separator == NONE ? ", '..' or 'sep'" : "");
}

static int read_item(struct reader *r, uint32_t *node)
{
    TRY(tg_atom(r, node));
    struct place place = token(r)->place;
    int kind = token(r)->kind;
    if (kind == '{') {
        TRY(next(r));
        return read_braces(r, node, place);
    }
    if (kind != '?' && kind != '*' && kind != '+')
        return 0;
    *node = node_repeat(r->g, *node, NONE, kind == '+', kind == '?' ? 1 : NONE, place);
    return next(r);
}

static bool begins_item(const struct token *t)
{
    return t->kind == TOKEN_TEXT || t->kind == TOKEN_REGEX || t->kind == TOKEN_NAME || t->kind == '(';
}

static int read_sequence(struct reader *r, uint32_t *node)
{
    size_t mark = r->pending.count;
    struct place place = token(r)->place;
    if (!begins_item(token(r)))
        return lexer_expected(&r->lex, r->err, "%s (\"\" stands for nothing)", tg_item_expected);
    while (begins_item(token(r))) {
        uint32_t item = NONE;
        TRY(read_item(r, &item));
        POOL_ADD(r->pending, item);
    }
    *node = node_list(r->g, NODE_SEQUENCE, r->pending.items + mark, r->pending.count - mark, place);
    r->pending.count = mark;
    return 0;
}

static int read_weight(struct reader *r, double *weight)
{
    *weight = 1;
    if (token(r)->kind != '@')
        return 0;
    TRY(next(r));
    if (token(r)->kind != TOKEN_NUMBER || number_weight(token(r)->text, weight) < 0)
        return lexer_expected(&r->lex, r->err, "a weight: a decimal from 0 to 1e9");
    return next(r);
}

int tg_alternatives(struct reader *r, uint32_t *node)
{
    size_t mark = r->pending.count, weights = r->weights.count;
    struct place place = token(r)->place;
    for (bool more = true; more;) {
        uint32_t alternative = NONE;
        double weight = 1;
        TRY(read_sequence(r, &alternative));
        TRY(read_weight(r, &weight));
        POOL_ADD(r->pending, alternative);
        POOL_ADD(r->weights, weight);
        more = token(r)->kind == '|';
        if (more)
            TRY(next(r));
    }
    *node = node_choice(r->g, r->pending.items + mark, r->weights.items + weights, r->pending.count - mark,
                        place);
    r->pending.count = mark;
    r->weights.count = weights;
    return 0;
}

/* Statements. -------------------------------------------------------------------------------------------- */

static int add_parameter(struct reader *r)
{
    struct rule *rule = &r->g->rules.items[r->rule];
    struct bytes name = token(r)->text;
    if (token(r)->kind != TOKEN_NAME)
        return lexer_expected(&r->lex, r->err, "the name of a parameter");
    if (tg_is_builtin(name))
        return grammar_fail(r->g, token(r)->place, r->err, "'%.*s' is built in and cannot name a parameter",
                            BYTES_ARG(name));
    if (tg_parameter(r, name) != NONE)
        return grammar_fail(r->g, token(r)->place, r->err, "found the parameter '%.*s' a second time",
                            BYTES_ARG(name));
    if (rule->arity == PARAMETERS_MOST)
        return grammar_fail(r->g, token(r)->place, r->err, "found more than %d parameters", PARAMETERS_MOST);
    rule->parameters = xrealloc(rule->parameters, (rule->arity + 1) * sizeof *rule->parameters);
    rule->parameters[rule->arity] = strndup((const char *)name.data, name.len);
    if (!rule->parameters[rule->arity++])
        BUG("out of memory");
    return next(r);
}

static int read_parameters(struct reader *r)
{
    TRY(next(r));
    for (bool more = true; more;) {
        TRY(add_parameter(r));
        more = token(r)->kind == ',';
        if (more)
            TRY(next(r));
    }
    return tg_expect(r, ')', " or ','");
}

/* After its name. */
static int read_rule(struct reader *r, struct bytes name, struct place place)
{
    if (tg_is_builtin(name))
        return grammar_fail(r->g, place, r->err, "'%.*s' is built in and cannot name a rule",
                            BYTES_ARG(name));
    TRY(grammar_new_rule(r->g, name, place, &r->rule, r->err));
    if (token(r)->kind == '(')
        TRY(read_parameters(r));
    TRY(tg_expect(r, '=', r->g->rules.items[r->rule].arity ? "" : " or parameters"));
    uint32_t body = NONE;
    TRY(tg_alternatives(r, &body));
    if (token(r)->kind != ';')
        return lexer_expected(&r->lex, r->err, "';' at the end of rule '%.*s', '|' or one more item",
                              BYTES_ARG(name));
    r->g->rules.items[r->rule].body = body;
    r->g->rules.items[r->rule].node_end = (uint32_t)r->g->nodes.count;
    return next(r);
}

static int read_import(struct reader *r)
{
    struct place place = token(r)->place;
    struct error *inner = NULL;
    int status = grammar_import(r->g, token(r)->text, r->file, &inner);
    if (status < 0) {
        if (r->err)
            error_set(r->err, status, "%s:%u:%u: in an import: %s", r->file, place.line, place.column,
                      inner->text);
        error_free(inner);
        return status;
    }
    TRY(next(r));
    return tg_expect(r, ';', " after an import");
}

/* grammar NAME 1; */
static int read_header(struct reader *r)
{
    TRY(next(r));
    static const struct bounds versions = {false, VERSION, VERSION};
    uint64_t version;
    TRY(tg_number(r, &versions, &version));
    return tg_expect(r, ';', " after the header");
}

static int read_statements(struct reader *r, bool need_header)
{
    TRY(next(r));
    for (bool first = true; token(r)->kind != TOKEN_END; first = false) {
        if (first && need_header && !at_word(r, "grammar"))
            break;
        struct bytes name = token(r)->text;
        struct place place = token(r)->place;
        if (token(r)->kind != TOKEN_NAME)
            return lexer_expected(&r->lex, r->err, "the name of a rule");
        TRY(next(r));
        if (first && bytes_equal_string(name, "grammar") && token(r)->kind == TOKEN_NAME)
            TRY(read_header(r));
        else if (first && need_header)
            return lexer_expected(&r->lex, r->err, "the name of the grammar, as in: grammar NAME %d;",
                                  VERSION);
        else if (bytes_equal_string(name, "import") && token(r)->kind == TOKEN_TEXT)
            TRY(read_import(r));
        else
            TRY(read_rule(r, name, place));
        need_header = false;
    }
    if (need_header)
        return lexer_expected(&r->lex, r->err, "a header: grammar NAME %d;", VERSION);
    return 0;
}

int tg_read(struct grammar *g, struct bytes text, const char *file, unsigned line, bool need_header,
            struct error **err)
{
    if (g->compiled)
        BUG("rules added to a compiled grammar");
    TRY(grammar_count_source(g, text.len, file, err));
    struct reader r = {.g = g, .file = file, .err = err};
    POOL_ROOM(r.pending, 1); /* an empty list needs an address too */
    lexer_init(&r.lex, g, text, grammar_file(g, file), line);
    int status = read_statements(&r, need_header);
    lexer_release(&r.lex);
    free(r.pending.items);
    free(r.weights.items);
    return status;
}
