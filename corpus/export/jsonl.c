/* One JSON object a task, in tasks.jsonl: all of it, checks and solution too, for programs that make something of their own out of it. */
#include "corpus/export/export_internal.h"

#include "base/encode.h"

static struct json *in_base64(struct arena *a, struct bytes data)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 4);
    base64_encode(&text, data);
    struct json *value = json_string(a, buf_bytes(&text));
    buf_release(&text);
    return value;
}

static struct json *files_of(struct arena *a, const struct export_file *files, size_t count, const char *where)
{
    struct json *list = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < count; i++) {
        struct json *file = json_add(list, json_new(a, JSON_OBJECT));
        if (where)
            json_set(a, file, "path", json_text(a, arena_printf(a, "%s%zu", where, i + 1)));
        json_set(a, file, where ? "for" : "path", json_string(a, files[i].path));
        json_set(a, file, "base64", in_base64(a, files[i].data));
    }
    return list;
}

static struct json *check_of(struct arena *a, const struct export_check *c)
{
    static const char *const names[] = {"same", "printed", "holds", "member", "size", "lines", "there", "gone"};
    struct json *check = json_new(a, JSON_OBJECT);
    json_set(a, check, "check", json_text(a, names[c->kind]));
    json_set(a, check, "path", json_string(a, c->path));
    if (c->sha256[0])
        json_set(a, check, "sha256", json_text(a, c->sha256));
    if (c->sha256_ended[0] && c->kind == EXPORT_PRINTED)
        json_set(a, check, "or_sha256", json_text(a, c->sha256_ended));
    if (c->kind == EXPORT_HOLDS)
        json_set(a, check, "base64", in_base64(a, c->wanted));
    if (c->kind == EXPORT_MEMBER) {
        json_set(a, check, "pointer", json_string(a, c->pointer));
        json_set(a, check, "equals", json_raw(a, c->wanted));
    }
    if (c->kind == EXPORT_SIZE || c->kind == EXPORT_LINES)
        json_set(a, check, "number", json_integer(a, c->number));
    return check;
}

static int add(struct export_out *out, const struct export_record *r, struct error **err)
{
    struct arena arena, *a = &arena;
    const struct task *t = r->task;
    arena_init(a);
    struct json *o = json_new(a, JSON_OBJECT), *checks = json_new(a, JSON_ARRAY), *primitives = json_new(a, JSON_ARRAY);
    for (size_t i = 0; i < r->check_count; i++)
        json_add(checks, check_of(a, &r->checks[i]));
    for (size_t i = 0; i < r->primitive_count; i++)
        json_add(primitives, json_text(a, r->primitives[i]));
    json_set(a, o, "canary", json_text(a, EXPORT_CANARY));
    json_set(a, o, "id", json_text(a, t->id));
    json_set(a, o, "name", json_text(a, r->name));
    json_set(a, o, "domain", json_text(a, t->domain));
    json_set(a, o, "workflow", json_text(a, t->workflow));
    json_set(a, o, "seed", json_raw(a, bytes_of_string(arena_printf(a, "%llu", (unsigned long long)t->seed))));
    json_set(a, o, "index", json_raw(a, bytes_of_string(arena_printf(a, "%llu", (unsigned long long)t->index))));
    json_set(a, o, "grammar", json_text(a, t->grammar_hash));
    json_set(a, o, "derivation", json_text(a, t->derivation));
    json_set(a, o, "primitives", primitives);
    json_set(a, o, "steps", json_integer(a, (int64_t)t->step_count));
    json_set(a, o, "hostile", json_integer(a, (int64_t)r->hostile));
    json_set(a, o, "instruction", json_string(a, buf_bytes(&r->instruction)));
    json_set(a, o, "inputs", files_of(a, r->inputs, r->input_count, "/inputs/"));
    json_set(a, o, "start", files_of(a, r->start, r->start_count, NULL));
    json_set(a, o, "solution", json_string(a, buf_bytes(&r->solution)));
    json_set(a, o, "checks", checks);
    json_write(&out->index, o, JSON_COMPACT);
    buf_add_byte(&out->index, '\n');
    arena_release(a);
    return out->index.overflow ? error_set(err, ERR_LIMIT, "tasks.jsonl: longer than %zu bytes", out->index.max) : 0;
}

static int end(struct export_out *out, struct error **err)
{
    return export_put(out, "tasks.jsonl", buf_bytes(&out->index), err);
}

const struct export_format export_jsonl = {
    .name = "jsonl",
    .doc = "tasks.jsonl, one JSON object a task with its files, solution and checks",
    .add = add,
    .end = end,
};
