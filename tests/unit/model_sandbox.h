/* A correct sandbox in miniature, in memory: enough of files and programs to know what a task's steps give,
 * and whether its expectations are true. Mutators are tested against it: whatever they do to a task, what
 * they leave in "expect" must hold here.
 *
 * Programs are lines "model-sort F", "model-copy F G" and "model-list": one changes a file in place, one
 * makes a file of another, one prints names and sizes. Any other line prints nothing and does nothing. */
#ifndef TESTS_UNIT_MODEL_SANDBOX_H
#define TESTS_UNIT_MODEL_SANDBOX_H

#include "base/hash.h"
#include "base/utf8.h"
#include "gen/recipe.h"
#include "task_case.h"

enum { MODEL_FILES = 4096, MODEL_NAME = 255, MODEL_PATH = 4095, MODEL_NAME_STRICT = 100, MODEL_PATH_STRICT = 400 };

struct model_file {
    struct bytes path;
    bool directory;
    struct bytes data;
};

struct model {
    struct arena *arena;
    struct model_file files[MODEL_FILES];
    size_t count;
    bool makes_parents; /* sandboxes differ, and each task is made and run on one of the two kinds */
    bool text_only;     /* read refuses what is not UTF-8 */
    bool strict;        /* refuses long names and paths, and control characters in them */
};

struct model_result {
    bool ok;
    bool has_content;
    struct bytes content; /* read, download: the bytes; run: standard output */
    int64_t size;         /* stat */
};

static inline struct bytes model_path(struct arena *a, const struct json *value)
{
    struct bytes path = task_is_wrapper(value, "$path") ? value->first->text : json_as_text(value);
    while (bytes_starts(path, BYTES_LITERAL("./")))
        path = bytes_slice(path, 2, path.len);
    return arena_copy(a, path);
}

static inline struct model_file *model_find(struct model *m, struct bytes path)
{
    for (size_t i = 0; i < m->count; i++)
        if (bytes_equal(m->files[i].path, path))
            return &m->files[i];
    return NULL;
}

static inline bool model_below(struct bytes path, struct bytes directory)
{
    return path.len > directory.len && bytes_starts(path, directory) && path.data[directory.len] == '/';
}

static inline struct bytes model_parent(struct bytes path)
{
    size_t slash = path.len;
    while (slash && path.data[slash - 1] != '/')
        slash--;
    return bytes_slice(path, 0, slash ? slash - 1 : 0);
}

/* A name that a file may have here. */
static inline bool model_takes(const struct model *m, struct bytes path)
{
    size_t longest = 0, at = 0;
    for (size_t i = 0; i <= path.len; i++) {
        bool ends = i == path.len || path.data[i] == '/';
        longest = ends && i - at > longest ? i - at : longest;
        at = ends ? i + 1 : at;
        if (!ends && (path.data[i] == 0 || (m->strict && path.data[i] < 0x20)))
            return false;
    }
    return path.len <= (m->strict ? MODEL_PATH_STRICT : MODEL_PATH) && longest <= (m->strict ? MODEL_NAME_STRICT : MODEL_NAME);
}

static inline bool model_mkdir(struct model *m, struct bytes path)
{
    if (!path.len)
        return true;
    struct model_file *there = model_find(m, path);
    if (there)
        return there->directory;
    if (!model_mkdir(m, model_parent(path)))
        return false;
    ck_assert_uint_lt(m->count, MODEL_FILES);
    m->files[m->count++] = (struct model_file){.path = path, .directory = true};
    return true;
}

/* The file to put bytes into; NULL: refused. */
static inline struct model_file *model_open(struct model *m, struct bytes path)
{
    struct model_file *there = model_find(m, path);
    if (!path.len || !model_takes(m, path) || (there && there->directory))
        return NULL;
    if (there)
        return there;
    struct bytes parent = model_parent(path);
    struct model_file *directory = model_find(m, parent);
    if (parent.len && !(directory && directory->directory) && !(m->makes_parents && model_mkdir(m, parent)))
        return NULL;
    ck_assert_uint_lt(m->count, MODEL_FILES);
    m->files[m->count] = (struct model_file){.path = path};
    return &m->files[m->count++];
}

static inline void model_remove_at(struct model *m, size_t index)
{
    memmove(&m->files[index], &m->files[index + 1], (m->count - index - 1) * sizeof *m->files);
    m->count--;
}

static inline bool model_remove(struct model *m, struct bytes path, bool recursive)
{
    struct model_file *there = model_find(m, path);
    bool filled = false;
    for (size_t i = 0; i < m->count; i++)
        filled = filled || model_below(m->files[i].path, path);
    if (!there || (filled && !recursive))
        return false;
    for (size_t i = m->count; i; i--)
        if (bytes_equal(m->files[i - 1].path, path) || model_below(m->files[i - 1].path, path))
            model_remove_at(m, i - 1);
    return true;
}

static inline bool model_copy(struct model *m, struct bytes from, struct bytes to, bool move)
{
    struct model_file *there = model_find(m, from);
    if (!there || there->directory)
        return false;
    struct bytes data = there->data;
    if (bytes_equal(from, to))
        return true;
    struct model_file *target = model_open(m, to);
    if (!target)
        return false;
    target->data = data;
    return !move || model_remove(m, from, false);
}

static inline struct bytes model_content(const struct task *t, struct arena *a, const struct json *value)
{
    struct buf out;
    buf_init(&out, 1 << 26);
    if (task_is_wrapper(value, "$content"))
        value = json_get_bytes(t->contents, value->first->text);
    struct error *err = NULL;
    ck_assert_msg(content_make(value, 1 << 26, &out, &err) == 0, "%s", err ? err->text : "?");
    struct bytes copy = arena_copy(a, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

static inline bool model_edit(struct model *m, struct bytes path, struct bytes old, struct bytes new)
{
    struct model_file *file = model_find(m, path);
    ptrdiff_t at = file && !file->directory && old.len ? bytes_find(file->data, old, 0) : -1;
    if (at < 0 || bytes_find(file->data, old, (size_t)at + 1) >= 0)
        return false;
    struct buf out;
    buf_init(&out, 1 << 26);
    buf_add(&out, bytes_slice(file->data, 0, (size_t)at));
    buf_add(&out, new);
    buf_add(&out, bytes_slice(file->data, (size_t)at + old.len, file->data.len));
    file->data = arena_copy(m->arena, buf_bytes(&out));
    buf_release(&out);
    return true;
}

static inline struct bytes model_sorted(struct arena *a, struct bytes data)
{
    size_t counts[256] = {0};
    uint8_t *sorted = arena_alloc(a, data.len + 1);
    for (size_t i = 0; i < data.len; i++)
        counts[data.data[i]]++;
    for (size_t byte = 0, at = 0; byte < 256; at += counts[byte++])
        memset(sorted + at, (int)byte, counts[byte]);
    return bytes_of(sorted, data.len);
}

/* One line of a program. */
static inline void model_line(struct model *m, struct bytes line, struct buf *out)
{
    char verb[32] = "", first[128] = "", second[128] = "";
    sscanf(arena_string(m->arena, line), "%31s %127s %127s", verb, first, second);
    struct model_file *file = model_find(m, bytes_of_string(first));
    if (strcmp(verb, "model-sort") == 0 && file && !file->directory) {
        file->data = model_sorted(m->arena, file->data);
        buf_addf(out, "sorted %zu\n", file->data.len);
    } else if (strcmp(verb, "model-copy") == 0) {
        buf_addf(out, "copied %d\n",
                 model_copy(m, bytes_of_string(arena_string(m->arena, bytes_of_string(first))),
                            bytes_of_string(arena_string(m->arena, bytes_of_string(second))), false));
    } else if (strcmp(verb, "model-list") == 0) {
        for (size_t i = 0; i < m->count; i++)
            buf_addf(out, "%zu ", m->files[i].data.len);
    }
}

static inline struct model_result model_run(struct model *m, const struct json *args)
{
    struct json *script = json_get(args, "script");
    struct bytes text = json_as_text(script ? script : json_get(args, "argv")->last);
    struct buf out;
    buf_init(&out, 1 << 20);
    for (size_t at = 0; at < text.len;) {
        ptrdiff_t end = bytes_find(text, BYTES_LITERAL("\n"), at);
        size_t stop = end < 0 ? text.len : (size_t)end;
        model_line(m, bytes_slice(text, at, stop), &out);
        at = stop + 1;
    }
    struct model_result r = {
        .ok = true, .has_content = true, .content = arena_copy(m->arena, buf_bytes(&out))};
    buf_release(&out);
    return r;
}

static inline struct model_result model_get(struct model *m, const struct task_step *step, struct bytes path)
{
    struct model_file *file = model_find(m, path);
    bool text = strcmp(step->op->name, "read") == 0;
    int64_t offset = 0, length = INT64_MAX;
    if (!file || file->directory || (text && m->text_only && !utf8_valid(file->data)))
        return (struct model_result){.ok = false};
    json_as_integer(json_get(step->args, "offset"), &offset);
    json_as_integer(json_get(step->args, "length"), &length);
    struct bytes data = bytes_slice(file->data, (size_t)offset, file->data.len);
    data = bytes_slice(data, 0, (uint64_t)length < data.len ? (size_t)length : data.len);
    return (struct model_result){.ok = true, .has_content = true, .content = data};
}

static inline struct model_result model_put(struct model *m, const struct task *t,
                                            const struct task_step *step, struct bytes path)
{
    struct model_file *file = model_open(m, path);
    struct bytes more = model_content(t, m->arena, json_get(step->args, "content"));
    if (!file)
        return (struct model_result){.ok = false};
    struct buf out;
    buf_init(&out, 1 << 26);
    if (strcmp(step->op->name, "append") == 0)
        buf_add(&out, file->data);
    buf_add(&out, more);
    file->data = arena_copy(m->arena, buf_bytes(&out));
    buf_release(&out);
    return (struct model_result){.ok = true};
}

static inline struct model_result model_step(struct model *m, const struct task *t,
                                             const struct task_step *step)
{
    const char *op = step->op->name;
    struct bytes path = model_path(m->arena, json_get(step->args, "path")),
                 to = model_path(m->arena, json_get(step->args, "to"));
    struct model_file *file = model_find(m, path);
    if (strcmp(op, "write") == 0 || strcmp(op, "upload") == 0 || strcmp(op, "append") == 0)
        return model_put(m, t, step, path);
    if (strcmp(op, "read") == 0 || strcmp(op, "download") == 0)
        return model_get(m, step, path);
    if (strcmp(op, "run") == 0)
        return model_run(m, step->args);
    bool ok = true;
    if (strcmp(op, "stat") == 0 || strcmp(op, "list") == 0)
        ok = file != NULL;
    else if (strcmp(op, "mkdir") == 0)
        ok = model_takes(m, path) && model_mkdir(m, path);
    else if (strcmp(op, "remove") == 0)
        ok = model_remove(m, path, json_as_bool(json_get(step->args, "recursive"), false));
    else if (strcmp(op, "copy") == 0 || strcmp(op, "move") == 0)
        ok = to.len && !memchr(to.data, 0, to.len) && model_copy(m, path, to, op[0] == 'm');
    else if (strcmp(op, "edit") == 0)
        ok = model_edit(m, path, model_content(t, m->arena, json_get(step->args, "old")),
                        model_content(t, m->arena, json_get(step->args, "new")));
    return (struct model_result){.ok = ok, .size = ok && file ? (int64_t)file->data.len : 0};
}

/* Runs all steps; those of a group in random order. */
static inline struct model_result *model_task(struct model *m, const struct task *t, struct rng *rng)
{
    struct model_result *results = arena_alloc(m->arena, (t->step_count + 1) * sizeof *results);
    size_t *order = arena_alloc(m->arena, (t->step_count + 1) * sizeof *order);
    for (size_t i = 0; i < t->step_count; i++)
        order[i] = i;
    for (size_t pass = 0; pass < 4; pass++) /* neighbours of one group change places */
        for (size_t i = 1; i < t->step_count; i++) {
            const char *a = t->steps[order[i - 1]].group, *b = t->steps[order[i]].group;
            if (a && b && strcmp(a, b) == 0 && rng_below(rng, 2)) {
                size_t kept = order[i];
                order[i] = order[i - 1];
                order[i - 1] = kept;
            }
        }
    for (size_t i = 0; i < t->step_count; i++)
        results[order[i]] = model_step(m, t, &t->steps[order[i]]);
    return results;
}

/* Expectations. */

static inline bool model_claim(struct arena *a, const struct task *t, const struct json *e, struct bytes data)
{
    const struct json *want;
    int64_t n = 0, lines = data.len && data.data[data.len - 1] != '\n';
    char hash[65];
    if ((want = json_get(e, "equals")))
        return bytes_equal(model_content(t, a, want), data);
    if ((want = json_get(e, "contains")))
        return bytes_find(data, model_content(t, a, want), 0) >= 0;
    if ((want = json_get(e, "size")))
        return json_as_integer(want, &n) && (size_t)n == data.len;
    if ((want = json_get(e, "lines"))) {
        for (size_t i = 0; i < data.len; i++)
            lines += data.data[i] == '\n';
        return json_as_integer(want, &n) && n == lines;
    }
    sha256_hex(data, hash);
    return bytes_equal_string(json_as_text(json_get(e, "sha256")), hash);
}

static inline bool model_holds(struct model *m, const struct task *t, const struct model_result *results,
                               const struct json *e)
{
    const struct json *id = json_get(e, "step"), *at = json_get(e, "at"), *outcome = json_get(e, "outcome");
    if (!id) {
        struct model_file *file = model_find(m, model_path(m->arena, json_get(e, "file")));
        const struct json *exists = json_get(e, "exists");
        if (exists)
            return json_as_bool(exists, false) == (file != NULL);
        return file && !file->directory && model_claim(m->arena, t, e, file->data);
    }
    const struct model_result *r = &results[task_step_index(t, arena_string(m->arena, id->text))];
    if (outcome)
        return bytes_equal_string(outcome->text, r->ok ? "ok" : "error");
    if (!at)
        return r->ok; /* exit 0 */
    int64_t n;
    if (bytes_equal_string(at->text, "/size"))
        return r->ok && json_as_integer(json_get(e, "equals"), &n) && n == r->size;
    return r->ok && r->has_content && model_claim(m->arena, t, e, r->content);
}

#endif
