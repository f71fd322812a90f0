/* A canary beside the root, which no tool for files may show. Programs in the sandbox are not asked: whether
 * they see more than the root is a matter of the sandbox's contract. */
#include "exec/oracle/checks/checks.h"

enum { CANARY_MIN = 8 };

static bool shows(const struct observation *o, struct bytes canary)
{
    bool present;
    struct bytes content = observation_result(o, "content", &present);
    return bytes_find(content, canary, 0) >= 0 || bytes_find(o->outcome.raw, canary, 0) >= 0;
}

/* A step that was given the canary's text may well give it back. */
static bool given(const struct observation *o, struct bytes canary)
{
    for (const struct json *argument = o->args ? o->args->first : NULL; argument; argument = argument->next)
        if (json_is(argument, JSON_STRING) && bytes_find(argument->text, canary, 0) >= 0)
            return true;
    return false;
}

static void judge_canary(const struct execution *e, struct verdicts *out, struct bytes canary)
{
    static const char *const programs[] = {"run", "start", "poll", "wait", "stage-sibling-dir", NULL};
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is_any(o, programs))
            continue;
        if (given(o, canary))
            return;
        if (!shows(o, canary))
            continue;
        judge_say(
            out, e, "root-escape", i, EFFECT_WRONG, "shows a file outside the root",
            arena_printf(out->arena, "%s shows a file outside the root", o->step->op->name),
            arena_printf(
                out->arena,
                "the reply of step %s %s holds the text of a file that stands beside the root -> sandbox",
                o->step->id, o->step->op->name));
    }
}

static const char *const programs_and_raw[] = {"run", "start", "poll", "wait", "call", "send", NULL};

/* The text of a tripwire, in the reply of a tool for files. What a command was made of, or a tool of the target's own, may
 * see more than the root; so may whoever was given the home. */
static void judge_sighting(const struct execution *e, struct verdicts *out, const struct canary_sighting *s)
{
    const struct observation *o = s->observation < e->count ? &e->observations[s->observation] : NULL;
    if (s->in != CANARY_REPLY || s->place == TRIPWIRE_HOME || !o || o->outcome.lowered ||
        observation_is_any(o, programs_and_raw))
        return;
    judge_say(out, e, "root-escape", s->observation, EFFECT_WRONG, "shows a file outside the root",
              arena_printf(out->arena, "%s shows a file outside the root", o->step->op->name),
              arena_printf(out->arena,
                           "the reply of step %s %s holds the text of a file of ours %s -> sandbox", o->step->id,
                           o->step->op->name,
                           s->place == TRIPWIRE_BESIDE ? "that stands beside the root"
                                                       : "in a directory beside the root"));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->sighting_count; i++)
        judge_sighting(e, out, &e->sightings[i]);
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct bytes canary = observation_argument(o, "content");
        if (observation_is(o, "stage-sibling-dir") && observation_claims(o) && canary.len >= CANARY_MIN)
            judge_canary(e, out, canary);
    }
}

const struct check check_root_escape = {"root-escape", "C58", "permission",
                                        "files outside the root stay unseen", judge};
