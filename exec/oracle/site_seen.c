/* Visits of the fixture site as JSON; see site_seen.h. */
#include "exec/oracle/site_seen.h"

#include <string.h>

#include "exec/site/query.h"

/* The first of a name stands. */
static void put(struct arena *a, struct json *object, struct bytes name, struct json *value)
{
    if (!json_get_bytes(object, name))
        json_set_bytes(a, object, name, value);
}

static void put_fields(struct arena *a, struct json *root, const struct web_visit *v)
{
    struct json *fields = json_set(a, root, "fields", json_new(a, JSON_OBJECT)), *files = json_set(a, root, "files", json_new(a, JSON_OBJECT));
    for (size_t i = 0; i < v->field_count; i++) {
        const struct web_field *f = &v->fields[i];
        if (!f->file) {
            put(a, fields, f->name, json_string(a, f->text.len ? f->text : f->value));
            continue;
        }
        struct json *file = json_new(a, JSON_OBJECT);
        json_set(a, file, "filename", json_string(a, f->filename));
        json_set(a, file, "type", json_string(a, f->type));
        json_set(a, file, "size", json_integer(a, (int64_t)f->size));
        json_set(a, file, "sha256", json_text(a, f->sha256));
        put(a, files, f->name, file);
    }
}

static void put_query(struct arena *a, struct json *root, const struct web_visit *v)
{
    const struct web_parameter *list;
    size_t count = web_parameters_read(a, v->query, &list);
    struct json *query = json_set(a, root, "query", json_new(a, JSON_OBJECT));
    for (size_t i = 0; i < count; i++)
        put(a, query, list[i].name, json_string(a, list[i].value));
}

static void put_cookies(struct arena *a, struct json *root, struct bytes line)
{
    struct json *cookies = json_set(a, root, "cookies", json_new(a, JSON_OBJECT));
    for (size_t from = 0; from < line.len;) {
        ptrdiff_t found = bytes_find(line, BYTES_LITERAL(";"), from);
        size_t to = found < 0 ? line.len : (size_t)found;
        while (from < to && line.data[from] == ' ')
            from++;
        ptrdiff_t equals = bytes_find(bytes_slice(line, 0, to), BYTES_LITERAL("="), from);
        if (equals >= 0)
            put(a, cookies, bytes_slice(line, from, (size_t)equals), json_string(a, bytes_slice(line, (size_t)equals + 1, to)));
        from = to + 1;
    }
}

static void put_headers(struct arena *a, struct json *root, const struct web_visit *v)
{
    struct json *headers = json_set(a, root, "headers", json_new(a, JSON_OBJECT));
    for (size_t i = 0; i < v->header_count; i++)
        json_set(a, headers, v->headers[i].name, json_string(a, v->headers[i].value));
    const struct bytes *cookie = web_visit_header(v, "cookie");
    put_cookies(a, root, cookie ? *cookie : BYTES_NONE);
}

static void put_visit(struct arena *a, struct json *root, const struct web_visit *v)
{
    json_set(a, root, "method", json_text(a, v->method));
    json_set(a, root, "status", json_integer(a, v->status));
    if (v->length >= 0)
        json_set(a, root, "length", json_integer(a, v->length));
    json_set(a, root, "sent", json_integer(a, (int64_t)v->sent));
    json_set(a, root, "end", json_text(a, web_end_name(v->end)));
    json_set(a, root, "body_size", json_integer(a, (int64_t)v->body_size));
    json_set(a, root, "body_sha256", json_text(a, v->body_sha256));
    put_fields(a, root, v);
    put_query(a, root, v);
    put_headers(a, root, v);
}

bool site_seen_text(struct bytes pointer)
{
    static const char *const texts[] = {"/fields/", "/query/", "/headers/", "/cookies/"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (bytes_starts(pointer, bytes_of_string(texts[i])))
            return true;
    return bytes_starts(pointer, BYTES_LITERAL("/files/")) && bytes_ends(pointer, BYTES_LITERAL("/filename"));
}

const struct json *site_seen(const struct execution *e, size_t observation, struct bytes path, struct arena *a, const struct web_visit **visit)
{
    int64_t count = 0;
    *visit = NULL;
    if (!e->site.address || e->site.dropped)
        return NULL;
    for (size_t i = 0; i < e->site.count; i++) {
        const struct web_visit *v = &e->site.visits[i];
        if (v->step < (int64_t)observation || !bytes_equal(v->path, path))
            continue;
        *visit = *visit ? *visit : v;
        count++;
    }
    struct json *root = json_new(a, JSON_OBJECT);
    json_set(a, root, "visits", json_integer(a, count));
    if (*visit)
        put_visit(a, root, *visit);
    return root;
}
