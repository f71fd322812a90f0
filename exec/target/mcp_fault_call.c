/* Calls with a mutation; see mcp_fault_call.h. Frames are mutate/wire's matter; what is done to the server's process is here, since
 * only a driver knows which one that is. */
#include "exec/target/mcp_fault_call.h"
#include "exec/target/session_internal.h"

#include <signal.h>
#include <string.h>

enum { STOP_AT_MS = 10, KILL_AT_MS = 40, STOPPED_SHORT_MS = 150, STOPPED_LONG_MS = 800 };

/* The agent's handle of the server: what we speak to over pipes, or what --start began; 0: it is not ours. A second session's
 * server over HTTP is the first one's. */
static int server_id(const struct mcp_driver *state)
{
    const struct session *s = state->peer.session;
    return state->peer.process.id ? state->peer.process.id : s->beside ? 0 : s->launched_id;
}

static void send_signal(void *context, int signal)
{
    const struct mcp_driver *state = context;
    agent_signal(state->peer.session->agent, server_id(state), signal, false);
}

static void kill_it(void *context, int which)
{
    if (which == 0)
        send_signal(context, SIGKILL);
}

static void stop_it(void *context, int which)
{
    send_signal(context, which == 0 ? SIGSTOP : SIGCONT);
}

/* What is done around the call. */
static void environment(struct mcp_driver *state, const struct wire_mutation *m, struct mcp_fault *f)
{
    f->deaf_ms = wire_deaf_ms(m);
    if (f->deaf_ms || !server_id(state))
        return;
    if (strcmp(m->mutator, "kill-server") == 0) {
        f->act = kill_it;
        f->act_ms[0] = strcmp(m->kind, "during") == 0 ? KILL_AT_MS : 0;
    } else if (strcmp(m->mutator, "stop-server") == 0) {
        f->act = stop_it;
        f->longer_ms = strcmp(m->kind, "long") == 0 ? STOPPED_LONG_MS : STOPPED_SHORT_MS;
        f->act_ms[0] = STOP_AT_MS;
        f->act_ms[1] = STOP_AT_MS + f->longer_ms;
    }
}

void mcp_fault_begin(struct mcp_driver *state, const struct call *call, struct mcp_exchange *x, struct mcp_fault *f)
{
    *f = (struct mcp_fault){.mutation = *call->mutation,
                            .room = session_bytes_left(state->peer.session),
                            .act_ms = {-1, -1},
                            .context = state};
    environment(state, call->mutation, f);
    if (strcmp(call->mutation->mutator, "no-newline-flood") == 0)
        f->memory_before = session_peak_memory(state->peer.session);
    x->fault = f;
}

static struct outcome_fault *facts(struct arena *a, const struct mcp_fault *f)
{
    struct outcome_fault *o = arena_alloc(a, sizeof *o);
    bool environment = f->act || f->deaf_ms;
    *o = (struct outcome_fault){
        .mutator = f->mutation.mutator,
        .kind = f->mutation.kind,
        .applied = f->planned || environment,
        .frame = f->planned,
        .struck = f->acted || f->deaf_ms,
        .lawful = f->planned ? f->plan.lawful : true,
        .inert = f->plan.inert,
        .owed = f->planned ? mcp_fault_owed(f) : 1,
        .any = f->plan.any,
        .replies = f->replies,
        .nulls = f->nulls,
        .duplicate = f->plan.duplicate,
        .status = f->status,
    };
    return o;
}

/* HTTP said no: an open refusal, by its status. */
static bool refuse(struct outcome *o, const struct mcp_fault *f)
{
    o->class = OUTCOME_PROTOCOL_ERROR;
    o->code = f->status;
    o->message = bytes_of_string(f->said);
    return false;
}

static bool planned_end(const struct mcp_exchange *x, struct outcome *o)
{
    const struct mcp_fault *f = x->fault;
    if (f->closed && !x->reply) {
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = BYTES_LITERAL("the connection was ended by us");
        o->by_us = true;
        return false;
    }
    if (f->status && !f->replies)
        return refuse(o, f);
    if (x->reply)
        return true;
    if (x->state == MCP_ANSWERED && (mcp_fault_owed(f) || f->plan.any)) {
        o->class = OUTCOME_TRANSPORT_ERROR;
        o->message = f->said ? bytes_of_string(f->said) : BYTES_LITERAL("no answer");
    }
    return false;
}

bool mcp_fault_end(struct mcp_driver *state, const struct mcp_exchange *x, struct call *call)
{
    struct mcp_fault *f = x->fault;
    struct outcome *o = &call->outcome;
    if (f->act == stop_it && f->acted == 1)
        stop_it(state, 1); /* it answered before it was to go on */
    o->bytes_in = f->planned ? x->sent : o->bytes_in; /* which is what the budget is charged with */
    struct outcome_fault *fault = facts(call->arena, f);
    fault->memory_before = f->memory_before;
    fault->memory_after = f->memory_before ? session_peak_memory(state->peer.session) : 0;
    o->fault = fault;
    if (f->act == kill_it && f->acted && x->state != MCP_ANSWERED)
        o->by_us = true;
    o->gone = (f->closed && state->peer.process.id) || (f->act == kill_it && f->acted);
    if (f->planned && x->state == MCP_ANSWERED)
        return planned_end(x, o);
    return x->state == MCP_ANSWERED && x->reply;
}
