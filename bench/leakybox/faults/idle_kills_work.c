/* The timer of an idle session does not look whether something works. */
#include <stddef.h>

#include "base/clock.h"
#include "leakybox/job.h"
#include "leakybox/keeper.h"
#include "leakybox/faults.h"

enum { IDLE_MS = 3000 };

extern const struct fault fault_idle_kills_work;

static int64_t last_call_ns;
static bool waits;

static void look(void *data)
{
    struct server *s = data;
    int64_t left_ms = IDLE_MS - (clock_monotonic_ns() - last_call_ns) / 1000000;

    waits = left_ms > 0;
    if (waits) {
        server_later(s, (long)left_ms, look, s);
        return;
    }
    for (struct job *j = s->jobs; j; j = j->next) {
        if (!j->number || !job_alive(j))
            continue;
        keeper_tell(j->control, 'K', 0);
        faults_mark(&fault_idle_kills_work, FAULT_TRIGGERED);
    }
}

static enum fault_mark on_call(struct fault_call *e)
{
    last_call_ns = clock_monotonic_ns();
    if (!waits)
        server_later(e->call->server, IDLE_MS, look, e->call->server);
    waits = true;
    return FAULT_REACHED;
}

const struct fault fault_idle_kills_work = {
    .id = "idle-kills-work",
    .class_id = "C80",
    .layer = "sandbox",
    .primitive = "time",
    .needs = "sequence",
    .summary = "a background process is killed after three seconds without a call, though it works",
    .report = "cloudflare/sandbox-sdk#101",
    .call = on_call,
};
