/* The JSON reader: RFC 8259, strict, without recursion.
 *
 * It is a loop over "read a value, then close what ends here"; `top` is the container that is open, its
 * parents are found by the values' parent pointers. Every byte is looked at a bounded number of times:
 * strings are scanned once for their end and once to decode them, and doubled keys are found by sorting an
 * object's keys by hash when it closes, so the time is linear in the text but for the logarithm of the
 * largest object, also for hostile keys. */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_internal.h"
#include "base/utf8.h"

enum { DEFAULT_DEPTH = 100000, FEW_KEYS = 8 };

struct keyed {
    uint64_t hash;
    struct json *value;
};

struct reader {
    struct arena *arena;
    struct bytes text;
    size_t at;
    const struct json_options *options;
    const char *where;
    struct json *root, *top;
    size_t depth;
    struct json name; /* key, bad_utf8 and lone_surrogate for the next member of top */
    struct keyed *keys;
    size_t keys_cap;
    struct error **err;
};

static int fail_at(struct reader *r, size_t offset, const char *text)
{
    return error_set(r->err, ERR_INPUT, "%s: byte %zu: %s", r->where, offset, text);
}

static int fail_expected(struct reader *r, const char *expected)
{
    if (r->at >= r->text.len)
        return error_set(r->err, ERR_INPUT, "%s: byte %zu: expected %s, found the end", r->where, r->at,
                         expected);
    uint8_t c = r->text.data[r->at];
    const char *format = c > 0x20 && c < 0x7F ? "%s: byte %zu: expected %s, found '%c'"
                                              : "%s: byte %zu: expected %s, found byte 0x%02x";
    return error_set(r->err, ERR_INPUT, format, r->where, r->at, expected, c);
}

static void skip_space(struct reader *r)
{
    while (r->at < r->text.len) {
        uint8_t c = r->text.data[r->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            break;
        r->at++;
    }
}

/* The next byte that is not space, or -1 at the end. */
static int peek(struct reader *r)
{
    skip_space(r);
    return r->at < r->text.len ? r->text.data[r->at] : -1;
}

/* Strings.
 * ------------------------------------------------------------------------------------------------------ */

/* Finds the closing quote; r->at is behind the opening one and stays. */
static int scan_string(struct reader *r, size_t *end, bool *escaped, bool *bad_utf8)
{
    const uint8_t *data = r->text.data;
    size_t at = r->at;
    for (;;) {
        at += json_plain_run(r->text, at);
        if (at >= r->text.len || data[at] == '"')
            break;
        size_t here = at;
        if (data[at] == '\\') {
            *escaped = true;
            at += 2;
        } else if (data[at] < 0x20) {
            r->at = at;
            return fail_expected(r, "an escape for a control character in a string");
        } else if (utf8_next(r->text, &at) < 0) {
            *bad_utf8 = true;
            if (!r->options->allow_bad_utf8)
                return fail_at(r, here, "a string is not UTF-8");
        }
    }
    if (at >= r->text.len)
        return fail_at(r, r->text.len, "expected '\"' at the end of a string, found the end");
    *end = at;
    return 0;
}

/* Four hex digits at `at`, or -1. */
static int32_t read_unit(const struct reader *r, size_t at, size_t end)
{
    int32_t unit = 0;
    if (end < 4 || at > end - 4)
        return -1;
    for (size_t k = at; k < at + 4; k++) {
        uint8_t c = r->text.data[k], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            unit = unit << 4 | (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            unit = unit << 4 | (lower - 'a' + 10);
        else
            return -1;
    }
    return unit;
}

/* Decodes \uXXXX, and the second half of a pair; *at is at the backslash and moves behind. */
static int32_t read_code_point(const struct reader *r, size_t *at, size_t end, bool *lone)
{
    int32_t unit = read_unit(r, *at + 2, end);
    if (unit < 0)
        return -1;
    *at += 6;
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit;
    if (unit < 0xDC00 && end - *at >= 6 && r->text.data[*at] == '\\' && r->text.data[*at + 1] == 'u') {
        int32_t second = read_unit(r, *at + 2, end);
        if (second >= 0xDC00 && second <= 0xDFFF) {
            *at += 6;
            return 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
        }
    }
    *lone = true;
    return unit;
}

static int decode_escape(struct reader *r, size_t *at, size_t end, uint8_t **out, bool *lone)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint8_t c = r->text.data[*at + 1];
    const char *simple = c ? strchr(from, c) : NULL;
    if (simple) {
        *(*out)++ = (uint8_t)to[simple - from];
        *at += 2;
        return 0;
    }
    size_t start = *at;
    int32_t code_point = c == 'u' ? read_code_point(r, at, end, lone) : -1;
    if (code_point < 0)
        return fail_at(r, start,
                       c == 'u' ? "expected four hex digits behind \\u" : "an unknown escape in a string");
    *out += utf8_put(*out, (uint32_t)code_point);
    return 0;
}

/* Text without escapes is never longer than with them, so the room is known. */
static int decode_string(struct reader *r, size_t end, struct bytes *result, bool *lone)
{
    uint8_t *start = arena_alloc(r->arena, end - r->at + 1), *out = start;
    size_t at = r->at;
    while (at < end) {
        const uint8_t *run = r->text.data + at;
        const uint8_t *stop = memchr(run, '\\', end - at);
        size_t length = stop ? (size_t)(stop - run) : end - at;
        memcpy(out, run, length);
        out += length;
        at += length;
        if (stop)
            TRY(decode_escape(r, &at, end, &out, lone));
    }
    *result = bytes_of(start, (size_t)(out - start));
    return 0;
}

/* r->at is at the opening quote. */
static int read_string(struct reader *r, struct bytes *result, struct json *flags)
{
    size_t end = 0;
    bool escaped = false;
    r->at++;
    TRY(scan_string(r, &end, &escaped, &flags->bad_utf8));
    if (escaped)
        TRY(decode_string(r, end, result, &flags->lone_surrogate));
    else
        *result = arena_copy(r->arena, bytes_slice(r->text, r->at, end));
    r->at = end + 1;
    return 0;
}

/* Numbers and words.
 * -------------------------------------------------------------------------------------------- */

static size_t skip_digits(struct reader *r)
{
    size_t start = r->at;
    while (r->at < r->text.len && r->text.data[r->at] >= '0' && r->text.data[r->at] <= '9')
        r->at++;
    return r->at - start;
}

static bool skip_byte(struct reader *r, const char *any_of)
{
    bool found = r->at < r->text.len && r->text.data[r->at] && strchr(any_of, r->text.data[r->at]);
    r->at += found;
    return found;
}

static int read_number(struct reader *r, struct json *value)
{
    size_t start = r->at;
    skip_byte(r, "-");
    if (!skip_byte(r, "0") && !skip_digits(r))
        return fail_expected(r, "a digit");
    if (skip_byte(r, ".") && !skip_digits(r))
        return fail_expected(r, "a digit behind the point");
    if (skip_byte(r, "eE")) {
        skip_byte(r, "+-");
        if (!skip_digits(r))
            return fail_expected(r, "a digit in the exponent");
    }
    value->kind = JSON_NUMBER;
    value->text = arena_copy(r->arena, bytes_slice(r->text, start, r->at));
    return 0;
}

static int read_word(struct reader *r, struct json *value)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct bytes word = bytes_of_string(words[i].word);
        if (bytes_starts(bytes_slice(r->text, r->at, r->text.len), word)) {
            r->at += word.len;
            value->kind = words[i].kind;
            return 0;
        }
    }
    if (bytes_starts(bytes_slice(r->text, r->at, r->text.len), BYTES_LITERAL("\xEF\xBB\xBF")))
        return fail_at(r, r->at, "expected a value, found a byte order mark");
    return fail_expected(r, "a value");
}

/* Containers.
 * --------------------------------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    int order = bytes_compare(a->value->key, b->value->key);
    return order ? order : (a->value->offset > b->value->offset) - (a->value->offset < b->value->offset);
}

static void mark_duplicates_of_many(struct reader *r, struct json *object)
{
    size_t count = 0;
    if (object->count > r->keys_cap) {
        r->keys_cap = 2 * (size_t)object->count;
        r->keys = xrealloc(r->keys, r->keys_cap * sizeof *r->keys);
    }
    for (struct json *child = object->first; child; child = child->next)
        r->keys[count++] = (struct keyed){hash64(child->key), child};
    qsort(r->keys, count, sizeof *r->keys, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (r->keys[i].hash == r->keys[i - 1].hash &&
            bytes_equal(r->keys[i].value->key, r->keys[i - 1].value->key))
            r->keys[i].value->duplicate = true;
}

static void mark_duplicates(struct reader *r, struct json *object)
{
    if (object->count > FEW_KEYS) {
        mark_duplicates_of_many(r, object);
        return;
    }
    for (struct json *child = object->first; child; child = child->next)
        for (struct json *earlier = object->first; earlier != child && !child->duplicate;
             earlier = earlier->next)
            child->duplicate = bytes_equal(earlier->key, child->key);
}

static int read_key(struct reader *r)
{
    r->name = (struct json){0};
    if (peek(r) != '"')
        return fail_expected(r, r->top->count ? "a key in quotes" : "a key in quotes or '}'");
    TRY(read_string(r, &r->name.key, &r->name));
    if (peek(r) != ':')
        return fail_expected(r, "':' behind a key");
    r->at++;
    return 0;
}

/* Hangs a fresh value where it belongs. */
static struct json *place_value(struct reader *r, const struct json *made)
{
    struct json *value = json_new(r->arena, made->kind);
    *value = *made;
    if (!r->top) {
        r->root = value;
        return value;
    }
    if (r->top->kind == JSON_OBJECT) {
        value->key = r->name.key;
        value->bad_utf8 |= r->name.bad_utf8;
        value->lone_surrogate |= r->name.lone_surrogate;
    }
    json_link(r->top, value);
    return value;
}

static int open_container(struct reader *r, struct json *value)
{
    if (r->depth == r->options->max_depth)
        return error_set(r->err, ERR_LIMIT, "%s: byte %zu: nested more than %zu deep", r->where,
                         value->offset, r->options->max_depth);
    r->depth++;
    r->top = value;
    r->at++;
    return 0;
}

/* Reads what stands at r->at: a whole scalar, or the opening bracket of a container, which becomes the top.
 */
static int read_value(struct reader *r)
{
    int c = peek(r);
    struct json made = {.offset = r->at};
    if (c == '[' || c == '{') {
        made.kind = c == '[' ? JSON_ARRAY : JSON_OBJECT;
        return open_container(r, place_value(r, &made));
    }
    if (c == '"') {
        made.kind = JSON_STRING;
        TRY(read_string(r, &made.text, &made));
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        TRY(read_number(r, &made));
    } else {
        TRY(read_word(r, &made));
    }
    place_value(r, &made);
    return 0;
}

/* After a value or an opening bracket: closes what ends here and gets ready for the next value. When it
 * returns 0 with no top, the text's value is complete. */
static int next_position(struct reader *r, bool opened)
{
    while (r->top) {
        bool object = r->top->kind == JSON_OBJECT;
        int c = peek(r);
        if (c == (object ? '}' : ']')) {
            if (object && r->top->count > 1)
                mark_duplicates(r, r->top);
            r->at++;
            r->depth--;
            r->top = r->top->parent;
            opened = false;
            continue;
        }
        if (!opened) {
            if (c != ',')
                return fail_expected(r, object ? "',' or '}'" : "',' or ']'");
            r->at++;
        }
        return object ? read_key(r) : 0;
    }
    return 0;
}

static int read_document(struct reader *r)
{
    do {
        const struct json *before = r->top;
        TRY(read_value(r));
        TRY(next_position(r, r->top != before));
    } while (r->top);
    if (!r->options->allow_trailing && peek(r) >= 0)
        return fail_expected(r, "the end behind the value");
    return 0;
}

int json_read(struct arena *a, struct bytes text, const struct json_options *options, const char *where,
              struct json **value, size_t *used, struct error **err)
{
    struct json_options chosen = options ? *options : (struct json_options){0};
    if (chosen.max_depth == 0)
        chosen.max_depth = DEFAULT_DEPTH;
    struct reader r = {.arena = a, .text = text, .options = &chosen, .where = where, .err = err};
    int status = read_document(&r);
    free(r.keys);
    if (status == 0) {
        *value = r.root;
        if (used)
            *used = r.at;
    }
    return status;
}
