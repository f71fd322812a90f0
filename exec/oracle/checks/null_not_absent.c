/* null for an optional argument, between two calls of the same tool that leave it out. Where these two give the same result, so
 * that nothing else plays a part, the one with null has to give it too, or be refused for what it is. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

#include <string.h>

static const char slug[] = "null-not-absent";

/* Does `with` have the members of `without` and one more, null? */
static bool adds_null(const struct json *with, const struct json *without)
{
    size_t nulls = 0;
    for (const struct json *one = json_is(with, JSON_OBJECT) ? with->first : NULL; one; one = one->next) {
        const struct json *other = json_get_bytes(without, one->key);
        if (!other && json_is(one, JSON_NULL))
            nulls++;
        else if (!other || !json_equal(one, other))
            return false;
    }
    size_t before = json_is(without, JSON_OBJECT) ? without->count : 0;
    return nulls == 1 && with->count == before + 1;
}

static bool is_call(const struct observation *o)
{
    return observation_is(o, "call") && !o->in_group && !o->outcome.truncated;
}

/* The same tool, called with, without and with the same arguments but for one null. */
static bool is_triple(const struct observation *o)
{
    const struct json *name = json_get(o[0].args, "name");
    for (size_t i = 0; i < 3; i++)
        if (!is_call(&o[i]) || !name || !json_get(o[i].args, "name") || !json_equal(json_get(o[i].args, "name"), name))
            return false;
    const struct json *first = json_get(o[0].args, "arguments"), *last = json_get(o[2].args, "arguments");
    bool same = first && last ? json_equal(first, last) : !first && !last;
    return same && adds_null(json_get(o[1].args, "arguments"), first);
}

/* The same members; whether progress was asked for is no matter of the arguments. */
static bool has_all(const struct json *a, const struct json *b)
{
    for (const struct json *one = a->first; one; one = one->next) {
        const struct json *other = json_get_bytes(b, one->key);
        if (!bytes_equal_string(one->key, "progress") && (!other || !json_equal(one, other)))
            return false;
    }
    return true;
}

static bool same_result(const struct observation *a, const struct observation *b)
{
    const struct json *one = a->outcome.result, *other = b->outcome.result;
    bool results = one && other ? has_all(one, other) && has_all(other, one) : !one && !other;
    return a->outcome.class == b->outcome.class && results && bytes_equal(a->outcome.raw, b->outcome.raw);
}

/* A refusal that speaks of a mishap in the tool's own code, not of the argument. */
static bool is_mishap(const struct observation *o)
{
    static const char *const words[] = {"Cannot read propert", "is not a function", "is not iterable", "NoneType",
                                        "NullPointerException", "TypeError:", "AttributeError:", "Traceback (most recent"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes_find(o->outcome.message, bytes_of_string(words[i]), 0) >= 0 ||
            bytes_find(o->outcome.raw, bytes_of_string(words[i]), 0) >= 0)
            return true;
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i + 2 < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!is_triple(o) || o[0].outcome.class != OUTCOME_OK || !same_result(&o[0], &o[2]))
            continue;
        const char *detail = o[1].outcome.class == OUTCOME_OK && !same_result(&o[0], &o[1]) ? "null gives another result"
                             : observation_refused(&o[1]) && is_mishap(&o[1])          ? "null is refused by a mishap"
                                                                                       : NULL;
        if (!detail)
            continue;
        struct buf evidence;
        buf_init(&evidence, 8192);
        buf_addf(&evidence, "steps %s, %s and %s call one tool; left out, the argument gives the same result twice, ", o[0].step->id,
                 o[1].step->id, o[2].step->id);
        judge_quote(&evidence, o[0].outcome.raw, 200);
        buf_addf(&evidence, "; with null (%s) ", outcome_class_name(o[1].outcome.class));
        judge_quote(&evidence, o[1].outcome.raw.len ? o[1].outcome.raw : o[1].outcome.message, 200);
        buf_add_string(&evidence, " -> interface");
        judge_say(out, e, slug, i + 1, EFFECT_NONE, detail, "null for an optional argument is not the same as leaving it out",
                  buf_string(&evidence));
        buf_release(&evidence);
    }
}

const struct check check_null_not_absent = {
    slug, "C27", "protocol", "null for an optional argument means leaving it out, or is refused", judge};
