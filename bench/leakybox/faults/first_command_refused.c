/* A session that is opened again serves before its runner is there. */
#include "leakybox/faults.h"
#include "leakybox/session.h"

static bool again, first;
static unsigned calls;

static enum fault_mark on_begin(struct fault_begin *e)
{
    again = session_again(e->root);
    return FAULT_MISSED;
}

/* Whatever is called first, the runner is there for the next one. */
static enum fault_mark on_call(struct fault_call *e)
{
    first = calls++ == 0 && e->call->tool->run == tool_run_command;
    return FAULT_MISSED;
}

static enum fault_mark on_start(struct fault_start *e)
{
    e->not_ready = again && first;
    return e->not_ready ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_first_command_refused = {
    .id = "first-command-refused",
    .class_id = "C82",
    .layer = "sandbox",
    .primitive = "session",
    .needs = "sequence",
    .summary = "the first command after a session is opened again is refused",
    .report = "daytonaio/daytona#3425",
    .begin = on_begin,
    .call = on_call,
    .start = on_start,
};
