/* The witness: chooses who looks, and decides which paths may be looked at. The two ways to look are in
 * witness_outside.c and witness_inside.c. */
#include "exec/witness.h"

#include <string.h>

enum { PATH_BYTES_MAX = 4000 };

void witness_source_init(struct witness_source *w, struct session *s)
{
    const struct target *t = session_target(s);
    *w = (struct witness_source){.session = s};
    w->outside = session_root_visible(s);
    w->run = ops_find(target_ops(t), "run");
    w->inside = w->run && session_supports(s, "run") && session_supports(s, "run:sh");
    w->inside_ms = settings_int(target_settings(t), "exec.probe-timeout");
}

bool witness_path(struct bytes path, struct bytes *clean)
{
    const uint8_t *nul = path.len ? memchr(path.data, 0, path.len) : NULL;
    *clean = nul ? bytes_slice(path, 0, (size_t)(nul - path.data)) : path;
    if (clean->len > PATH_BYTES_MAX || bytes_starts(*clean, BYTES_LITERAL("/")))
        return false;
    for (size_t from = 0; from <= clean->len;) {
        size_t to = from;
        while (to < clean->len && clean->data[to] != '/')
            to++;
        if (bytes_equal_string(bytes_slice(*clean, from, to), ".."))
            return false;
        from = to + 1;
    }
    return true;
}

void witness_look(struct witness_source *w, struct bytes path, unsigned want, struct arena *a,
                  struct file_view *v)
{
    *v = (struct file_view){0};
    if (w->outside)
        witness_look_outside(session_root(w->session), path, want, a, v);
    else if (w->inside)
        witness_look_inside(w, path, want, a, v);
    witness_withhold(w, v);
}

void witness_withhold(const struct witness_source *w, struct file_view *v)
{
    bool shows = session_shows_secret(w->session, v->data) || session_shows_secret(w->session, v->target);
    for (size_t i = 0; i < v->entry_count && !shows; i++)
        shows = session_shows_secret(w->session, v->entries[i]);
    if (shows)
        *v = (struct file_view){0};
}
