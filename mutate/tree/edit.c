/* Edits of a log: where subtrees begin and end, and putting one row of siblings into another's place.
 *
 * Invariant: subtrees nest in the result if they did before, since every entry around the place grows or
 * shrinks by as much as what stands in it, and every entry behind it moves by that. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/tree/tree_internal.h"

size_t tree_end(const struct derivation *d, size_t entry)
{
    return d->items[entry].end;
}

size_t tree_parent(const struct derivation *d, size_t entry)
{
    for (size_t i = entry; i-- > 0;)
        if (d->items[i].end > entry)
            return i;
    return SIZE_MAX;
}

size_t tree_child_count(const struct derivation *d, size_t entry)
{
    size_t count = 0;
    for (size_t i = entry + 1; i < d->items[entry].end; i = d->items[i].end)
        count++;
    return count;
}

size_t tree_child(const struct derivation *d, size_t entry, size_t index)
{
    for (size_t i = entry + 1; i < d->items[entry].end; i = d->items[i].end)
        if (index-- == 0)
            return i;
    return SIZE_MAX;
}

size_t *tree_parents(const struct derivation *d)
{
    size_t *parents = xmalloc((d->count + 1) * sizeof *parents), top = SIZE_MAX;
    for (size_t i = 0; i < d->count; i++) {
        while (top != SIZE_MAX && d->items[top].end <= i)
            top = parents[top];
        parents[i] = top;
        top = i;
    }
    return parents;
}

bool tree_same(const struct derivation *a, size_t entry, const struct derivation *b, size_t other)
{
    size_t extent = a->items[entry].end - entry;
    if (b->items[other].end - other != extent)
        return false;
    for (size_t i = 0; i < extent; i++) {
        const struct choice *x = &a->items[entry + i], *y = &b->items[other + i];
        if (x->site != y->site || x->value != y->value || x->end - entry != y->end - other)
            return false;
    }
    return true;
}

/* The stretch, moved by `shift`. */
static void append(struct derivation *to, const struct derivation *from, size_t first, size_t last,
                   int64_t shift)
{
    for (size_t i = first; i < last; i++) {
        struct choice *c = &to->items[to->count++];
        *c = from->items[i];
        c->end = (uint32_t)((int64_t)c->end + shift);
    }
}

static void reserve(struct derivation *d, size_t count)
{
    derivation_clear(d);
    if (count > UINT32_MAX)
        BUG("a derivation of more than 2^32 choices");
    if (count <= d->capacity)
        return;
    d->items = xrealloc(d->items, count * sizeof *d->items);
    d->capacity = count;
}

void tree_replace(const struct derivation *from, size_t parent, size_t start, size_t end,
                  const struct derivation *other, size_t first, size_t last, struct derivation *to)
{
    if (to == from || to == other)
        BUG("an edited log needs room of its own");
    int64_t grown = (int64_t)(last - first) - (int64_t)(end - start);
    reserve(to, from->count + (last - first));
    append(to, from, 0, start, 0);
    for (size_t i = 0; parent != SIZE_MAX && i <= parent; i++)
        if (from->items[i].end > parent)
            to->items[i].end = (uint32_t)((int64_t)to->items[i].end + grown);
    if (first < last)
        append(to, other, first, last, (int64_t)start - (int64_t)first);
    append(to, from, end, from->count, grown);
}

void tree_set(const struct derivation *from, size_t entry, uint64_t value, struct derivation *to)
{
    tree_replace(from, entry, entry + 1, from->items[entry].end, NULL, 0, 0, to);
    to->items[entry].value = value;
}
