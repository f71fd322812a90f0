/* Findings as SARIF 2.1.0, for what keeps and compares results of analyses. The rules are the checks; the signature is the fingerprint,
 * so that a finding is the same one in the next upload. There is no source to point at: the location is the database. */
#include <string.h>

#include "corpus/report/report_internal.h"

static struct json *safe_text(struct arena *a, const char *text, bool keep_newlines)
{
    struct buf safe;

    buf_init(&safe, SIZE_MAX / 4);
    report_safe(&safe, bytes_of_string(text), keep_newlines);
    struct json *value = json_string(a, buf_bytes(&safe));
    buf_release(&safe);
    return value;
}

static void set_message(struct arena *a, struct json *o, const char *key, const char *text)
{
    json_set(a, json_set(a, o, key, json_new(a, JSON_OBJECT)), "text", safe_text(a, text, true));
}

static size_t rule_index(struct arena *a, struct json *rules, const struct finding *f)
{
    size_t i = 0;

    for (const struct json *rule = rules->first; rule; rule = rule->next, i++)
        if (bytes_equal_string(json_as_text(json_get(rule, "id")), f->check))
            return i;
    struct json *rule = json_add(rules, json_new(a, JSON_OBJECT));
    json_set(a, rule, "id", json_text(a, f->check));
    set_message(a, rule, "shortDescription", f->title);
    struct json *properties = json_set(a, rule, "properties", json_new(a, JSON_OBJECT));
    json_add(json_set(a, properties, "tags", json_new(a, JSON_ARRAY)), json_text(a, f->primitive));
    return i;
}

/* What is fixed is no result of the kind that wants something to be done. */
static void set_level(struct arena *a, struct json *result, const struct finding *f)
{
    bool sure = f->state == FINDING_CONFIRMED || f->state == FINDING_REGRESSED;

    if (f->state == FINDING_FIXED) {
        json_set(a, result, "kind", json_text(a, "pass"));
        json_set(a, result, "level", json_text(a, "none"));
    } else {
        json_set(a, result, "level", json_text(a, report_is_note(f) || f->state == FINDING_UNCONFIRMED ? "note" : sure ? "error" : "warning"));
    }
}

static void set_location(struct arena *a, struct json *result, const struct report_item *item)
{
    const struct finding *f = item->f;
    const char *db = item->from->name, *slash = strrchr(db, '/');
    struct json *location = json_add(json_set(a, result, "locations", json_new(a, JSON_ARRAY)), json_new(a, JSON_OBJECT));
    struct json *physical = json_set(a, location, "physicalLocation", json_new(a, JSON_OBJECT));
    struct json *artifact = json_set(a, physical, "artifactLocation", json_new(a, JSON_OBJECT));
    struct buf uri;

    buf_init(&uri, 1 << 16);
    for (const char *c = slash ? slash + 1 : db; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-._~", *c);
        buf_addf(&uri, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    json_set(a, artifact, "uri", json_string(a, buf_bytes(&uri)));
    buf_release(&uri);
    json_set(a, json_set(a, physical, "region", json_new(a, JSON_OBJECT)), "startLine", json_integer(a, 1));
    struct json *logical = json_add(json_set(a, location, "logicalLocations", json_new(a, JSON_ARRAY)), json_new(a, JSON_OBJECT));
    json_set(a, logical, "fullyQualifiedName", safe_text(a, f->op, false));
}

static void set_properties(struct arena *a, struct json *result, const struct finding *f)
{
    struct json *p = json_set(a, result, "properties", json_new(a, JSON_OBJECT));

    json_set(a, p, "layer", json_text(a, f->layer));
    json_set(a, p, "primitive", json_text(a, f->primitive));
    json_set(a, p, "op", json_text(a, f->op));
    json_set(a, p, "state", json_text(a, finding_state_name(f->state)));
    json_set(a, p, "n_failed", json_integer(a, f->n_failed));
    json_set(a, p, "n_run", json_integer(a, f->n_run));
    json_set(a, p, "client_illegal", json_bool(a, f->client_illegal));
    json_set(a, p, "target", safe_text(a, f->target, false));
    json_set(a, p, "identity", safe_text(a, f->identity, false));
}

static struct json *result_of(struct arena *a, struct json *rules, const struct report_item *item)
{
    const struct finding *f = item->f;
    struct json *result = json_new(a, JSON_OBJECT);
    struct buf text;

    json_set(a, result, "ruleId", json_text(a, f->check));
    json_set(a, result, "ruleIndex", json_integer(a, (int64_t)rule_index(a, rules, f)));
    set_level(a, result, f);
    buf_init(&text, SIZE_MAX / 4);
    buf_addf(&text, "%s\n\n%s\n\n", f->title, f->evidence);
    report_replay(&text, item);
    set_message(a, result, "message", buf_string(&text));
    buf_release(&text);
    set_location(a, result, item);
    json_set(a, json_set(a, result, "partialFingerprints", json_new(a, JSON_OBJECT)), "taskgenSignature/v1", json_text(a, f->signature));
    if (f->suppressed) {
        struct json *suppression = json_add(json_set(a, result, "suppressions", json_new(a, JSON_ARRAY)), json_new(a, JSON_OBJECT));
        json_set(a, suppression, "kind", json_text(a, "external"));
    }
    set_properties(a, result, f);
    return result;
}

static void add_report(struct buf *out, const struct report_options *o, struct report_view *v)
{
    struct arena *a = &v->arena;
    struct json *log = json_new(a, JSON_OBJECT), *rules = json_new(a, JSON_ARRAY), *results = json_new(a, JSON_ARRAY);

    for (size_t i = 0; i < v->count; i++)
        json_add(results, result_of(a, rules, &v->items[i]));
    json_set(a, log, "$schema", json_text(a, "https://json.schemastore.org/sarif-2.1.0.json"));
    json_set(a, log, "version", json_text(a, "2.1.0"));
    struct json *run = json_add(json_set(a, log, "runs", json_new(a, JSON_ARRAY)), json_new(a, JSON_OBJECT));
    struct json *driver = json_set(a, json_set(a, run, "tool", json_new(a, JSON_OBJECT)), "driver", json_new(a, JSON_OBJECT));
    json_set(a, driver, "name", json_text(a, "taskgen"));
    json_set(a, driver, "rules", rules);
    json_set(a, run, "columnKind", json_text(a, "unicodeCodePoints"));
    json_set(a, run, "results", results);
    json_write(out, log, JSON_PRETTY);
    buf_add_byte(out, '\n');
}

static int write_sarif(const struct report_options *o, struct buf *out, struct error **err)
{
    return report_write(o, out, add_report, err);
}

const struct report_format report_sarif = {
    .name = "sarif",
    .doc = "for code scanning: SARIF 2.1.0",
    .write = write_sarif,
};
