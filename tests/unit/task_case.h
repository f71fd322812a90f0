/* For the tests of tasks: the vocabulary, reading and writing in one line, and random tasks that are valid.
 */
#ifndef TESTS_UNIT_TASK_CASE_H
#define TESTS_UNIT_TASK_CASE_H

#include <stdio.h>

#include "base/fs.h"
#include "base/rng.h"
#include "gen/task.h"
#include "unit.h"

static struct ops *ops;
static struct buf task_text_buf;

static inline void task_set_up(void)
{
    struct error *err = NULL;
    ck_assert_msg(ops_load(TASKGEN_SOURCE_DIR "/domains/ops.xml", &ops, &err) == 0, "%s",
                  err ? err->text : "?");
    buf_init(&task_text_buf, SIZE_MAX / 4);
}

static inline void task_tear_down(void)
{
    ops_free(ops);
    buf_release(&task_text_buf);
}

/* The canonical record; valid until the next call. */
static inline const char *record_of(const struct task *t)
{
    buf_clear(&task_text_buf);
    task_write(t, &task_text_buf);
    return buf_string(&task_text_buf);
}

/* Must succeed; free with task_free. */
static inline struct task *task_of(struct bytes text)
{
    struct task *t = NULL;
    struct error *err = NULL;
    int status = task_read(ops, text, "test", &t, &err);
    ck_assert_msg(status == 0, "%s\nin %.*s", err ? err->text : "no message", BYTES_ARG(text));
    return t;
}

static inline struct task *task_of_string(const char *text)
{
    return task_of(bytes_of_string(text));
}

/* A step's member-less record: {"format":…,"instruction":"","steps":[STEPS],REST}. */
static inline char *wrap_steps(const char *steps, const char *rest)
{
    struct buf b;
    buf_init(&b, SIZE_MAX / 4);
    buf_addf(&b, "{\"format\":\"taskgen/task/1\",\"instruction\":\"\",\"steps\":[%s]%s%s}", steps,
             *rest ? "," : "", rest);
    char *text = xstrdup(buf_string(&b));
    buf_release(&b);
    return text;
}

/* Random values. */

static inline struct json *random_string(struct rng *rng, struct arena *a)
{
    static const char *const texts[] = {"",
                                        "a",
                                        "notes/report.txt",
                                        "naïve ☃ 😀",
                                        "line\nline\r\n",
                                        "$content",
                                        "{\"$bytes\":\"\"}",
                                        "\\ \" ' $ ` %s",
                                        "\x7f\x01",
                                        "привет"};
    uint8_t data[24];
    if (rng_below(rng, 4))
        return json_text(a, texts[rng_below(rng, sizeof texts / sizeof *texts)]);
    size_t len = rng_below(rng, sizeof data);
    rng_fill(rng, data, len);
    return json_string(a, bytes_of(data, len));
}

static inline struct json *random_json(struct rng *rng, struct arena *a, unsigned depth)
{
    static const char *const numbers[] = {
        "0", "-1", "1.5", "1e+300", "9007199254740993", "18446744073709551616", "0.1"};
    struct json *value;
    switch (rng_below(rng, depth ? 9 : 6)) {
    case 0:
        return json_new(a, JSON_NULL);
    case 1:
        return json_bool(a, rng_below(rng, 2));
    case 2:
        value = json_new(a, JSON_NUMBER);
        value->text = bytes_of_string(numbers[rng_below(rng, sizeof numbers / sizeof *numbers)]);
        return value;
    case 3:
        return json_raw(a, rng_below(rng, 2) ? BYTES_LITERAL("{\"a\":1,\"a\":1e999}")
                                             : BYTES_LITERAL("\"\xff\""));
    case 4:
    case 5:
        return random_string(rng, a);
    case 6:
        value = json_new(a, JSON_OBJECT);
        json_set(a, value, "$literal",
                 json_set(a, json_new(a, JSON_OBJECT), "$from", json_text(a, "x"))->parent);
        return value;
    case 7:
        value = json_new(a, JSON_ARRAY);
        for (uint64_t n = rng_below(rng, 4); n; n--)
            json_add(value, random_json(rng, a, depth - 1));
        return value;
    default:
        value = json_new(a, JSON_OBJECT);
        for (uint64_t n = rng_below(rng, 4); n; n--)
            json_set(a, value, arena_printf(a, "k%d", (int)n), random_json(rng, a, depth - 1));
        return value;
    }
}

static inline struct json *random_path(struct rng *rng, struct arena *a)
{
    static const char *const spellings[] = {"relative", "absolute", "tilde", "dotted", "link"};
    static const char *const paths[] = {"a.txt", "b/c.csv", "b", "data/in.json", "data/out.json", "d e/f"};
    struct json *path = json_text(a, paths[rng_below(rng, 6)]);
    if (rng_below(rng, 3))
        return path;
    struct json *object = json_new(a, JSON_OBJECT);
    json_set(a, object, "$path", path);
    json_set(a, object, "as", json_text(a, spellings[rng_below(rng, 5)]));
    return object;
}

static inline struct json *content_reference(struct task *t, const char *name)
{
    struct json *object = json_new(&t->arena, JSON_OBJECT);
    json_set(&t->arena, object, "$content", json_text(&t->arena, name));
    return object;
}

static inline struct json *random_content(struct rng *rng, struct task *t)
{
    if (!t->contents->count || rng_below(rng, 2))
        return random_string(rng, &t->arena);
    struct json *content = t->contents->first;
    for (uint64_t n = rng_below(rng, t->contents->count); n; n--)
        content = content->next;
    return content_reference(t, arena_string(&t->arena, content->key));
}

/* A value of the argument's type; "pid" and "tab" come from an earlier step where there is one that gives
 * them. */
static inline struct json *random_argument(struct rng *rng, struct task *t, const struct op_arg *arg,
                                           size_t step)
{
    struct arena *a = &t->arena;
    size_t values = 0;
    struct json *list;
    switch (arg->type) {
    case OP_PATH:
        return random_path(rng, a);
    case OP_BYTES:
        return random_content(rng, t);
    case OP_TEXT:
        return random_string(rng, a);
    case OP_INT:
        return json_integer(a, rng_range(rng, 0, 4095));
    case OP_BOOL:
        return json_bool(a, rng_below(rng, 2));
    case OP_REAL:
        return json_real(a, (double)rng_range(rng, -99, 99) / 8);
    case OP_ONE_OF:
        while (arg->values[values])
            values++;
        return json_text(a, arg->values[rng_below(rng, values)]);
    case OP_TEXTS:
        list = json_new(a, JSON_ARRAY);
        for (uint64_t n = 1 + rng_below(rng, 3); n; n--)
            json_add(list, rng_below(rng, 4) ? random_string(rng, a) : random_path(rng, a));
        return list;
    case OP_MAP:
        list = json_new(a, JSON_OBJECT);
        json_set(a, list, "LANG", json_text(a, "C"));
        json_set(a, list, "X", random_string(rng, a));
        return list;
    case OP_JSON:
        for (size_t i = 0; i < step; i++)
            if (t->steps[i].op->result_count && strcmp(t->steps[i].op->results[0].name, arg->name) == 0) {
                struct json *from = json_new(a, JSON_OBJECT);
                json_set(a, from, "$from", json_text(a, t->steps[i].id));
                json_set(a, from, "at", json_text(a, arena_printf(a, "/%s", arg->name)));
                return from;
            }
        return random_json(rng, a, 4);
    }
    return NULL;
}

static inline void random_step(struct rng *rng, struct task *t)
{
    const struct op *op = ops_at(ops, rng_below(rng, ops_count(ops)));
    size_t index = t->step_count;
    struct task_step *step = task_add_step(t, op, NULL);
    bool argv = rng_below(rng, 2);
    for (size_t i = 0; i < op->arg_count; i++) {
        const struct op_arg *arg = &op->args[i];
        bool program = op_arg_find(op, "argv") != NULL;
        bool is_argv = strcmp(arg->name, "argv") == 0;
        bool is_script = strcmp(arg->name, "script") == 0 || strcmp(arg->name, "language") == 0;
        bool wanted = arg->required || rng_below(rng, 2);
        if (program && (is_argv || is_script))
            wanted = is_argv == argv;
        if (wanted)
            json_set(&t->arena, step->args, arg->name, random_argument(rng, t, arg, index));
    }
    if (rng_below(rng, 6) == 0)
        step->session = "other";
    if (rng_below(rng, 6) == 0)
        step->timeout_ms = rng_range(rng, 1, 9999);
    if (rng_below(rng, 8) == 0)
        step->repeat = (uint32_t)rng_range(rng, 2, 9);
    if (rng_below(rng, 8) == 0)
        step->after_ms = rng_range(rng, 1, 99);
    if (rng_below(rng, 8) == 0)
        step->cancel_after_ms = rng_range(rng, 0, 99);
}

static inline void random_expectation(struct rng *rng, struct task *t)
{
    struct arena *a = &t->arena;
    struct json *e = json_add(t->expect, json_new(a, JSON_OBJECT));
    const struct task_step *step = &t->steps[rng_below(rng, t->step_count)];
    switch (rng_below(rng, 5)) {
    case 0:
        json_set(a, e, "step", json_text(a, step->id));
        json_set(a, e, "outcome", json_text(a, rng_below(rng, 2) ? "ok" : "error"));
        return;
    case 1:
        json_set(a, e, "step", json_text(a, step->id));
        if (!step->op->result_count) {
            json_set(a, e, "exit", json_integer(a, rng_range(rng, 0, 255)));
            return;
        }
        json_set(a, e, "at", json_text(a, arena_printf(a, "/%s", step->op->results[0].name)));
        json_set(a, e, "equals", random_json(rng, a, 2));
        return;
    case 2:
        json_set(a, e, "file", random_path(rng, a));
        json_set(a, e, "exists", json_bool(a, rng_below(rng, 2)));
        return;
    case 3:
        json_set(a, e, "file", random_path(rng, a));
        json_set(a, e, rng_below(rng, 2) ? "equals" : "contains", random_content(rng, t));
        return;
    default:
        json_set(a, e, "file", random_path(rng, a));
        json_set(a, e, "json", json_text(a, "/rows"));
        json_set(a, e, "equals", random_json(rng, a, 2));
        return;
    }
}

/* Valid, with all kinds of values; not a plan that makes sense. */
static inline struct task *random_task(uint64_t seed, uint64_t index)
{
    struct rng rng;
    rng_seed(&rng, seed, index);
    struct task *t = task_new();
    struct arena *a = &t->arena;
    t->domain = "random";
    t->workflow = "any.thing-1";
    t->seed = rng_next(&rng);
    t->index = index;
    t->grammar_hash = "0123456789abcdef";
    t->derivation = "AAEC";
    t->instruction = "Do it.\n\n\"Now\" – ☃";
    json_set(a, t->contents, "c1", json_text(a, "first\nsecond\n"));
    json_set(a, t->contents, "c2", random_string(&rng, a));
    struct json *csv = json_set(a, t->contents, "c3", json_new(a, JSON_OBJECT));
    json_set(a, csv, "$recipe", json_text(a, "csv"));
    json_set(a, csv, "rows", json_integer(a, rng_range(&rng, 0, 40)));
    json_set(a, csv, "seed", json_integer(a, rng_range(&rng, 0, 1000)));
    struct json *noise = json_set(a, t->contents, "c4", json_new(a, JSON_OBJECT));
    json_set(a, noise, "$recipe", json_text(a, "random"));
    json_set(a, noise, "size", json_integer(a, rng_range(&rng, 0, 5000)));
    json_set(a, t->limits, "bytes", json_integer(a, 1 << 20));
    for (uint64_t n = 1 + rng_below(&rng, 8); n; n--)
        random_step(&rng, t);
    for (uint64_t n = rng_below(&rng, 6); n; n--)
        random_expectation(&rng, t);
    task_identify(t);
    return t;
}

#endif
