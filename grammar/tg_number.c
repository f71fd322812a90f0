/* Written numbers of the compact notation. All is integer arithmetic: 1e6 is a million, not nearly a million.
 */
#include "grammar/tg_lex.h"

static const double weight_most = 1e9;

static int read_hex_number(struct bytes digits, uint64_t *magnitude)
{
    *magnitude = 0;
    for (size_t i = 0; i < digits.len; i++) {
        int digit = hex_digit(digits.data[i]);
        if (digit < 0 || *magnitude >> 60)
            return -1;
        *magnitude = *magnitude << 4 | (uint64_t)digit;
    }
    return digits.len ? 0 : -1;
}

/* The parts of "digits[.digits][e[+|-]digits]". */
struct decimal {
    uint64_t digits;  /* all of them, as if there were no point */
    int64_t exponent; /* of ten */
};

static int read_exponent(struct bytes text, size_t at, int64_t *exponent)
{
    bool negative = at < text.len && text.data[at] == '-';
    if (at < text.len && (text.data[at] == '-' || text.data[at] == '+'))
        at++;
    int64_t value = 0;
    size_t start = at;
    for (; at < text.len && is_digit(text.data[at]) && value < 1000; at++)
        value = 10 * value + text.data[at] - '0';
    *exponent += negative ? -value : value;
    return at > start && at == text.len ? 0 : -1;
}

static int read_decimal(struct bytes text, struct decimal *d)
{
    *d = (struct decimal){0};
    bool point = false;
    size_t at = 0;
    for (; at < text.len && (is_digit(text.data[at]) || (text.data[at] == '.' && !point)); at++) {
        if (text.data[at] == '.') {
            point = true;
            continue;
        }
        if (__builtin_mul_overflow(d->digits, 10, &d->digits) ||
            __builtin_add_overflow(d->digits, (uint64_t)(text.data[at] - '0'), &d->digits))
            return -1;
        d->exponent -= point;
    }
    if (at == 0)
        return -1;
    if (at < text.len && (text.data[at] == 'e' || text.data[at] == 'E'))
        return read_exponent(text, at + 1, &d->exponent);
    return at == text.len ? 0 : -1;
}

int number_integer(struct bytes text, bool *negative, uint64_t *magnitude)
{
    *negative = text.len && text.data[0] == '-';
    text = bytes_slice(text, *negative, text.len);
    if (text.len > 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x')
        return read_hex_number(bytes_slice(text, 2, text.len), magnitude);
    struct decimal d;
    if (read_decimal(text, &d) < 0)
        return -1;
    for (; d.digits && d.exponent < 0; d.exponent++, d.digits /= 10)
        if (d.digits % 10)
            return -1; /* not whole */
    for (; d.digits && d.exponent > 0; d.exponent--)
        if (__builtin_mul_overflow(d.digits, 10, &d.digits))
            return -1;
    *magnitude = d.digits;
    return 0;
}

int number_weight(struct bytes text, double *value)
{
    struct decimal d;
    if (read_decimal(text, &d) < 0)
        return -1;
    *value = (double)d.digits;
    for (; d.digits && d.exponent < 0; d.exponent++)
        *value /= 10;
    for (; d.digits && d.exponent > 0; d.exponent--)
        *value *= 10;
    return *value <= weight_most ? 0 : -1;
}
