/* The forms of a secret: how programs write the same bytes. */
#include "base/redact_internal.h"

#include <ctype.h>
#include <string.h>

#include "base/encode.h"
#include "base/json.h"
#include "base/utf8.h"

enum { FORM_MAX = 1 << 20, JSON_LEVELS = 3 };

/* "abc" of "\"abc\"", `levels` times: JSON text within JSON text. */
static void json_form(struct buf *out, struct bytes value, int levels)
{
    struct buf text;
    buf_init(&text, FORM_MAX);
    buf_add(out, value);
    for (int i = 0; i < levels; i++) {
        buf_clear(&text);
        json_write_string(&text, buf_bytes(out));
        buf_clear(out);
        buf_add(out, bytes_slice(buf_bytes(&text), 1, text.len - 1));
    }
    buf_release(&text);
}

/* As json_form, everything beyond ASCII as \uXXXX. */
static void ascii_json_form(struct buf *out, struct bytes value)
{
    struct buf text;
    buf_init(&text, FORM_MAX);
    json_form(&text, value, 1);
    struct bytes escaped = buf_bytes(&text);
    for (size_t at = 0; at < escaped.len;) {
        int32_t point = utf8_next(escaped, &at);
        if (point < 0x80)
            buf_add_byte(out, point < 0 ? escaped.data[at - 1] : (uint8_t)point);
        else if (point < 0x10000)
            buf_addf(out, "\\u%04x", (unsigned)point);
        else
            buf_addf(out, "\\u%04x\\u%04x", 0xd800u + (((unsigned)point - 0x10000) >> 10), 0xdc00u + ((unsigned)point & 0x3ff));
    }
    buf_release(&text);
}

/* Slashes escaped, as some writers of JSON do. */
static void slash_form(struct buf *out, struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '/')
            buf_add_byte(out, '\\');
        buf_add_byte(out, text.data[i]);
    }
}

static void percent_form(struct buf *out, struct bytes value, const char *plain, bool lower, bool plus)
{
    for (size_t i = 0; i < value.len; i++) {
        uint8_t byte = value.data[i];
        if (plus && byte == ' ')
            buf_add_byte(out, '+');
        else if (byte < 0x80 && byte && (isalnum(byte) || strchr(plain, byte)))
            buf_add_byte(out, byte);
        else
            buf_addf(out, lower ? "%%%02x" : "%%%02X", byte);
    }
}

static void xml_form(struct buf *out, struct bytes value, bool numeric)
{
    static const struct {
        char byte;
        const char *named, *number;
    } rows[] = {{'&', "&amp;", "&amp;"}, {'<', "&lt;", "&lt;"}, {'>', "&gt;", "&gt;"}, {'"', "&quot;", "&#34;"}, {'\'', "&#39;", "&#x27;"}};
    for (size_t i = 0; i < value.len; i++) {
        const char *entity = NULL;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (value.data[i] == (uint8_t)rows[k].byte)
                entity = numeric ? rows[k].number : rows[k].named;
        if (entity)
            buf_add_string(out, entity);
        else
            buf_add_byte(out, value.data[i]);
    }
}

/* As our own evidence has it: what is not printable ASCII as \xHH. */
static void c_form(struct buf *out, struct bytes value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] < 0x20 || value.data[i] > 0x7e)
            buf_addf(out, "\\x%02x", value.data[i]);
        else
            buf_add_byte(out, value.data[i]);
    }
}

static void add(struct redactor *r, unsigned secret, struct buf *text)
{
    if (!text->overflow && text->len >= REDACT_MIN)
        redact_add_form(r, secret, buf_bytes(text), false);
    buf_clear(text);
}

static void add_hex(struct redactor *r, unsigned secret, struct bytes value, struct buf *text)
{
    static const char *const before[] = {"", "\\x", "%"}; /* each pair of digits */
    for (size_t way = 0; way < 2 * sizeof before / sizeof *before; way++) {
        for (size_t i = 0; i < value.len; i++) {
            buf_add_string(text, before[way / 2]);
            buf_addf(text, way % 2 ? "%02X" : "%02x", value.data[i]);
        }
        redact_add_form(r, secret, buf_bytes(text), !*before[way / 2]);
        buf_clear(text);
    }
}

/* What stays the same in base64 when `before` bytes stand in front and anything behind. */
static void base64_form(struct buf *out, struct bytes value, size_t before)
{
    static const uint8_t front[2] = {0, 0};
    struct buf whole, text;
    buf_init(&whole, FORM_MAX);
    buf_init(&text, 2 * FORM_MAX);
    buf_add(&whole, bytes_of(front, before));
    buf_add(&whole, value);
    base64_encode(&text, buf_bytes(&whole));
    size_t from = (before * 8 + 5) / 6, to = whole.len * 8 / 6;
    buf_add(out, bytes_slice(buf_bytes(&text), from, to));
    buf_release(&whole);
    buf_release(&text);
}

static void add_base64(struct redactor *r, unsigned secret, struct bytes value, struct buf *text)
{
    for (size_t before = 0; before < 3; before++) {
        base64_form(text, value, before);
        struct buf other;
        buf_init(&other, FORM_MAX);
        slash_form(&other, buf_bytes(text));
        add(r, secret, &other);
        for (size_t i = 0; i < text->len; i++)
            buf_add_byte(&other, text->data[i] == '+' ? '-' : text->data[i] == '/' ? '_' : text->data[i]);
        add(r, secret, &other);
        percent_form(&other, buf_bytes(text), "", false, false);
        add(r, secret, &other);
        buf_release(&other);
        add(r, secret, text);
    }
}

void redact_add_forms(struct redactor *r, unsigned secret, struct bytes value)
{
    static const char *const plain[] = {"-._~", "-._~!'()*", ";/?:@&=+$,#-_.!~*'()"};
    struct buf text;
    buf_init(&text, FORM_MAX);
    redact_add_form(r, secret, value, false);
    for (int levels = 1; levels <= JSON_LEVELS; levels++) {
        json_form(&text, value, levels);
        add(r, secret, &text);
    }
    ascii_json_form(&text, value);
    add(r, secret, &text);
    slash_form(&text, value);
    add(r, secret, &text);
    for (size_t i = 0; i < 6; i++) {
        percent_form(&text, value, plain[i / 2], i % 2, false);
        add(r, secret, &text);
    }
    for (size_t i = 0; i < 2; i++) { /* HTML's forms, and those of RFC 3986's unreserved characters */
        percent_form(&text, value, i ? "*-._" : "-._~", false, true);
        add(r, secret, &text);
    }
    for (int numeric = 0; numeric < 2; numeric++) {
        xml_form(&text, value, numeric);
        add(r, secret, &text);
    }
    shell_quote(&text, value);
    buf_cut(&text, text.len - 1);
    buf_drop_front(&text, 1);
    add(r, secret, &text);
    c_form(&text, value);
    add(r, secret, &text);
    add_hex(r, secret, value, &text);
    add_base64(r, secret, value, &text);
    buf_release(&text);
}
