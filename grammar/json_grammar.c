/* Grammars written as JSON, as other fuzzers have them:
 *
 *   {"<start>": ["<a> and <b>", …], "<a>": […]}                    an alternative is a text with <names>
 * inside
 *   {"<start>": [["<a>", " and ", "<b>"], …], "<a>": […]}         or an array of symbols; the rules' names
 * are references
 *   {"[start]": "<start>", "[grammar]": {…}}                       either of them wrapped, as F1 does
 *
 * A rule is called what stands between < and >, so that compact notation can refer to it. In a text each
 * <name> must be a rule; in an array what is no rule's name is taken literally. */
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "grammar/grammar_internal.h"

struct json_reader {
    struct grammar *g;
    struct bytes source;
    struct place place; /* of offset `at` of the source, which only moves on */
    size_t at;
    uint32_t first_rule;  /* of this text; the others follow in the order of their keys */
    POOL(bool) bracketed; /* for each of them: written <name>, not name */
    POOL(uint32_t) pending;
    struct error **err;
};

static struct place place_of(struct json_reader *r, const struct json *value)
{
    while (r->at < value->offset) {
        if (r->source.data[r->at] == '\n') {
            r->place.line++;
            r->place.column = 1;
            r->at++;
        } else {
            utf8_next(r->source, &r->at);
            r->place.column++;
        }
    }
    return r->place;
}

static bool is_bracketed(struct bytes name)
{
    return name.len > 2 && name.data[0] == '<' && name.data[name.len - 1] == '>';
}

static struct bytes without_brackets(struct bytes name)
{
    return is_bracketed(name) ? bytes_slice(name, 1, name.len - 1) : name;
}

static void add_text(struct json_reader *r, struct bytes text, struct place place)
{
    if (text.len)
        POOL_ADD(r->pending, node_text(r->g, text, place));
}

/* The next <name> at or after `at`: no white space nor brackets inside. Returns its begin, or -1. */
static ptrdiff_t next_name(struct bytes text, size_t at, size_t *end)
{
    ptrdiff_t open = -1;
    for (; at < text.len; at++) {
        uint8_t c = text.data[at];
        if (c == '<') {
            open = (ptrdiff_t)at;
        } else if (c == '>' && open >= 0 && (size_t)open + 1 < at) {
            *end = at + 1;
            return open;
        } else if (c == '>' || c == ' ') {
            open = -1;
        }
    }
    return -1;
}

static void add_template(struct json_reader *r, struct bytes text, struct place place)
{
    size_t at = 0, end;
    for (ptrdiff_t name; (name = next_name(text, at, &end)) >= 0; at = end) {
        add_text(r, bytes_slice(text, at, (size_t)name), place);
        struct bytes inside = bytes_slice(text, (size_t)name + 1, end - 1);
        POOL_ADD(r->pending, node_reference(r->g, inside, NULL, 0, place));
    }
    add_text(r, bytes_slice(text, at, text.len), place);
}

static void add_symbol(struct json_reader *r, struct bytes symbol, struct place place)
{
    struct bytes name = without_brackets(symbol);
    uint32_t rule = grammar_find(r->g, name);
    bool ours = rule != NONE && rule >= r->first_rule;
    if (ours && r->bracketed.items[rule - r->first_rule] == is_bracketed(symbol))
        POOL_ADD(r->pending, node_reference(r->g, name, NULL, 0, place));
    else
        add_text(r, symbol, place);
}

static int add_alternative(struct json_reader *r, const struct json *value, uint32_t *node)
{
    struct place place = place_of(r, value);
    size_t mark = r->pending.count;
    if (value->kind == JSON_STRING)
        add_template(r, value->text, place);
    else if (value->kind != JSON_ARRAY)
        return grammar_fail(r->g, place, r->err,
                            "found a JSON %s, expected an alternative: a string, or an array of strings",
                            json_kind_name(value->kind));
    for (const struct json *symbol = value->first; symbol; symbol = symbol->next) {
        if (symbol->kind != JSON_STRING)
            return grammar_fail(r->g, place_of(r, symbol), r->err,
                                "found a JSON %s, expected a symbol: a string", json_kind_name(symbol->kind));
        add_symbol(r, symbol->text, place);
    }
    *node = node_list(r->g, NODE_SEQUENCE, r->pending.items + mark, r->pending.count - mark, place);
    r->pending.count = mark;
    return 0;
}

static int add_body(struct json_reader *r, const struct json *value, uint32_t rule)
{
    struct place place = place_of(r, value);
    r->g->rules.items[rule].first_node = (uint32_t)r->g->nodes.count;
    for (const struct json *alternative = value->first; alternative; alternative = alternative->next) {
        uint32_t node = NONE;
        TRY(add_alternative(r, alternative, &node));
        POOL_ADD(r->pending, node);
    }
    struct rule *target = &r->g->rules.items[rule];
    target->body = node_choice(r->g, r->pending.items, NULL, r->pending.count, place);
    target->node_end = (uint32_t)r->g->nodes.count;
    r->pending.count = 0;
    return 0;
}

static int declare(struct json_reader *r, const struct json *value)
{
    struct place place = place_of(r, value);
    struct bytes name = without_brackets(value->key);
    if (name.len == 0 || bytes_find(name, BYTES_LITERAL("\0"), 0) >= 0)
        return grammar_fail(r->g, place, r->err,
                            "found a key that is empty or has a NUL, expected the name of a rule");
    if (value->kind != JSON_ARRAY || value->count == 0)
        return grammar_fail(
            r->g, place, r->err, "found %s %s as rule '%.*s', expected an array of alternatives",
            value->kind == JSON_ARRAY ? "an empty" : "a JSON", json_kind_name(value->kind), BYTES_ARG(name));
    uint32_t rule;
    TRY(grammar_new_rule(r->g, name, place, &rule, r->err));
    POOL_ADD(r->bracketed, is_bracketed(value->key));
    return 0;
}

/* All rules are known before the first body is made, since a symbol is a reference when it names one. */
static int read_rules(struct json_reader *r, const struct json *object)
{
    for (const struct json *value = object->first; value; value = value->next)
        TRY(declare(r, value));
    r->at = 0;
    r->place.line = r->place.column = 1;
    uint32_t rule = r->first_rule;
    for (const struct json *value = object->first; value; value = value->next)
        TRY(add_body(r, value, rule++));
    return 0;
}

int grammar_add_json(struct grammar *g, struct bytes text, const char *file, struct error **err)
{
    if (g->compiled)
        BUG("rules added to a compiled grammar");
    TRY(grammar_count_source(g, text.len, file, err));
    struct json_reader r = {.g = g,
                            .source = text,
                            .err = err,
                            .first_rule = (uint32_t)g->rules.count,
                            .place = {.file = grammar_file(g, file), .line = 1, .column = 1}};
    POOL_ROOM(r.pending, 1);
    struct arena arena;
    arena_init(&arena);
    struct json *value;
    int status = json_read(&arena, text, NULL, file, &value, NULL, err);
    if (status == 0 && json_is(json_get(value, "[grammar]"), JSON_OBJECT))
        value = json_get(value, "[grammar]");
    if (status == 0 && value->kind != JSON_OBJECT)
        status = grammar_fail(g, r.place, err, "found a JSON %s, expected an object of rules",
                              json_kind_name(value->kind));
    if (status == 0)
        status = read_rules(&r, value);
    arena_release(&arena);
    free(r.bracketed.items);
    free(r.pending.items);
    return status;
}
