/* A store of the target's own in which one record was damaged: calls that worked before fail all, and none says what it is about. An
 * error that names the damage passes, and so does one record that is passed over. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/judge.h"

static const char slug[] = "damaged-store-fatal";

/* Words by which an error tells that what was stored cannot be read. */
static bool names_damage(struct bytes text)
{
    static const char *const words[] = {"JSON",      "json",    "pars",    "Pars",    "orrupt",   "amaged",  "nvalid",     "alformed",
                                        "Unexpected", "nexpected", "line ", "decod",  "ecode",    "yntax",   "Expecting",  "nterminated",
                                        "end of",    "header",  "format",  "not a database", "BOM", "byte order", "truncated", NULL};
    for (const char *const *word = words; *word; word++)
        if (bytes_find(text, bytes_of_string(*word), 0) >= 0)
            return true;
    return false;
}

static const struct json *tool_of(const struct observation *o)
{
    return observation_is(o, "call") ? json_get(o->args, "name") : NULL;
}

/* The same tool with the same arguments, as an earlier call that was answered well. */
static bool worked_before(const struct execution *e, size_t damage, size_t index)
{
    for (size_t i = 0; i < damage; i++)
        if (tool_of(&e->observations[i]) && observation_claims(&e->observations[i]) &&
            observation_same_call(&e->observations[i], &e->observations[index]))
            return true;
    return false;
}

static void judge_after(const struct execution *e, struct verdicts *out, size_t damage)
{
    size_t failed = e->count, fails = 0;
    for (size_t i = damage + 1; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (!tool_of(o) || o->outcome.class == OUTCOME_SKIPPED || !worked_before(e, damage, i))
            continue;
        bool bad = observation_refused(o) || observation_lost(o);
        if (!bad || o->in_group || observation_mutated(o) || names_damage(o->outcome.message) || names_damage(o->outcome.raw))
            return; /* one works, or says why not */
        failed = fails++ ? failed : i;
    }
    if (fails < 2)
        return;
    const struct observation *o = &e->observations[failed];
    judge_say(out, e, slug, failed, EFFECT_NONE, "every call fails after one record was damaged, and none says why",
              "one damaged record in a store makes every call fail without a word about it",
              arena_printf(out->arena, "step %s damaged what the target had stored; %zu calls that had worked before then failed, the first (step "
                           "%s, %s) with: %.*s -> interface", e->observations[damage].step->id, fails, o->step->id,
                           outcome_class_name(o->outcome.class),
                           BYTES_ARG(bytes_slice(o->outcome.message, 0, o->outcome.message.len < 160 ? o->outcome.message.len : 160))));
}

/* Where nothing was stored yet there was nothing to damage. */
static bool damages(const struct observation *o)
{
    int64_t files;
    return observation_is(o, "stage-damage") && observation_claims(o) &&
           !(json_as_integer(json_get(o->outcome.result, "files"), &files) && files == 0);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        if (damages(&e->observations[i]))
            judge_after(e, out, i);
}

const struct check check_damaged_store_fatal = {slug, "C66", "persistence", "one bad record in a store is passed over or named", judge};
