/* Texts from a field to the site; see form_sent.h. */
#include "exec/oracle/form_sent.h"

#include <string.h>

#include "base/utf8.h"
#include "exec/oracle/damage.h"
#include "exec/oracle/judge.h"

/* Of the site's forms, those without a kind that a browser checks or cleans (docs/site.md). */
static const char *const free_fields[] = {"name", "password", "message", "note", "user", NULL};

/* "input[name=user]", "[name='user']": the name; none. */
static struct bytes field_of(struct bytes selector)
{
    ptrdiff_t at = bytes_find(selector, BYTES_LITERAL("[name="), 0);
    if (at < 0 || !bytes_ends(selector, BYTES_LITERAL("]")))
        return BYTES_NONE;
    struct bytes name = bytes_slice(selector, (size_t)at + strlen("[name="), selector.len - 1);
    if (name.len >= 2 && strchr("'\"", name.data[0]) && name.data[name.len - 1] == name.data[0])
        name = bytes_slice(name, 1, name.len - 1);
    for (size_t i = 0; free_fields[i]; i++)
        if (bytes_equal_string(name, free_fields[i]))
            return name;
    return BYTES_NONE;
}

/* A script that speaks of fields or goes elsewhere. */
static bool meddles(const struct observation *o)
{
    static const char *const words[] = {"value", "document", "location", "history", "reset"};
    struct bytes script = observation_argument(o, "script");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(script, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return !script.len;
}

/* After step `o` nobody knows what the field holds. */
static bool ends(const struct observation *o, struct bytes field)
{
    static const char *const plain[] = {"click", "submit", "scrape", "screenshot", "attach", "dialog", NULL};
    if (strcmp(o->step->op->group, "browser") != 0)
        return strcmp(o->step->op->group, "session") == 0;
    if (observation_is(o, "fill"))
        return !field_of(observation_argument(o, "selector")).len || bytes_equal(field_of(observation_argument(o, "selector")), field);
    if (observation_is(o, "evaluate"))
        return meddles(o);
    return !observation_is_any(o, plain);
}

/* The one field of that name in a form that came while step `index` ran. */
static const struct web_field *received(const struct execution *e, size_t index, struct bytes name, const struct web_visit **visit)
{
    for (size_t i = 0; i < e->site.count; i++) {
        const struct web_visit *v = &e->site.visits[i];
        size_t from = 0;
        const struct web_field *field = v->step == (int64_t)index ? web_visit_field(v, name, &from) : NULL;
        if (!field)
            continue;
        *visit = v;
        return v->cut || v->status >= 500 || v->status == 0 || field->file || web_visit_field(v, name, &from) ? NULL : field;
    }
    return NULL;
}

const struct web_field *form_sent(const struct execution *e, size_t index, const struct web_visit **visit)
{
    const struct observation *o = &e->observations[index];
    struct bytes name = observation_is(o, "fill") ? field_of(observation_argument(o, "selector")) : BYTES_NONE;
    *visit = NULL;
    if (!name.len || !observation_claims(o) || observation_reframed(o) || o->in_group || e->site.dropped)
        return NULL;
    for (size_t i = index + 1; i < e->count && !*visit; i++) {
        const struct observation *later = &e->observations[i];
        const struct web_field *field = received(e, i, name, visit);
        if (field || ends(later, name) || later->in_group || observation_reframed(later) || strcmp(later->step->session, o->step->session) != 0)
            return field;
    }
    return NULL;
}

static bool line_end(struct bytes text, size_t at)
{
    return at < text.len && (text.data[at] == '\n' || text.data[at] == '\r');
}

/* Over line ends on both sides, and over the blank that some put in their place. */
static void skip_line_ends(struct bytes typed, size_t *t, struct bytes got, size_t *g)
{
    bool any = line_end(typed, *t);
    while (line_end(typed, *t))
        (*t)++;
    if (any && *g < got.len && got.data[*g] == ' ' && !(*t < typed.len && typed.data[*t] == ' '))
        (*g)++;
    while (any && line_end(got, *g))
        (*g)++;
}

/* "&#N;" of that character. */
static bool skip_reference(struct bytes got, size_t *g, uint32_t point)
{
    size_t at = *g + 2;
    uint32_t number = 0;
    if (!bytes_starts(bytes_slice(got, *g, got.len), BYTES_LITERAL("&#")))
        return false;
    for (; at < got.len && got.data[at] >= '0' && got.data[at] <= '9' && number < 0x110000; at++)
        number = number * 10 + (uint32_t)(got.data[at] - '0');
    if (at == got.len || got.data[at] != ';' || number != point)
        return false;
    *g = at + 1;
    return true;
}

/* The next character; a half of a pair, three bytes that are no UTF-8, is U+FFFD. */
static int32_t next_point(struct bytes text, size_t *at)
{
    struct bytes three = bytes_slice(text, *at, *at + 3 < text.len ? *at + 3 : text.len);
    if (three.len == 3 && three.data[0] == 0xed && damage_has_half_pair(three)) {
        *at += 3;
        return 0xfffd;
    }
    return utf8_next(text, at);
}

bool form_sent_same(struct bytes typed, struct bytes got, bool other)
{
    size_t t = 0, g = 0;
    while (t < typed.len) {
        skip_line_ends(typed, &t, got, &g);
        if (t == typed.len)
            break;
        size_t byte = t, next = g;
        int32_t point = next_point(typed, &t);
        if (g < got.len && point >= 0 && utf8_next(got, &next) == point) {
            g = next;
            continue;
        }
        if (point < 0 && g < got.len && got.data[g] == typed.data[byte])
            g++;
        else if (point < 0 || !other || !skip_reference(got, &g, (uint32_t)point))
            return false;
    }
    return g == got.len;
}
