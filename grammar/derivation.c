/* The log of choices as storage, and its text form.
 *
 * Text form: for each entry three varints, namely the difference of its site to the one before (zigzag, so
 * that small steps back are short too), its value, and its extent (end less own index, at least 1), then
 * base64 of it all. No count is written: the text ends where the entries end. Invariant of a decoded log:
 * subtrees nest. */
#include "grammar/derivation.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"

enum { FIRST_CAPACITY = 32, ENTRY_MOST = 5 + 10 + 5 /* varints of 32, 64 and 32 bits */ };

void derivation_init(struct derivation *d)
{
    *d = (struct derivation){0};
}

void derivation_release(struct derivation *d)
{
    free(d->items);
    derivation_init(d);
}

void derivation_clear(struct derivation *d)
{
    d->count = 0;
}

static void make_room(struct derivation *d, size_t count)
{
    if (count <= d->capacity)
        return;
    if (count > UINT32_MAX)
        BUG("a derivation of more than 2^32 choices");
    size_t capacity = d->capacity ? d->capacity : FIRST_CAPACITY;
    while (capacity < count)
        capacity *= 2;
    d->items = xrealloc(d->items, capacity * sizeof *d->items);
    d->capacity = capacity;
}

void derivation_copy(struct derivation *to, const struct derivation *from)
{
    make_room(to, from->count);
    if (from->count)
        memmove(to->items, from->items, from->count * sizeof *to->items);
    to->count = from->count;
}

static uint64_t zigzag(int64_t difference)
{
    return (uint64_t)difference << 1 ^ (difference < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t code)
{
    return (int64_t)(code >> 1 ^ (code & 1 ? UINT64_MAX : 0));
}

void derivation_encode(const struct derivation *d, struct buf *out)
{
    struct buf raw;
    buf_init(&raw, d->count * ENTRY_MOST);
    uint32_t site = 0;
    for (size_t i = 0; i < d->count; i++) {
        const struct choice *c = &d->items[i];
        varint_put(&raw, zigzag((int64_t)c->site - site));
        varint_put(&raw, c->value);
        varint_put(&raw, c->end - i);
        site = c->site;
    }
    base64_encode(out, buf_bytes(&raw));
    buf_release(&raw);
}

static int decode_entry(struct derivation *d, struct bytes raw, size_t *at, struct error **err)
{
    uint64_t delta, value, extent;
    if (varint_get(raw, at, &delta) < 0 || varint_get(raw, at, &value) < 0 ||
        varint_get(raw, at, &extent) < 0)
        return error_set(err, ERR_INPUT, "derivation: entry %zu is cut off or not made of varints", d->count);
    int64_t before = d->count ? d->items[d->count - 1].site : 0;
    int64_t difference = unzigzag(delta);
    if (difference < -before || difference > UINT32_MAX - before)
        return error_set(err, ERR_INPUT, "derivation: entry %zu has a site outside 0..2^32-1", d->count);
    if (extent == 0 || extent > UINT32_MAX - d->count)
        return error_set(err, ERR_INPUT, "derivation: entry %zu has an impossible extent", d->count);
    make_room(d, d->count + 1);
    d->items[d->count] = (struct choice){
        .site = (uint32_t)(before + difference), .end = (uint32_t)(d->count + extent), .value = value};
    d->count++;
    return 0;
}

/* Subtrees nest when each ends no later than the one it stands in. `open` holds the entries that the current
 * one stands in, outermost first. */
static int check_nesting(const struct derivation *d, struct error **err)
{
    uint32_t *open = xmalloc(d->count * sizeof *open);
    size_t depth = 0;
    int status = 0;
    for (size_t i = 0; i < d->count && status == 0; i++) {
        while (depth && d->items[open[depth - 1]].end <= i)
            depth--;
        size_t limit = depth ? d->items[open[depth - 1]].end : d->count;
        if (d->items[i].end > limit)
            status = error_set(err, ERR_INPUT,
                               "derivation: entry %zu ends at %u, but what it stands in at %zu", i,
                               d->items[i].end, limit);
        open[depth++] = (uint32_t)i;
    }
    free(open);
    return status;
}

int derivation_decode(struct derivation *d, struct bytes text, struct error **err)
{
    derivation_clear(d);
    struct buf raw;
    buf_init(&raw, text.len);
    int status = 0;
    if (base64_decode(&raw, text) < 0)
        status = error_set(err, ERR_INPUT, "derivation: not base64");
    for (size_t at = 0; status == 0 && at < raw.len;)
        status = decode_entry(d, buf_bytes(&raw), &at, err);
    if (status == 0)
        status = check_nesting(d, err);
    if (status < 0)
        derivation_clear(d);
    buf_release(&raw);
    return status;
}
