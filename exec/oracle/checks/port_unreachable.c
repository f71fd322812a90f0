/* Ports that a program of the task listens on without an error, and that other programs of the sandbox do not reach. Only
 * the task's own probe can tell that from a server that is slow to start: it connects after the server has said that it
 * listens; and a server of ours that does not answer is asked. Where each call has a network of its own, `serve` cannot be had; so a
 * task without it says nothing. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char unreached[] = "a server in the background is not reached";

static const char *const probes[] = {unreached, NULL};

static const struct symptoms symptoms = {"port-unreachable", "a program that listens is not reached", NULL,
                                         probes};

/* It said that it listens, and no connection was taken (exec/target/lower_net.c). */
static bool is_alone(const struct execution *e, size_t i)
{
    const struct observation *o = &e->observations[i];
    return json_is(json_get(o->outcome.result, "listens"), JSON_TRUE) && !step_mutated(e, o->step) && calm_before(e, i);
}

static void judge(const struct execution *e, struct verdicts *out)
{
    bool serves = false;
    for (size_t i = 0; i < e->count; i++) {
        const struct observation *o = &e->observations[i];
        serves |= observation_is(o, "serve") && o->outcome.class != OUTCOME_SKIPPED;
        if (observation_is(o, "serve") && o->outcome.class != OUTCOME_OK && is_alone(e, i)) {
            judge_say(out, e, symptoms.slug, i, EFFECT_WRONG, unreached, symptoms.title,
                      arena_printf(out->arena,
                                   "step %s serve: the server in the background said that it listens, and took no connection: "
                                   "%.*s -> sandbox",
                                   o->step->id, (int)(o->outcome.message.len < 200 ? o->outcome.message.len : 200), (const char *)o->outcome.message.data));
            return;
        }
    }
    if (serves)
        symptoms_report(e, out, &symptoms);
}

const struct check check_port_unreachable = {"port-unreachable", "C76", "network",
                                             "a port opened inside can be reached as documented", judge};
