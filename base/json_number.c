/* Numbers as JSON text.
 *
 * The canonical text of a number depends on its lexeme's exact decimal value and never changes that value, so
 * nothing is rounded on the way to an id: 1.0, 10e-1 and 1 are one number, 0.1 and 0.1000000000000000055 are
 * two. The rules:
 *
 * - Integer lexemes (no point, no exponent) stay as they are, whatever their length; -0 becomes 0.
 *
 * - Any other is laid out as ECMAScript, and so RFC 8785, lays numbers out: an integer of at most 21 digits
 * as one (100), from 1e-6 upwards with a point (0.000001), else with an exponent (1e-7, 1.5e+300).
 *
 * - An exponent that does not fit into 32 bits leaves the lexeme alone. */
#include "base/json_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MAX_PLAIN = 21, MAX_ZEROS = 5 /* between the point and the first digit */ };

/* digits * 10^exponent; digits has neither a leading nor a trailing zero, and is empty for 0. */
struct decimal {
    bool negative;
    struct buf digits;
    int64_t exponent;
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* False when the exponent is out of the range we count in. */
static bool read_exponent(struct bytes text, int64_t *exponent)
{
    bool negative = text.len && text.data[0] == '-';
    int64_t sum = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.data[i]))
            continue; /* the sign */
        sum = sum * 10 + (text.data[i] - '0');
        if (sum > INT32_MAX)
            return false;
    }
    *exponent = negative ? -sum : sum;
    return true;
}

static bool read_decimal(struct decimal *d, struct bytes lexeme)
{
    bool behind_point = false;
    int64_t behind = 0;
    size_t at;
    d->exponent = 0;
    d->negative = lexeme.len && lexeme.data[0] == '-';
    for (at = d->negative; at < lexeme.len && (is_digit(lexeme.data[at]) || lexeme.data[at] == '.'); at++) {
        if (lexeme.data[at] == '.') {
            behind_point = true;
            continue;
        }
        behind += behind_point;
        if (d->digits.len || lexeme.data[at] != '0')
            buf_add_byte(&d->digits, lexeme.data[at]);
    }
    if (at < lexeme.len && !read_exponent(bytes_slice(lexeme, at + 1, lexeme.len), &d->exponent))
        return false;
    d->exponent -= behind;
    while (d->digits.len && d->digits.data[d->digits.len - 1] == '0') {
        buf_cut(&d->digits, d->digits.len - 1);
        d->exponent++;
    }
    return true;
}

static void add_zeros(struct buf *out, int64_t count)
{
    while (count-- > 0)
        buf_add_byte(out, '0');
}

static void write_exponent(struct buf *out, struct bytes digits, int64_t exponent)
{
    buf_add_byte(out, digits.data[0]);
    if (digits.len > 1) {
        buf_add_byte(out, '.');
        buf_add(out, bytes_slice(digits, 1, digits.len));
    }
    buf_addf(out, "e%+" PRId64, exponent + (int64_t)digits.len - 1);
}

/* point: how many digits stand in front of the decimal point; negative for zeros behind it. */
static void write_plain(struct buf *out, struct bytes digits, int64_t point)
{
    if (point <= 0) {
        buf_add_string(out, "0.");
        add_zeros(out, -point);
        buf_add(out, digits);
        return;
    }
    buf_add(out, bytes_slice(digits, 0, (size_t)point));
    add_zeros(out, point - (int64_t)digits.len);
    if (point < (int64_t)digits.len) {
        buf_add_byte(out, '.');
        buf_add(out, bytes_slice(digits, (size_t)point, digits.len));
    }
}

static void write_decimal(struct buf *out, const struct decimal *d)
{
    struct bytes digits = buf_bytes(&d->digits);
    if (digits.len == 0) {
        buf_add_byte(out, '0');
        return;
    }
    if (d->negative)
        buf_add_byte(out, '-');
    int64_t point = (int64_t)digits.len + d->exponent;
    if (point >= -MAX_ZEROS && point <= MAX_PLAIN)
        write_plain(out, digits, point);
    else
        write_exponent(out, digits, d->exponent);
}

void json_number_canonical(struct buf *out, struct bytes lexeme)
{
    bool integer = true;
    for (size_t i = 0; i < lexeme.len && integer; i++)
        integer = lexeme.data[i] == '-' || is_digit(lexeme.data[i]);
    if (integer) {
        buf_add(out, bytes_equal_string(lexeme, "-0") ? BYTES_LITERAL("0") : lexeme);
        return;
    }
    struct decimal d;
    buf_init(&d.digits, lexeme.len);
    if (read_decimal(&d, lexeme))
        write_decimal(out, &d);
    else
        buf_add(out, lexeme);
    buf_release(&d.digits);
}

void json_number_shortest(struct buf *out, double value)
{
    char text[40];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(text, sizeof text, "%.*g", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (value == 0 && signbit(value))
        buf_add_string(out, "-0"); /* reads back the same, which the canonical 0 does not */
    else
        json_number_canonical(out, bytes_of_string(text));
}
