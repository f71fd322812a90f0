/* Patterns of a book: each is compiled twice, to a grammar that generates what it matches, and to a matcher
 * that judges. A pattern is ECMAScript's; what our grammar or PCRE2 does not take of it is left to length and
 * luck, or unjudged.
 *
 * Immutable after schema_patterns_read. Matching has limits of its own, so a pattern that would take for ever
 * is unsure. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "gen/schema_internal.h"
#include "grammar/grammar.h"

enum {
    PATTERNS_MAX = 512,
    PATTERN_LENGTH_MAX = 4096,
    MATCH_LIMIT = 20000,
    HEAP_LIMIT_KIB = 4096,
    FIRST_SITE = 1 << 30
};

/* "r = /…/;" with the slashes within escaped, as the notation has it. */
static void write_rule(struct bytes pattern, struct buf *out)
{
    bool in_class = false;
    buf_add_string(out, "r = /");
    for (size_t i = 0; i < pattern.len; i++) {
        uint8_t byte = pattern.data[i];
        if (byte == '\\' && i + 1 < pattern.len) {
            buf_add_byte(out, byte);
            byte = pattern.data[++i];
        } else if (byte == '/' && !in_class) {
            buf_add_byte(out, '\\');
        } else if (byte == '[') {
            in_class = true;
        } else if (byte == ']') {
            in_class = false;
        }
        buf_add_byte(out, byte);
    }
    buf_add_string(out, "/;");
}

static struct grammar *generator(struct bytes pattern, uint32_t first_site)
{
    struct buf rule;
    buf_init(&rule, 3 * PATTERN_LENGTH_MAX);
    write_rule(pattern, &rule);
    struct grammar *g = grammar_new();
    if (grammar_add_text(g, buf_bytes(&rule), "pattern", 1, NULL) < 0 ||
        grammar_compile(g, first_site, NULL) < 0 || grammar_rule(g, BYTES_LITERAL("r")) < 0) {
        grammar_free(g);
        g = NULL;
    }
    buf_release(&rule);
    return g;
}

static pcre2_code *matcher(struct bytes pattern)
{
    int code;
    PCRE2_SIZE offset;
    return pcre2_compile(pattern.data, pattern.len,
                         PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS, &code, &offset, NULL);
}

const struct schema_pattern *schema_pattern_find(const struct schema_book *book, struct bytes text)
{
    for (size_t i = 0; i < book->pattern_count; i++)
        if (bytes_equal(book->patterns[i].text, text))
            return &book->patterns[i];
    return NULL;
}

static void add(struct schema_book *book, struct bytes text, uint32_t *site)
{
    if (!text.len || text.len > PATTERN_LENGTH_MAX || book->pattern_count == PATTERNS_MAX ||
        schema_pattern_find(book, text))
        return;
    if (book->pattern_count == book->pattern_capacity) {
        book->pattern_capacity = book->pattern_capacity ? 2 * book->pattern_capacity : 16;
        book->patterns = xrealloc(book->patterns, book->pattern_capacity * sizeof *book->patterns);
    }
    struct schema_pattern *p = &book->patterns[book->pattern_count++];
    *p = (struct schema_pattern){.text = text, .grammar = generator(text, *site), .code = matcher(text)};
    if (p->grammar)
        *site = grammar_site_end(p->grammar);
}

void schema_patterns_read(struct schema_book *book)
{
    uint32_t site = FIRST_SITE;
    for (const struct json *node = book->document; node; node = json_next(book->document, node, true)) {
        const struct json *parent = node->parent;
        if (json_is(node, JSON_STRING) && bytes_equal_string(node->key, "pattern"))
            add(book, node->text, &site);
        if (json_is(parent, JSON_OBJECT) && bytes_equal_string(parent->key, "patternProperties"))
            add(book, node->key, &site);
    }
}

void schema_patterns_free(struct schema_book *book)
{
    for (size_t i = 0; i < book->pattern_count; i++) {
        grammar_free(book->patterns[i].grammar);
        pcre2_code_free(book->patterns[i].code);
    }
    free(book->patterns);
}

enum schema_verdict schema_pattern_matches(const struct schema_book *book, struct bytes pattern,
                                           struct bytes text)
{
    if (!pattern.len)
        return SCHEMA_ACCEPTS;
    const struct schema_pattern *p = schema_pattern_find(book, pattern);
    if (!p || !p->code)
        return SCHEMA_UNSURE;
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!data || !limits)
        BUG("no memory for a match");
    pcre2_set_match_limit(limits, MATCH_LIMIT);
    pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
    int found = pcre2_match(p->code, text.len ? text.data : (const uint8_t *)"", text.len, 0, 0, data,
                            limits);
    pcre2_match_context_free(limits);
    pcre2_match_data_free(data);
    return found >= 0 ? SCHEMA_ACCEPTS : found == PCRE2_ERROR_NOMATCH ? SCHEMA_REJECTS : SCHEMA_UNSURE;
}

bool schema_pattern_draw(struct drawing *d, struct bytes pattern, size_t most, struct buf *out)
{
    const struct schema_pattern *p = schema_pattern_find(d->book, pattern);
    const struct grammar_limits limits = {.max_bytes = most, .max_depth = DEPTH_MAX};
    int rule = p && p->grammar ? grammar_rule(p->grammar, BYTES_LITERAL("r")) : -1;
    return rule >= 0 && grammar_derive(p->grammar, rule, NULL, 0, d->c, &limits, out, NULL) == 0;
}
