/* See damage.h. Want is what was sent or is stored; got is what came of it. */
#include "exec/oracle/damage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT BYTES_LITERAL("\xEF\xBF\xBD")

enum { DIGITS_OF_DOUBLE = 15 /* any so long survives */, NUMBER_MAX = 400, NEXT_LEAST = 8, LETTER_PARTS = 4 };

static struct bytes from(struct bytes b, size_t at)
{
    return bytes_slice(b, at < b.len ? at : b.len, b.len);
}

static bool continues(uint8_t c)
{
    return (c & 0xC0) == 0x80;
}

/* --- characters that were cut --- */

/* Where want and got part, at the start of a character of want. */
static size_t parting(struct bytes want, struct bytes got)
{
    size_t at = 0;
    while (at < want.len && at < got.len && want.data[at] == got.data[at])
        at++;
    while (at > 0 && at < want.len && continues(want.data[at]))
        at--;
    return at;
}

bool damage_cut_character(struct bytes want, struct bytes got)
{
    if (!utf8_valid(want))
        return false;
    size_t at = parting(want, got), after = at;
    if (at >= want.len || want.data[at] < 0x80 || utf8_next(want, &after) < 0 || after == want.len)
        return false;
    struct bytes rest = from(got, at), next = bytes_slice(want, after, after + NEXT_LEAST < want.len ? after + NEXT_LEAST : want.len);
    size_t parts = 0, marks = 0;
    while (parts < rest.len && rest.data[parts] == want.data[at + parts])
        parts++;
    if (!bytes_starts(rest, REPLACEMENT) && parts) /* its first bytes are there, as they are */
        return parts == rest.len || rest.data[parts] < 0x80;
    while (bytes_starts(from(rest, marks), REPLACEMENT))
        marks += REPLACEMENT.len;
    return marks > 0 && !bytes_starts(from(rest, marks), next) && bytes_find(rest, next, 0) < 0;
}

bool damage_has_half_pair(struct bytes text)
{
    for (size_t i = 0; i + 2 < text.len; i++)
        if (text.data[i] == 0xED && text.data[i + 1] >= 0xA0 && text.data[i + 1] <= 0xBF && continues(text.data[i + 2]))
            return true;
    return false;
}

/* --- letters --- */

/* How many question marks stand here; those that want has itself are not counted. */
static size_t marks_at(struct bytes b, size_t at)
{
    size_t count = 0;
    while (at + count < b.len && b.data[at + count] == '?')
        count++;
    return count;
}

/* A stretch of characters beyond ASCII and question marks: got has some of them in their order, and question marks for the others. */
static bool stretch(struct bytes want, size_t *i, struct bytes got, size_t *j, size_t *lost)
{
    size_t letters = 0, own = 0, marks = 0;
    while (*i < want.len && (want.data[*i] >= 0x80 || want.data[*i] == '?')) {
        size_t start = *i;
        if (want.data[*i] == '?') {
            own++;
            (*i)++;
            continue;
        }
        if (utf8_next(want, i) < 0)
            return false;
        size_t here = marks_at(got, *j);
        struct bytes letter = bytes_slice(want, start, *i);
        if (bytes_starts(from(got, *j + here), letter)) {
            marks += here;
            *j += here + letter.len;
        } else {
            letters++;
        }
    }
    size_t here = marks_at(got, *j);
    marks += here;
    *j += here;
    *lost += letters;
    return marks >= own && marks - own <= letters * LETTER_PARTS;
}

bool damage_letters(struct bytes want, struct bytes got)
{
    size_t i = 0, j = 0, lost = 0;
    if (!utf8_valid(want))
        return false;
    while (i < want.len) {
        if (want.data[i] >= 0x80 || want.data[i] == '?') {
            if (!stretch(want, &i, got, &j, &lost))
                return false;
        } else if (j >= got.len || got.data[j++] != want.data[i++]) {
            return false;
        }
    }
    return lost > 0 && j == got.len;
}

/* --- numbers --- */

static bool digit(struct bytes b, size_t at)
{
    return at < b.len && b.data[at] >= '0' && b.data[at] <= '9';
}

static bool starts_number(struct bytes b, size_t at)
{
    bool sign = at < b.len && b.data[at] == '-';
    return digit(b, at + sign);
}

/* The end of the number that begins at `at`. */
static size_t number_end(struct bytes b, size_t at)
{
    at += b.data[at] == '-';
    while (digit(b, at))
        at++;
    if (at < b.len && b.data[at] == '.' && digit(b, at + 1))
        for (at++; digit(b, at);)
            at++;
    size_t mark = at;
    if (at < b.len && (b.data[at] | 0x20) == 'e') {
        at++;
        at += at < b.len && (b.data[at] == '+' || b.data[at] == '-');
        mark = digit(b, at) ? at : mark;
        while (digit(b, mark))
            mark++;
    }
    return mark;
}

static bool letter_before(struct bytes b, size_t at)
{
    uint8_t c = at ? b.data[at - 1] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c >= 0x80;
}

bool damage_next_number(struct bytes text, size_t *at, struct bytes *number)
{
    for (; *at < text.len; (*at)++) {
        if (!starts_number(text, *at) || letter_before(text, *at))
            continue;
        size_t end = number_end(text, *at);
        *number = bytes_slice(text, *at, end);
        *at = end;
        return true;
    }
    return false;
}

static size_t digits_of(struct bytes number)
{
    size_t count = 0;
    for (size_t i = 0; i < number.len && (number.data[i] | 0x20) != 'e'; i++)
        count += digit(number, i) && (count || number.data[i] != '0');
    return count;
}

static bool as_double(struct bytes number, double *value)
{
    char text[NUMBER_MAX + 1];
    if (number.len > NUMBER_MAX)
        return false;
    memcpy(text, number.data, number.len);
    text[number.len] = '\0';
    *value = strtod(text, NULL);
    return true;
}

bool damage_rounded(struct bytes want, struct bytes got)
{
    double a, b;
    if (bytes_equal(want, got) || digits_of(want) <= DIGITS_OF_DOUBLE || !as_double(want, &a) || !as_double(got, &b))
        return false;
    bool close = a == b || (isfinite(a) && isfinite(b) && fabs(a - b) <= fabs(a) * 1e-14);
    return close && digits_of(got) > 1;
}

static void skip_blanks(struct bytes b, size_t *at)
{
    while (*at < b.len && (b.data[*at] == ' ' || b.data[*at] == '\n' || b.data[*at] == '\r' || b.data[*at] == '\t'))
        (*at)++;
}

bool damage_digits(struct bytes want, struct bytes got)
{
    size_t i = 0, j = 0, rounded = 0;
    for (;;) {
        skip_blanks(want, &i);
        skip_blanks(got, &j);
        if (i >= want.len || j >= got.len)
            return rounded > 0 && i >= want.len && j >= got.len;
        if (starts_number(want, i) && starts_number(got, j)) {
            struct bytes a = bytes_slice(want, i, number_end(want, i)), b = bytes_slice(got, j, number_end(got, j));
            if (!bytes_equal(a, b) && !damage_rounded(a, b))
                return false;
            rounded += !bytes_equal(a, b);
            i += a.len;
            j += b.len;
        } else if (want.data[i++] != got.data[j++]) {
            return false;
        }
    }
}

enum damage damage_of(struct bytes want, struct bytes got)
{
    if (damage_has_half_pair(got) && !damage_has_half_pair(want))
        return DAMAGE_HALF_PAIR;
    if (damage_cut_character(want, got))
        return DAMAGE_CUT_CHARACTER;
    if (damage_letters(want, got))
        return DAMAGE_LETTERS;
    return damage_digits(want, got) ? DAMAGE_DIGITS : DAMAGE_NONE;
}
