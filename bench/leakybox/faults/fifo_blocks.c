/* Files are opened without a look at what they are: a FIFO that nobody writes to blocks for ever. */
#include "leakybox/faults.h"

extern const struct fault fault_fifo_blocks;

static enum fault_mark on_open(struct fault_open *e)
{
    e->waits = S_ISFIFO(e->place->st.st_mode);
    if (e->waits) /* now, since there may be no later */
        faults_mark(&fault_fifo_blocks, FAULT_TRIGGERED);
    return FAULT_REACHED;
}

const struct fault fault_fifo_blocks = {
    .id = "fifo-blocks",
    .class_id = "C55",
    .layer = "interface",
    .primitive = "path",
    .needs = "plain",
    .summary = "reading a FIFO blocks the whole server until somebody writes to it",
    .report = "NousResearch/hermes-agent#82075",
    .open = on_open,
};
