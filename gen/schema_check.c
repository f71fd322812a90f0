/* The judge: does a value satisfy a schema? Three answers; what is beyond a bound or not understood is
 * unsure.
 *
 * It calls itself, never deeper than NESTING_MAX, and stops being sure after so many steps, so a hostile
 * schema costs a bounded time. Formats and content keywords are annotations, as 2020-12 has it by default. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "gen/schema_judge.h"

enum { MEMBERS_A_STEP = 16, SAME_MOST = 256 /* members; bigger ones are compared as they are written */ };

enum schema_verdict schema_both(enum schema_verdict a, enum schema_verdict b)
{
    return a == SCHEMA_REJECTS || b == SCHEMA_REJECTS ? SCHEMA_REJECTS : a == SCHEMA_ACCEPTS ? b : a;
}

static enum schema_verdict from(bool fine)
{
    return fine ? SCHEMA_ACCEPTS : SCHEMA_REJECTS;
}

/* A number of a schema as a bound; `fallback` where it is none. */
static double bound(const struct json *schema, const char *name, double fallback)
{
    double number;
    const struct json *value = json_get(schema, name);
    return json_is(value, JSON_NUMBER) && json_as_real(value, &number) ? number : fallback;
}

/* --- by kind --- */

static enum schema_verdict judge_number(struct judge *j, const struct json *s, const struct json *value)
{
    double number, step = bound(s, "multipleOf", 0);
    (void)j;
    if (!json_as_real(value, &number))
        return SCHEMA_UNSURE;
    const struct json *low = json_get(s, "exclusiveMinimum"), *high = json_get(s, "exclusiveMaximum");
    double least = bound(s, "minimum", -INFINITY), most = bound(s, "maximum", INFINITY);
    bool fine = number >= least && number <= most && !(number <= bound(s, "exclusiveMinimum", -INFINITY)) &&
                !(number >= bound(s, "exclusiveMaximum", INFINITY)) &&
                !(json_is(low, JSON_TRUE) && number <= least) &&
                !(json_is(high, JSON_TRUE) && number >= most);
    if (step > 0)
        fine = fine && floor(number / step) == number / step;
    return from(fine);
}

static enum schema_verdict judge_string(struct judge *j, const struct json *s, const struct json *value)
{
    double length = (double)utf8_count(value->text);
    const struct json *pattern = json_get(s, "pattern");
    if (length < bound(s, "minLength", 0) || length > bound(s, "maxLength", INFINITY))
        return SCHEMA_REJECTS;
    return json_is(pattern, JSON_STRING) ? schema_pattern_matches(j->book, pattern->text, value->text)
                                         : SCHEMA_ACCEPTS;
}

static enum schema_verdict judge_contains(struct judge *j, const struct json *s, const struct json *value)
{
    const struct json *contains = json_get(s, "contains");
    if (!contains)
        return SCHEMA_ACCEPTS;
    double found = 0, unsure = 0;
    for (const struct json *one = value->first; one; one = one->next) {
        enum schema_verdict v = schema_judge_value(j, contains, one);
        found += v == SCHEMA_ACCEPTS;
        unsure += v == SCHEMA_UNSURE;
    }
    double least = bound(s, "minContains", 1), most = bound(s, "maxContains", INFINITY);
    if (found > most || found + unsure < least)
        return SCHEMA_REJECTS;
    return unsure > 0 && !(found >= least && found + unsure <= most) ? SCHEMA_UNSURE : SCHEMA_ACCEPTS;
}

static bool same_at(const struct json *a, const struct json *b, unsigned depth);

static bool same_members(const struct json *a, const struct json *b, unsigned depth)
{
    if (a->count != b->count)
        return false;
    const struct json *y = b->first;
    for (const struct json *x = a->first; x; x = x->next, y = y->next) {
        const struct json *other = json_is(a, JSON_OBJECT) ? json_get_bytes(b, x->key) : y;
        if (!other || !same_at(x, other, depth))
            return false;
    }
    return true;
}

static bool same_at(const struct json *a, const struct json *b, unsigned depth)
{
    double x, y;
    if (json_is(a, JSON_NUMBER) && json_is(b, JSON_NUMBER) && json_as_real(a, &x) && json_as_real(b, &y))
        return x == y;
    bool inside = a->kind == b->kind && (json_is(a, JSON_ARRAY) || json_is(a, JSON_OBJECT));
    return inside && depth < NESTING_MAX && a->count <= SAME_MOST ? same_members(a, b, depth + 1) : json_equal(a, b);
}

/* Equal as JSON Schema has it: 1 and 1.0 are, wherever they stand. */
static bool same(const struct json *a, const struct json *b)
{
    return same_at(a, b, 0);
}

static bool all_differ(struct judge *j, const struct json *array)
{
    for (const struct json *a = array->first; a; a = a->next)
        for (const struct json *b = a->next; b && j->work < j->most; b = b->next, j->work++)
            if (same(a, b))
                return false;
    return true;
}

static enum schema_verdict judge_array(struct judge *j, const struct json *s, const struct json *value)
{
    const struct json *items = json_get(s, "items"), *prefix = json_get(s, "prefixItems");
    if (json_is(items, JSON_ARRAY)) {
        prefix = items;
        items = json_get(s, "additionalItems");
    }
    if (value->count < bound(s, "minItems", 0) || value->count > bound(s, "maxItems", INFINITY))
        return SCHEMA_REJECTS;
    if (json_is(json_get(s, "uniqueItems"), JSON_TRUE) && !all_differ(j, value))
        return SCHEMA_REJECTS;
    enum schema_verdict verdict = judge_contains(j, s, value);
    const struct json *own = json_is(prefix, JSON_ARRAY) ? prefix->first : NULL;
    for (const struct json *one = value->first; one && verdict != SCHEMA_REJECTS; one = one->next) {
        const struct json *schema = own ? own : items;
        own = own ? own->next : NULL;
        if (schema)
            verdict = schema_both(verdict, schema_judge_value(j, schema, one));
    }
    return verdict == SCHEMA_REJECTS ? verdict : schema_both(verdict, schema_judge_unevaluated(j, s, value));
}

static enum schema_verdict judge_member(struct judge *j, const struct json *s, const struct json *member)
{
    const struct json *properties = json_get(s, "properties"), *patterns = json_get(s, "patternProperties");
    const struct json *own = json_get_bytes(properties, member->key), *names = json_get(s, "propertyNames");
    enum schema_verdict verdict = own ? schema_judge_value(j, own, member) : SCHEMA_ACCEPTS;
    bool found = own != NULL;
    j->work += json_is(properties, JSON_OBJECT) ? properties->count / MEMBERS_A_STEP : 0;
    for (const struct json *one = json_is(patterns, JSON_OBJECT) ? patterns->first : NULL; one;
         one = one->next) {
        enum schema_verdict matches = schema_pattern_matches(j->book, one->key, member->key);
        j->work += PATTERN_WORK;
        if (matches == SCHEMA_UNSURE)
            verdict = schema_both(verdict, SCHEMA_UNSURE);
        if (matches != SCHEMA_ACCEPTS)
            continue;
        verdict = schema_both(verdict, schema_judge_value(j, one, member));
        found = true;
    }
    if (!found && json_get(s, "additionalProperties"))
        verdict = schema_both(verdict, schema_judge_value(j, json_get(s, "additionalProperties"), member));
    if (names) {
        struct json name = {.kind = JSON_STRING, .text = member->key};
        verdict = schema_both(verdict, schema_judge_value(j, names, &name));
    }
    return verdict;
}

static bool has_all(const struct json *value, const struct json *names)
{
    for (const struct json *one = json_is(names, JSON_ARRAY) ? names->first : NULL; one; one = one->next)
        if (json_is(one, JSON_STRING) && !json_get_bytes(value, one->text))
            return false;
    return true;
}

/* dependentRequired and dependentSchemas, and what was both of them once. */
static enum schema_verdict judge_dependents(struct judge *j, const struct json *s, const struct json *value)
{
    static const char *const keywords[] = {"dependentRequired", "dependentSchemas", "dependencies"};
    enum schema_verdict verdict = SCHEMA_ACCEPTS;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        const struct json *table = json_get(s, keywords[i]);
        for (const struct json *one = json_is(table, JSON_OBJECT) ? table->first : NULL; one;
             one = one->next) {
            if (!json_get_bytes(value, one->key))
                continue;
            verdict = schema_both(verdict,
                           json_is(one, JSON_ARRAY) ? from(has_all(value, one)) : schema_judge_value(j, one, value));
        }
    }
    return verdict;
}

static enum schema_verdict judge_object(struct judge *j, const struct json *s, const struct json *value)
{
    if (value->count < bound(s, "minProperties", 0) || value->count > bound(s, "maxProperties", INFINITY) ||
        !has_all(value, json_get(s, "required")))
        return SCHEMA_REJECTS;
    enum schema_verdict verdict = judge_dependents(j, s, value);
    for (const struct json *one = value->first; one && verdict != SCHEMA_REJECTS; one = one->next)
        verdict = schema_both(verdict, judge_member(j, s, one));
    return verdict == SCHEMA_REJECTS ? verdict : schema_both(verdict, schema_judge_unevaluated(j, s, value));
}

/* --- what holds for any kind --- */

/* What a list of schemas says together, by how many of them accept the value, reject it, and cannot say. */
static enum schema_verdict all_of(size_t yes, size_t no, size_t unsure)
{
    return no ? SCHEMA_REJECTS : unsure ? SCHEMA_UNSURE : SCHEMA_ACCEPTS;
}

static enum schema_verdict any_of(size_t yes, size_t no, size_t unsure)
{
    return yes ? SCHEMA_ACCEPTS : unsure ? SCHEMA_UNSURE : SCHEMA_REJECTS;
}

static enum schema_verdict one_of(size_t yes, size_t no, size_t unsure)
{
    if (yes > 1 || yes + unsure == 0)
        return SCHEMA_REJECTS;
    return unsure ? SCHEMA_UNSURE : SCHEMA_ACCEPTS;
}

static const struct {
    const char *name;
    enum schema_verdict (*verdict)(size_t yes, size_t no, size_t unsure);
} lists[] = {{"allOf", all_of}, {"anyOf", any_of}, {"oneOf", one_of}};

static enum schema_verdict judge_lists(struct judge *j, const struct json *s, const struct json *value)
{
    enum schema_verdict verdict = SCHEMA_ACCEPTS;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct json *list = json_get(s, lists[i].name);
        size_t count[] = {[SCHEMA_REJECTS] = 0, [SCHEMA_ACCEPTS] = 0, [SCHEMA_UNSURE] = 0};
        if (!json_is(list, JSON_ARRAY) || !list->count)
            continue;
        for (const struct json *one = list->first; one; one = one->next)
            count[schema_judge_value(j, one, value)]++;
        verdict = schema_both(verdict,
                       lists[i].verdict(count[SCHEMA_ACCEPTS], count[SCHEMA_REJECTS], count[SCHEMA_UNSURE]));
    }
    return verdict;
}

static enum schema_verdict judge_logic(struct judge *j, const struct json *s, const struct json *value)
{
    const struct json *denied = json_get(s, "not"), *condition = json_get(s, "if");
    enum schema_verdict verdict = judge_lists(j, s, value);
    if (denied) {
        enum schema_verdict v = schema_judge_value(j, denied, value);
        verdict = schema_both(verdict, v == SCHEMA_UNSURE ? v : from(v == SCHEMA_REJECTS));
    }
    if (condition) {
        enum schema_verdict holds = schema_judge_value(j, condition, value);
        const struct json *then = json_get(s, holds == SCHEMA_ACCEPTS ? "then" : "else");
        if (holds == SCHEMA_UNSURE)
            verdict = schema_both(verdict, SCHEMA_UNSURE);
        else if (then)
            verdict = schema_both(verdict, schema_judge_value(j, then, value));
    }
    return verdict;
}

static enum schema_verdict judge_plain(struct judge *j, const struct json *s, const struct json *value)
{
    const struct json *type = json_get(s, "type"), *values = json_get(s, "enum"),
                      *only = json_get(s, "const");
    if ((json_is(type, JSON_STRING) || json_is(type, JSON_ARRAY)) &&
        !(schema_named_types(type) & schema_type_of(value)))
        return SCHEMA_REJECTS;
    if (only && !same(only, value))
        return SCHEMA_REJECTS;
    if (!json_is(values, JSON_ARRAY))
        return SCHEMA_ACCEPTS;
    j->work += values->count / MEMBERS_A_STEP;
    for (const struct json *one = values->first; one; one = one->next)
        if (same(one, value))
            return SCHEMA_ACCEPTS;
    return SCHEMA_REJECTS;
}

static enum schema_verdict judge_kind(struct judge *j, const struct json *s, const struct json *value)
{
    switch (value->kind) {
    case JSON_NUMBER:
        return judge_number(j, s, value);
    case JSON_STRING:
        return judge_string(j, s, value);
    case JSON_ARRAY:
        return judge_array(j, s, value);
    case JSON_OBJECT:
        return judge_object(j, s, value);
    default:
        return SCHEMA_ACCEPTS;
    }
}

static enum schema_verdict judge_ref(struct judge *j, const struct json *s, const struct json *value)
{
    static const char *const keywords[] = {"$ref", "$dynamicRef"};
    enum schema_verdict verdict = SCHEMA_ACCEPTS;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        const struct json *ref = json_get(s, keywords[i]);
        const struct json *target = json_is(ref, JSON_STRING) ? schema_follow_ref(j->root, ref) : NULL;
        if (ref)
            verdict = schema_both(verdict, target ? schema_judge_value(j, target, value) : SCHEMA_UNSURE);
    }
    return verdict;
}

enum schema_verdict schema_judge_value(struct judge *j, const struct json *schema, const struct json *value)
{
    if (json_is(schema, JSON_TRUE))
        return SCHEMA_ACCEPTS;
    if (json_is(schema, JSON_FALSE))
        return SCHEMA_REJECTS;
    if (!json_is(schema, JSON_OBJECT) || j->depth == NESTING_MAX || ++j->work > j->most)
        return SCHEMA_UNSURE;
    j->depth++;
    enum schema_verdict verdict = judge_plain(j, schema, value);
    if (verdict != SCHEMA_REJECTS)
        verdict = schema_both(verdict, judge_kind(j, schema, value));
    if (verdict != SCHEMA_REJECTS)
        verdict = schema_both(verdict, judge_ref(j, schema, value));
    if (verdict != SCHEMA_REJECTS)
        verdict = schema_both(verdict, judge_logic(j, schema, value));
    j->depth--;
    return verdict;
}

enum schema_verdict schema_judge(const struct schema_book *book, const struct json *root,
                                 const struct json *schema, const struct json *value, size_t *work)
{
    struct judge j = {.book = book, .root = root, .most = *work};
    enum schema_verdict verdict = schema_judge_value(&j, schema, value);
    *work -= j.work < *work ? j.work : *work;
    return verdict;
}

enum schema_verdict schema_check(const struct schema_book *book, const struct json *root,
                                 const struct json *schema, const struct json *value)
{
    size_t work = WORK_JUDGE;
    return schema_judge(book, root, schema, value, &work);
}
