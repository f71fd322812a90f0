/* Looks: file views before and after a step, a search for what is not where it should be, both witnesses
 * against each other, and the files that expectations name. */
#include <string.h>

#include "exec/oracle/effect.h"
#include "exec/runner_internal.h"

/* Which views an op needs. From outside a look costs nothing, so both are taken whenever one is; from inside
 * each is a call, so only those are taken that tell something the other does not. */
static const struct look_row {
    const char *op;
    bool to; /* its argument `to` as well */
    bool inside_before, inside_after;
    bool steady; /* the step changes nothing: from inside one look stands for both */
    unsigned want;
} rows[] = {
    {"write", false, false, true, false, 0},  {"append", false, true, true, false, 0},
    {"read", false, true, false, true, 0},    {"list", false, true, false, true, WANT_ENTRIES},
    {"stat", false, true, false, true, 0},    {"mkdir", false, false, true, false, 0},
    {"move", true, true, true, false, 0},     {"copy", true, true, true, false, 0},
    {"remove", false, true, true, false, 0},  {"link", false, false, true, false, 0},
    {"chmod", false, false, true, false, 0},  {"edit", false, true, true, false, 0},
    {"upload", false, false, true, false, 0}, {"download", false, true, false, true, 0},
    {"attach", false, true, false, true, 0},  {"save", false, false, true, false, 0},
};

static const struct look_row *row_of(const struct observation *o)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].op, o->step->op->name) == 0)
            return &rows[i];
    return NULL;
}

static void look_both(struct runner *r, struct observation *o, const struct look_row *row,
                      struct file_view *path, struct file_view *to)
{
    const struct json *argument = json_get(o->args, "path");
    if (json_is(argument, JSON_STRING))
        witness_look(&r->witness, argument->text, row->want, r->a, path);
    argument = json_get(o->args, "to");
    if (row->to && json_is(argument, JSON_STRING))
        witness_look(&r->witness, argument->text, 0, r->a, to);
}

void runner_views_before(struct runner *r, struct observation *o)
{
    const struct look_row *row = row_of(o);
    if (row && (r->witness.outside || row->inside_before))
        look_both(r, o, row, &o->before, &o->to_before);
}

void runner_views_after(struct runner *r, struct observation *o)
{
    const struct look_row *row = row_of(o);
    if (row && (r->witness.outside || row->inside_after))
        look_both(r, o, row, &o->after, &o->to_after);
    else if (row && row->steady)
        o->after = o->before;
}

static struct cross_view *add_cross(struct runner *r, size_t index, struct bytes path)
{
    if (!r->e->crosses)
        r->e->crosses = arena_alloc(r->a, 2 * RUNNER_CROSS_MAX * sizeof *r->e->crosses);
    if (r->e->cross_count == 2 * RUNNER_CROSS_MAX)
        return NULL;
    struct cross_view *c = &r->e->crosses[r->e->cross_count++];
    *c = (struct cross_view){.observation = index, .path = path};
    return c;
}

/* Looks for the name below a directory of this machine, and names the place as tasks do. */
static bool find_below(struct runner *r, struct cross_view *c, const char *directory, const char *name,
                       struct bytes content)
{
    struct bytes found = witness_find(directory, path_name(c->path), content, r->a);
    if (found.len)
        c->found_at = bytes_of_string(arena_printf(r->a, "%s/%s", name, arena_string(r->a, found)));
    return found.len > 0;
}

void runner_search(struct runner *r, size_t index)
{
    const struct observation *o = &r->e->observations[index];
    struct bytes path;
    const struct file_view *before, *after;
    if (!made_path(o, &path, &before, &after) || after->by == WITNESS_NONE || after->exists)
        return;
    if (path_has_nul(path) && (!witness_path(path, &path) || !path.len)) /* a careless target makes what the part before the NUL names */
        return;
    struct cross_view *c = add_cross(r, index, path);
    if (!c)
        return;
    if (after->by == WITNESS_OUTSIDE)
        c->outside = *after;
    else
        c->inside = *after;
    struct bytes content = observation_argument(o, "content");
    bool below = find_below(r, c, session_root(r->session), "{root}", content) ||
                 find_below(r, c, session_home(r->session), "{home}", content);
    if (!session_alive(r->session))
        return;
    if (after->by == WITNESS_OUTSIDE)
        witness_look_inside(&r->witness, path, 0, r->a, &c->inside);
    if (!below && !c->inside.exists && content.len)
        c->found_at = witness_find_inside(&r->witness, path_name(path), content, r->a);
}

static bool crossed(const struct runner *r, struct bytes path)
{
    for (size_t i = 0; i < r->e->cross_count; i++)
        if (path_same(r->e->crosses[i].path, path))
            return true;
    return false;
}

/* A file made by a tool of the target's own: what was lowered to commands is seen by commands. */
static bool made_by_tool(const struct observation *o, struct bytes *path)
{
    const struct file_view *before, *after;
    return observation_claims(o) && !o->outcome.lowered && made_path(o, path, &before, &after) &&
           after->exists && after->kind != 'l' && !path_has_nul(*path);
}

void runner_crosses(struct runner *r)
{
    size_t asked = 0;
    if (!r->witness.outside || !r->witness.inside || r->given_up || !session_alive(r->session))
        return;
    for (size_t i = r->e->count; i-- > 0 && asked < RUNNER_CROSS_MAX;) {
        struct bytes path;
        struct file_view now;
        if (!made_by_tool(&r->e->observations[i], &path) || crossed(r, path))
            continue;
        witness_look_outside(session_root(r->session), path, 0, r->a, &now);
        witness_withhold(&r->witness, &now);
        struct cross_view *c = now.exists ? add_cross(r, i, path) : NULL;
        if (!c)
            continue;
        c->outside = now;
        witness_look_inside(&r->witness, path, 0, r->a, &c->inside);
        asked++;
    }
}

static struct bytes file_of(const struct json *expectation)
{
    const struct json *file = json_get(expectation, "file");
    if (task_is_wrapper(file, "$path"))
        file = json_get(file, "$path");
    return json_as_text(file);
}

void runner_finals(struct runner *r)
{
    const struct json *expect = r->task->expect;
    size_t most = expect ? expect->count : 0;
    r->e->finals = arena_alloc(r->a, (most + 1) * sizeof *r->e->finals);
    for (const struct json *x = most ? expect->first : NULL; x; x = x->next) {
        struct bytes path = file_of(x);
        bool known = path.len == 0;
        for (size_t i = 0; i < r->e->final_count && !known; i++)
            known = bytes_equal(r->e->finals[i].path, path);
        if (known)
            continue;
        struct file_final *f = &r->e->finals[r->e->final_count++];
        f->path = path;
        witness_look(&r->witness, path, 0, r->a, &f->view);
    }
}
