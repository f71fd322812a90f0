/* The environment of commands; see environment.h. */
#include "leakybox/environment.h"

#include <string.h>

extern char **environ;

static const char *const allowed[] = {"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                      "LANG", "LANGUAGE", "TZ",   "TERM",    "TMPDIR"};

static bool same_name(struct bytes entry, struct bytes other)
{
    ptrdiff_t end = bytes_find(entry, BYTES_LITERAL("="), 0);

    return end >= 0 && bytes_starts(other, bytes_slice(entry, 0, (size_t)end + 1));
}

bool environment_allows(const char *entry)
{
    struct bytes e = bytes_of_string(entry);
    ptrdiff_t end = bytes_find(e, BYTES_LITERAL("="), 0);

    if (end < 0)
        return false;
    if (bytes_starts(e, BYTES_LITERAL("LC_")))
        return true;
    for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
        if (bytes_equal_string(bytes_slice(e, 0, (size_t)end), allowed[i]))
            return true;
    return false;
}

/* The newest of the same name wins. */
static size_t put(char **list, size_t count, char *entry)
{
    for (size_t i = 0; i < count; i++) {
        if (same_name(bytes_of_string(entry), bytes_of_string(list[i]))) {
            list[i] = entry;
            return count;
        }
    }
    list[count] = entry;
    return count + 1;
}

char *const *environment_make(struct arena *a, const struct json *more, bool whole, const char *temporary)
{
    size_t own = 0, count = 0;
    char **list;

    while (environ[own])
        own++;
    list = arena_alloc(a, (own + 3 + (more ? more->count : 0)) * sizeof(*list));
    for (size_t i = 0; i < own; i++)
        if (whole || environment_allows(environ[i]))
            count = put(list, count, environ[i]);
    if (!whole && count == 0)
        count = put(list, count, arena_string(a, BYTES_LITERAL("PATH=/usr/local/bin:/usr/bin:/bin")));
    for (const struct json *m = more ? more->first : NULL; m; m = m->next) {
        struct buf entry;

        buf_init(&entry, m->key.len + m->text.len + 1);
        buf_add(&entry, m->key);
        buf_add_byte(&entry, '=');
        buf_add(&entry, m->text);
        count = put(list, count, arena_string(a, buf_bytes(&entry)));
        buf_release(&entry);
    }
    if (temporary)
        count = put(list, count, arena_printf(a, "TMPDIR=%s", temporary));
    list[count] = NULL;
    return list;
}
