/* Sets of characters for regular expressions.
 *
 * Meanings are PCRE2's without its UCP option: \d \w \s and POSIX classes hold ASCII characters only, in both
 * universes. */
#include "grammar/regex_set.h"

#include <stdlib.h>

#include "base/utf8.h"

enum { LAST_BYTE = 0xFF, LAST_CODE_POINT = 0x10FFFF, SURROGATES = 0xD800, AFTER_SURROGATES = 0xE000 };

static const struct char_range printable = {0x20, 0x7E};

void char_set_release(struct char_set *s)
{
    free(s->ranges.items);
    *s = (struct char_set){0};
}

static int compare_ranges(const void *a, const void *b)
{
    const struct char_range *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* Ranges may come in any order. Keeps the set in order by inserting at the end and sorting only when needed.
 */
void char_set_add(struct char_set *s, uint32_t low, uint32_t high)
{
    bool sorted = s->ranges.count == 0 || s->ranges.items[s->ranges.count - 1].high + 1 < low;
    POOL_ADD(s->ranges, ((struct char_range){low, high}));
    if (sorted)
        return;
    qsort(s->ranges.items, s->ranges.count, sizeof *s->ranges.items, compare_ranges);
    size_t kept = 0;
    for (size_t i = 1; i < s->ranges.count; i++) {
        struct char_range *last = &s->ranges.items[kept], *here = &s->ranges.items[i];
        if (here->low > last->high + 1)
            s->ranges.items[++kept] = *here;
        else if (here->high > last->high)
            last->high = here->high;
    }
    s->ranges.count = kept + 1;
}

void char_set_add_all(struct char_set *s, const struct char_set *more)
{
    for (size_t i = 0; i < more->ranges.count; i++)
        char_set_add(s, more->ranges.items[i].low, more->ranges.items[i].high);
}

void char_set_invert(struct char_set *s, bool code_points)
{
    if (code_points)
        char_set_add(s, SURROGATES, AFTER_SURROGATES - 1);
    struct char_set inverse = {0};
    uint32_t next = 0;
    for (size_t i = 0; i < s->ranges.count; i++) {
        if (s->ranges.items[i].low > next)
            char_set_add(&inverse, next, s->ranges.items[i].low - 1);
        next = s->ranges.items[i].high + 1;
    }
    uint32_t last = code_points ? LAST_CODE_POINT : LAST_BYTE;
    if (next <= last)
        char_set_add(&inverse, next, last);
    char_set_release(s);
    *s = inverse;
}

void char_set_prefer_printable(struct char_set *s)
{
    struct char_set narrow = {0};
    for (size_t i = 0; i < s->ranges.count; i++) {
        struct char_range r = s->ranges.items[i];
        r.low = r.low > printable.low ? r.low : printable.low;
        r.high = r.high < printable.high ? r.high : printable.high;
        if (r.low <= r.high)
            char_set_add(&narrow, r.low, r.high);
    }
    if (narrow.ranges.count == 0) {
        char_set_release(&narrow);
        return;
    }
    char_set_release(s);
    *s = narrow;
}

/* Named classes. ----------------------------------------------------------------------------------------- */

struct named_class {
    const char *name;
    struct char_range ranges[5]; /* up to the first {0, 0} after the first */
};

static const struct named_class posix_classes[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", {{0, 0x7F}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

bool char_set_add_posix(struct char_set *s, struct bytes name)
{
    for (size_t i = 0; i < sizeof posix_classes / sizeof *posix_classes; i++) {
        const struct named_class *c = &posix_classes[i];
        if (!bytes_equal_string(name, c->name))
            continue;
        for (size_t k = 0; k == 0 || c->ranges[k].high; k++)
            char_set_add(s, c->ranges[k].low, c->ranges[k].high);
        return true;
    }
    return false;
}

bool char_set_add_escape(struct char_set *s, int letter)
{
    const char *name = letter == 'd' ? "digit" : letter == 'w' ? "word" : letter == 's' ? "space" : "";
    return char_set_add_posix(s, bytes_of_string(name));
}

/* Nodes. ------------------------------------------------------------------------------------------------- */

static uint32_t chars_node(struct grammar *g, const struct char_set *s, struct place place)
{
    uint32_t node = node_new(g, NODE_CHARS, place);
    struct node *n = &g->nodes.items[node];
    n->first = (uint32_t)g->spans.count;
    n->count = (uint32_t)s->ranges.count;
    for (size_t i = 0; i < s->ranges.count; i++) {
        struct char_range r = s->ranges.items[i];
        POOL_ADD(g->spans, ((struct span){.low = r.low, .high = r.high, .extra = n->u.possible}));
        n->u.possible += r.high - r.low + 1;
    }
    return node;
}

uint32_t char_set_node(struct grammar *g, const struct char_set *s, bool code_points, struct place place)
{
    const struct char_range *last = &s->ranges.items[s->ranges.count - 1];
    if (code_points && last->high > 0x7F) {
        uint8_t encoded[4];
        if (s->ranges.count == 1 && last->low == last->high)
            return node_text(g, bytes_of(encoded, utf8_put(encoded, last->low)), place);
        return chars_node(g, s, place);
    }
    uint8_t members[LAST_BYTE + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < s->ranges.count; i++)
        for (uint32_t c = s->ranges.items[i].low; c <= s->ranges.items[i].high; c++)
            members[count++] = (uint8_t)c;
    uint32_t node = node_text(g, bytes_of(members, count), place);
    if (count > 1)
        g->nodes.items[node].kind = NODE_SET;
    return node;
}
