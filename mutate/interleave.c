/* interleave: the same file at the same time: a step and its double run in parallel, or the double in a
 * second session.
 *
 * Two writes, appends or edits leave one of two results (or both, for appends), so what was expected of the
 * file goes. Two reads give what one gives, so every expectation stays. */
#include <string.h>

#include "gen/recipe.h"
#include "mutate/mutate_internal.h"

static const char *const kinds[] = {"write", "read", "session", NULL};

enum { READERS_MAX = 4, CONTENT_MAX = 65536 };

/* What the double puts: as much as the first puts, but other bytes. */
static struct json *other_content(struct change *c, const struct json *value)
{
    struct task *t = c->m->task;
    int64_t size = content_size(body_content(t, value));
    if (size < 16)
        return json_text(&t->arena, "of the second\n");
    struct json *pattern = body_recipe(t, "pattern");
    json_set(&t->arena, pattern, "size", json_integer(&t->arena, size < CONTENT_MAX ? size : CONTENT_MAX));
    json_set(&t->arena, pattern, "unit", json_text(&t->arena, "of the second\n"));
    return body_value(c, pattern);
}

/* The double of step `index`, right after it. */
static struct task_step *add_double(struct change *c, size_t index, struct json *args)
{
    struct task *t = c->m->task;
    struct task_step kept = t->steps[index];
    struct task_step *step = change_insert_step(c, index + 1, kept.op, args);
    step->session = kept.session;
    step->timeout_ms = kept.timeout_ms;
    step->group = kept.group;
    return step;
}

/* A step alone, whose result nobody else needs to be the only one. */
static bool is_alone(const struct task *t, size_t index)
{
    return !t->steps[index].group && t->steps[index].repeat == 1 && t->steps[index].cancel_after_ms < 0;
}

static const char *changed_argument(const struct op *op)
{
    bool edit = strcmp(op->name, "edit") == 0;
    return edit || strcmp(op->name, "append") == 0 || strcmp(op->name, "write") == 0 ||
                   strcmp(op->name, "upload") == 0
               ? (edit ? "new" : "content")
               : NULL;
}

static bool double_write(struct mutation *m, size_t index)
{
    struct task *t = m->task;
    const char *argument = changed_argument(t->steps[index].op);
    const struct json *value = argument ? json_get(t->steps[index].args, argument) : NULL;
    if (!value || !body_content(t, value) || content_size(body_content(t, value)) > body_room(m, index) / 2)
        return false;
    struct change c;
    change_begin(&c, m, "interleave", index, "/group");
    change_set(&c, json_text(&t->arena, mutation_group_fresh(t)));
    struct json *args = json_copy(&t->arena, t->steps[index].args);
    json_replace(json_get(args, argument), other_content(&c, value));
    const char *id = add_double(&c, index, args)->id;
    retarget_unknown(&c);
    change_end(&c, "%s does %s to the same file at the same time, with other bytes", id,
               t->steps[index].op->name);
    return true;
}

static bool double_read(struct mutation *m, size_t index)
{
    struct task *t = m->task;
    if (!mutation_only_reads(t->steps[index].op))
        return false;
    struct change c;
    change_begin(&c, m, "interleave", index, "/group");
    change_set(&c, json_text(&t->arena, mutation_group_fresh(t)));
    uint64_t doubles = 1 + rng_below(m->rng, READERS_MAX);
    for (uint64_t i = 0; i < doubles; i++)
        add_double(&c, index, json_copy(&t->arena, t->steps[index].args));
    change_end(&c, "%llu more of the same %s at the same time", (unsigned long long)doubles,
               t->steps[index].op->name);
    return true;
}

static const char *session_other_than(struct task *t, const char *session)
{
    return strcmp(session, "second") == 0 ? "third" : "second";
}

/* A disk of its own is there in the session that asked for it alone. */
static bool has_disk(const struct task *t)
{
    bool has = false;
    for (size_t i = 0; i < t->step_count && !has; i++)
        has = strcmp(t->steps[i].op->name, "stage-small-disk") == 0;
    return has;
}

static bool double_in_session(struct mutation *m, size_t index)
{
    struct task *t = m->task;
    if (!mutation_only_reads(t->steps[index].op) || has_disk(t))
        return false;
    struct change c;
    change_begin(&c, m, "interleave", index, "/group");
    bool parallel = rng_below(m->rng, 2);
    if (parallel)
        change_set(&c, json_text(&t->arena, mutation_group_fresh(t)));
    struct task_step *step = add_double(&c, index, json_copy(&t->arena, t->steps[index].args));
    step->session = session_other_than(t, step->session);
    change_end(&c, "%s does the same %s in session %s, %s", step->id, step->op->name, step->session,
               parallel ? "at the same time" : "right after");
    return true;
}

static bool strike(struct mutation *m, size_t index, const char *kind)
{
    if (!is_alone(m->task, index))
        return false;
    if (strcmp(kind, "write") == 0)
        return double_write(m, index);
    return strcmp(kind, "read") == 0 ? double_read(m, index) : double_in_session(m, index);
}

static bool apply(struct mutation *m)
{
    const char *kind = mutation_kind(m, kinds);
    size_t count = m->task->step_count;
    /* From a random step on, all around. */
    size_t first = kind && count ? (size_t)rng_below(m->rng, count) : 0;
    for (size_t i = 0; kind && i < count; i++)
        if (strike(m, (first + i) % count, kind))
            return true;
    return false;
}

const struct mutator mutator_interleave = {
    .name = "interleave",
    .group = "step",
    .summary = "the same file used by two steps at the same time, or from a second session",
    .details = "write: a second write, append, upload or edit of the file, with other bytes, in parallel; "
               "read: up to four "
               "more of the same read, download, stat, list or search in parallel; session: the same read "
               "from a second "
               "session, in parallel or right after.",
    .places = "",
    .kinds = "write read session",
    .apply = apply,
};
