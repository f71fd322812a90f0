/* What a change of one step may have done to the steps and files after it.
 *
 * A plan is followed in order, with what is known of each path: as without the change, holding the changed
 * step's new content, or anything. Ops that only name paths move that knowledge about; a program (or anything
 * else that may read and write as it likes) makes everything uncertain, and so do links, which give a file
 * two names. In doubt the answer is KNOWN_NOTHING: an expectation that is dropped costs one check, one that
 * is wrong costs somebody's day. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/fallout.h"
#include "mutate/mutate_internal.h"

static bool uses_uncertain_result(const struct fallout *f, const struct task *t, const struct json *args)
{
    const struct json *v = args;
    while (v) {
        if (task_is_wrapper(v, "$from")) {
            for (size_t i = 0; i < t->step_count; i++)
                if (bytes_equal_string(v->first->text, t->steps[i].id) && f->steps[i] != KNOWN_SAME)
                    return true;
        }
        v = json_next(args, v, !task_is_wrapper(v, "$literal"));
    }
    return false;
}

/* Putting a file makes its content certain again, but not whether it can be put there: what was in doubt may
 * be a directory now, or below one that is gone. */
static enum knowledge put_file(struct fallout *f, struct bytes path)
{
    enum knowledge knowledge = fallout_of_path(f, path) == KNOWN_NOTHING ? KNOWN_NOTHING : KNOWN_SAME;
    fallout_know(f, path, knowledge);
    return knowledge;
}

static enum knowledge get_file(const struct json *args, enum knowledge knowledge)
{
    static const char *const parts[] = {"offset", "length", "head", "tail"};
    for (size_t i = 0; i < 4 && knowledge == KNOWN_CONTENT; i++)
        if (json_get(args, parts[i]))
            return KNOWN_NOTHING;
    return knowledge;
}

/* Whether it succeeds is not looked into, so where one end is not as it was, the other end may be either. */
static enum knowledge copy_file(struct fallout *f, size_t index, struct bytes path, struct bytes to,
                                bool moves)
{
    enum knowledge from = fallout_holds_changed(f, path) ? KNOWN_NOTHING : fallout_of_path(f, path),
                   into = fallout_of_path(f, to);
    if (from == KNOWN_SAME && into == KNOWN_SAME)
        return KNOWN_SAME;
    fallout_doubt(f, index, to);
    if (moves)
        fallout_know(f, path, KNOWN_NOTHING);
    return from == KNOWN_NOTHING || into == KNOWN_NOTHING ? KNOWN_NOTHING : KNOWN_SAME;
}

static enum knowledge change_file(struct fallout *f, struct bytes path)
{
    if (fallout_of_path(f, path) == KNOWN_SAME)
        return KNOWN_SAME;
    fallout_know(f, path, KNOWN_NOTHING);
    return KNOWN_NOTHING;
}

static enum knowledge list_files(const struct fallout *f, const struct json *args, struct bytes path)
{
    enum knowledge knowledge = fallout_of_path(f, path);
    if (json_get(args, "content") && (fallout_holds_changed(f, path) || knowledge == KNOWN_CONTENT))
        return KNOWN_NOTHING; /* it looks into files */
    return knowledge == KNOWN_CONTENT ? KNOWN_SAME : knowledge;
}

/* The changed file is gone then; what lies in a directory may be gone or not. */
static enum knowledge remove_file(struct fallout *f, struct bytes path)
{
    if (fallout_holds_changed(f, path) || fallout_of_path(f, path) == KNOWN_NOTHING) {
        fallout_know(f, path, KNOWN_NOTHING);
        return KNOWN_NOTHING;
    }
    if (fallout_is_listed(f, path))
        fallout_know(f, path, KNOWN_SAME);
    return KNOWN_SAME;
}

static void doubt_paths(struct fallout *f, size_t index, const struct json *args)
{
    struct bytes path, to;
    if (!fallout_paths(f, args, &path, &to))
        fallout_forget_all(f);
    if (json_get(args, "path"))
        fallout_doubt(f, index, path);
    if (json_get(args, "to"))
        fallout_doubt(f, index, to);
}

static enum knowledge follow_paths(struct fallout *f, size_t index, enum deed deed)
{
    const struct json *args = f->task->steps[index].args;
    struct bytes path, to;
    enum knowledge knowledge;
    fallout_paths(f, args, &path, &to);
    switch (deed) {
    case PUTS:
        return put_file(f, path);
    case CHANGES:
        return change_file(f, path);
    case GETS:
        return get_file(args, fallout_of_path(f, path));
    case GETS_SIZE:
        knowledge = fallout_of_path(f, path);
        return knowledge == KNOWN_CONTENT ? KNOWN_SIZE : knowledge;
    case LISTS:
        return list_files(f, args, path);
    case REMOVES:
        return remove_file(f, path);
    case COPIES:
    case MOVES:
        return copy_file(f, index, path, to, deed == MOVES);
    case MAKES:
    case TOUCHES:
        return fallout_of_path(f, path) == KNOWN_NOTHING ? change_file(f, path) : KNOWN_SAME;
    default:
        fallout_doubt(f, index, path);
        return KNOWN_NOTHING;
    }
}

static enum knowledge follow_step(struct fallout *f, size_t index)
{
    const struct task_step *step = &f->task->steps[index];
    enum deed deed = fallout_deed(step->op);
    struct bytes path, to;
    if (deed == DOES_NOTHING)
        return KNOWN_SAME;
    if (deed == ASKS_ANYTHING)
        return KNOWN_NOTHING;
    if (deed == DOES_ANYTHING || !fallout_paths(f, step->args, &path, &to)) {
        fallout_forget_all(f);
        return KNOWN_NOTHING;
    }
    if (uses_uncertain_result(f, f->task, step->args)) {
        doubt_paths(f, index, step->args);
        return KNOWN_NOTHING;
    }
    return follow_paths(f, index, deed);
}

/* Links give one file two names; the others may let a put fail without anybody's fault. */
static bool has_any(const struct task *t, const char *const *ops)
{
    for (size_t i = 0; i < t->step_count; i++)
        for (size_t n = 0; ops[n]; n++)
            if (strcmp(t->steps[i].op->name, ops[n]) == 0)
                return true;
    return false;
}

static const char *const linking[] = {"link", "stage-symlink", NULL};
static const char *const hindering[] = {"chmod", "stage-small-disk", "stage-fifo", "stage-socket", "stage-device", NULL};

static bool is_to_fail(const struct task *t, size_t step)
{
    for (const struct json *e = t->expect->first; e; e = e->next)
        if (bytes_equal_string(json_as_text(json_get(e, "step")), t->steps[step].id) &&
            bytes_equal_string(json_as_text(json_get(e, "outcome")), "error"))
            return true;
    return false;
}

static bool runs_in_background(const struct task *t, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (strcmp(t->steps[i].op->name, "start") == 0)
            return true;
    return false;
}

static size_t group_start(const struct task *t, size_t index)
{
    const char *group = t->steps[index].group;
    while (group && index && t->steps[index - 1].group && strcmp(t->steps[index - 1].group, group) == 0)
        index--;
    return index;
}

/* Steps that run at the same time: each path that two of them name is uncertain. */
static void follow_group(struct fallout *f, const struct task *t, size_t start, size_t end, size_t changed)
{
    for (size_t i = start; i < end; i++) {
        struct bytes path, to;
        enum deed deed = fallout_deed(t->steps[i].op);
        if (i == changed || deed == DOES_NOTHING)
            continue;
        bool literal = fallout_paths(f, t->steps[i].args, &path, &to);
        if (deed == DOES_ANYTHING || !literal) {
            fallout_forget_all(f);
            f->steps[i] = KNOWN_NOTHING;
            continue;
        }
        bool touched = fallout_of_path(f, path) != KNOWN_SAME || fallout_holds_changed(f, path) ||
                       (json_get(t->steps[i].args, "to") && fallout_of_path(f, to) != KNOWN_SAME);
        if (!touched && deed != ASKS_ANYTHING)
            continue;
        f->steps[i] = KNOWN_NOTHING;
        if (touched && !mutation_only_reads(t->steps[i].op))
            doubt_paths(f, i, t->steps[i].args);
    }
}

/* The changed step itself. */
static void start(struct fallout *f, const struct task *t, size_t step, const struct json *old_args,
                  bool content)
{
    struct bytes path, to;
    bool literal = fallout_paths(f, t->steps[step].args, &path, &to),
         background = runs_in_background(t, step);
    enum deed deed = fallout_deed(t->steps[step].op);
    f->steps[step] = KNOWN_NOTHING;
    if (!literal || deed == DOES_ANYTHING || background || has_any(t, linking))
        fallout_forget_all(f);
    if (content && literal) {
        bool sure = !background && !has_any(t, hindering) && !is_to_fail(t, step);
        fallout_know(f, path, sure ? KNOWN_CONTENT : KNOWN_NOTHING);
    } else if (deed != DOES_NOTHING && deed != ASKS_ANYTHING) {
        doubt_paths(f, step, t->steps[step].args);
        doubt_paths(f, step, old_args);
    }
}

void fallout_follow(struct fallout *f, const struct task *t, size_t step, const struct json *old_args,
                    bool content)
{
    *f = (struct fallout){.task = t};
    arena_init(&f->arena);
    f->steps = xcalloc(t->step_count + 1, sizeof *f->steps);
    fallout_confine(f, step, old_args);
    start(f, t, step, old_args, content);
    size_t first = group_start(t, step), end = mutation_group_end(t, step);
    follow_group(f, t, first, end, step);
    follow_group(f, t, first, end, step); /* what the first look found uncertain may make others so */
    size_t last = f->confined ? f->own_end : t->step_count; /* others go as they would without the change */
    for (size_t i = end; i < last; i++)
        f->steps[i] = follow_step(f, i);
}

void fallout_release(struct fallout *f)
{
    free(f->steps);
    free(f->paths);
    arena_release(&f->arena);
}
