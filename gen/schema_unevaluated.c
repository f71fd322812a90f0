/* unevaluatedProperties and unevaluatedItems: whether something beside the keyword has looked at a member or an item.
 *
 * No annotations are kept while judging; instead each member is followed through what holds for the same value: a branch counts
 * when it accepts the value. So this costs more than other keywords, out of the same bounded work. */
#include <string.h>

#include "gen/schema_judge.h"

/* What is looked for: a member by its value, or an item by its index. */
struct sought {
    const struct json *value;  /* the object or array */
    const struct json *member; /* or the item */
    size_t index;
    bool item;
    const struct json *own; /* the schema whose keyword asks: that one does not count */
};

static enum schema_verdict evaluated(struct judge *j, const struct json *s, const struct sought *t);

/* One of two places has looked at it: a yes wins, doubt is kept. */
static enum schema_verdict either(enum schema_verdict a, enum schema_verdict b)
{
    return a == SCHEMA_ACCEPTS || b == SCHEMA_ACCEPTS ? SCHEMA_ACCEPTS : a == SCHEMA_UNSURE ? a : b;
}

/* By a schema that holds for the same value, if it does. */
static enum schema_verdict by_branch(struct judge *j, const struct json *branch, const struct sought *t)
{
    enum schema_verdict looked = branch ? evaluated(j, branch, t) : SCHEMA_REJECTS;
    return looked == SCHEMA_REJECTS ? looked : schema_both(looked, schema_judge_value(j, branch, t->value));
}

static enum schema_verdict by_lists(struct judge *j, const struct json *s, const struct sought *t)
{
    static const char *const names[] = {"allOf", "anyOf", "oneOf"};
    enum schema_verdict looked = SCHEMA_REJECTS;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct json *list = json_get(s, names[i]);
        for (const struct json *one = json_is(list, JSON_ARRAY) ? list->first : NULL; one && looked != SCHEMA_ACCEPTS;
             one = one->next)
            looked = either(looked, by_branch(j, one, t));
    }
    return looked;
}

static enum schema_verdict by_condition(struct judge *j, const struct json *s, const struct sought *t)
{
    const struct json *condition = json_get(s, "if");
    if (!condition)
        return SCHEMA_REJECTS;
    enum schema_verdict holds = schema_judge_value(j, condition, t->value);
    if (holds == SCHEMA_UNSURE)
        return SCHEMA_UNSURE;
    enum schema_verdict looked = holds == SCHEMA_ACCEPTS ? evaluated(j, condition, t) : SCHEMA_REJECTS;
    return either(looked, by_branch(j, json_get(s, holds == SCHEMA_ACCEPTS ? "then" : "else"), t));
}

static enum schema_verdict by_references(struct judge *j, const struct json *s, const struct sought *t)
{
    const struct json *ref = json_get(s, "$ref"), *table = json_get(s, "dependentSchemas");
    const struct json *target = json_is(ref, JSON_STRING) ? schema_follow_ref(j->root, ref) : NULL;
    enum schema_verdict looked = json_get(s, "$dynamicRef") || (ref && !target) ? SCHEMA_UNSURE : SCHEMA_REJECTS;
    looked = either(looked, by_branch(j, target, t));
    for (const struct json *one = json_is(table, JSON_OBJECT) ? table->first : NULL; one && !t->item; one = one->next)
        if (json_get_bytes(t->value, one->key))
            looked = either(looked, by_branch(j, one, t));
    return looked;
}

static enum schema_verdict by_members(struct judge *j, const struct json *s, const struct sought *t)
{
    const struct json *member = t->member;
    const struct json *patterns = json_get(s, "patternProperties");
    enum schema_verdict looked = SCHEMA_REJECTS;
    if (json_get_bytes(json_get(s, "properties"), member->key) || json_get(s, "additionalProperties") ||
        (s != t->own && json_get(s, "unevaluatedProperties")))
        return SCHEMA_ACCEPTS;
    for (const struct json *one = json_is(patterns, JSON_OBJECT) ? patterns->first : NULL; one; one = one->next) {
        j->work += PATTERN_WORK;
        looked = either(looked, schema_pattern_matches(j->book, one->key, member->key));
    }
    return looked;
}

static enum schema_verdict by_items(struct judge *j, const struct json *s, const struct sought *t)
{
    const struct json *prefix = json_get(s, "prefixItems"), *items = json_get(s, "items"), *contains = json_get(s, "contains");
    if (json_is(items, JSON_ARRAY)) { /* as it was before 2020-12 */
        prefix = items;
        items = json_get(s, "additionalItems");
        contains = NULL;
    }
    if (items || (s != t->own && json_get(s, "unevaluatedItems")) || (json_is(prefix, JSON_ARRAY) && t->index < prefix->count))
        return SCHEMA_ACCEPTS;
    return contains ? schema_judge_value(j, contains, t->member) : SCHEMA_REJECTS;
}

/* Places that follow from the schema alone come first. */
static enum schema_verdict evaluated(struct judge *j, const struct json *s, const struct sought *t)
{
    if (!json_is(s, JSON_OBJECT))
        return SCHEMA_REJECTS;
    if (j->depth == NESTING_MAX || ++j->work > j->most)
        return SCHEMA_UNSURE;
    j->depth++;
    enum schema_verdict looked = t->item ? by_items(j, s, t) : by_members(j, s, t);
    if (looked != SCHEMA_ACCEPTS)
        looked = either(looked, by_lists(j, s, t));
    if (looked != SCHEMA_ACCEPTS)
        looked = either(looked, by_condition(j, s, t));
    if (looked != SCHEMA_ACCEPTS)
        looked = either(looked, by_references(j, s, t));
    j->depth--;
    return looked;
}

enum schema_verdict schema_judge_unevaluated(struct judge *j, const struct json *s, const struct json *value)
{
    bool item = json_is(value, JSON_ARRAY);
    const struct json *rest = json_get(s, item ? "unevaluatedItems" : "unevaluatedProperties");
    enum schema_verdict verdict = SCHEMA_ACCEPTS;
    struct sought t = {.value = value, .item = item, .own = s};
    if (!rest || json_is(rest, JSON_TRUE))
        return SCHEMA_ACCEPTS;
    for (const struct json *one = value->first; one && verdict != SCHEMA_REJECTS; one = one->next, t.index++) {
        t.member = one;
        enum schema_verdict looked = evaluated(j, s, &t);
        if (looked == SCHEMA_ACCEPTS)
            continue;
        enum schema_verdict right = schema_judge_value(j, rest, one);
        verdict = schema_both(verdict, right == SCHEMA_REJECTS && looked == SCHEMA_UNSURE ? SCHEMA_UNSURE : right);
    }
    return verdict;
}
