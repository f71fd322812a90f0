/* What depends on a step of a record, as far as the record tells: who uses its result, the files it puts
 * there, the session, snapshot, page or server that it opens.
 *
 * In doubt a step depends: then it goes too, and the candidate is only smaller than it had to be. What one
 * program makes and only another one uses, no record tells. */
#include <stdlib.h>
#include <string.h>

#include "gen/task_internal.h"
#include "mutate/fallout.h"
#include "mutate/mutate_internal.h"
#include "mutate/shrink/record.h"

struct closing {
    struct arena arena;
    const struct task *task;
    const bool *gone;
};

/* --- results --- */

static bool uses_result(const struct json *args, const char *id)
{
    for (const struct json *v = args; v; v = task_walk_values(args, (struct json *)v))
        if (task_is_wrapper(v, "$from") && bytes_equal_string(json_as_text(v->first), id))
            return true;
    return false;
}

/* --- files --- */

/* The path that a step makes: a file that was not there before, or a directory. */
static bool makes(struct closing *c, const struct task_step *s, struct bytes *path)
{
    enum deed deed = fallout_deed(s->op);
    bool moves = deed == COPIES || deed == MOVES;
    bool puts = deed == PUTS || deed == PUTS_OTHER || deed == MAKES || strcmp(s->op->group, "stage") == 0 ||
                strcmp(s->op->name, "link") == 0;
    if (!moves && !puts)
        return false;
    *path = mutation_path_normal(&c->arena, mutation_path(json_get(s->args, moves ? "to" : "path")));
    return path->len > 0;
}

/* An append makes the file when nothing before it did. */
static bool makes_by_adding(struct closing *c, size_t index, struct bytes *path)
{
    const struct task_step *s = &c->task->steps[index];
    struct bytes other;
    if (strcmp(s->op->name, "append") != 0)
        return false;
    *path = mutation_path_normal(&c->arena, mutation_path(json_get(s->args, "path")));
    for (size_t i = 0; i < index; i++)
        if (makes(c, &c->task->steps[i], &other) && bytes_equal(*path, other))
            return false;
    return path->len > 0;
}

static bool is_of_names(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c >= 0x80;
}

/* The name as a word of the text: not in the middle of another one. With `endings`, "a" is found in "a.tar"
 * too. */
static bool mentions(struct bytes text, struct bytes name, bool endings)
{
    for (ptrdiff_t at = bytes_find(text, name, 0); at >= 0; at = bytes_find(text, name, (size_t)at + 1)) {
        size_t end = (size_t)at + name.len;
        bool before = at > 0 && is_of_names(text.data[at - 1]) && is_of_names(name.data[0]);
        bool behind = end < text.len && is_of_names(text.data[end]) && !(endings && text.data[end] == '.');
        if (!before && !behind)
            return true;
    }
    return false;
}

static bool any_text_mentions(const struct json *args, struct bytes name, bool endings)
{
    for (const struct json *v = args; v; v = task_walk_values(args, (struct json *)v))
        if (json_is(v, JSON_STRING) && mentions(v->text, name, endings))
            return true;
    return false;
}

static bool is_symbolic(const struct task_step *s)
{
    return strcmp(s->op->name, "stage-symlink") == 0 ||
           (strcmp(s->op->name, "link") == 0 &&
            !bytes_equal_string(json_as_text(json_get(s->args, "kind")), "hard"));
}

/* Where a symbolic link points, seen from the root. */
static struct bytes target_of(struct closing *c, const struct task_step *link)
{
    struct bytes path = mutation_path_normal(&c->arena, mutation_path(json_get(link->args, "path")));
    struct bytes to = mutation_path(json_get(link->args, "to"));
    size_t at = path.len;
    while (at && path.data[at - 1] != '/')
        at--;
    const char *whole = arena_printf(&c->arena, "%.*s%.*s", BYTES_ARG(bytes_slice(path, 0, at)),
                                     BYTES_ARG(to));
    return mutation_path_normal(&c->arena, bytes_of_string(whole));
}

/* The path with one link that lies on it followed, as links stand before step `index`; no bytes when none
 * does. */
static struct bytes followed(struct closing *c, size_t index, struct bytes path)
{
    for (size_t i = index; i-- > 0;) {
        const struct task_step *s = &c->task->steps[i];
        struct bytes link = mutation_path_normal(&c->arena, mutation_path(json_get(s->args, "path")));
        if (!is_symbolic(s) || !link.len || !mutation_path_within(path, link))
            continue;
        const char *whole = arena_printf(&c->arena, "%.*s%.*s", BYTES_ARG(target_of(c, s)),
                                         BYTES_ARG(bytes_slice(path, link.len, path.len)));
        return mutation_path_normal(&c->arena, bytes_of_string(whole));
    }
    return BYTES_NONE;
}

enum { LINKS_MOST = 8, PATHS_MOST = 3 * (1 + LINKS_MOST) };

/* The paths that a step names, and what they are through links. What it makes itself it does not need. */
static size_t paths_of(struct closing *c, size_t index, struct bytes paths[PATHS_MOST])
{
    static const char *const names[] = {"path", "to", "cwd"};
    const struct task_step *s = &c->task->steps[index];
    struct bytes made = BYTES_NONE;
    size_t count = 0;
    makes(c, s, &made);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bytes path = mutation_path_normal(&c->arena, mutation_path(json_get(s->args, names[i])));
        if (i == 1 && is_symbolic(s))
            path = target_of(c, s);
        else if (bytes_equal(path, made))
            continue;
        for (int links = 0; path.len && links <= LINKS_MOST; links++) {
            paths[count++] = path;
            path = followed(c, index, path);
        }
    }
    return count;
}

/* The path or something below it. */
static bool names_path(struct closing *c, size_t index, struct bytes path)
{
    struct bytes paths[PATHS_MOST];
    size_t count = paths_of(c, index, paths);
    for (size_t i = 0; i < count; i++)
        if (mutation_path_within(paths[i], path))
            return true;
    return false;
}

/* What the step makes stands in a directory that somebody else may have made. */
static bool makes_within(struct closing *c, size_t index, struct bytes path)
{
    struct bytes made;
    return makes(c, &c->task->steps[index], &made) && made.len > path.len && mutation_path_within(made, path);
}

/* Whether a step before `index` that stays makes the path or something below it; `exactly`: only the path.
 * From step `from` on. */
static bool is_made_without(struct closing *c, size_t from, size_t index, struct bytes path, bool exactly)
{
    struct bytes other;
    bool made = false;
    for (size_t i = from; i < index; i++) {
        const struct task_step *s = &c->task->steps[i];
        if (strcmp(s->op->name, "restore") == 0)
            made = false; /* it may have gone again with that */
        else if (!c->gone[i] && makes(c, s, &other))
            made = made || (exactly ? bytes_equal(path, other) : mutation_path_within(other, path));
    }
    return made;
}

/* A directory is there because something was put into it. */
static bool names_directory_of(struct closing *c, size_t index, struct bytes path)
{
    struct bytes paths[PATHS_MOST];
    size_t count = paths_of(c, index, paths);
    for (size_t i = 0; i < count; i++)
        if (paths[i].len < path.len && mutation_path_within(path, paths[i]) &&
            !is_made_without(c, 0, index, paths[i], false))
            return true;
    return false;
}

static bool is_told_in_words(const struct op *op)
{
    enum deed deed = fallout_deed(op);
    return deed == DOES_ANYTHING || deed == ASKS_ANYTHING;
}

static bool uses_path(struct closing *c, size_t index, struct bytes path)
{
    const struct task_step *s = &c->task->steps[index];
    return names_path(c, index, path) || makes_within(c, index, path) ||
           (is_told_in_words(s->op) && any_text_mentions(s->args, path, false));
}

/* Whether a step puts exactly this there, or something that it comes with. */
static bool is_put_by_step(struct closing *c, size_t index, struct bytes path)
{
    struct bytes made;
    for (size_t i = 0; i < index; i++) {
        const struct task_step *s = &c->task->steps[i];
        enum deed deed = fallout_deed(s->op);
        bool whole = deed == COPIES || deed == MOVES || is_symbolic(s);
        if (makes(c, s, &made) && (whole ? mutation_path_within(path, made) : bytes_equal(path, made)))
            return true;
    }
    return false;
}

/* As it is or without its endings, of which programs make others: table.csv of table.csv.gz, box-in of box.
 */
static bool speaks_of_part(const struct json *args, struct bytes name)
{
    while (name.len && !any_text_mentions(args, name, true)) {
        while (name.len && !memchr(".-_", name.data[name.len - 1], 3))
            name.len--;
        name.len -= name.len > 0;
    }
    return name.len > 0;
}

/* Whether a program speaks of the path's last part, or of a directory that it lies in. */
static bool speaks_of(const struct json *args, struct bytes path)
{
    for (size_t end = path.len, at; end; end = at ? at - 1 : 0) {
        at = end;
        while (at && path.data[at - 1] != '/')
            at--;
        if (speaks_of_part(args, bytes_slice(path, at, end)))
            return true;
    }
    return false;
}

/* What a step names and no step puts there may be what a program made that speaks of it. Of another program
 * that is its working directory. */
static bool may_be_made_by_program(struct closing *c, size_t program, size_t index)
{
    struct bytes paths[PATHS_MOST];
    const struct task_step *s = &c->task->steps[program];
    if (!mutation_is_program(s->op) || is_symbolic(s))
        return false;
    size_t count = paths_of(c, index, paths);
    for (size_t i = 0; i < count; i++)
        if (speaks_of(s->args, paths[i]) && !is_put_by_step(c, index, paths[i]))
            return true;
    return false;
}

/* The latest one who makes a file counts. */
static bool needs_file_of(struct closing *c, size_t maker, size_t index)
{
    struct bytes path;
    const struct task_step *steps = c->task->steps;
    if (makes(c, &steps[maker], &path) || makes_by_adding(c, maker, &path)) {
        if (uses_path(c, index, path) && !is_made_without(c, maker + 1, index, path, true))
            return true;
        if (names_directory_of(c, index, path))
            return true;
    }
    return may_be_made_by_program(c, maker, index);
}

/* --- states --- */

/* Ops that only make sense after another one. */
static const struct {
    const char *op, *after;
    const char *same; /* argument in which both agree; NULL: none */
} orders[] = {
    {"restore", "snapshot", "name"},  {"resume", "pause", NULL},        {"fetch", "serve", NULL},
    {"fetch", "start", NULL},         {"connect", "serve", NULL},       {"connect", "start", NULL},
    {"navigate", "serve", NULL},      {"navigate", "start", NULL},      {"click", "navigate", NULL},
    {"click", "tab-open", NULL},      {"fill", "navigate", NULL},       {"fill", "tab-open", NULL},
    {"submit", "navigate", NULL},     {"submit", "tab-open", NULL},     {"submit", "fill", NULL},
    {"attach", "navigate", NULL},     {"attach", "tab-open", NULL},     {"scrape", "navigate", NULL},
    {"scrape", "tab-open", NULL},     {"evaluate", "navigate", NULL},   {"evaluate", "tab-open", NULL},
    {"screenshot", "navigate", NULL}, {"screenshot", "tab-open", NULL}, {"save", "navigate", NULL},
    {"save", "tab-open", NULL},       {"dialog", "click", NULL},        {"navigate", "tab-open", NULL},
};

static bool is_in_order(const struct task_step *first, const struct task_step *second)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strcmp(second->op->name, orders[i].op) == 0 && strcmp(first->op->name, orders[i].after) == 0)
            return !orders[i].same ||
                   json_equal(json_get(first->args, orders[i].same), json_get(second->args, orders[i].same));
    return false;
}

/* A session other than the main one, opened by a step of its own. */
static bool is_in_session_of(const struct task_step *opening, const struct task_step *s)
{
    return strcmp(opening->op->name, "open") == 0 && strcmp(opening->session, s->session) == 0;
}

/* What a snapshot brought back, no step put there. */
static bool may_be_restored(struct closing *c, const struct task_step *restoring, size_t index)
{
    struct bytes paths[PATHS_MOST];
    return strcmp(restoring->op->name, "restore") == 0 && paths_of(c, index, paths) > 0;
}

static bool depends(struct closing *c, size_t index, size_t on)
{
    const struct task_step *s = &c->task->steps[index], *other = &c->task->steps[on];
    return uses_result(s->args, other->id) || is_in_session_of(other, s) || is_in_order(other, s) ||
           may_be_restored(c, other, index) || needs_file_of(c, on, index);
}

void record_close(const struct task *t, bool *gone)
{
    struct closing c = {.task = t, .gone = gone};
    arena_init(&c.arena);
    for (size_t i = 1; i < t->step_count; i++) {
        for (size_t on = 0; on < i && !gone[i]; on++)
            gone[i] = gone[on] && depends(&c, i, on);
        arena_clear(&c.arena);
    }
    arena_release(&c.arena);
}
