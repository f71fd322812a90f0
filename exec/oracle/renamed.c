/* See renamed.h. Names are compared by what no kind of normalising changes, so no tables of Unicode are needed: ASCII characters whatever
 * their case, but no blanks and no dots at the end, and ideographs. All else, and a letter with marks behind it, is one sign, however
 * many of these follow each other. */
#include "exec/oracle/renamed.h"

#include <string.h>

#include "base/utf8.h"
#include "exec/oracle/effect.h"

enum { NAME_MOST = 255, ASCII_END = 0x80, IDEOGRAPHS = 0x4E00, IDEOGRAPHS_END = 0xA000, ANY = -2 };

struct signs {
    int32_t items[NAME_MOST];
    size_t count;
};

static bool is_mark(int32_t c)
{
    return (c >= 0x300 && c < 0x370) || c == 0x3099 || c == 0x309A;
}

static int32_t sign_of(int32_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    return (c >= 0 && c < ASCII_END) || (c >= IDEOGRAPHS && c < IDEOGRAPHS_END) ? c : ANY;
}

static void take(struct signs *s, int32_t c)
{
    if (c == ' ')
        return;
    if (is_mark(c) && s->count)
        s->count--; /* with the letter that it stands on */
    if (sign_of(c) != ANY || !s->count || s->items[s->count - 1] != ANY)
        s->items[s->count++] = sign_of(c);
}

static bool read_signs(struct signs *s, struct bytes name)
{
    s->count = 0;
    for (size_t at = 0; at < name.len && name.len <= NAME_MOST;)
        take(s, utf8_next(name, &at));
    while (s->count && s->items[s->count - 1] == '.')
        s->count--;
    return s->count > 0;
}

static bool same_signs(struct bytes a, struct bytes b)
{
    struct signs x, y;
    return read_signs(&x, a) && read_signs(&y, b) && x.count == y.count && memcmp(x.items, y.items, x.count * sizeof *x.items) == 0;
}

bool renamed_there(const struct execution *e, size_t index, struct bytes *name)
{
    struct bytes path;
    const struct file_view *before, *after, *parent = &e->observations[index].parent;
    if (!parent->have_entries || !effect_absent(e, index) || !made_path(&e->observations[index], &path, &before, &after) || after->exists)
        return false;
    for (size_t i = 0; i < parent->entry_count; i++) {
        *name = parent->entries[i];
        if (!bytes_equal(*name, path_name(path)) && same_signs(*name, path_name(path)))
            return true;
    }
    return false;
}

bool renamed_on_the_way(const struct execution *e, size_t index)
{
    struct bytes path, directory, name;
    const struct file_view *before, *after;
    if (!made_path(&e->observations[index], &path, &before, &after))
        return false;
    for (size_t i = 0; i <= index; i++)
        if (made_path(&e->observations[i], &directory, &before, &after) && path_within(path, directory) && renamed_there(e, i, &name))
            return true;
    return false;
}
