/* In the stateless era a connection is not a session: what is asked on another one has the same answer. Only lists that name the
 * same things before and after it on the first connection are compared, so that a change of the server's is not held against it; of
 * those only names and schemas, and of server/discover the versions and capabilities. */
#include <string.h>

#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

static const struct kind {
    const char *method;
    const char *list; /* the member with the things; NULL: the members `same` of the result itself are compared */
    const char *same[3];
} kinds[] = {
    {"tools/list", "tools", {"name", "inputSchema", "outputSchema"}},
    {"prompts/list", "prompts", {"name", "arguments", NULL}},
    {"server/discover", NULL, {"supportedVersions", "capabilities", NULL}},
};

static const struct kind *kind_of(const struct observation *o)
{
    struct bytes method = observation_argument(o, "method");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && observation_is(o, "request"); i++)
        if (bytes_equal_string(method, kinds[i].method))
            return &kinds[i];
    return NULL;
}

/* A whole answer of that era, all of it on one page, to a plain request; NULL. */
static const struct json *answer_of(const struct observation *o)
{
    const struct json *result = json_get(o->outcome.result, "result");
    bool plain = observation_claims(o) && !observation_mutated(o) && !json_get(o->args, "params");
    bool whole = bytes_equal_string(json_as_text(json_get(result, "resultType")), "complete") && !json_get(result, "nextCursor");
    return plain && whole ? result : NULL;
}

static bool same_members(const struct kind *k, const struct json *a, const struct json *b)
{
    for (size_t i = 0; i < sizeof k->same / sizeof *k->same && k->same[i]; i++) {
        const struct json *x = json_get(a, k->same[i]), *y = json_get(b, k->same[i]);
        if (!x != !y || (x && !json_equal(x, y)))
            return false;
    }
    return true;
}

static bool has(const struct kind *k, const struct json *list, const struct json *wanted)
{
    for (const struct json *one = list->first; one; one = one->next)
        if (same_members(k, one, wanted))
            return true;
    return false;
}

/* The order of a list means nothing here. */
static bool same(const struct kind *k, const struct json *a, const struct json *b)
{
    if (!k->list)
        return same_members(k, a, b);
    const struct json *x = json_get(a, k->list), *y = json_get(b, k->list);
    if (!json_is(x, JSON_ARRAY) || !json_is(y, JSON_ARRAY))
        return true; /* another duty's */
    bool equal = x->count == y->count;
    for (const struct json *one = x->first; one && equal; one = one->next)
        equal = has(k, y, one);
    return equal;
}

/* The nearest answer of the kind on the connection `session`, going from `index` by `by`; NULL. */
static const struct json *beside(const struct execution *e, const struct kind *k, const char *session, size_t index, size_t by)
{
    for (size_t i = index + by; i < e->count; i += by) /* below 0 it is past the end */
        if (kind_of(&e->observations[i]) == k && strcmp(e->observations[i].step->session, session) == 0)
            return answer_of(&e->observations[i]);
    return NULL;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count && !client_illegal(e, i); i++) {
        const struct observation *o = &e->observations[i];
        const struct kind *k = kind_of(o);
        const struct json *there = k && strcmp(o->step->session, "main") != 0 ? answer_of(o) : NULL;
        const struct json *before = there ? beside(e, k, "main", i, SIZE_MAX) : NULL;
        const struct json *after = before ? beside(e, k, "main", i, 1) : NULL;
        if (!after || !same(k, before, after) || same(k, before, there))
            continue;
        judge_say(out, e, "mcp-14", i, EFFECT_NONE, arena_printf(out->arena, "%s depends on the connection", k->method),
                  "the target takes a connection for a session",
                  arena_printf(out->arena, "step %s: %s on another connection is answered otherwise than before and after it on the "
                                           "first -> interface",
                               o->step->id, k->method));
    }
}

const struct check check_mcp_14 = {"mcp-14", "", "session", "a connection is not a session: another one has the same answers", judge};
