/* A warning about exit code 127 is printed where the protocol is spoken. */
#include "leakybox/faults.h"

static bool warn;

static enum fault_mark on_end(struct fault_end *e)
{
    warn = e->exit_code == 127 && !e->timed_out;
    return FAULT_REACHED;
}

static enum fault_mark on_reply(struct fault_reply *e)
{
    if (!warn)
        return FAULT_MISSED;
    warn = false;
    buf_add_string(e->out, "[warn] command not found, is it installed?\n");
    return FAULT_TRIGGERED;
}

const struct fault fault_stray_stdout = {
    .id = "stray-stdout",
    .class_id = "C19",
    .layer = "interface",
    .primitive = "protocol",
    .needs = "plain",
    .summary = "a command that is not found leaves a line of log on the protocol's stdout",
    .report = "jumpstarter-dev/jumpstarter#383",
    .end = on_end,
    .reply = on_reply,
};
