/* Everything a report says as one JSON object, for dashboards and comparisons (docs/findings.md). */
#include "corpus/report/report_internal.h"

static struct json *object_in(struct arena *a, struct json *o, const char *key)
{
    return json_set(a, o, key, json_new(a, JSON_OBJECT));
}

static struct json *array_in(struct arena *a, struct json *o, const char *key)
{
    return json_set(a, o, key, json_new(a, JSON_ARRAY));
}

static void set_number(struct arena *a, struct json *o, const char *key, int64_t n)
{
    json_set(a, o, key, json_integer(a, n));
}

static void set_tally(struct arena *a, struct json *o, const struct report_tally *t)
{
    set_number(a, o, "ran", t->ran);
    set_number(a, o, "passed", t->passed);
    set_number(a, o, "failed", t->failed);
    set_number(a, o, "skipped", t->skipped);
    set_number(a, o, "spoiled", t->spoiled);
    json_set(a, o, "failed_such_as", json_text(a, t->why));
    set_number(a, o, "ms", t->ns / 1000000);
    set_number(a, o, "endings_known", t->known);
    set_number(a, o, "timed_out", t->timed_out);
    set_number(a, o, "perished", t->perished);
    set_number(a, o, "pages_crashed", t->crashed);
    struct json *list = array_in(a, o, "endings");
    for (size_t i = 0; i < t->cause_count; i++) {
        struct json *one = json_add(list, json_new(a, JSON_OBJECT));
        json_set(a, one, "ending", json_text(a, execution_ending_name(t->causes[i].ending)));
        json_set(a, one, "op", json_text(a, t->causes[i].op));
        set_number(a, one, "count", t->causes[i].count);
    }
}

static void add_loads(struct arena *a, struct json *o, const char *key, const char *name, const struct report_loads *loads, size_t side)
{
    struct json *list = array_in(a, o, key);
    for (size_t i = 0; i < loads->count; i++) {
        const struct report_load *l = &loads->items[i];
        const struct report_tally *t = &l->by_side[side];
        if (!t->ran && !t->skipped && !t->spoiled)
            continue;
        struct json *one = json_add(list, json_new(a, JSON_OBJECT));
        if (*l->domain)
            json_set(a, one, "domain", json_text(a, l->domain));
        if (*l->name || !*l->domain)
            json_set(a, one, name, json_text(a, l->name));
        set_tally(a, one, t);
    }
}

static struct json *side_value(struct arena *a, const struct report_view *v, size_t i)
{
    const struct report_side *side = &v->sides.items[i];
    struct json *o = json_new(a, JSON_OBJECT);
    json_set(a, o, "label", json_text(a, side->label));
    json_set(a, o, "target", json_text(a, side->of->target));
    json_set(a, o, "database", json_text(a, side->from->name));
    json_set(a, o, "kind", json_text(a, side->kind));
    struct json *identities = array_in(a, o, "identities");
    for (size_t k = 0; k < side->of->identity_count; k++)
        json_add(identities, json_text(a, side->of->identities[k]));
    set_number(a, o, "runs", side->of->runs);
    set_number(a, o, "runs_not_ended", side->of->runs_open);
    set_number(a, o, "sessions_refused", side->of->refused);
    json_set(a, o, "first_run", report_time_json(a, side->of->first_ms));
    json_set(a, o, "last_run", report_time_json(a, side->of->last_ms));
    set_tally(a, object_in(a, o, "tasks"), &side->all);
    add_loads(a, o, "domains", "", &v->sides.domains, i);
    add_loads(a, o, "workflows", "workflow", &v->sides.workflows, i);
    add_loads(a, o, "mutators", "mutator", &v->sides.mutators, i);
    struct json *primitives = array_in(a, o, "primitives");
    for (size_t p = 0; p < v->sides.primitive_count; p++) {
        const struct report_failures *f = &v->sides.primitives[p].by_side[i];
        struct json *one = json_add(primitives, json_new(a, JSON_OBJECT));
        json_set(a, one, "primitive", json_text(a, v->sides.primitives[p].name));
        set_number(a, one, "confirmed", (int64_t)f->confirmed);
        set_number(a, one, "flaky", (int64_t)f->flaky);
        set_number(a, one, "new", (int64_t)f->untried);
        set_number(a, one, "times", f->times);
    }
    return o;
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    struct arena *a = &v->arena;
    struct json *all = json_new(a, JSON_OBJECT);
    json_set(a, all, "format", json_text(a, "taskgen/report/1"));
    struct json *databases = array_in(a, all, "databases");
    for (size_t i = 0; i < o->source_count; i++)
        json_add(databases, json_text(a, o->sources[i].name));
    struct json *skips = array_in(a, all, "skipped_for_want_of");
    for (size_t i = 0; i < v->skip_count; i++) {
        struct json *one = json_add(skips, json_new(a, JSON_OBJECT));
        json_set(a, one, "need", json_text(a, v->skips[i].name));
        set_number(a, one, "count", v->skips[i].count);
    }
    struct json *targets = array_in(a, all, "targets");
    for (size_t i = 0; i < v->sides.count; i++)
        json_add(targets, side_value(a, v, i));
    struct json *findings = array_in(a, all, "findings");
    for (size_t i = 0; i < v->count; i++)
        json_add(findings, report_finding_json(a, &v->items[i]));
    json_write(out, all, JSON_PRETTY);
    buf_add_byte(out, '\n');
}

static int write_summary(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_summary_json = {
    .name = "summary",
    .doc = "for programs: one object with targets side by side, and the findings",
    .write = write_summary,
};
