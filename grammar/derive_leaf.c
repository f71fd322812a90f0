/* Deriving: what is written at once. A leaf whose texts differ in length takes only those that the slack
 * allows; the shortest ones always fit, since the reserve has room for them. A leaf that can be several things
 * is logged even when the slack leaves only one, so that each node has a fixed number of entries (see
 * grammar_site.c). */
#include <stdio.h>

#include "base/utf8.h"
#include "grammar/derive_internal.h"

static void leaf_text(struct derive *d, const struct node *n)
{
    derive_emit(d, d->g->text.items + n->first, n->count);
}

static void leaf_set(struct derive *d, const struct node *n)
{
    uint64_t index = chooser_uniform(d->chooser, n->site, n->count);
    derive_emit(d, d->g->text.items + n->first + index, 1);
}

/* How many code points of the spans take at most `length` bytes; those come first. */
static uint64_t chars_within(const struct derive *d, const struct node *n, uint64_t length)
{
    static const uint64_t first_longer[] = {0, 0x80, 0x800, 0x10000};
    if (length >= 4)
        return n->u.possible;
    uint64_t end = first_longer[length], count = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct span *span = &d->g->spans.items[n->first + i];
        if (span->low < end)
            count = span->extra + (span->high < end ? span->high + 1 : end) - span->low;
    }
    return count;
}

static void leaf_chars(struct derive *d, const struct node *n)
{
    uint64_t index = chooser_among(d->chooser, n->site, chars_within(d, n, n->cost.bytes + derive_slack(d)));
    const struct span *spans = &d->g->spans.items[n->first];
    uint32_t low = 0, high = n->count; /* the last span with extra <= index is in [low, high) */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (spans[middle].extra <= index)
            low = middle;
        else
            high = middle;
    }
    uint8_t encoded[4];
    uint64_t code_point = spans[low].low + index - spans[low].extra;
    derive_emit(d, encoded, utf8_put(encoded, (uint32_t)code_point));
}

/* Narrows low..high to the numbers whose decimal text takes at most `length` bytes. */
static void fit_int(int64_t *low, int64_t *high, uint64_t length)
{
    if (length >= 20)
        return;
    uint64_t tenth = 1; /* 10^(length-1) */
    for (uint64_t i = 1; i < length; i++)
        tenth *= 10;
    int64_t least = -(int64_t)(tenth - 1);
    if (*low < least)
        *low = least;
    if (length < 19 && *high > (int64_t)(10 * tenth - 1))
        *high = (int64_t)(10 * tenth - 1);
}

static void leaf_int(struct derive *d, const struct node *n)
{
    int64_t low = (int64_t)n->u.range.low, high = (int64_t)n->u.range.high;
    fit_int(&low, &high, n->cost.bytes + derive_slack(d));
    uint64_t value = (uint64_t)low + chooser_among(d->chooser, n->site, (uint64_t)high - (uint64_t)low + 1);
    char text[24];
    int length = snprintf(text, sizeof text, "%lld", (long long)value);
    derive_emit(d, (const uint8_t *)text, (size_t)length);
}

static void leaf_field(struct derive *d, const struct node *n)
{
    uint64_t value = n->u.range.low +
                     chooser_uniform(d->chooser, n->site, n->u.range.high - n->u.range.low + 1);
    uint8_t encoded[8];
    field_encode(n, value, encoded);
    derive_emit(d, encoded, n->width);
}

/* The first part takes the highest bits of the first byte. */
static void leaf_bits(struct derive *d, const struct node *n)
{
    uint8_t encoded[UINT8_MAX] = {0};
    size_t at = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct span *part = &d->g->spans.items[n->first + i];
        uint64_t value = part->low + chooser_uniform(d->chooser, n->site + i, part->high - part->low + 1);
        for (uint64_t bit = part->extra; bit-- > 0; at++)
            encoded[at / 8] |= (uint8_t)((value >> bit & 1) << (7 - at % 8));
    }
    derive_emit(d, encoded, n->width);
}

static void leaf_parameter(struct derive *d, const struct node *n)
{
    const struct frame *frame = &d->frames.items[d->frames.count - 1];
    struct slot slot = d->slots.items[frame->first_slot + n->target];
    d->reserve -= slot.len;
    if (slot.len)
        derive_emit(d, d->bound.data + slot.at, slot.len);
}

static void (*const leaves[NODE_LAST_LEAF + 1])(struct derive *, const struct node *) = {
    [NODE_TEXT] = leaf_text,           [NODE_SET] = leaf_set,
    [NODE_CHARS] = leaf_chars,         [NODE_INT] = leaf_int,
    [NODE_FIELD] = leaf_field,         [NODE_BITS] = leaf_bits,
    [NODE_PARAMETER] = leaf_parameter,
};

void derive_leaf(struct derive *d, const struct node *n)
{
    /* A parameter's cost in bytes is 0 here; its length it takes itself. Slack is asked for before anything
     * is written, so the reserve is lowered after. */
    leaves[n->kind](d, n);
    d->reserve -= n->cost.bytes;
}
