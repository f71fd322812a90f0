/* What a session's root shows beside the files that steps name: names that turned up while one step ran, the directory in which
 * a step was refused or what it made is not there, and what the session's end did to files. Only from outside, where a look costs nothing and asks nobody. */
#include <stdlib.h>
#include <string.h>

#include "exec/oracle/effect.h"
#include "exec/runner_internal.h"

static int compare_names(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

static bool among(const struct file_view *v, struct bytes name)
{
    return v->entry_count && bsearch(&name, v->entries, v->entry_count, sizeof name, compare_names);
}

void runner_root_look(struct runner *r, struct arena *a, struct file_view *v)
{
    *v = (struct file_view){0};
    if (r->witness.outside)
        witness_look_outside(session_root(r->session), BYTES_NONE, WANT_ENTRIES, a, v);
}

/* Control files, links that spell a path, scripts that are too long for a command line. */
static bool is_ours(struct bytes name)
{
    return bytes_starts(name, BYTES_LITERAL(".taskgen-"));
}

void runner_root_appeared(struct runner *r, struct observation *o, const struct file_view *before)
{
    struct arena scratch;
    struct file_view now;
    arena_init(&scratch);
    runner_root_look(r, &scratch, &now);
    struct bytes *names = arena_alloc(r->a, RUNNER_APPEARED_MAX * sizeof *names);
    for (size_t i = 0; i < now.entry_count && before->have_entries && o->appeared_count < RUNNER_APPEARED_MAX; i++)
        if (!among(before, now.entries[i]) && !is_ours(now.entries[i]))
            names[o->appeared_count++] = arena_copy(r->a, now.entries[i]);
    o->appeared = names;
    arena_release(&scratch);
}

/* What was gone again before the end was nobody's litter. */
void runner_root_stayed(struct runner *r)
{
    struct arena scratch;
    struct file_view now;
    arena_init(&scratch);
    runner_root_look(r, &scratch, &now);
    for (size_t i = 0; i < r->e->count; i++) {
        struct observation *o = &r->e->observations[i];
        struct bytes *names = arena_alloc(r->a, (o->appeared_count + 1) * sizeof *names);
        size_t count = 0;
        for (size_t k = 0; k < o->appeared_count; k++)
            if (among(&now, o->appeared[k]))
                names[count++] = o->appeared[k];
        o->appeared = names;
        o->appeared_count = count;
    }
    arena_release(&scratch);
}

static struct bytes parent_of(struct bytes path)
{
    size_t end = path.len;
    while (end > 0 && path.data[end - 1] == '/')
        end--;
    while (end > 0 && path.data[end - 1] != '/')
        end--;
    while (end > 0 && path.data[end - 1] == '/')
        end--;
    return bytes_slice(path, 0, end);
}

void runner_root_parent(struct runner *r, struct observation *o)
{
    struct bytes path = observation_argument(o, "path"), to = observation_argument(o, "to"), made;
    const struct file_view *before, *after;
    bool vanished = observation_claims(o) && made_path(o, &made, &before, &after) && after->by == WITNESS_OUTSIDE && !after->exists;
    if (r->witness.outside && (vanished || observation_refused(o)) && strcmp(o->step->op->group, "files") == 0 && path.len)
        witness_look_outside(session_root(r->session), parent_of(to.len ? to : path), vanished ? WANT_ENTRIES : 0, r->a, &o->parent);
}

static bool is_kept(const struct runner *r, struct bytes path)
{
    for (size_t i = r->kept_from; i < r->e->kept_count; i++)
        if (path_same(r->e->kept[i].path, path))
            return true;
    return false;
}

void runner_kept_before(struct runner *r)
{
    struct execution *e = r->e;
    if (!e->kept)
        e->kept = arena_alloc(r->a, (RUNNER_ENDS_MAX + 1) * RUNNER_KEPT_MAX * sizeof *e->kept);
    r->kept_from = e->kept_count;
    for (size_t i = e->count; r->witness.outside && i-- > 0 && e->kept_count - r->kept_from < RUNNER_KEPT_MAX;) {
        const struct observation *o = &e->observations[i];
        const struct file_view *before, *after;
        struct bytes path;
        if (observation_is(o, "edit"))
            path = observation_argument(o, "path");
        else if (!made_path(o, &path, &before, &after))
            continue;
        struct file_kept k = {.path = path};
        if (!observation_claims(o) || path_has_nul(path) || is_kept(r, path))
            continue;
        witness_look_outside(session_root(r->session), path, 0, r->a, &k.before);
        witness_withhold(&r->witness, &k.before);
        if (k.before.kind == 'f')
            e->kept[e->kept_count++] = k;
    }
}

void runner_kept_after(struct runner *r)
{
    for (size_t i = r->kept_from; i < r->e->kept_count; i++) {
        struct file_kept *k = &r->e->kept[i];
        witness_look_outside(session_root(r->session), k->path, 0, r->a, &k->after);
        witness_withhold(&r->witness, &k->after);
    }
}
