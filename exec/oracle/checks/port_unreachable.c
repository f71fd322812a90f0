/* Ports that a program of the task listens on without an error, and that other programs of the sandbox do not reach. Only
 * the task's own probe can tell that from a server that is slow to start: it connects after the server has said that it
 * listens. Where each call has a network of its own, `serve` cannot be had; so a task without it says nothing. */
#include "exec/oracle/checks/checks.h"
#include "exec/oracle/symptom.h"

static const char *const probes[] = {
    "a server in the background is not reached",
    NULL,
};

static const struct symptoms symptoms = {"port-unreachable", "a program that listens is not reached", NULL,
                                         probes};

static void judge(const struct execution *e, struct verdicts *out)
{
    for (size_t i = 0; i < e->count; i++)
        if (observation_is(&e->observations[i], "serve") && e->observations[i].outcome.class != OUTCOME_SKIPPED) {
            symptoms_report(e, out, &symptoms);
            return;
        }
}

const struct check check_port_unreachable = {"port-unreachable", "C76", "network",
                                             "a port opened inside can be reached as documented", judge};
