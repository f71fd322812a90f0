/* Looks for the texts of canaries and tripwires; see escape.h. */
#include "exec/oracle/escape.h"

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

/* A link stands on the path: the witness saw one at its end, or a step or a script has made one there. */
static bool by_link(const struct execution *e, size_t index)
{
    static const char *const links[] = {"link", "stage-symlink", NULL};
    struct bytes path = observation_argument(&e->observations[index], "path");
    const struct file_view *v = &e->observations[index].before;
    if (v->by != WITNESS_NONE && v->exists && v->kind == 'l')
        return true;
    for (size_t i = 0; i < index; i++) {
        const struct observation *o = &e->observations[i];
        struct bytes made = observation_argument(o, "path"), script = observation_script(o);
        if (observation_is_any(o, links) && made.len && path_within(path, made))
            return true;
        bool makes = bytes_find(script, BYTES_LITERAL("ln -s"), 0) >= 0 || bytes_find(script, BYTES_LITERAL("symlink("), 0) >= 0;
        if (makes && path.len && bytes_find(script, path_name(path), 0) >= 0)
            return true;
    }
    return false;
}

/* The text of a sibling directory's file, in any later reply of a tool for files. */
static void find_canary(const struct execution *e, struct bytes canary, struct escape *out, size_t *count)
{
    static const char *const programs[] = {"run", "start", "poll", "wait", "stage-sibling-dir", NULL};
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (observation_is_any(o, programs) || o->outcome.lowered)
            continue;
        if (given(o, canary))
            return;
        if (shows(o, canary))
            out[(*count)++] = (struct escape){i, "beside the root", by_link(e, i)};
    }
}

/* What the policy allows: a home in it, and everything. Where the directory that holds the root lies, it cannot say. */
static bool is_outside(const struct execution *e, enum tripwire_place place)
{
    if (policy_reaches(e->policy, POLICY_READABLE, BYTES_LITERAL("/")) == POLICY_YES)
        return false;
    if (place == TRIPWIRE_HOME)
        return policy_reaches(e->policy, POLICY_READABLE, BYTES_LITERAL("{home}")) == POLICY_NO;
    return place == TRIPWIRE_BESIDE || place == TRIPWIRE_SIBLING;
}

static const char *place_words(enum tripwire_place place)
{
    return place == TRIPWIRE_HOME ? "in the home" : place == TRIPWIRE_BESIDE ? "beside the root" : "in a directory beside the root";
}

/* The text of a tripwire. What a command was made of, or a tool of the target's own, may see more than the root; so may
 * whoever was given the home. */
static bool is_escape(const struct execution *e, const struct canary_sighting *s)
{
    static const char *const programs_and_raw[] = {"run", "start", "poll", "wait", "call", "send", NULL};
    const struct observation *o = s->observation < e->count ? &e->observations[s->observation] : NULL;
    return s->in == CANARY_REPLY && is_outside(e, s->place) && o && !o->outcome.lowered && !observation_is_any(o, programs_and_raw);
}

size_t escapes_find(const struct execution *e, struct arena *a, struct escape **out)
{
    size_t canaries = 0, count = 0;
    for (size_t i = 0; i < e->count; i++)
        canaries += observation_is(&e->observations[i], "stage-sibling-dir");
    *out = arena_alloc(a, (e->sighting_count + canaries * e->count + 1) * sizeof **out);
    for (size_t i = 0; i < e->sighting_count; i++) {
        const struct canary_sighting *s = &e->sightings[i];
        if (is_escape(e, s))
            (*out)[count++] = (struct escape){s->observation, place_words(s->place),
                                              by_link(e, s->observation)};
    }
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct bytes canary = observation_argument(o, "content");
        if (observation_is(o, "stage-sibling-dir") && observation_claims(o) && canary.len >= CANARY_MIN)
            find_canary(e, canary, *out, &count);
    }
    return count;
}
