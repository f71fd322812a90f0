/* What is known of paths while a plan is followed: a list of those that are not as they were, and whether the
 * rest is. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mutate/fallout.h"
#include "mutate/mutate_internal.h"

static const struct {
    const char *op;
    enum deed deed;
} deeds[] = {
    {"write", PUTS},
    {"upload", PUTS},
    {"stage-file", PUTS},
    {"append", CHANGES},
    {"edit", CHANGES},
    {"read", GETS},
    {"download", GETS},
    {"stat", GETS_SIZE},
    {"list", LISTS},
    {"search", LISTS},
    {"mkdir", MAKES},
    {"stage-dir", MAKES},
    {"chmod", TOUCHES},
    {"stage-fifo", TOUCHES},
    {"stage-socket", TOUCHES},
    {"stage-device", TOUCHES},
    {"stage-sparse", PUTS_OTHER},
    {"stage-deep", MAKES},
    {"stage-many", MAKES},
    {"stage-names", MAKES},
    {"remove", REMOVES},
    {"copy", COPIES},
    {"move", MOVES},
    {"save", PUTS_OTHER},
    {"open", DOES_NOTHING},
    {"close", DOES_NOTHING},
    {"reopen", DOES_NOTHING},
    {"idle", DOES_NOTHING},
    {"renew", DOES_NOTHING},
    {"pause", DOES_NOTHING},
    {"resume", DOES_NOTHING},
    {"snapshot", DOES_NOTHING},
    {"fork", DOES_NOTHING},
    {"serve", DOES_NOTHING},
    {"fetch", ASKS_ANYTHING},
    {"connect", ASKS_ANYTHING},
    {"resolve", ASKS_ANYTHING},
    {"poll", ASKS_ANYTHING},
    {"wait", ASKS_ANYTHING},
    {"stage-sibling-dir", DOES_NOTHING},
};

enum deed fallout_deed(const struct op *op)
{
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (strcmp(op->name, deeds[i].op) == 0)
            return deeds[i].deed;
    return strcmp(op->group, "browser") == 0 ? ASKS_ANYTHING : DOES_ANYTHING;
}

bool mutation_puts_file(const struct op *op)
{
    return fallout_deed(op) == PUTS;
}

bool mutation_is_program(const struct op *op)
{
    return fallout_deed(op) == DOES_ANYTHING;
}

bool mutation_only_reads(const struct op *op)
{
    enum deed deed = fallout_deed(op);
    return deed == GETS || deed == GETS_SIZE || deed == LISTS;
}

static struct fallout_path *find_path(const struct fallout *f, struct bytes path)
{
    for (size_t i = 0; i < f->path_count; i++)
        if (bytes_equal(f->paths[i].path, path))
            return &f->paths[i];
    return NULL;
}

bool fallout_is_listed(const struct fallout *f, struct bytes path)
{
    return find_path(f, path) != NULL;
}

void fallout_know(struct fallout *f, struct bytes path, enum knowledge knowledge)
{
    struct fallout_path *known = find_path(f, path);
    if (known) {
        known->knowledge = knowledge;
        return;
    }
    if (f->path_count == f->path_capacity) {
        f->path_capacity = f->path_capacity ? f->path_capacity * 2 : 16;
        f->paths = xrealloc(f->paths, f->path_capacity * sizeof *f->paths);
    }
    f->paths[f->path_count++] = (struct fallout_path){path, knowledge};
}

enum knowledge fallout_of_path(const struct fallout *f, struct bytes path)
{
    for (size_t i = 0; i < f->path_count; i++) { /* above or below something uncertain */
        struct bytes other = f->paths[i].path;
        if (f->paths[i].knowledge == KNOWN_NOTHING &&
            (mutation_path_within(path, other) || mutation_path_within(other, path)))
            return KNOWN_NOTHING;
    }
    const struct fallout_path *exact = find_path(f, path);
    if (exact)
        return exact->knowledge;
    return f->all && !fallout_is_foreign(f, path) ? KNOWN_NOTHING : KNOWN_SAME;
}

bool fallout_holds_changed(const struct fallout *f, struct bytes path)
{
    for (size_t i = 0; i < f->path_count; i++)
        if (f->paths[i].knowledge != KNOWN_SAME && !bytes_equal(f->paths[i].path, path) &&
            mutation_path_within(f->paths[i].path, path))
            return true;
    return false;
}

void fallout_forget_all(struct fallout *f)
{
    f->path_count = 0;
    f->all = true;
}

static bool is_literal(const struct json *value)
{
    return json_is(value, JSON_STRING) || task_is_wrapper(value, "$path");
}

bool fallout_paths(struct fallout *f, const struct json *args, struct bytes *path, struct bytes *to)
{
    const struct json *first = json_get(args, "path"), *second = json_get(args, "to");
    *path = mutation_path_normal(&f->arena, mutation_path(first));
    *to = mutation_path_normal(&f->arena, mutation_path(second));
    return (!first || is_literal(first)) && (!second || is_literal(second));
}

/* Whether step `index` surely leaves the directory there: it made it, or put something into it; `makes`: only
 * the former counts. */
static bool establishes(struct fallout *f, size_t index, struct bytes directory, bool makes)
{
    const struct task_step *step = &f->task->steps[index];
    enum deed deed = fallout_deed(step->op);
    struct bytes path, to;
    if (f->steps[index] != KNOWN_SAME || !fallout_paths(f, step->args, &path, &to) ||
        !mutation_path_within(path, directory))
        return false;
    return deed == MAKES || (!makes && (deed == PUTS || deed == CHANGES) && path.len > directory.len);
}

/* Whether the directory is there without step `index`: a step before it, which does not run at the same time,
 * made it by the same means, and nothing since could have taken it away. */
static bool is_established(struct fallout *f, size_t index, struct bytes directory)
{
    const struct task_step *steps = f->task->steps;
    bool makes = fallout_deed(steps[index].op) == MAKES;
    for (size_t i = index; i; i--) {
        enum deed deed = fallout_deed(steps[i - 1].op);
        bool together = steps[i - 1].group && steps[index].group;
        if (deed == REMOVES || deed == MOVES || deed == DOES_ANYTHING)
            return false;
        if (!together && establishes(f, i - 1, directory, makes))
            return true;
    }
    return false;
}

void fallout_doubt(struct fallout *f, size_t index, struct bytes path)
{
    fallout_know(f, path, KNOWN_NOTHING);
    for (size_t i = 1; i < path.len; i++)
        if (path.data[i] == '/' && !is_established(f, index, bytes_slice(path, 0, i))) {
            fallout_know(f, bytes_slice(path, 0, i), KNOWN_NOTHING);
            return;
        }
}
