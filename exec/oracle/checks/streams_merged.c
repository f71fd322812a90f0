/* The two streams of a program. Each keeps its own order, also where a target mixes them into one text; and what a tool gives as standard
 * error has what the program wrote there. Where a tool has no standard error of its own and shows nothing of it, that is its contract. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/expect.h"
#include "exec/oracle/line_index.h"

#include <string.h>

static const char slug[] = "streams-merged";

enum { LINES_LEAST = 3 };

static bool mine(const struct mismatch *m)
{
    return mismatch_ordinary(m) && m->in == IN_OUTPUT && m->shuffled;
}

/* What an expectation wants of a step's standard error, as far as it is text. */
static bool wanted_errors(const struct execution *e, const struct json *x, struct arena *a, struct bytes *want)
{
    const struct json *value = json_get(x, "equals") ? json_get(x, "equals") : json_get(x, "contains");
    return bytes_equal_string(json_as_text(json_get(x, "at")), "/stderr") && value && expect_bytes(e->task, value, a, want) &&
           want->len > 0;
}

static bool shown_anywhere(const struct observation *o, struct bytes line)
{
    static const char *const members[] = {"stdout", "stderr"};
    bool present;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (bytes_find(observation_result(o, members[i], &present), line, 0) >= 0)
            return true;
    return bytes_find(o->outcome.raw, line, 0) >= 0 || bytes_find(o->outcome.message, line, 0) >= 0;
}

/* The end of a long reply may be the part that is left out. */
static bool says_cut(const struct observation *o)
{
    static const char *const words[] = {"truncat", "Truncat", "TRUNCAT", "omitted", "more lines", "more bytes"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (shown_anywhere(o, bytes_of_string(words[i])))
            return true;
    return false;
}

static void judge_errors(const struct execution *e, struct verdicts *out, size_t i, struct bytes want)
{
    const struct observation *o = &e->observations[i];
    struct bytes first = want;
    struct line_index index;
    size_t at = 0;
    bool own;
    struct bytes got = observation_result(o, "stderr", &own);
    if (!line_next(want, &at, &first) || !first.len)
        return;
    if (!got.len && !shown_anywhere(o, first)) {
        if (says_cut(o))
            return;
        const char *detail = "standard error is missing";
        const char *evidence = arena_printf(out->arena,
                                            "step %s %s: the program ended as it should and wrote %zu bytes to its standard error at the "
                                            "least; the reply has %s -> interface",
                                            o->step->id, o->step->op->name, want.len,
                                            own ? "an empty one" : "none, and nothing of it elsewhere");
        judge_say_contract(out, e, own ? POLICY_NO : POLICY_UNSTATED, slug, i, EFFECT_NONE, detail,
                           "what a program wrote to its standard error is not in the reply", evidence);
        return;
    }
    if (!line_index_make(&index, want, LINES_LEAST, out->arena))
        return;
    struct line_order order = line_index_order(&index, got, true);
    if (order.known == index.count && order.back)
        judge_say(out, e, slug, i, EFFECT_NONE, "lines of standard error are out of order", "a stream does not keep its order",
                  arena_printf(out->arena,
                               "step %s %s: the reply's standard error has each of the %zu lines that the program wrote, in another "
                               "order -> interface",
                               o->step->id, o->step->op->name, index.count));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    roundtrip_report(e, out, slug, mine);
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool once = o->round == 0 && (observation_is(o, "run") || observation_is(o, "wait"));
        for (const struct json *x = once && e->task->expect ? e->task->expect->first : NULL; x; x = x->next) {
            struct bytes want;
            if (bytes_equal_string(json_as_text(json_get(x, "step")), o->step->id) && observation_claims(o) &&
                !o->outcome.lowered && o->outcome.has_exit && calm_until(e, i) && wanted_errors(e, x, out->arena, &want))
                judge_errors(e, out, i, want);
        }
    }
}

const struct check check_streams_merged = {slug, "C35", "process", "each stream keeps its own order, and standard error is there", judge};
