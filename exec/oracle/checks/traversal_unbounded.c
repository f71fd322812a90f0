/* Time without bounds. Calls that take out of proportion more time for bigger inputs. Walks over trees: one that follows a loop of links comes by the same names again and again; one that never ends is lost though
 * every other call of the session took a small part of that time, so that the machine is not to blame. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/cost.h"
#include "exec/oracle/fatal.h"

static const char slug[] = "traversal-unbounded";

enum { ROUNDS = 6, LOST_LEAST_S = 8, OTHERS_PART = 20, LINES_MOST = 20000 };

static bool is_walk(const struct observation *o)
{
    return observation_is(o, "search") || observation_is(o, "list") || (observation_is(o, "remove"));
}

/* The next part of a path, without slashes. */
static bool next_part(struct bytes path, size_t *at, struct bytes *part)
{
    while (*at < path.len && path.data[*at] == '/')
        (*at)++;
    size_t from = *at;
    while (*at < path.len && path.data[*at] != '/')
        (*at)++;
    *part = bytes_slice(path, from, *at);
    return part->len > 0;
}

/* Some link's name stands in it again and again. */
static bool goes_round(struct bytes path, struct bytes name)
{
    struct bytes part;
    size_t rounds = 0;
    for (size_t at = 0; next_part(path, &at, &part);)
        rounds += bytes_equal(part, name);
    return rounds >= ROUNDS;
}

static bool entry_goes_round(const struct observation *o, struct bytes name)
{
    const struct json *entries = json_get(o->outcome.result, "entries");
    size_t looked = 0;
    for (const struct json *one = json_is(entries, JSON_ARRAY) ? entries->first : NULL; one && looked < LINES_MOST; one = one->next, looked++)
        if (json_is(one, JSON_STRING) && goes_round(one->text, name))
            return true;
    return false;
}

static bool makes_link(const struct observation *o)
{
    static const char *const ops[] = {"link", "stage-symlink", NULL};
    return observation_is_any(o, ops) && observation_claims(o) && !bytes_equal_string(observation_argument(o, "kind"), "hard");
}

static void judge_loop(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    for (size_t k = 0; k < i; k++) {
        struct bytes name = path_name(observation_argument(&e->observations[k], "path"));
        if (!makes_link(&e->observations[k]) || !name.len || !entry_goes_round(o, name))
            continue;
        judge_say(out, e, slug, i, EFFECT_NONE, "follows a loop of links",
                  arena_printf(out->arena, "%s follows a loop of links", o->step->op->name),
                  arena_printf(out->arena, "step %s %s: a link that step %s made stands at least %d times in one path of the reply -> interface",
                               o->step->id, o->step->op->name, e->observations[k].step->id, ROUNDS));
        return;
    }
}

/* The machine was quick for all that was answered. */
static bool others_quick(const struct execution *e, size_t index)
{
    size_t answered = 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        if (i == index || observation_is(o, "idle") || o->outcome.class == OUTCOME_SKIPPED)
            continue;
        if (o->outcome.ns > e->observations[index].outcome.ns / OTHERS_PART || observation_lost(o))
            return false;
        answered++;
    }
    return answered > 0 && e->control.made && e->control.answered;
}

static void judge_time(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    bool walk = observation_is(o, "search") && !o->outcome.lowered && !o->in_group && !observation_mutated(o);
    if (!walk || o->outcome.class != OUTCOME_TIMEOUT || !observation_lost(o) || view_special(&o->before) ||
        o->outcome.ns < LOST_LEAST_S * INT64_C(1000000000) || !others_quick(e, i))
        return;
    judge_say(out, e, slug, i, EFFECT_NONE, "a walk without an end",
              arena_printf(out->arena, "%s never ends and gives no part of its result", o->step->op->name),
              arena_printf(out->arena, "step %s %s: no answer within %.1f s, while every other call took less than a %dth of that, and a plain "
                           "call afterwards is answered -> interface", o->step->id, o->step->op->name, (double)o->outcome.ns / 1e9, OTHERS_PART));
}

static void judge_cost(const struct execution *e, struct verdicts *out, size_t i)
{
    struct cost c;
    if (!cost_of(e, i, &c) || !cost_excessive(&c))
        return;
    const struct observation *o = &e->observations[c.last];
    bool puts = observation_is(o, "write") || observation_is(o, "upload");
    enum effect effect = !puts ? EFFECT_NONE : o->after.by == WITNESS_NONE ? EFFECT_UNSEEN : EFFECT_RIGHT;
    judge_say(out, e, slug, c.last, effect, "time grows out of proportion to the size",
              arena_printf(out->arena, "%s takes far more than twice the time for twice the size", o->step->op->name),
              arena_printf(out->arena,
                           "%s of %llu KiB took at most %.0f ms, of twice as much at least %.0f ms, of four times as much at least %.0f ms, each "
                           "%zu times or more; a small one before and after each of them never took more than %.0f ms -> %s",
                           o->step->op->name, (unsigned long long)c.bytes / 1024, (double)c.size[0].most / 1e6,
                           (double)c.size[1].least / 1e6, (double)c.size[2].least / 1e6, c.size[2].count,
                           (double)c.control.most / 1e6, layer_name(layer_of(effect))));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        judge_cost(e, out, i);
        if (is_walk(&e->observations[i]) && observation_claims(&e->observations[i]))
            judge_loop(e, out, i);
        judge_time(e, out, i);
    }
}

const struct check check_traversal_unbounded = {slug, "C67", "time", "a walk over a tree ends, or gives a part of the result", judge};
