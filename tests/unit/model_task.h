/* Random tasks whose expectations are true, made by running them in the model sandbox. */
#ifndef TESTS_UNIT_MODEL_TASK_H
#define TESTS_UNIT_MODEL_TASK_H

#include "model_sandbox.h"

static inline struct json *model_random_content(struct rng *rng, struct task *t)
{
    static const char *const recipes[] = {
        "{\"$recipe\":\"csv\",\"rows\":5}",      "{\"$recipe\":\"lines\",\"lines\":300}",
        "{\"$recipe\":\"random\",\"size\":700}", "{\"$recipe\":\"pattern\",\"size\":40}",
        "{\"$recipe\":\"text\",\"lines\":4}",    "{\"$recipe\":\"text\",\"encoding\":\"utf-16le-bom\"}"};
    static const char *const texts[] = {
        "", "x", "alpha beta\ngamma\n", "gamma", "naïve\r\ncafé\r\n", "last line open"};
    if (rng_below(rng, 2))
        return json_text(&t->arena, texts[rng_below(rng, 6)]);
    struct json *recipe;
    json_read(&t->arena, bytes_of_string(recipes[rng_below(rng, 6)]), NULL, "r", &recipe, NULL, NULL);
    const char *name = arena_printf(&t->arena, "c%d", (int)t->contents->count + 1);
    json_set(&t->arena, t->contents, name, recipe);
    return content_reference(t, name);
}

static inline struct json *model_random_path(struct rng *rng, struct task *t)
{
    static const char *const paths[] = {"a.txt", "b.txt", "d", "d/c.txt", "d/e/f.bin", "a.txt", "d/c.txt"};
    struct json *path = json_text(&t->arena, paths[rng_below(rng, 7)]);
    if (rng_below(rng, 4))
        return path;
    struct json *object = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, object, "$path", path);
    json_set(&t->arena, object, "as", json_text(&t->arena, rng_below(rng, 2) ? "absolute" : "dotted"));
    return object;
}

static inline void model_random_step(struct rng *rng, struct task *t)
{
    static const char *const names[] = {"write", "write", "upload", "append", "read",  "download",
                                        "stat",  "list",  "mkdir",  "move",   "copy",  "remove",
                                        "edit",  "run",   "run",    "idle",   "reopen"};
    static const char *const scripts[] = {"model-sort a.txt",
                                          "model-copy a.txt b.txt\n",
                                          "model-copy d/c.txt d/g.txt",
                                          "model-list",
                                          "true",
                                          "model-sort d/c.txt\nmodel-copy d/c.txt a.txt"};
    struct arena *a = &t->arena;
    const struct op *op = ops_find(ops, names[rng_below(rng, 17)]);
    struct task_step *step = task_add_step(t, op, NULL);
    struct json *args = step->args;
    for (size_t i = 0; i < op->arg_count; i++) {
        const char *name = op->args[i].name;
        if (op->args[i].type == OP_PATH && strcmp(name, "cwd") != 0)
            json_set(a, args, name, model_random_path(rng, t));
        else if (strcmp(name, "content") == 0 || strcmp(name, "new") == 0)
            json_set(a, args, name, model_random_content(rng, t));
        else if (strcmp(name, "old") == 0)
            json_set(a, args, name, json_text(a, rng_below(rng, 2) ? "gamma" : "beta"));
        else if (strcmp(name, "recursive") == 0)
            json_set(a, args, name, json_bool(a, rng_below(rng, 2)));
        else if (strcmp(name, "ms") == 0)
            json_set(a, args, name, json_integer(a, 1));
        else if (strcmp(name, "offset") == 0 && rng_below(rng, 4) == 0)
            json_set(a, args, name, json_integer(a, 3));
    }
    if (strcmp(op->name, "run") == 0) {
        json_set(a, args, "language", json_text(a, "sh"));
        json_set(a, args, "script", json_text(a, scripts[rng_below(rng, 6)]));
    }
}

static inline void model_add_claim(struct rng *rng, struct task *t, struct json *e, struct bytes data)
{
    struct arena *a = &t->arena;
    char hash[65];
    int64_t lines = data.len && data.data[data.len - 1] != '\n';
    switch (rng_below(rng, 5)) {
    case 0:
        json_set(a, e, "equals", json_string(a, data));
        return;
    case 1:
        sha256_hex(data, hash);
        json_set(a, e, "sha256", json_text(a, hash));
        return;
    case 2:
        json_set(a, e, "size", json_integer(a, (int64_t)data.len));
        return;
    case 3:
        json_set(a, e, "contains", json_string(a, bytes_slice(data, data.len / 3, data.len / 2)));
        return;
    default:
        for (size_t i = 0; i < data.len; i++)
            lines += data.data[i] == '\n';
        if (json_get(e, "file"))
            json_set(a, e, "lines", json_integer(a, lines));
        else
            json_set(a, e, "equals", json_string(a, data));
    }
}

static inline void model_expect_step(struct rng *rng, struct task *t, const struct task_step *step,
                                     const struct model_result *r)
{
    struct arena *a = &t->arena;
    struct json *e = json_add(t->expect, json_new(a, JSON_OBJECT));
    json_set(a, e, "step", json_text(a, step->id));
    bool stat = strcmp(step->op->name, "stat") == 0;
    if (r->ok && (r->has_content || stat) && rng_below(rng, 4)) {
        json_set(a, e, "at",
                 json_text(a, stat                                 ? "/size"
                              : strcmp(step->op->name, "run") == 0 ? "/stdout"
                                                                   : "/content"));
        if (stat)
            json_set(a, e, "equals", json_integer(a, r->size));
        else
            model_add_claim(rng, t, e, r->content);
    } else if (strcmp(step->op->name, "run") == 0 && rng_below(rng, 2)) {
        json_set(a, e, "exit", json_integer(a, 0));
    } else {
        json_set(a, e, "outcome", json_text(a, r->ok ? "ok" : "error"));
    }
}

static inline struct task *model_random_task(uint64_t seed, uint64_t index, struct model *m)
{
    struct rng rng;
    rng_seed(&rng, seed, index);
    struct task *t = task_new();
    t->instruction = "Keep a.txt and d/c.txt (not xa.txt or a.txt.bak); then look at d.";
    m->makes_parents = rng_below(&rng, 2);
    m->text_only = rng_below(&rng, 2);
    m->strict = index % 2 != 0;
    size_t steps = (size_t)rng_range(&rng, 2, 12);
    for (size_t i = 0; i < steps; i++)
        model_random_step(&rng, t);
    struct model_result *results = model_task(m, t, &rng);
    for (size_t i = 0; i < steps; i++)
        if (rng_below(&rng, 2))
            model_expect_step(&rng, t, &t->steps[i], &results[i]);
    static const char *const paths[] = {"a.txt", "b.txt", "d", "d/c.txt", "d/e/f.bin", "d/g.txt"};
    for (size_t i = 0; i < 6; i++) {
        struct model_file *file = model_find(m, bytes_of_string(paths[i]));
        struct json *e = json_add(t->expect, json_new(&t->arena, JSON_OBJECT));
        json_set(&t->arena, e, "file", json_text(&t->arena, paths[i]));
        if (!file || file->directory || rng_below(&rng, 4) == 0)
            json_set(&t->arena, e, "exists", json_bool(&t->arena, file != NULL));
        else
            model_add_claim(&rng, t, e, file->data);
    }
    task_identify(t);
    return t;
}

#endif
