/* What the sites of a grammar are, and how many entries each node has in the log.
 *
 * Entries. Whatever a node can go, the number of entries that it writes at its own level is fixed: one for a
 * choice among alternatives and for a repetition that chooses its count, since what is below them stands in
 * their subtrees; one for each leaf that can be several things; for all else the sum over what is derived for
 * it. So the repetitions of a count can be told apart in a log without knowing the grammar, when they write
 * anything. Nodes are visited in the order in which they were settled, children first; what was never settled
 * is never derived.
 *
 * A separator that chooses breaks this: there is one less of them than of items. Such a count has width 0. */
#include <stdlib.h>

#include "grammar/grammar_internal.h"
#include "grammar/site.h"

enum { ENTRIES_MOST = UINT32_MAX };

static uint64_t capped(uint64_t count)
{
    return count < ENTRIES_MOST ? count : ENTRIES_MOST;
}

static uint64_t kid_entries(const struct grammar *g, const struct node *n, uint32_t index,
                            const uint32_t *entries)
{
    return entries[g->kids.items[n->first + index]];
}

static uint64_t all_kids(const struct grammar *g, const struct node *n, const uint32_t *entries)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n->count; i++)
        sum = capped(sum + kid_entries(g, n, i, entries));
    return sum;
}

/* As often as a repetition that chooses nothing repeats. */
static uint64_t repeated(const struct grammar *g, const struct node *n, const uint32_t *entries)
{
    uint64_t times = n->u.repeat.min, sum = capped(times * kid_entries(g, n, 0, entries));
    if (n->count > 1 && times)
        sum = capped(sum + (times - 1) * kid_entries(g, n, 1, entries));
    return sum;
}

static uint64_t count_entries(const struct grammar *g, const struct node *n, const uint32_t *entries)
{
    uint64_t body = 0;
    switch (n->kind) {
    case NODE_TEXT:
    case NODE_PARAMETER:
        return 0;
    case NODE_BITS:
        for (uint32_t i = 0; i < n->count; i++)
            body += g->spans.items[n->first + i].low != g->spans.items[n->first + i].high;
        return body;
    case NODE_CHARS:
        return n->u.possible != 1;
    case NODE_REPEAT:
        return n->u.repeat.min < n->u.repeat.max ? 1 : repeated(g, n, entries);
    case NODE_RULE:
    case NODE_CALL:
        /* Computed slots hold functions of parameters, which choose nothing. */
        body = entries[g->rules.items[n->target].body];
        return capped(body + all_kids(g, n, entries));
    case NODE_FIELD_OF:
    case NODE_FUNCTION:
    case NODE_SEQUENCE:
        return all_kids(g, n, entries);
    default: /* a choice; leaves that are constant are texts by now */
        return 1;
    }
}

static uint32_t width_of(const struct grammar *g, const struct node *n, const uint32_t *entries)
{
    if (n->kind != NODE_REPEAT || (n->count > 1 && kid_entries(g, n, 1, entries)))
        return 0;
    uint64_t width = kid_entries(g, n, 0, entries);
    return width < ENTRIES_MOST ? (uint32_t)width : 0;
}

static void add_sites(struct grammar *g, uint32_t node, uint32_t rule, const uint32_t *entries)
{
    const struct node *n = &g->nodes.items[node];
    uint32_t end = node + 1 < g->nodes.count ? n[1].site : g->site_end;
    for (uint32_t site = n->site; site < end; site++)
        POOL_ADD(g->sites,
                 ((struct grammar_site){
                     .node = node, .rule = rule, .part = site - n->site, .width = width_of(g, n, entries)}));
}

void grammar_list_sites(struct grammar *g, uint32_t first_site, const uint32_t *order, size_t count)
{
    uint32_t *entries = xcalloc(g->nodes.count + 1, sizeof *entries);
    for (size_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.items[i].flat)
            entries[i] = (uint32_t)count_entries(g, &g->nodes.items[i], entries);
    for (size_t i = 0; i < count; i++)
        if (!g->nodes.items[order[i]].flat)
            entries[order[i]] = (uint32_t)count_entries(g, &g->nodes.items[order[i]], entries);
    g->first_site = first_site;
    /* Rules stand in the order of their nodes. What folding adds behind them has no sites. */
    uint32_t rule = 0;
    for (size_t i = 0; i < g->nodes.count; i++) {
        while (rule + 1 < g->rules.count && i >= g->rules.items[rule].node_end)
            rule++;
        add_sites(g, (uint32_t)i, rule, entries);
    }
    free(entries);
}

/* What a site is. ---------------------------------------------------------------------------------------- */

static const struct grammar_site *find_site(const struct grammar *g, uint32_t site)
{
    return &g->sites.items[site - g->first_site];
}

void grammar_describe_site(const struct grammar *g, uint32_t site, struct site *out, struct place *place)
{
    const struct grammar_site *s = find_site(g, site);
    const struct node *n = &g->nodes.items[s->node];
    const struct span *part = n->kind == NODE_BITS ? &g->spans.items[n->first + s->part] : NULL;
    *out = (struct site){.width = s->width, .name = g->rules.items[s->rule].name};
    *place = n->place;
    switch (n->kind) {
    case NODE_CHOICE:
        out->kind = SITE_ALTERNATIVE;
        out->choices = n->count;
        break;
    case NODE_REPEAT:
        out->kind = SITE_COUNT;
        out->choices = (uint64_t)n->u.repeat.max - n->u.repeat.min + 1;
        out->least = n->u.repeat.min;
        break;
    case NODE_SET:
    case NODE_CHARS:
        out->kind = SITE_LETTER;
        out->choices = n->kind == NODE_SET ? n->count : n->u.possible;
        break;
    case NODE_BITS:
        out->kind = SITE_NUMBER;
        out->choices = part->high - part->low + 1;
        break;
    default: /* INT, FIELD: 2^64 possibilities come out as 0 */
        out->kind = SITE_NUMBER;
        out->choices = n->u.range.high - n->u.range.low + 1;
        break;
    }
}

uint64_t grammar_site_cheapest(const struct grammar *g, uint32_t site)
{
    const struct node *n = &g->nodes.items[find_site(g, site)->node];
    return n->kind == NODE_CHOICE ? n->target : 0;
}

/* Values for people. ------------------------------------------------------------------------------------- */

static void show_text(struct buf *out, struct bytes text)
{
    enum { SHOWN_MOST = 32 };
    buf_add_byte(out, '"');
    for (size_t i = 0; i < text.len && i < SHOWN_MOST; i++) {
        if (text.data[i] < ' ' || text.data[i] > '~' || text.data[i] == '"' || text.data[i] == '\\')
            buf_addf(out, "\\x%02x", text.data[i]);
        else
            buf_add_byte(out, text.data[i]);
    }
    buf_add(out, bytes_of_string(text.len > SHOWN_MOST ? "\"…" : "\""));
}

static void show_letter(const struct grammar *g, const struct node *n, uint64_t value, struct buf *out)
{
    if (n->kind == NODE_SET) {
        show_text(out, grammar_text(g, n->first + (uint32_t)value, 1));
        return;
    }
    for (uint32_t i = n->count; i-- > 0;) {
        const struct span *span = &g->spans.items[n->first + i];
        if (span->extra > value)
            continue;
        buf_addf(out, "U+%04llX", (unsigned long long)(span->low + value - span->extra));
        return;
    }
}

static void show_alternative(const struct grammar *g, const struct node *n, uint64_t value, struct buf *out)
{
    const struct node *kid = &g->nodes.items[g->kids.items[n->first + value]];
    buf_addf(out, "alternative %llu of %u, ", (unsigned long long)value + 1, n->count);
    if (kid->kind == NODE_TEXT) {
        show_text(out, grammar_text(g, kid->first, kid->count));
        buf_add(out, BYTES_LITERAL(", "));
    }
    buf_addf(out, "%s:%u", g->files.items[kid->place.file], kid->place.line);
}

void grammar_site_value(const struct grammar *g, uint32_t site, uint64_t value, struct buf *out)
{
    const struct grammar_site *s = find_site(g, site);
    const struct node *n = &g->nodes.items[s->node];
    switch (n->kind) {
    case NODE_CHOICE:
        show_alternative(g, n, value % n->count, out);
        break;
    case NODE_REPEAT:
        buf_addf(out, "%llu times", (unsigned long long)(value + n->u.repeat.min));
        break;
    case NODE_SET:
        show_letter(g, n, value % n->count, out);
        break;
    case NODE_CHARS:
        show_letter(g, n, value % n->u.possible, out);
        break;
    case NODE_INT:
        buf_addf(out, "%lld", (long long)(n->u.range.low + value));
        break;
    default:
        buf_addf(out, "%llu",
                 (unsigned long long)(value + (n->kind == NODE_BITS ? g->spans.items[n->first + s->part].low
                                                                    : n->u.range.low)));
    }
}
