/* The clock inside, between two programs that print it: it must have gone on as long as ours, give or take
 * how long the calls took. Both clocks may be wrong; only how they run is compared. */
#include "exec/oracle/checks/checks.h"

#include <stdlib.h>
#include <string.h>

static const char slug[] = "clock-wrong";

enum { TOLERATED_S = 3, DIGITS = 20 };

static const int64_t SECOND = 1000000000;

/* Seconds since 1970 as `date +%s` printed them; 0: another program. */
static int64_t printed_time(const struct execution *e, const struct observation *o)
{
    bool present;
    char digits[DIGITS + 1] = "";
    struct bytes script = observation_script(o), text = observation_result(o, "stdout", &present);
    bool asks = observation_is(o, "run") && observation_claims(o) && o->outcome.has_exit &&
                o->outcome.exit == 0 && bytes_equal(script, BYTES_LITERAL("date +%s"));
    if (!asks || !text.len || text.len > DIGITS || step_mutated(e, o->step) || o->in_group)
        return 0;
    memcpy(digits, text.data, text.len);
    return strtoll(digits, NULL, 10);
}

static void compare(const struct execution *e, struct verdicts *out, size_t i, size_t k)
{
    const struct outcome *first = &e->observations[i].outcome, *second = &e->observations[k].outcome;
    int64_t inside = printed_time(e, &e->observations[k]) - printed_time(e, &e->observations[i]);
    int64_t least = (second->start_ns - first->start_ns - first->ns) / SECOND;
    int64_t most = (second->start_ns + second->ns - first->start_ns) / SECOND + 1;
    const char *words = inside < -1                    ? "the clock runs backwards"
                        : inside + TOLERATED_S < least ? "the clock is behind"
                        : inside - TOLERATED_S > most  ? "the clock is ahead"
                                                       : NULL;
    if (words)
        judge_say(out, e, slug, k, EFFECT_WRONG, words, "the clock inside does not go on as time does",
                  arena_printf(out->arena,
                               "between step %s and step %s %lld to %lld s passed outside; inside the clock "
                               "went on by %lld s -> sandbox",
                               e->observations[i].step->id, e->observations[k].step->id, (long long)least,
                               (long long)most, (long long)inside));
}

static void judge(const struct execution *e, struct verdicts *out)
{
    size_t last = e->count;
    for (size_t i = 0; i < e->count; i++) {
        if (!e->observations[i].outcome.start_ns || !printed_time(e, &e->observations[i]))
            continue;
        if (last < e->count)
            compare(e, out, last, i);
        last = i;
    }
}

const struct check check_clock_wrong = {slug, "C77", "time",
                                        "the clock goes on as time does, and never backwards", judge};
