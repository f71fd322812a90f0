/* Dictionaries: tokens in the order in which they came, each once. */
#include "gen/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

enum { SLOTS = 4 * DICTIONARY_TOKENS_MAX /* a power of two; at most a quarter is used */, SCHEMA_TEXT = 1 << 24 };

struct dictionary {
    struct arena arena;
    struct bytes tokens[DICTIONARY_TOKENS_MAX];
    size_t count;
    uint16_t slots[SLOTS]; /* 0: free; else one more than the token's index */
};

struct dictionary *dictionary_new(void)
{
    struct dictionary *d = xcalloc(1, sizeof *d);
    arena_init(&d->arena);
    return d;
}

void dictionary_free(struct dictionary *d)
{
    if (!d)
        return;
    arena_release(&d->arena);
    free(d);
}

void dictionary_add(struct dictionary *d, struct bytes token)
{
    if (!d || !token.len || token.len > DICTIONARY_TOKEN_MAX || d->count == DICTIONARY_TOKENS_MAX)
        return;
    size_t at = (size_t)hash64(token) & (SLOTS - 1);
    for (; d->slots[at]; at = (at + 1) & (SLOTS - 1))
        if (bytes_equal(d->tokens[d->slots[at] - 1], token))
            return;
    d->tokens[d->count++] = arena_copy(&d->arena, token);
    d->slots[at] = (uint16_t)d->count;
}

size_t dictionary_count(const struct dictionary *d)
{
    return d ? d->count : 0;
}

struct bytes dictionary_at(const struct dictionary *d, size_t index)
{
    return d->tokens[index];
}

struct bytes dictionary_pick(const struct dictionary *d, struct rng *rng)
{
    return dictionary_count(d) ? d->tokens[rng_below(rng, d->count)] : BYTES_NONE;
}

/* ---- the format of AFL and libFuzzer ---- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.' || c == '@';
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct line {
    struct bytes text;
    size_t at;
    const char *where;
    unsigned number;
    struct error **err;
};

static int fault(const struct line *l, const char *expected)
{
    struct bytes rest = bytes_slice(l->text, l->at, l->text.len);
    if (!rest.len)
        return error_set(l->err, ERR_INPUT, "%s:%u: found the end of the line, expected %s", l->where, l->number, expected);
    if (rest.data[0] < 0x20 || rest.data[0] > 0x7e)
        return error_set(l->err, ERR_INPUT, "%s:%u: found byte 0x%02x, expected %s", l->where, l->number, rest.data[0], expected);
    return error_set(l->err, ERR_INPUT, "%s:%u: found '%c', expected %s", l->where, l->number, rest.data[0], expected);
}

static int read_escape(struct line *l, struct buf *out)
{
    static const char expected[] = "an escape: \\xNN, \\\\, \\\", \\n, \\r or \\t";
    static const struct {
        char letter, value;
    } letters[] = {{'\\', '\\'}, {'"', '"'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};
    if (l->at == l->text.len)
        return fault(l, expected);
    uint8_t c = l->text.data[l->at];
    if (c == 'x') {
        int high = l->at + 1 < l->text.len ? hex_digit(l->text.data[l->at + 1]) : -1;
        int low = l->at + 2 < l->text.len ? hex_digit(l->text.data[l->at + 2]) : -1;
        if (high < 0 || low < 0)
            return fault(l, expected);
        buf_add_byte(out, (uint8_t)(high << 4 | low));
        l->at += 3;
        return 0;
    }
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (c == (uint8_t)letters[i].letter) {
            buf_add_byte(out, (uint8_t)letters[i].value);
            l->at++;
            return 0;
        }
    return fault(l, expected);
}

static int read_value(struct line *l, struct buf *out)
{
    while (l->at < l->text.len && l->text.data[l->at] != '"') {
        uint8_t c = l->text.data[l->at++];
        if (c == '\\')
            TRY(read_escape(l, out));
        else
            buf_add_byte(out, c);
    }
    if (l->at == l->text.len)
        return fault(l, "'\"' behind the value");
    l->at++;
    return 0;
}

static void skip_blanks(struct line *l)
{
    while (l->at < l->text.len && is_blank(l->text.data[l->at]))
        l->at++;
}

static int read_line(struct dictionary *d, struct line *l, struct buf *value)
{
    skip_blanks(l);
    if (l->at == l->text.len || l->text.data[l->at] == '#')
        return 0;
    size_t name = l->at;
    while (l->at < l->text.len && is_name(l->text.data[l->at]))
        l->at++;
    if (l->at > name) {
        skip_blanks(l);
        if (l->at == l->text.len || l->text.data[l->at] != '=')
            return fault(l, "'=' behind the name");
        l->at++;
        skip_blanks(l);
    }
    if (l->at == l->text.len || l->text.data[l->at] != '"')
        return fault(l, "NAME=\"VALUE\", \"VALUE\" or # and a comment");
    l->at++;
    buf_clear(value);
    TRY(read_value(l, value));
    skip_blanks(l);
    if (l->at < l->text.len && l->text.data[l->at] != '#')
        return fault(l, "nothing behind the value");
    if (!value->len)
        return error_set(l->err, ERR_INPUT, "%s:%u: found an empty value, expected 1 to %d bytes", l->where, l->number, DICTIONARY_TOKEN_MAX);
    if (value->overflow)
        return error_set(l->err, ERR_INPUT, "%s:%u: found a value of more than %d bytes", l->where, l->number, DICTIONARY_TOKEN_MAX);
    dictionary_add(d, buf_bytes(value));
    return 0;
}

int dictionary_read(struct dictionary *d, struct bytes text, const char *where, struct error **err)
{
    struct buf value;
    int status = 0;
    unsigned number = 1;
    buf_init(&value, DICTIONARY_TOKEN_MAX);
    for (size_t at = 0; at < text.len && !status; number++) {
        ptrdiff_t end = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t stop = end < 0 ? text.len : (size_t)end;
        struct line l = {.text = bytes_slice(text, at, stop), .where = where, .number = number, .err = err};
        status = read_line(d, &l, &value);
        at = stop + 1;
    }
    buf_release(&value);
    return status;
}

/* ---- gathering ---- */

void dictionary_add_words(struct dictionary *d, struct bytes text, size_t most)
{
    size_t start = 0, taken = 0;
    for (size_t i = 0; i <= text.len && taken < most; i++) {
        if (i < text.len && text.data[i] > 0x20 && text.data[i] < 0x7f)
            continue;
        if (i - start >= 3 && i - start <= DICTIONARY_GATHER_MAX) {
            dictionary_add(d, bytes_slice(text, start, i));
            taken++;
        }
        start = i + 1;
    }
}

void dictionary_add_texts(struct dictionary *d, const struct json *value)
{
    for (struct json *v = (struct json *)value; v; v = json_next(value, v, true))
        if (json_is(v, JSON_STRING) && v->text.len <= DICTIONARY_GATHER_MAX)
            dictionary_add(d, v->text);
}

/* What a keyword of a schema holds, as the text that stands for it. */
static void add_value(struct dictionary *d, const struct json *value)
{
    if (json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER)) {
        if (value->text.len <= DICTIONARY_GATHER_MAX)
            dictionary_add(d, value->text);
    } else {
        dictionary_add_texts(d, value);
    }
}

void dictionary_add_schemas(struct dictionary *d, struct bytes tools)
{
    static const char *const keywords[] = {"enum", "const", "default", "examples"};
    struct arena a;
    struct json *root = NULL;
    arena_init(&a);
    if (tools.len <= SCHEMA_TEXT && json_read(&a, tools, &(struct json_options){.allow_bad_utf8 = true}, "tools", &root, NULL, NULL) == 0)
        for (struct json *v = root; v; v = json_next(root, v, true)) {
            if (v->parent && json_is(v->parent, JSON_OBJECT) && bytes_equal_string(v->parent->key, "properties") &&
                v->key.len <= DICTIONARY_GATHER_MAX)
                dictionary_add(d, v->key);
            for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
                if (v->key.len && bytes_equal_string(v->key, keywords[i]))
                    add_value(d, v);
        }
    arena_release(&a);
}
