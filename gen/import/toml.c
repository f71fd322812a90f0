/* TOML 1.0 into JSON values. Dates and times are texts; numbers are JSON numbers where JSON has them, else texts (inf, nan, hexadecimal).
 *
 * Nothing recurses but arrays and inline tables, at most NESTING_MAX deep. */
#include "gen/import/import_internal.h"

#include <string.h>

#include "base/utf8.h"

enum { NESTING_MAX = 32, TEXT_MAX = 64 << 10 /* keys are looked for one after the other */ };

struct toml {
    struct arena *arena;
    struct bytes text;
    size_t at;
    int64_t line;
    const char *where;
    unsigned depth;
    struct error **err;
};

static int peek(const struct toml *t)
{
    return t->at < t->text.len ? t->text.data[t->at] : -1;
}

static bool at_word(const struct toml *t, const char *word)
{
    return bytes_starts(bytes_slice(t->text, t->at, t->text.len), bytes_of_string(word));
}

static bool take(struct toml *t, const char *word)
{
    bool there = at_word(t, word);
    t->at += there ? strlen(word) : 0;
    return there;
}

static int fault(const struct toml *t, const char *expected)
{
    int c = peek(t);
    if (c < 0)
        return error_set(t->err, ERR_INPUT, "%s:%lld: found the end, expected %s", t->where, (long long)t->line, expected);
    if (c == '\n' || c == '\r')
        return error_set(t->err, ERR_INPUT, "%s:%lld: found the end of the line, expected %s", t->where, (long long)t->line, expected);
    if (c < 0x20 || c > 0x7e)
        return error_set(t->err, ERR_INPUT, "%s:%lld: found byte 0x%02x, expected %s", t->where, (long long)t->line, (unsigned)c, expected);
    return error_set(t->err, ERR_INPUT, "%s:%lld: found '%c', expected %s", t->where, (long long)t->line, c, expected);
}

static void skip_blanks(struct toml *t)
{
    while (peek(t) == ' ' || peek(t) == '\t')
        t->at++;
}

static bool end_of_line(struct toml *t)
{
    if (!take(t, "\r\n") && !take(t, "\n"))
        return false;
    t->line++;
    return true;
}

static void skip_comment(struct toml *t)
{
    skip_blanks(t);
    if (peek(t) == '#')
        while (peek(t) >= 0 && peek(t) != '\n')
            t->at++;
    if (t->at && peek(t) == '\n' && t->text.data[t->at - 1] == '\r')
        t->at--; /* the line's end has both */
}

/* Blanks, comments and line ends, as between the elements of an array. */
static void skip_lines(struct toml *t)
{
    do
        skip_comment(t);
    while (end_of_line(t));
}

/* ---- strings ---- */

static int read_code_point(struct toml *t, int digits, struct buf *out)
{
    uint32_t value = 0;
    uint8_t utf8[4];
    for (; digits > 0; digits--, t->at++) {
        int c = peek(t), d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' && c > 0 ? (c | 32) - 'a' + 10 : -1;
        if (d < 0)
            return fault(t, "a hex digit");
        value = value << 4 | (uint32_t)d;
    }
    if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return fault(t, "a character behind an escape of one that is none");
    buf_add(out, bytes_of(utf8, utf8_put(utf8, value)));
    return 0;
}

static int read_escape(struct toml *t, bool lines, struct buf *out)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    int c = peek(t);
    const char *letter = c > 0 ? strchr(from, c) : NULL;
    if (letter) {
        buf_add_byte(out, (uint8_t)to[letter - from]);
        t->at++;
        return 0;
    }
    if (c == 'u' || c == 'U') {
        t->at++;
        return read_code_point(t, c == 'u' ? 4 : 8, out);
    }
    skip_blanks(t);
    if (!lines || !end_of_line(t))
        return fault(t, "an escape: \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX or \\UXXXXXXXX");
    do /* what follows a line's end that is escaped begins with the next word */
        skip_blanks(t);
    while (end_of_line(t));
    return 0;
}

/* Behind the opening quotes, up to and with the closing ones. */
static int read_until(struct toml *t, const char *quote, bool escapes, struct buf *out)
{
    bool lines = strlen(quote) == 3;
    if (lines)
        end_of_line(t);
    while (!at_word(t, quote)) {
        int c = peek(t);
        if (c < 0 || (!lines && c == '\n') || (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return fault(t, lines ? "three quotes at the end of the text" : "a quote at the end of the text");
        t->line += c == '\n';
        t->at++;
        if (c == '\\' && escapes)
            TRY(read_escape(t, lines, out));
        else
            buf_add_byte(out, (uint8_t)c);
    }
    t->at += strlen(quote);
    for (int more = 0; lines && more < 2 && peek(t) == *quote; more++, t->at++) /* up to two quotes before the closing three */
        buf_add_byte(out, (uint8_t)*quote);
    return 0;
}

static int read_string(struct toml *t, bool lines, struct buf *out)
{
    static const char *const quotes[] = {"\"\"\"", "'''", "\"", "'"};
    for (int i = lines ? 0 : 2; i < 4; i++)
        if (take(t, quotes[i]))
            return read_until(t, quotes[i], *quotes[i] == '"', out);
    return fault(t, "a text in quotes");
}

/* ---- keys ---- */

static bool is_bare(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

static int read_key(struct toml *t, struct bytes *key)
{
    struct buf text;
    buf_init(&text, TEXT_MAX);
    int status = 0;
    skip_blanks(t);
    if (peek(t) == '"' || peek(t) == '\'') {
        status = read_string(t, false, &text);
    } else {
        while (is_bare(peek(t)))
            buf_add_byte(&text, t->text.data[t->at++]);
        if (!text.len)
            status = fault(t, "a key");
    }
    *key = arena_copy(t->arena, buf_bytes(&text));
    buf_release(&text);
    skip_blanks(t);
    return status;
}

/* The table that stands in `table` under the key, made when it is missing; of an array of tables the last. NULL: something else. */
static struct json *sub_table(struct toml *t, struct json *table, struct bytes key)
{
    struct json *there = json_get_bytes(table, key);
    if (!there)
        return json_set_bytes(t->arena, table, key, json_new(t->arena, JSON_OBJECT));
    if (json_is(there, JSON_ARRAY))
        there = there->last;
    return json_is(there, JSON_OBJECT) ? there : NULL;
}

/* A dotted key: *table becomes the one its last part belongs into. */
static int read_keys(struct toml *t, struct json **table, struct bytes *last)
{
    TRY(read_key(t, last));
    for (unsigned parts = 0; peek(t) == '.'; parts++) {
        *table = sub_table(t, *table, *last);
        if (!*table || parts == NESTING_MAX)
            return fault(t, "a key that is no value already");
        t->at++;
        TRY(read_key(t, last));
    }
    return 0;
}

/* ---- values ---- */

static int read_value(struct toml *t, struct json **value);

static int read_pair(struct toml *t, struct json *table)
{
    struct bytes key;
    struct json *value = NULL;
    TRY(read_keys(t, &table, &key));
    if (peek(t) != '=')
        return fault(t, "'=' behind the key");
    if (json_get_bytes(table, key))
        return fault(t, "a key that has no value yet");
    t->at++;
    skip_blanks(t);
    TRY(read_value(t, &value));
    json_set_bytes(t->arena, table, key, value);
    skip_blanks(t);
    return 0;
}

static int read_array(struct toml *t, struct json **value)
{
    *value = json_new(t->arena, JSON_ARRAY);
    skip_lines(t);
    while (!take(t, "]")) {
        struct json *item = NULL;
        TRY(read_value(t, &item));
        json_add(*value, item);
        skip_lines(t);
        if (!take(t, ",") && peek(t) != ']')
            return fault(t, "',' or ']'");
        skip_lines(t);
    }
    return 0;
}

static int read_inline(struct toml *t, struct json **value)
{
    *value = json_new(t->arena, JSON_OBJECT);
    skip_blanks(t);
    while (!take(t, "}")) {
        TRY(read_pair(t, *value));
        if (!take(t, ",") && peek(t) != '}')
            return fault(t, "',' or '}'");
        skip_blanks(t);
    }
    return 0;
}

/* A number that JSON can spell keeps its lexeme, without the underscores; everything else is a text. */
static int read_bare(struct toml *t, struct json **value)
{
    struct buf text;
    struct json *number = NULL;
    buf_init(&text, 64);
    for (int c = peek(t); is_bare(c) || c == '+' || c == '.' || c == ':'; t->at++, c = peek(t))
        if (c != '_')
            buf_add_byte(&text, (uint8_t)c);
    struct bytes word = buf_bytes(&text);
    if (bytes_starts(word, BYTES_LITERAL("+")))
        word = bytes_slice(word, 1, word.len);
    int status = !word.len || text.overflow ? fault(t, "a value") : 0;
    if (!status && json_read(t->arena, word, NULL, "", &number, NULL, NULL) == 0)
        *value = number; /* true and false too; null, which TOML does not have, would be a text */
    if (!status && (!number || json_is(number, JSON_NULL)))
        *value = json_string(t->arena, word);
    buf_release(&text);
    return status;
}

static int read_value(struct toml *t, struct json **value)
{
    int c = peek(t), status;
    if (c == '"' || c == '\'') {
        struct buf text;
        buf_init(&text, TEXT_MAX);
        status = read_string(t, true, &text);
        *value = json_string(t->arena, buf_bytes(&text));
        buf_release(&text);
        return status;
    }
    if (c != '[' && c != '{')
        return read_bare(t, value);
    if (t->depth == NESTING_MAX)
        return fault(t, "a value that is not nested so deep");
    t->at++;
    t->depth++;
    status = c == '[' ? read_array(t, value) : read_inline(t, value);
    t->depth--;
    return status;
}

/* ---- the document ---- */

/* "[a.b]" or "[[a.b]]", behind the first bracket. */
static int read_header(struct toml *t, struct json *root, struct json **table)
{
    bool many = take(t, "[");
    struct json *in = root;
    struct bytes key;
    TRY(read_keys(t, &in, &key));
    struct json *there = json_get_bytes(in, key);
    if (many) {
        there = there ? there : json_set_bytes(t->arena, in, key, json_new(t->arena, JSON_ARRAY));
        *table = json_is(there, JSON_ARRAY) ? json_add(there, json_new(t->arena, JSON_OBJECT)) : NULL;
    } else {
        *table = sub_table(t, in, key);
    }
    if (!*table)
        return fault(t, "a table's name that is no value already");
    return take(t, many ? "]]" : "]") ? 0 : fault(t, many ? "']]'" : "']'");
}

static int read_document(struct toml *t, struct json *root)
{
    struct json *table = root;
    take(t, "\xef\xbb\xbf");
    for (skip_lines(t); peek(t) >= 0; skip_lines(t)) {
        TRY(take(t, "[") ? read_header(t, root, &table) : read_pair(t, table));
        skip_comment(t);
        if (peek(t) >= 0 && !end_of_line(t))
            return fault(t, "the end of the line");
    }
    return 0;
}

int toml_read(struct arena *a, struct bytes text, const char *where, struct json **value, struct error **err)
{
    struct toml t = {.arena = a, .text = text, .line = 1, .where = where, .err = err};
    struct json *root = json_new(a, JSON_OBJECT);
    if (text.len > TEXT_MAX)
        return error_set(err, ERR_INPUT, "%s: %zu bytes, expected at most %d", where, text.len, TEXT_MAX);
    TRY(read_document(&t, root));
    *value = root;
    return 0;
}
