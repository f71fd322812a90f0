/* Compares listings; see listing.h. Names are sets: order and doubled entries are the target's business, a
 * slash behind a directory's name is one way of showing it, and names with a newline or bytes that are not
 * UTF-8 cannot be shown one a line, so a directory that has one is only asked for its other names. */
#include "exec/oracle/listing.h"

#include <stdlib.h>

#include "base/utf8.h"

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool has(const struct bytes *sorted, size_t count, struct bytes name)
{
    return count && bsearch(&name, sorted, count, sizeof *sorted, compare_names) != NULL;
}

static bool hidden(struct bytes name)
{
    return name.len && name.data[0] == '.';
}

static bool showable(struct bytes name)
{
    return utf8_valid(name) && bytes_find(name, BYTES_LITERAL("\n"), 0) < 0;
}

static bool odd(struct bytes name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] >= 0x80 || name.data[i] < ' ' || name.data[i] == '?') /* what many show for a byte of no text */
            return true;
    return name.len && (name.data[name.len - 1] == '.' || name.data[name.len - 1] == ' ');
}

/* The names of a reply, sorted; NULL when it holds something else. */
static struct bytes *reply_names(const struct observation *o, struct arena *a, size_t *count)
{
    const struct json *entries = json_get(o->outcome.result, "entries");
    if (!json_is(entries, JSON_ARRAY))
        return NULL;
    struct bytes *names = arena_alloc(a, (entries->count + 1) * sizeof *names);
    *count = 0;
    for (const struct json *entry = entries->first; entry; entry = entry->next) {
        struct bytes name = json_as_text(entry);
        if (!json_is(entry, JSON_STRING))
            return NULL;
        if (name.len > 1 && name.data[name.len - 1] == '/')
            name.len--;
        if (name.len && !bytes_equal_string(name, ".") && !bytes_equal_string(name, ".."))
            names[(*count)++] = name;
    }
    if (*count)
        qsort(names, *count, sizeof *names, compare_names);
    return names;
}

static bool same_entries(const struct file_view *a, const struct file_view *b)
{
    if (a->entry_count != b->entry_count)
        return false;
    for (size_t i = 0; i < a->entry_count; i++)
        if (!bytes_equal(a->entries[i], b->entries[i]))
            return false;
    return true;
}

/* The reply shows names inside longer lines: its words, not wrong names. */
static bool decorated(const struct bytes *names, size_t count, struct bytes missing)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].len > missing.len && bytes_find(names[i], missing, 0) >= 0)
            return true;
    return false;
}

static void count_missing(struct listing *l, const struct file_view *v, const struct bytes *names,
                          size_t count, bool shows_hidden)
{
    for (size_t i = 0; i < v->entry_count; i++) {
        struct bytes name = v->entries[i];
        l->shared += has(names, count, name);
        if (!showable(name) || (hidden(name) && !shows_hidden) || has(names, count, name) ||
            decorated(names, count, name))
            continue;
        if (!l->missing++)
            l->a_missing = name;
        l->missing_odd += odd(name);
    }
}

/* Some name of the directory stands inside this entry, which then is about that file. */
static bool is_about(const struct file_view *v, struct bytes entry)
{
    for (size_t i = 0; i < v->entry_count; i++)
        if (v->entries[i].len && bytes_find(entry, v->entries[i], 0) >= 0)
            return true;
    return false;
}

static void count_extra(struct listing *l, const struct file_view *v, const struct bytes *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool doubled = i > 0 && bytes_equal(names[i], names[i - 1]);
        if (doubled || has(v->entries, v->entry_count, names[i]) || is_about(v, names[i]))
            continue;
        if (!l->extra++)
            l->an_extra = names[i];
        l->extra_odd += odd(names[i]);
    }
}

bool listing_compare(const struct execution *e, size_t index, struct arena *a, struct listing *l)
{
    const struct observation *o = &e->observations[index];
    const struct file_view *v = &o->after;
    size_t count = 0;
    *l = (struct listing){.by = v->by};
    if (!observation_is(o, "list") || !observation_claims(o) || !v->have_entries || !o->before.have_entries ||
        o->in_group)
        return false;
    struct bytes *names = reply_names(o, a, &count);
    if (!names || !same_entries(&o->before, v))
        return false;
    bool shows_hidden = false, all_showable = true;
    for (size_t i = 0; i < count; i++)
        shows_hidden = shows_hidden || hidden(names[i]);
    for (size_t i = 0; i < v->entry_count; i++)
        all_showable = all_showable && showable(v->entries[i]);
    count_missing(l, v, names, count, shows_hidden);
    if (all_showable)
        count_extra(l, v, names, count);
    return true;
}

bool listing_renames(const struct listing *l)
{
    return l->missing > 0 && l->missing == l->extra && l->missing == l->missing_odd &&
           l->extra == l->extra_odd;
}
