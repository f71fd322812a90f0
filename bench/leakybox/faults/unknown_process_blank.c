/* A handle of an earlier session leads to a new, empty thing. */
#include "leakybox/faults.h"
#include "leakybox/session.h"

static bool again;

static enum fault_mark on_begin(struct fault_begin *e)
{
    again = session_again(e->root);
    return FAULT_MISSED;
}

static enum fault_mark on_unknown(struct fault_unknown *e)
{
    e->blank = again;
    return again ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_unknown_process_blank = {
    .id = "unknown-process-blank",
    .class_id = "C81",
    .layer = "interface",
    .primitive = "session",
    .needs = "sequence",
    .summary = "a process of an earlier session is told as one that ended well and printed nothing",
    .report = "browserbase/integrations#88",
    .begin = on_begin,
    .unknown = on_unknown,
};
