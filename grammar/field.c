/* Binary fields whose value is computed, and how short leaves can be. */
#include "base/utf8.h"
#include "grammar/grammar_internal.h"

void field_encode(const struct node *n, uint64_t value, uint8_t out[8])
{
    for (unsigned i = 0; i < n->width; i++)
        out[n->little ? i : n->width - 1u - i] = (uint8_t)(value >> 8 * i);
}

int field_value(const struct grammar *g, const struct node *n, struct bytes text, uint64_t *value,
                struct error **err)
{
    uint64_t most = UINT64_MAX >> (64 - 8 * n->width);
    *value = 0;
    bool good = text.len > 0;
    for (size_t i = 0; good && i < text.len; i++)
        good = is_digit(text.data[i]) && !__builtin_mul_overflow(*value, 10, value) &&
               !__builtin_add_overflow(*value, (uint64_t)(text.data[i] - '0'), value);
    if (good && *value <= most)
        return 0;
    if (good)
        return grammar_fail(g, n->place, err, "found the value %llu, expected one that fits in %u bits",
                            (unsigned long long)*value, 8u * n->width);
    return grammar_fail(g, n->place, err, "found a value that is no decimal number of at most 64 bits");
}

static size_t decimal_length(uint64_t magnitude)
{
    size_t digits = 1;
    for (; magnitude >= 10; magnitude /= 10)
        digits++;
    return digits;
}

/* Of the shortest decimal text of a number in low..high. */
static size_t int_length(int64_t low, int64_t high)
{
    if (low <= 0 && high >= 0)
        return 1;
    return low > 0 ? decimal_length((uint64_t)low) : 1 + decimal_length(-(uint64_t)high);
}

uint64_t leaf_least(const struct grammar *g, const struct node *n)
{
    uint8_t encoded[4];
    switch (n->kind) {
    case NODE_TEXT:
        return n->count;
    case NODE_SET:
        return 1;
    case NODE_CHARS:
        return utf8_put(encoded, (uint32_t)g->spans.items[n->first].low);
    case NODE_INT:
        return int_length((int64_t)n->u.range.low, (int64_t)n->u.range.high);
    case NODE_PARAMETER:
        return 0;
    default:
        return n->width;
    }
}
