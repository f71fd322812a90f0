/* Proves from the task record alone that no step uses a path that no earlier step made, or that is gone; and
 * the same of expectations about files. It knows ops and paths, and nothing of templates, handles or
 * derivations.
 *
 *   - A path is there when a step made it, or made something below it. write, upload, stage-… , save, mkdir
 *     make; remove takes away, with what lies below; move does both; snapshot and restore keep and bring back.
 *   - A script may make and change anything. So a path that is not there may be used when a program that was
 *     run or started earlier, and after the path was removed, had its name to work with: its last part, or
 *     that up to a ".", "-" or "_" in it (programs add endings), or a directory that it lies in, stands in its
 *     script, arguments, input or environment, as it is or as the encoders quote it, or in the recipe of a
 *     content that was there for it to read (an archive's members).
 *   - A step that the task expects to fail may use what it likes, and makes nothing.
 *   - Steps of one group run at the same time: none uses what another of them makes.
 *   - A symbolic link may point nowhere; using it needs what it points to.
 *   - Absolute paths and those that leave the root are not the task's to make.
 */
#ifndef TESTS_UNIT_TASK_SOUNDNESS_H
#define TESTS_UNIT_TASK_SOUNDNESS_H

#include <stdio.h>

#include "gen/task.h"
#include "grammar/functions.h"

enum soundness_use { SOUND_NONE, SOUND_USE, SOUND_MAKE, SOUND_ENSURE, SOUND_REMOVE, SOUND_MOVE, SOUND_LINK };

struct soundness_entry {
    char *path, *target; /* target: of a symbolic link, seen from the root; NULL: none */
    const char *group;
    size_t gone_at; /* length of what programs had seen when it went; SIZE_MAX: it is there */
};

struct soundness {
    const struct task *task;
    struct soundness_entry *entries;
    size_t count, capacity;
    struct buf seen;        /* by programs so far */
    struct buf given;       /* recipes of contents that the next program may read */
    struct soundness *kept; /* by the last snapshot */
    char *fault;            /* the first one; asprintf */
};

static const struct {
    const char *op;
    enum soundness_use path;
} soundness_ops[] = {
    {"write", SOUND_MAKE},
    {"append", SOUND_ENSURE},
    {"read", SOUND_USE},
    {"list", SOUND_USE},
    {"stat", SOUND_USE},
    {"mkdir", SOUND_MAKE},
    {"move", SOUND_MOVE},
    {"copy", SOUND_USE},
    {"remove", SOUND_REMOVE},
    {"link", SOUND_LINK},
    {"chmod", SOUND_USE},
    {"edit", SOUND_USE},
    {"search", SOUND_USE},
    {"upload", SOUND_MAKE},
    {"download", SOUND_USE},
    {"serve", SOUND_USE},
    {"attach", SOUND_USE},
    {"save", SOUND_MAKE},
    {"stage-file", SOUND_MAKE},
    {"stage-dir", SOUND_MAKE},
    {"stage-symlink", SOUND_MAKE},
    {"stage-fifo", SOUND_MAKE},
    {"stage-small-disk", SOUND_MAKE},
    {"stage-socket", SOUND_MAKE},
    {"stage-device", SOUND_MAKE},
    {"stage-deep", SOUND_MAKE},
    {"stage-many", SOUND_MAKE},
    {"stage-names", SOUND_MAKE},
    {"stage-sparse", SOUND_MAKE},
};

/* --- paths --- */

/* Without "." and doubled slashes, ".." resolved; NULL: not below the root. The root itself is "". To be
 * freed. */
static inline char *soundness_clean(struct bytes path)
{
    char *out = calloc(path.len + 2, 1);
    size_t len = 0;
    if (path.len && path.data[0] == '/') {
        free(out);
        return NULL;
    }
    for (size_t at = 0; at <= path.len;) {
        ptrdiff_t slash = bytes_find(path, BYTES_LITERAL("/"), at);
        struct bytes part = bytes_slice(path, at, slash < 0 ? path.len : (size_t)slash);
        at += part.len + 1;
        if (part.len == 0 || bytes_equal_string(part, "."))
            continue;
        if (bytes_equal_string(part, "..")) {
            if (len == 0) {
                free(out);
                return NULL;
            }
            while (len && out[len - 1] != '/')
                len--;
            len -= len > 0;
            out[len] = '\0';
            continue;
        }
        if (len)
            out[len++] = '/';
        memcpy(out + len, part.data, part.len);
        len += part.len;
        out[len] = '\0';
    }
    return out;
}

static inline char *soundness_path(const struct json *args, const char *name)
{
    const struct json *path = json_get(args, name);
    if (json_is(path, JSON_OBJECT))
        path = json_get(path, "$path");
    return json_is(path, JSON_STRING) ? soundness_clean(path->text) : NULL;
}

static inline bool soundness_below(const char *path, const char *directory)
{
    size_t len = strlen(directory);
    return len == 0 || (strncmp(path, directory, len) == 0 && path[len] == '/');
}

static inline struct soundness_entry *soundness_find(struct soundness *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->entries[i].path, path) == 0)
            return &s->entries[i];
    return NULL;
}

static inline void soundness_fault(struct soundness *s, const struct task_step *step, const char *what,
                                   const char *path)
{
    if (!s->fault && asprintf(&s->fault, "%s, step %s (%s): %s %s", s->task->workflow, step ? step->id : "-",
                              step ? step->op->name : "expect", path, what) < 0)
        abort();
}

static inline void soundness_put(struct soundness *s, const struct task_step *step, const char *path,
                                 const char *target)
{
    struct soundness_entry *e = soundness_find(s, path);
    if (!e) {
        if (s->count == s->capacity) {
            s->capacity = s->capacity ? 2 * s->capacity : 16;
            s->entries = realloc(s->entries, s->capacity * sizeof *s->entries);
        }
        e = &s->entries[s->count++];
        *e = (struct soundness_entry){.path = strdup(path)};
    }
    free(e->target);
    e->target = target ? strdup(target) : NULL;
    e->group = step ? step->group : NULL;
    e->gone_at = SIZE_MAX;
}

/* With the directories that it lies in, which stay when it goes. */
static inline void soundness_make(struct soundness *s, const struct task_step *step, const char *path,
                                  const char *target)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *directory = strndup(path, (size_t)(slash - path));
        struct soundness_entry *e = soundness_find(s, directory);
        if (!e || e->gone_at != SIZE_MAX)
            soundness_put(s, step, directory, NULL);
        free(directory);
    }
    soundness_put(s, step, path, target);
}

/* --- what programs had to work with --- */

/* What a value says, and the recipes that it names, in a line each. */
static inline void soundness_collect(const struct task *t, const struct json *value, struct buf *out)
{
    const struct json *content = json_get(value, "$content");
    if (json_is(value, JSON_STRING)) {
        buf_add(out, value->text);
        buf_add_byte(out, '\n');
    }
    if (content && json_get_bytes(t->contents, content->text))
        soundness_collect(t, json_get_bytes(t->contents, content->text), out);
    for (const struct json *v = value ? value->first : NULL; v; v = v->next)
        soundness_collect(t, v, out);
}

static inline void soundness_see(struct soundness *s, const struct json *value)
{
    buf_add(&s->seen, buf_bytes(&s->given));
    buf_clear(&s->given);
    soundness_collect(s->task, value, &s->seen);
}

static inline bool soundness_seen(const struct soundness *s, struct bytes name, size_t from)
{
    static const char *const encoders[] = {"esc.sh",  "esc.py", "esc.json", "esc.url",
                                           "esc.xml", "hex",    "b64"};
    struct bytes seen = buf_bytes(&s->seen);
    if (name.len == 0 || bytes_find(seen, name, from) >= 0)
        return true;
    bool found = false;
    for (size_t i = 0; i < sizeof encoders / sizeof encoders[0] && !found; i++) {
        struct buf quoted;
        buf_init(&quoted, 1 << 20);
        function_find(bytes_of_string(encoders[i]))->apply(name, &quoted);
        found = bytes_find(seen, buf_bytes(&quoted), from) >= 0;
        buf_release(&quoted);
    }
    return found;
}

/* The name stands there, or its beginning up to a mark that endings are put behind. */
static inline bool soundness_stem_seen(const struct soundness *s, struct bytes name, size_t from)
{
    enum { SHORTEST_STEM = 3 };
    if (soundness_seen(s, name, from))
        return true;
    for (size_t at = name.len; at-- > SHORTEST_STEM;)
        if (strchr(".-_", name.data[at]) && soundness_seen(s, bytes_slice(name, 0, at), from))
            return true;
    return false;
}

/* A program that was run since may have made it. */
static inline bool soundness_may_be(const struct soundness *s, const char *path, size_t from)
{
    struct bytes whole = bytes_of_string(path);
    size_t slash = whole.len;
    while (slash && path[slash - 1] != '/')
        slash--;
    if (soundness_stem_seen(s, bytes_slice(whole, slash, whole.len), from))
        return true;
    for (size_t at = 1; at < whole.len; at++)
        if (path[at] == '/' && soundness_stem_seen(s, bytes_slice(whole, 0, at), from))
            return true;
    return false;
}

/* --- steps --- */

static inline void soundness_use(struct soundness *s, const struct task_step *step, const char *path,
                                 int links)
{
    size_t from = 0;
    if (!path || !*path)
        return; /* the root, or not the task's */
    struct soundness_entry *e = soundness_find(s, path);
    bool racing = step && step->group && e && e->group && strcmp(step->group, e->group) == 0;
    if (e && e->gone_at == SIZE_MAX && racing)
        soundness_fault(s, step, "is made at the same time", path);
    if (e && e->gone_at == SIZE_MAX) {
        if (e->target && links > 8)
            soundness_fault(s, step, "is a link to itself", path);
        else if (e->target)
            soundness_use(s, step, e->target, links + 1);
        return;
    }
    /* Through a link to a directory. */
    for (size_t i = 0; i < s->count && links <= 8; i++) {
        const struct soundness_entry *link = &s->entries[i];
        if (link->gone_at != SIZE_MAX || !link->target || !soundness_below(path, link->path))
            continue;
        char *through = NULL;
        if (asprintf(&through, "%s%s%s", link->target, *link->target ? "/" : "",
                     path + strlen(link->path) + (*link->path != '\0')) < 0)
            abort();
        soundness_use(s, step, through, links + 1);
        free(through);
        return;
    }
    if (e)
        from = e->gone_at;
    if (!soundness_may_be(s, path, from))
        soundness_fault(s, step, e ? "is gone" : "was made by nobody", path);
}

static inline void soundness_remove(struct soundness *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->entries[i].path, path) == 0 || soundness_below(s->entries[i].path, path))
            s->entries[i].gone_at = s->seen.len;
    if (!soundness_find(s, path)) { /* a program made it */
        soundness_make(s, NULL, path, NULL);
        soundness_find(s, path)->gone_at = s->seen.len;
    }
}

static inline void soundness_move(struct soundness *s, const struct task_step *step, const char *from,
                                  const char *to)
{
    size_t count = s->count, len = strlen(from);
    for (size_t i = 0; i < count; i++) {
        if (s->entries[i].gone_at != SIZE_MAX || !soundness_below(s->entries[i].path, from))
            continue;
        char *moved = NULL;
        if (asprintf(&moved, "%s%s", to, s->entries[i].path + len) < 0)
            abort();
        char *target = s->entries[i].target ? strdup(s->entries[i].target) : NULL;
        soundness_make(s, step, moved, target);
        free(target);
        free(moved);
    }
    soundness_remove(s, from);
    soundness_make(s, step, to, NULL);
}

/* What a symbolic link says, seen from the directory it stands in; NULL: outside. */
static inline char *soundness_target(const char *path, struct bytes said)
{
    const char *slash = strrchr(path, '/');
    char *joined = NULL;
    if (said.len && said.data[0] == '/')
        return NULL;
    if (asprintf(&joined, "%.*s%.*s", slash ? (int)(slash - path + 1) : 0, path, BYTES_ARG(said)) < 0)
        abort();
    char *clean = soundness_clean(bytes_of_string(joined));
    free(joined);
    return clean;
}

static inline void soundness_link(struct soundness *s, const struct task_step *step, const char *path)
{
    const struct json *to = json_get(step->args, "to");
    bool hard = bytes_equal_string(json_as_text(json_get(step->args, "kind")), "hard");
    if (json_is(to, JSON_OBJECT))
        to = json_get(to, "$path");
    char *target = !json_is(to, JSON_STRING) ? NULL
                   : hard                    ? soundness_clean(to->text)
                                             : soundness_target(path, to->text);
    if (hard)
        soundness_use(s, step, target, 0);
    soundness_make(s, step, path, hard ? NULL : target);
    free(target);
}

static inline void soundness_apply(struct soundness *s, const struct task_step *step, enum soundness_use use,
                                   char *path)
{
    char *to = soundness_path(step->args, "to");
    if (use == SOUND_USE || use == SOUND_REMOVE || use == SOUND_MOVE) {
        struct soundness_entry *e = path ? soundness_find(s, path) : NULL;
        bool link = e && e->gone_at == SIZE_MAX && e->target;
        if (!link || use == SOUND_USE) /* a link that points nowhere can be removed and moved */
            soundness_use(s, step, path, 0);
    }
    if (path && use == SOUND_REMOVE)
        soundness_remove(s, path);
    else if (path && use == SOUND_MOVE && to)
        soundness_move(s, step, path, to);
    else if (path && use == SOUND_LINK)
        soundness_link(s, step, path);
    else if (path && (use == SOUND_MAKE || use == SOUND_ENSURE))
        soundness_make(s, step, path, NULL);
    if (use == SOUND_USE && to)
        soundness_make(s, step, to, NULL); /* copy */
    free(to);
}

static inline bool soundness_fails(const struct task *t, const struct task_step *step)
{
    for (const struct json *row = t->expect->first; row; row = row->next)
        if (bytes_equal_string(json_as_text(json_get(row, "step")), step->id) &&
            bytes_equal_string(json_as_text(json_get(row, "outcome")), "error"))
            return true;
    return false;
}

static inline void soundness_clear(struct soundness *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->entries[i].path);
        free(s->entries[i].target);
    }
    s->count = 0;
}

static inline void soundness_copy(struct soundness *to, const struct soundness *from)
{
    soundness_clear(to);
    for (size_t i = 0; i < from->count; i++) {
        soundness_make(to, NULL, from->entries[i].path, from->entries[i].target);
        to->entries[i].gone_at = from->entries[i].gone_at;
    }
}

static inline void soundness_step(struct soundness *s, const struct task_step *step)
{
    bool fails = soundness_fails(s->task, step);
    char *cwd = soundness_path(step->args, "cwd"), *path = soundness_path(step->args, "path");
    enum soundness_use use = SOUND_NONE;
    for (size_t i = 0; i < sizeof soundness_ops / sizeof soundness_ops[0]; i++)
        if (strcmp(soundness_ops[i].op, step->op->name) == 0)
            use = soundness_ops[i].path;
    if (use == SOUND_NONE && json_get(step->args, "path"))
        soundness_fault(s, step, "(an op that the checker does not know)", "path");
    if (!fails) {
        soundness_use(s, step, cwd, 0);
        soundness_apply(s, step, use, path);
    }
    if (strcmp(step->op->name, "snapshot") == 0)
        soundness_copy(s->kept, s);
    else if (strcmp(step->op->name, "restore") == 0)
        soundness_copy(s, s->kept);
    /* A program that is expected to fail may have done half of it. */
    if (strcmp(step->op->name, "run") == 0 || strcmp(step->op->name, "start") == 0 ||
        strcmp(step->op->name, "call") == 0 || strcmp(step->op->name, "send") == 0)
        soundness_see(s, step->args);
    else
        soundness_collect(s->task, json_get(step->args, "content"), &s->given);
    free(cwd);
    free(path);
}

static inline void soundness_expectations(struct soundness *s)
{
    for (const struct json *row = s->task->expect->first; row; row = row->next) {
        const struct json *exists = json_get(row, "exists");
        char *file = soundness_path(row, "file");
        if (file && !json_is(exists, JSON_FALSE))
            soundness_use(s, NULL, file, 0);
        free(file);
    }
}

/* NULL: the task is sound. Else what is wrong with it, to be freed. */
static inline char *soundness_check(const struct task *t)
{
    struct soundness kept = {.task = t}, s = {.task = t, .kept = &kept};
    buf_init(&s.seen, 1 << 24);
    buf_init(&s.given, 1 << 24);
    buf_init(&kept.seen, 1);
    buf_init(&kept.given, 1);
    for (size_t i = 0; i < t->step_count; i++)
        soundness_step(&s, &t->steps[i]);
    soundness_expectations(&s);
    soundness_clear(&s);
    soundness_clear(&kept);
    free(s.entries);
    free(kept.entries);
    buf_release(&s.seen);
    buf_release(&s.given);
    return s.fault;
}

#endif
