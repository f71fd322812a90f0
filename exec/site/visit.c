/* Looking things up in visits, and their form as JSON. */
#include "exec/site/visit.h"

#include <string.h>

#include "base/encode.h"
#include "gen/task.h"
#include "gen/task_internal.h"

static const char *const end_names[] = {"open", "whole", "cut", "left"};

const char *web_end_name(enum web_end end)
{
    return end_names[end];
}

const struct bytes *web_visit_header(const struct web_visit *v, const char *name)
{
    for (size_t i = 0; i < v->header_count; i++)
        if (strcmp(v->headers[i].name, name) == 0)
            return &v->headers[i].value;
    return NULL;
}

const struct web_field *web_visit_field(const struct web_visit *v, struct bytes name, size_t *from)
{
    for (; *from < v->field_count; (*from)++)
        if (bytes_equal(v->fields[*from].name, name))
            return &v->fields[(*from)++];
    return NULL;
}

/* --- writing --- */

static void set_bytes(struct arena *a, struct json *object, const char *key, struct bytes b)
{
    if (b.len)
        json_set(a, object, key, task_value_outward(a, json_string(a, b)));
}

static void set_number(struct arena *a, struct json *object, const char *key, int64_t value)
{
    json_set(a, object, key, json_integer(a, value));
}

static struct json *write_field(struct arena *a, const struct web_field *f)
{
    struct json *object = json_new(a, JSON_OBJECT);
    json_set(a, object, "name", task_value_outward(a, json_string(a, f->name)));
    if (f->file)
        json_set(a, object, "filename", task_value_outward(a, json_string(a, f->filename)));
    set_bytes(a, object, "type", f->type);
    set_bytes(a, object, "value", f->value);
    set_bytes(a, object, "text", f->text);
    set_number(a, object, "size", (int64_t)f->size);
    json_set(a, object, "sha256", json_text(a, f->sha256));
    return object;
}

struct json *web_visit_write(struct arena *a, const struct web_visit *v)
{
    struct json *object = json_new(a, JSON_OBJECT);
    set_number(a, object, "number", (int64_t)v->number);
    if (*v->room)
        json_set(a, object, "room", json_text(a, v->room));
    json_set(a, object, "method", json_text(a, v->method));
    set_bytes(a, object, "path", v->path);
    set_bytes(a, object, "query", v->query);
    struct json *headers = v->header_count ? json_set(a, object, "headers", json_new(a, JSON_OBJECT)) : NULL;
    for (size_t i = 0; i < v->header_count; i++)
        json_set(a, headers, v->headers[i].name, task_value_outward(a, json_string(a, v->headers[i].value)));
    struct json *fields = v->field_count ? json_set(a, object, "fields", json_new(a, JSON_ARRAY)) : NULL;
    for (size_t i = 0; i < v->field_count; i++)
        json_add(fields, write_field(a, &v->fields[i]));
    if (v->cut)
        json_set(a, object, "cut", json_bool(a, true));
    if (v->body_size || v->body_sha256[0]) {
        set_number(a, object, "body_size", (int64_t)v->body_size);
        json_set(a, object, "body_sha256", json_text(a, v->body_sha256));
    }
    if (v->status)
        set_number(a, object, "status", v->status);
    if (v->length >= 0)
        set_number(a, object, "length", v->length);
    set_number(a, object, "sent", (int64_t)v->sent);
    json_set(a, object, "end", json_text(a, web_end_name(v->end)));
    set_number(a, object, "start_ms", v->start_ms);
    if (v->end != WEB_OPEN)
        set_number(a, object, "end_ms", v->end_ms);
    if (v->step >= 0)
        set_number(a, object, "step", v->step);
    return object;
}

/* --- reading --- */

static struct bytes get_bytes(struct arena *a, const struct json *value)
{
    if (json_is(value, JSON_STRING))
        return value->text;
    if (!task_is_wrapper(value, "$bytes"))
        return BYTES_NONE;
    struct bytes text = json_as_text(json_get(value, "$bytes")), copy = BYTES_NONE;
    struct buf data;
    buf_init(&data, text.len);
    if (base64_decode(&data, text) == 0)
        copy = arena_copy(a, buf_bytes(&data));
    buf_release(&data);
    return copy;
}

static int64_t get_number(const struct json *object, const char *key, int64_t fallback)
{
    int64_t value;
    return json_as_integer(json_get(object, key), &value) && value >= 0 ? value : fallback;
}

static void get_hash(const struct json *object, const char *key, char out[65])
{
    struct bytes text = json_as_text(json_get(object, key));
    *out = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.len != 64 || !memchr("0123456789abcdef", text.data[i], 16))
            return;
    memcpy(out, text.len ? text.data : (const uint8_t *)"", text.len);
    out[text.len] = 0;
}

static size_t count_of(const struct json *list, enum json_kind kind, size_t max)
{
    size_t count = json_is(list, kind) ? list->count : 0;
    return count < max ? count : max;
}

static void read_fields(struct arena *a, const struct json *list, struct web_visit *v)
{
    size_t count = count_of(list, JSON_ARRAY, WEB_FIELDS_MAX);
    struct web_field *fields = arena_alloc(a, (count + 1) * sizeof *fields);
    const struct json *item = count ? list->first : NULL;
    for (size_t i = 0; i < count; i++, item = item->next) {
        struct web_field *f = &fields[i];
        f->name = get_bytes(a, json_get(item, "name"));
        f->value = get_bytes(a, json_get(item, "value"));
        f->text = get_bytes(a, json_get(item, "text"));
        f->file = json_get(item, "filename") != NULL;
        f->filename = get_bytes(a, json_get(item, "filename"));
        f->type = get_bytes(a, json_get(item, "type"));
        f->size = (uint64_t)get_number(item, "size", (int64_t)f->value.len);
        get_hash(item, "sha256", f->sha256);
    }
    v->fields = fields;
    v->field_count = count;
}

static void read_headers(struct arena *a, const struct json *object, struct web_visit *v)
{
    size_t count = count_of(object, JSON_OBJECT, WEB_FIELDS_MAX);
    struct web_header *headers = arena_alloc(a, (count + 1) * sizeof *headers);
    const struct json *item = count ? object->first : NULL;
    for (size_t i = 0; i < count; i++, item = item->next)
        headers[i] = (struct web_header){arena_string(a, item->key), get_bytes(a, item)};
    v->headers = headers;
    v->header_count = count;
}

static enum web_end read_end(const struct json *object)
{
    struct bytes text = json_as_text(json_get(object, "end"));
    for (size_t i = 0; i < sizeof end_names / sizeof *end_names; i++)
        if (bytes_equal_string(text, end_names[i]))
            return (enum web_end)i;
    return WEB_WHOLE;
}

bool web_visit_read(struct arena *a, const struct json *object, struct web_visit *v)
{
    struct bytes method = json_as_text(json_get(object, "method"));
    if (!json_is(object, JSON_OBJECT) || !method.len)
        return false;
    struct bytes path = get_bytes(a, json_get(object, "path"));
    *v = (struct web_visit){
        .number = (uint64_t)get_number(object, "number", 0),
        .room = arena_string(a, json_as_text(json_get(object, "room"))),
        .method = arena_string(a, method),
        .path = path.len ? path : BYTES_LITERAL("/"),
        .query = get_bytes(a, json_get(object, "query")),
        .cut = json_as_bool(json_get(object, "cut"), false),
        .body_size = (uint64_t)get_number(object, "body_size", 0),
        .status = (unsigned)get_number(object, "status", 0) % 1000,
        .length = get_number(object, "length", -1),
        .sent = (uint64_t)get_number(object, "sent", 0),
        .end = read_end(object),
        .start_ms = get_number(object, "start_ms", 0),
        .step = get_number(object, "step", -1),
    };
    v->end_ms = v->end == WEB_OPEN ? -1 : get_number(object, "end_ms", v->start_ms);
    get_hash(object, "body_sha256", v->body_sha256);
    read_headers(a, json_get(object, "headers"), v);
    read_fields(a, json_get(object, "fields"), v);
    return true;
}
