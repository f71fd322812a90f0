/* Ports are opened in a network that nobody is in. */
#include "leakybox/denied.h"
#include "leakybox/faults.h"

static enum fault_mark on_start(struct fault_start *e)
{
    if (e->tool->run != tool_start_process)
        return FAULT_MISSED;
    e->denied |= DENY_LISTEN;
    return FAULT_REACHED;
}

static enum fault_mark on_denied(struct fault_denied *e)
{
    return e->call == DENY_LISTEN ? FAULT_TRIGGERED : FAULT_MISSED;
}

const struct fault fault_background_port_closed = {
    .id = "background-port-closed",
    .class_id = "C76",
    .layer = "sandbox",
    .primitive = "network",
    .needs = "sequence",
    .summary = "a background process that listens on a port gets no error and no connections",
    .report = "anthropic-experimental/sandbox-runtime#165",
    .start = on_start,
    .denied = on_denied,
};
