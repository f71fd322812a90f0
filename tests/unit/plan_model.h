/* A model of a sandbox, for tests of generated tasks: files, directories and jobs as the steps leave them. It
 * knows nothing of how tasks are made, only the task record. A step that uses what no earlier step made, or
 * an expectation that does not hold in the model, fails the test. For templates whose scripts and calls do
 * not touch files. */
#ifndef TESTS_UNIT_PLAN_MODEL_H
#define TESTS_UNIT_PLAN_MODEL_H

#include "base/encode.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "gen/recipe.h"
#include "plan_case.h"

enum { MODEL_FILES = 256 };

struct model_file {
    struct bytes path;
    struct buf data;
    bool present, directory;
};

struct model {
    const struct task *task;
    struct model_file files[MODEL_FILES];
    size_t file_count;
};

static inline struct model_file *model_find(struct model *m, struct bytes path)
{
    for (size_t i = 0; i < m->file_count; i++)
        if (bytes_equal(m->files[i].path, path))
            return &m->files[i];
    return NULL;
}

static inline struct bytes model_path(const struct json *args, const char *name)
{
    const struct json *path = json_get(args, name);
    if (json_is(path, JSON_OBJECT))
        path = json_get(path, "$path");
    ck_assert_msg(json_is(path, JSON_STRING), "no path %s", name);
    return path->text;
}

static inline void model_add_content(struct model *m, const struct json *value, struct buf *out)
{
    struct error *err = NULL;
    if (json_is(value, JSON_OBJECT)) {
        value = json_get_bytes(m->task->contents, json_as_text(json_get(value, "$content")));
        ck_assert_msg(value != NULL, "a content that is not in contents");
    }
    ck_assert_msg(content_make(value, 1 << 22, out, &err) == 0, "%s", err ? err->text : "");
}

/* A path that was never there before: handles' paths are unique, and nothing lies below a file. */
static inline struct model_file *model_make(struct model *m, struct bytes path, bool directory)
{
    for (size_t i = 0; i < m->file_count; i++) {
        struct bytes other = m->files[i].path;
        bool below = path.len > other.len && bytes_starts(path, other) && path.data[other.len] == '/';
        ck_assert_msg(!bytes_equal(path, other), "%.*s is made twice", BYTES_ARG(path));
        ck_assert_msg(!below || m->files[i].directory, "%.*s lies below a file", BYTES_ARG(path));
    }
    ck_assert_uint_lt(m->file_count, MODEL_FILES);
    struct model_file *f = &m->files[m->file_count++];
    *f = (struct model_file){.path = path, .present = true, .directory = directory};
    buf_init(&f->data, 1 << 22);
    return f;
}

static inline struct model_file *model_use(struct model *m, struct bytes path)
{
    struct model_file *f = model_find(m, path);
    ck_assert_msg(f && f->present, "%.*s is used and not there", BYTES_ARG(path));
    return f;
}

static inline void model_write(struct model *m, const struct task_step *s)
{
    model_add_content(m, json_get(s->args, "content"),
                      &model_make(m, model_path(s->args, "path"), false)->data);
}

static inline void model_append(struct model *m, const struct task_step *s)
{
    model_add_content(m, json_get(s->args, "content"), &model_use(m, model_path(s->args, "path"))->data);
}

static inline void model_copy(struct model *m, const struct task_step *s)
{
    struct model_file *from = model_use(m, model_path(s->args, "path"));
    struct bytes to = model_path(s->args, "to"), data = buf_bytes(&from->data);
    buf_add(&model_make(m, to, false)->data, data);
}

static inline void model_remove(struct model *m, const struct task_step *s)
{
    model_use(m, model_path(s->args, "path"))->present = false;
}

static inline void model_mkdir(struct model *m, const struct task_step *s)
{
    model_make(m, model_path(s->args, "path"), true);
}

static inline void model_look(struct model *m, const struct task_step *s)
{
    model_use(m, model_path(s->args, "path"));
}

static inline void model_nothing(struct model *m, const struct task_step *s)
{
}

static const struct {
    const char *op;
    void (*apply)(struct model *m, const struct task_step *s);
} model_ops[] = {{"write", model_write},   {"append", model_append},  {"copy", model_copy},
                 {"remove", model_remove}, {"mkdir", model_mkdir},    {"stat", model_look},
                 {"read", model_look},     {"run", model_nothing},    {"start", model_nothing},
                 {"poll", model_nothing},  {"signal", model_nothing}, {"call", model_nothing}};

/* Every {"$from":…} points to an earlier step that does not run at the same time. */
static inline void model_check_references(const struct task *t, size_t step, const struct json *value)
{
    for (const struct json *v = value->first; v; v = v->next)
        model_check_references(t, step, v);
    const struct json *from = json_get(value, "$from");
    if (!from)
        return;
    char id[64];
    snprintf(id, sizeof id, "%.*s", BYTES_ARG(from->text));
    size_t origin = task_step_index(t, id);
    ck_assert_msg(origin < step, "step %s uses a result of %s", t->steps[step].id, id);
    const char *a = t->steps[origin].group, *b = t->steps[step].group;
    ck_assert_msg(!a || !b || strcmp(a, b) != 0, "step %s uses a result of its own group", t->steps[step].id);
}

static inline void model_check_file(struct model *m, const struct json *row)
{
    struct model_file *f = model_find(m, json_get(row, "file")->text);
    const struct json *exists = json_get(row, "exists"), *equals = json_get(row, "equals"),
                      *size = json_get(row, "size");
    const struct json *sha256 = json_get(row, "sha256"), *lines = json_get(row, "lines");
    bool there = f && f->present && !f->directory;
    if (exists) {
        ck_assert(there == json_is(exists, JSON_TRUE));
        return;
    }
    ck_assert_msg(there, "an expectation of a file that is not there: %.*s",
                  BYTES_ARG(json_get(row, "file")->text));
    int64_t number;
    char hex[65];
    sha256_hex(buf_bytes(&f->data), hex);
    if (equals)
        ck_assert_msg(bytes_equal(equals->text, buf_bytes(&f->data)), "%.*s is not as expected",
                      BYTES_ARG(f->path));
    if (size)
        ck_assert(json_as_integer(size, &number) && number == (int64_t)f->data.len);
    if (sha256)
        ck_assert(bytes_equal_string(sha256->text, hex));
    if (lines) {
        int64_t count = 0;
        for (size_t i = 0; i < f->data.len; i++)
            count += f->data.data[i] == '\n';
        ck_assert(json_as_integer(lines, &number) && number == count);
    }
    ck_assert(equals || size || sha256 || lines);
}

static inline bool model_refers(const struct json *value, struct bytes name)
{
    if (bytes_equal(json_as_text(json_get(value, "$content")), name))
        return true;
    for (const struct json *v = value->first; v; v = v->next)
        if (model_refers(v, name))
            return true;
    return false;
}

static inline void model_check_contents(const struct task *t)
{
    for (const struct json *c = t->contents->first; c; c = c->next) {
        bool used = false;
        for (size_t i = 0; i < t->step_count; i++)
            used |= model_refers(t->steps[i].args, c->key);
        ck_assert_msg(used, "content %.*s is used by no step", BYTES_ARG(c->key));
    }
}

/* Runs the task in the model. */
static inline void model_check(const struct task *t)
{
    static struct model m; /* big; checks run one at a time */
    m = (struct model){.task = t};
    ck_assert_uint_ge(t->step_count, 1);
    for (size_t i = 0; i < t->step_count; i++) {
        const struct task_step *s = &t->steps[i];
        size_t row = 0;
        while (row < sizeof model_ops / sizeof model_ops[0] && strcmp(model_ops[row].op, s->op->name) != 0)
            row++;
        ck_assert_msg(row < sizeof model_ops / sizeof model_ops[0], "the model has no op %s", s->op->name);
        model_check_references(t, i, s->args);
        model_ops[row].apply(&m, s);
    }
    for (const struct json *row = t->expect->first; row; row = row->next) {
        const struct json *step = json_get(row, "step");
        if (!step)
            model_check_file(&m, row);
        else
            ck_assert(step->text.len > 1);
    }
    model_check_contents(t);
    for (size_t i = 0; i < m.file_count; i++)
        buf_release(&m.files[i].data);
}

#endif
