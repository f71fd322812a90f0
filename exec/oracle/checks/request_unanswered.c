/* A request that is never answered, while a plain call is. Calls that may take their time are left out:
 * programs, network, browsers and tools we know nothing of. So are files that never end (a timeout is one
 * right answer there) and very big requests, unless nothing else is answered either, which other checks say.
 * Whatever it is, it is answered within the time that the policy states. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/fatal.h"
#include "exec/oracle/limit.h"

#include <string.h>

#define QUICK_NS INT64_C(1000000000)

static bool quick(const struct observation *o)
{
    return strcmp(o->step->op->group, "files") == 0 && !observation_is(o, "search");
}

static bool special(const struct observation *o)
{
    return view_special(&o->before) || view_special(&o->after) || view_special(&o->to_before);
}

/* Our own fixtures, where nobody could look. */
static bool staged_pipe(const struct execution *e, const struct observation *o)
{
    for (size_t i = 0; i < e->count; i++)
        if (observation_is(&e->observations[i], "stage-fifo") &&
            path_same(observation_argument(&e->observations[i], "path"), observation_argument(o, "path")))
            return true;
    return false;
}

/* Another call of the same tool was answered at once, so this one need not take its time either. */
static bool quick_tool(const struct execution *e, const struct observation *o)
{
    const struct json *name = json_get(o->args, "name");
    for (size_t i = 0; i < e->count && observation_is(o, "call"); i++) {
        const struct observation *other = &e->observations[i];
        if (other != o && observation_is(other, "call") && json_equal(json_get(other->args, "name"), name) &&
            observation_claims(other) && other->outcome.ns < QUICK_NS)
            return true;
    }
    return false;
}

/* Another changed frame went out at the same time: an answer without an id may be the one or the other's. */
static bool shares_answers(const struct execution *e, const struct observation *o)
{
    for (size_t i = 0; o->step->group && i < e->count; i++) {
        const struct observation *other = &e->observations[i];
        if (other != o && observation_reframed(other) && other->step->group && strcmp(other->step->group, o->step->group) == 0)
            return true;
    }
    return false;
}

/* A frame that was sent in the call's place is owed answers by its ids. Where no right target carries out what it says, an answer
 * takes no time; else only quick calls count. An error with the id null, or a status of HTTP, is an answer too. */
static bool frame_unanswered(const struct execution *e, const struct observation *o)
{
    const struct outcome_fault *f = o->outcome.fault;
    enum outcome_class c = o->outcome.class;
    bool silent = c == OUTCOME_TIMEOUT || c == OUTCOME_TRANSPORT_ERROR;
    bool owed = f->replies < f->owed || f->replies + f->nulls < f->any;
    return silent && !o->outcome.by_us && owed && !f->nulls && !f->status && (f->inert || quick(o) || quick_tool(e, o)) && !special(o);
}

static void report_frame(const struct execution *e, struct verdicts *out, size_t i)
{
    const struct observation *o = &e->observations[i];
    const struct outcome_fault *f = o->outcome.fault;
    judge_say_op(out, e, "request-unanswered", i, "send", EFFECT_NONE, arena_printf(out->arena, "no answer to %s", frame_kind(o)),
                 arena_printf(out->arena, "a request with %s (%s) is never answered", f->mutator, f->kind),
                 arena_printf(out->arena,
                              "step %s %s, sent with %s (%s): %u of %u answers within %.1f s; a plain call is answered -> interface",
                              o->step->id, o->step->op->name, f->mutator, f->kind, f->replies + f->nulls,
                              f->owed > f->any ? f->owed : f->any, (double)o->outcome.ns / 1e9));
}

/* There was an answer, without the id of its request: duty 6, which wrong-error-id says. */
static bool answered_without_id(const struct execution *e)
{
    for (size_t i = 0; i < e->wire_count; i++)
        if (strcmp(e->wire[i].kind, "breach") == 0 && e->wire[i].duty == 6)
            return true;
    return false;
}

static void judge(const struct execution *e, struct verdicts *out)
{
    limit_report(e, out, "request-unanswered", POLICY_CALL_TIMEOUT);
    for (size_t i = 0; i < e->count && !control_failed(e) && !answered_without_id(e); i++) {
        const struct observation *o = &e->observations[i];
        if (observation_reframed(o)) {
            if (frame_unanswered(e, o) && !shares_answers(e, o))
                report_frame(e, out, i);
            continue;
        }
        bool big = observation_size(o) >= BIG_FRAME || o->outcome.bytes_out >= BIG_FRAME ||
                   o->before.size >= BIG_FRAME;
        if (o->outcome.class != OUTCOME_TIMEOUT || !observation_lost(o) || !quick(o) || special(o) || big ||
            staged_pipe(e, o))
            continue;
        judge_say(out, e, "request-unanswered", i, EFFECT_NONE, "no answer",
                  arena_printf(out->arena, "%s is never answered", o->step->op->name),
                  arena_printf(out->arena,
                               "step %s %s: no answer within %.1f s, %llu bytes sent; a plain call on "
                               "another object is answered -> interface",
                               o->step->id, o->step->op->name, (double)o->outcome.ns / 1e9,
                               (unsigned long long)o->outcome.bytes_in));
    }
}

const struct check check_request_unanswered = {"request-unanswered", "C16", "protocol",
                                               "every request gets an answer in time", judge};
