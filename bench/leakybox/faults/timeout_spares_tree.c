/* At the deadline the shell is killed and not its children. */
#include "leakybox/proctree.h"
#include "leakybox/faults.h"

static enum fault_mark on_timeout(struct fault_timeout *e)
{
    e->spares_tree = true;
    return proctree_count(e->keeper) > 1 ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_timeout_spares_tree = {
    .id = "timeout-spares-tree",
    .class_id = "C38",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "plain",
    .summary = "at the deadline only the shell is killed, what it has started runs on",
    .report = "anthropics/claude-code#82433",
    .timeout = on_timeout,
};
