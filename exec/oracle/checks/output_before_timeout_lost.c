/* A reply about a deadline without what the program had printed long before it. Judged for scripts that print a word, sleep, write a
 * file, and sleep on past the limit: the file was there when the reply came, so the word had been printed well before. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/deadline.h"

static const char slug[] = "output-before-timeout-lost";

#define LEAST_S 0.3 /* from the word to the file: time enough for a reader of the pipe */

enum { REPLY_MOST = 16384 /* what is longer may have lost its beginning on purpose */ };

/* The limit was what ended the call, not the program's own end, and the file was made by it. */
static bool ended_by_limit(const struct observation *o, const struct sleeper *s)
{
    const struct deadline_view *v = &o->deadline;
    bool made = v->looked && v->before.by != WITNESS_NONE && !v->before.exists && v->file.by != WITNESS_NONE && v->file.exists &&
                v->file.size > 0;
    return made && s->slept_s * 1000 > (double)o->outcome.told_ms + 1000 && (double)o->outcome.ns / 1e9 < s->slept_s;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        struct sleeper s;
        if (!limited_run(e, i) || !answered_at_limit(o) || !sleeper_of(o, &s) || !s.word.len || !s.writes ||
            s.to_file_s < LEAST_S || !ended_by_limit(o, &s) || o->outcome.raw.len > REPLY_MOST || reply_has(o, s.word) ||
            reply_says_goes_on(o))
            continue;
        judge_say(out, e, slug, i, EFFECT_RIGHT, "what was printed before the deadline is missing",
                  "the reply about a deadline has nothing of what was printed before it",
                  arena_printf(out->arena,
                               "step %s run: with a limit of %lld ms the program printed a word, slept %.1f s and wrote a file, which a "
                               "witness saw when the call was over after %.1f s; the word is not in the reply -> interface",
                               o->step->id, (long long)o->outcome.told_ms, s.to_file_s, (double)o->outcome.ns / 1e9));
    }
}

const struct check check_output_before_timeout_lost = {slug, "C34", "time",
                                                       "what was printed before a deadline is in the reply about it", judge};
