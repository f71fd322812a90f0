/* What the text of a task tells about its jobs; see job.h. */
#include "exec/oracle/job.h"

#include <stdlib.h>
#include <string.h>

#include "exec/oracle/symptom.h"

size_t job_of(const struct execution *e, size_t index)
{
    const struct json *pid = json_get(e->observations[index].args, "pid");
    size_t found = e->count;
    for (size_t i = 0; pid && i < index; i++) {
        const struct observation *o = &e->observations[i];
        const struct json *made = json_get(o->outcome.result, "pid");
        if (!observation_is(o, "start") || !observation_claims(o) || !made || !json_equal(made, pid))
            continue;
        if (found < e->count)
            return e->count;
        found = i;
    }
    return found;
}

static double longest_after(struct bytes script, const char *word)
{
    double longest = 0;
    struct bytes w = bytes_of_string(word);
    for (ptrdiff_t at = bytes_find(script, w, 0); at >= 0; at = bytes_find(script, w, (size_t)at + 1)) {
        char digits[24] = "";
        struct bytes number = bytes_slice(script, (size_t)at + w.len, (size_t)at + w.len + sizeof digits - 1);
        if (number.len)
            memcpy(digits, number.data, number.len);
        double seconds = strtod(digits, NULL);
        longest = seconds > longest && seconds < 1e6 ? seconds : longest;
    }
    return longest;
}

double job_seconds(const struct observation *start)
{
    struct bytes script = observation_script(start);
    if (symptom_words(script, "&|kill|timeout|exit|if |if(|trap|exec|ulimit"))
        return 0;
    double shell = longest_after(script, "sleep "), python = longest_after(script, "sleep(");
    double until = symptom_words(script, "while time.monotonic() <") ? longest_after(script, "time.monotonic() + ") : 0;
    double slept = shell > python ? shell : python;
    return slept > until ? slept : until;
}

bool job_may_be_killed(const struct execution *e, size_t start, size_t until)
{
    for (size_t i = 0; i <= until && i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        bool ended = observation_is(o, "signal") || o->step->cancel_after_ms >= 0 || o->outcome.fault ||
                     observation_is(o, "call");
        if (ended || symptom_program(o, "kill|ulimit|rlimit|timeout|SIG|abort"))
            return true;
    }
    return e->at_end.oom_kills > e->at_start.oom_kills || step_mutated(e, e->observations[start].step);
}

bool job_lost_session(const struct execution *e, size_t from, size_t until)
{
    static const char *const ends[] = {"close", "reopen", "pause", "restore", "fork", NULL};
    for (size_t i = from; i <= until && i < e->count; i++)
        if (observation_is_any(&e->observations[i], ends))
            return true;
    return false;
}

bool job_of_session_before(const struct execution *e, size_t index)
{
    size_t start = job_of(e, index);
    return start < e->count && job_lost_session(e, start, index);
}
