/* What of the grammar the paths that were not reached have in common. A path is not reached because a shorter
 * one in it is not, as a rule; and where a choice never comes up, none of its alternatives is reached. So
 * each missed path is laid to the shortest part of it that no task has, and to the whole choice where no
 * alternative of it was taken. */
#include <stdlib.h>

#include "gen/cover_internal.h"

static bool has(const struct kpath_seen *seen, unsigned length, const uint32_t *elements)
{
    if (length == 1)
        return !elements[0] || kpath_seen_has(seen, 1, elements[0] - 1);
    return kpath_seen_has(seen, length, kpath_number(seen->graph, length, elements));
}

/* Where the shortest part begins that no task has, and how long it is. */
static unsigned find_part(const struct kpath_seen *seen, unsigned k, const uint32_t *elements,
                          unsigned *length)
{
    for (*length = 1; *length < k; ++*length)
        for (unsigned start = 0; start + *length <= k; start++)
            if (!has(seen, *length, elements + start))
                return start;
    return 0;
}

static struct cover_gap gap_of(const struct kpath_seen *seen, unsigned k, uint64_t path)
{
    uint32_t elements[KPATH_LONGEST], others[KPATH_LONGEST], first, count;
    struct cover_gap gap = {.missed = 1};
    kpath_elements(seen->graph, k, path, elements);
    unsigned start = find_part(seen, k, elements, &gap.length);
    for (unsigned i = 0; i < gap.length; i++)
        gap.elements[i] = others[i] = elements[start + i];
    kpath_point(seen->graph, kpath_alternative_site(seen->graph, elements[start + gap.length - 1]), &first,
                &count);
    bool whole = true;
    for (uint32_t a = first; a < first + count && whole; a++) {
        others[gap.length - 1] = a;
        whole = !has(seen, gap.length, others);
    }
    if (whole) {
        gap.elements[gap.length - 1] = first;
        gap.beside = count - 1;
    }
    return gap;
}

static bool are_alike(const struct cover_gap *a, const struct cover_gap *b)
{
    bool alike = a->length == b->length;
    for (unsigned i = 0; alike && i < a->length; i++)
        alike = a->elements[i] == b->elements[i];
    return alike;
}

/* The miss that says most about the gap is one that ends with it. */
static bool ends_with(const struct kpath_graph *g, unsigned k, uint64_t path, const struct cover_gap *gap)
{
    uint32_t elements[KPATH_LONGEST];
    kpath_elements(g, k, path, elements);
    return kpath_alternative_site(g, elements[k - 1]) ==
           kpath_alternative_site(g, gap->elements[gap->length - 1]);
}

void cover_find_gaps(struct cover_suite *s, const struct kpath_seen *seen)
{
    unsigned k = s->options.k;
    s->gaps = xcalloc(s->missed_count + 1, sizeof *s->gaps);
    for (size_t i = 0; i < s->missed_count; i++) {
        uint64_t path = s->missed[i].path;
        struct cover_gap gap = gap_of(seen, k, path);
        size_t known = 0;
        gap.miss = i;
        while (known < s->gap_count && !are_alike(&s->gaps[known], &gap))
            known++;
        struct cover_gap *kept = &s->gaps[known];
        if (known == s->gap_count) {
            s->gaps[s->gap_count++] = gap;
            continue;
        }
        kept->missed++;
        if (!ends_with(s->graph, k, s->missed[kept->miss].path, kept) && ends_with(s->graph, k, path, kept))
            kept->miss = i;
    }
}

void cover_gap_name(const struct cover_suite *suite, const struct cover_gap *gap, struct buf *out)
{
    kpath_name_elements(suite->graph, gap->length, gap->elements, out);
    if (gap->beside)
        buf_addf(out, ", and none of the %u beside it", gap->beside);
}
