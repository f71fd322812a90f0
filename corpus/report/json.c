/* Findings as a JSON array, the public format for programs (docs/findings.md). */
#include <string.h>

#include "corpus/report/report_internal.h"

static void set_text(struct arena *a, struct json *o, const char *key, const char *text)
{
    json_set(a, o, key, json_text(a, text ? text : ""));
}

struct json *report_time_json(struct arena *a, int64_t wall_ms)
{
    struct json *value;
    struct buf text;

    buf_init(&text, 64);
    report_time(&text, wall_ms);
    value = text.len ? json_string(a, buf_bytes(&text)) : json_new(a, JSON_NULL);
    buf_release(&text);
    return value;
}

static struct json *sights_value(struct arena *a, const struct report_item *item)
{
    struct json *list = json_new(a, JSON_ARRAY);

    for (size_t i = 0; i < item->sight_count; i++) {
        const struct report_sight *sight = &item->sights[i];
        struct json *o = json_add(list, json_new(a, JSON_OBJECT));

        set_text(a, o, "target", sight->side->of->target);
        set_text(a, o, "database", sight->side->from->name);
        json_set(a, o, "times", json_integer(a, sight->times));
        set_text(a, o, "state", finding_state_name(sight->f->state));
        json_set(a, o, "n_failed", json_integer(a, sight->f->n_failed));
        json_set(a, o, "n_run", json_integer(a, sight->f->n_run));
    }
    return list;
}

/* The task as an object; null when the stored line is none. */
static struct json *task_value(struct arena *a, const char *line)
{
    const struct json_options options = {.allow_bad_utf8 = true};
    struct json *value = NULL;

    if (!line || json_read(a, bytes_of_string(line), &options, "task", &value, NULL, NULL) ||
        !json_is(value, JSON_OBJECT))
        return json_new(a, JSON_NULL);
    return value;
}

struct json *report_finding_json(struct arena *a, const struct report_item *item)
{
    const struct finding *f = item->f;
    struct json *o = json_new(a, JSON_OBJECT);
    const char *expected, *observed;

    report_expected(f, a, &expected, &observed);
    set_text(a, o, "signature", f->signature);
    set_text(a, o, "text", f->text);
    set_text(a, o, "layer", f->layer);
    set_text(a, o, "primitive", f->primitive);
    set_text(a, o, "check", f->check);
    set_text(a, o, "op", f->op);
    set_text(a, o, "detail", f->detail);
    set_text(a, o, "title", f->title);
    set_text(a, o, "evidence", f->evidence);
    set_text(a, o, "expected", expected);
    set_text(a, o, "observed", observed);
    set_text(a, o, "state", finding_state_name(f->state));
    json_set(a, o, "n_failed", json_integer(a, f->n_failed));
    json_set(a, o, "n_run", json_integer(a, f->n_run));
    json_set(a, o, "times_seen", json_integer(a, f->times_seen));
    json_set(a, o, "first_seen", report_time_json(a, f->first_ms));
    json_set(a, o, "last_seen", report_time_json(a, f->last_ms));
    json_set(a, o, "last_tested", report_time_json(a, f->tested_ms));
    set_text(a, o, "target", f->target);
    set_text(a, o, "identity", f->identity);
    json_set(a, o, "client_illegal", json_bool(a, f->client_illegal));
    json_set(a, o, "suppressed", json_bool(a, f->suppressed));
    json_set(a, o, "task_steps", json_integer(a, f->task_steps));
    json_set(a, o, "task", task_value(a, f->task));
    set_text(a, o, "database", item->from->name);
    json_set(a, o, "seen_on", sights_value(a, item));
    return o;
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    struct json *list = json_new(&v->arena, JSON_ARRAY);

    for (size_t i = 0; i < v->count; i++)
        json_add(list, report_finding_json(&v->arena, &v->items[i]));
    json_write(out, list, JSON_PRETTY);
    buf_add_byte(out, '\n');
}

static int write_json(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_json = {
    .name = "json",
    .doc = "for programs: an array of objects, one a finding",
    .write = write_json,
};
