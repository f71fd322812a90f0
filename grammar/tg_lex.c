/* The lexer of the compact notation.
 *
 * The place of `at` is carried along as characters are passed, so that a message costs nothing but its text.
 * Nothing here knows what may follow what: a character that begins no token becomes TOKEN_FOREIGN, and the
 * parser says what it expected instead. */
#include "grammar/tg_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

enum { SHOWN_MOST = 40 }; /* characters of a token in a message */

void lexer_init(struct lexer *l, const struct grammar *g, struct bytes source, uint32_t file, unsigned line)
{
    *l = (struct lexer){.grammar = g, .source = source, .place = {.file = file, .line = line, .column = 1}};
    buf_init(&l->decoded, SOURCE_MOST);
}

void lexer_release(struct lexer *l)
{
    buf_release(&l->decoded);
}

/* The byte `ahead` bytes further on, or -1. */
static int peek(const struct lexer *l, size_t ahead)
{
    return ahead < l->source.len - l->at ? l->source.data[l->at + ahead] : -1;
}

/* Passes one byte; those inside a UTF-8 sequence do not count as columns. */
static int advance(struct lexer *l)
{
    if (l->at >= l->source.len)
        return -1;
    uint8_t c = l->source.data[l->at++];
    if (c == '\n') {
        l->place.line++;
        l->place.column = 1;
    } else if (l->at >= l->source.len || (l->source.data[l->at] & 0xC0) != 0x80) {
        l->place.column++;
    }
    return c;
}

static void advance_by(struct lexer *l, size_t count)
{
    while (count--)
        advance(l);
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(struct lexer *l)
{
    for (;;) {
        int c = peek(l, 0);
        if (c == '#')
            while (peek(l, 0) >= 0 && peek(l, 0) != '\n')
                advance(l);
        else if (is_space(c))
            advance(l);
        else
            return;
    }
}

/* Texts. ------------------------------------------------------------------------------------------------- */

static int read_hex_escape(struct lexer *l, struct place start, struct error **err)
{
    int high = hex_digit(peek(l, 0)), low = hex_digit(peek(l, 1));
    if (high < 0 || low < 0)
        return grammar_fail(l->grammar, start, err, "found the escape \\x, expected two hex digits after it");
    advance_by(l, 2);
    buf_add_byte(&l->decoded, (uint8_t)(high << 4 | low));
    return 0;
}

static int read_unicode_escape(struct lexer *l, struct place start, struct error **err)
{
    uint32_t code_point = 0;
    size_t digits = 0;
    bool open = advance(l) == '{';
    for (; open && digits < 6 && hex_digit(peek(l, 0)) >= 0; digits++)
        code_point = code_point << 4 | (uint32_t)hex_digit(advance(l));
    if (digits == 0 || advance(l) != '}' || code_point > 0x10FFFF)
        return grammar_fail(l->grammar, start, err,
                            "found the escape \\u, expected {HEX} after it, at most \\u{10FFFF}");
    uint8_t encoded[4];
    buf_add(&l->decoded, bytes_of(encoded, utf8_put(encoded, code_point)));
    return 0;
}

static int read_escape(struct lexer *l, struct error **err)
{
    static const char from[] = "nrt0\\\"'";
    static const char to[] = "\n\r\t\0\\\"'";
    struct place start = l->place;
    advance(l); /* the backslash */
    int c = advance(l);
    if (c == 'x')
        return read_hex_escape(l, start, err);
    if (c == 'u')
        return read_unicode_escape(l, start, err);
    const char *found = c > 0 ? strchr(from, c) : NULL;
    if (!found)
        return grammar_fail(l->grammar, start, err,
                            "found an unknown escape, expected one of "
                            "\\n \\r \\t \\0 \\\\ \\\" \\' \\xHH \\u{HEX}");
    buf_add_byte(&l->decoded, (uint8_t)to[found - from]);
    return 0;
}

/* A text in double quotes knows escapes; one in single quotes is taken as it stands. */
static int read_text(struct lexer *l, struct error **err)
{
    int quote = advance(l);
    buf_clear(&l->decoded);
    while (peek(l, 0) != quote) {
        if (peek(l, 0) < 0)
            return grammar_fail(l->grammar, l->token.place, err,
                                "the text that begins here has no closing %c", quote);
        if (quote == '"' && peek(l, 0) == '\\')
            TRY(read_escape(l, err));
        else
            buf_add_byte(&l->decoded, (uint8_t)advance(l));
    }
    advance(l);
    l->token.kind = TOKEN_TEXT;
    l->token.text = buf_bytes(&l->decoded);
    return 0;
}

/* x"89 50 4e": white space may stand between bytes. */
static int read_hex_text(struct lexer *l, struct error **err)
{
    advance_by(l, 2);
    buf_clear(&l->decoded);
    for (;;) {
        int c = peek(l, 0);
        if (is_space(c)) {
            advance(l);
            continue;
        }
        if (c == '"')
            break;
        int high = hex_digit(c), low = hex_digit(peek(l, 1));
        if (high < 0 || low < 0)
            return grammar_fail(l->grammar, l->place, err,
                                "in x\"…\": expected two hex digits for each byte");
        advance_by(l, 2);
        buf_add_byte(&l->decoded, (uint8_t)(high << 4 | low));
    }
    advance(l);
    l->token.kind = TOKEN_TEXT;
    l->token.text = buf_bytes(&l->decoded);
    return 0;
}

/* Length of the bracket expression at `from`, or 0 when it does not end. The first character is never its
 * end, and
 * [:alpha:] inside it ends with its own bracket. */
static size_t class_length(struct bytes s, size_t from)
{
    size_t at = from + 1;
    if (at < s.len && s.data[at] == '^')
        at++;
    for (bool first = true; at < s.len && (first || s.data[at] != ']'); first = false) {
        ptrdiff_t posix = -1;
        if (s.data[at] == '[' && at + 1 < s.len && s.data[at + 1] == ':')
            posix = bytes_find(bytes_slice(s, 0, at + 16), BYTES_LITERAL(":]"), at + 2);
        if (posix >= 0)
            at = (size_t)posix + 2;
        else
            at += s.data[at] == '\\' ? 2 : 1;
    }
    return at < s.len ? at + 1 - from : 0;
}

static int read_regex(struct lexer *l, struct error **err)
{
    advance(l);
    size_t start = l->at;
    struct place place = l->place;
    for (int c; (c = peek(l, 0)) != '/';) {
        size_t length = c == '\\' ? 2 : c == '[' ? class_length(l->source, l->at) : 1;
        if (c < 0 || c == '\n' || length == 0 || length > l->source.len - l->at)
            return grammar_fail(l->grammar, l->token.place, err,
                                "the regular expression that begins here has no closing /");
        advance_by(l, length);
    }
    l->token.kind = TOKEN_REGEX;
    l->token.text = bytes_slice(l->source, start, l->at);
    l->token.place = place;
    advance(l);
    return 0;
}

/* Names, numbers, punctuation. --------------------------------------------------------------------------- */

static void read_name(struct lexer *l)
{
    size_t start = l->at;
    for (int c = peek(l, 0); is_letter(c) || is_digit(c) || c == '-' || (c == '.' && is_letter(peek(l, 1)));
         c = peek(l, 0))
        advance(l);
    l->token.kind = TOKEN_NAME;
    l->token.text = bytes_slice(l->source, start, l->at);
}

static void read_number(struct lexer *l)
{
    size_t start = l->at;
    advance(l); /* a sign or a digit */
    for (int c = peek(l, 0); is_digit(c) || is_letter(c) || (c == '.' && is_digit(peek(l, 1)));
         c = peek(l, 0)) {
        advance(l);
        if ((c == 'e' || c == 'E') && (peek(l, 0) == '+' || peek(l, 0) == '-'))
            advance(l);
    }
    l->token.kind = TOKEN_NUMBER;
    l->token.text = bytes_slice(l->source, start, l->at);
}

static void read_punctuation(struct lexer *l)
{
    size_t start = l->at;
    int c = peek(l, 0);
    if (c == '.' && peek(l, 1) == '.') {
        advance_by(l, 2);
        l->token.kind = TOKEN_RANGE;
    } else if (c > 0 && strchr("=;|(){}?*+,:@", c)) {
        advance(l);
        l->token.kind = c;
    } else {
        size_t next = l->at;
        utf8_next(l->source, &next);
        advance_by(l, next - l->at);
        l->token.kind = TOKEN_FOREIGN;
    }
    l->token.text = bytes_slice(l->source, start, l->at);
}

int lexer_next(struct lexer *l, struct error **err)
{
    size_t before = l->at;
    skip_space(l);
    l->token = (struct token){.kind = TOKEN_END, .space = l->at > before, .place = l->place};
    int c = peek(l, 0), next = peek(l, 1);
    if (c < 0)
        return 0;
    if (c == 'x' && next == '"')
        return read_hex_text(l, err);
    if (c == '"' || c == '\'')
        return read_text(l, err);
    if (c == '/')
        return read_regex(l, err);
    if (is_letter(c))
        read_name(l);
    else if (is_digit(c) || (c == '-' && is_digit(next)))
        read_number(l);
    else
        read_punctuation(l);
    return 0;
}

/* Messages. ---------------------------------------------------------------------------------------------- */

/* "a name 'foo'", "';'", "the end" … */
static char *describe(const struct token *t)
{
    char *text = NULL;
    int shown = t->text.len > SHOWN_MOST ? SHOWN_MOST : (int)t->text.len;
    const char *more = t->text.len > SHOWN_MOST ? "…" : "";
    int length = 0;
    if (t->kind == TOKEN_END)
        length = asprintf(&text, "the end");
    else if (t->kind == TOKEN_NAME)
        length = asprintf(&text, "the name '%.*s%s'", shown, t->text.data, more);
    else if (t->kind == TOKEN_NUMBER)
        length = asprintf(&text, "the number %.*s%s", shown, t->text.data, more);
    else if (t->kind == TOKEN_TEXT)
        length = asprintf(&text, "a text");
    else if (t->kind == TOKEN_REGEX)
        length = asprintf(&text, "a regular expression");
    else if (t->text.data[0] < 0x20 || t->text.data[0] == 0x7F || !utf8_valid(t->text))
        length = asprintf(&text, "byte 0x%02x", t->text.data[0]);
    else
        length = asprintf(&text, "'%.*s'", BYTES_ARG(t->text));
    if (length < 0)
        BUG("out of memory");
    return text;
}

int lexer_expected(const struct lexer *l, struct error **err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *wanted = NULL;
    if (vasprintf(&wanted, format, args) < 0)
        BUG("out of memory");
    va_end(args);
    char *found = describe(&l->token);
    int status = grammar_fail(l->grammar, l->token.place, err, "found %s, expected %s", found, wanted);
    free(found);
    free(wanted);
    return status;
}
