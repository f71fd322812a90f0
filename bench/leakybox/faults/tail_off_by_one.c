/* Lines are what a split at newlines gives, so a final newline makes one more line, an empty one. */
#include "leakybox/faults.h"

static enum fault_mark on_tail(struct fault_tail *e)
{
    e->counts_empty = true;
    return e->lines > 0 && e->ends_with_newline ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_tail_off_by_one = {
    .id = "tail-off-by-one",
    .class_id = "C12",
    .layer = "interface",
    .primitive = "encoding",
    .needs = "plain",
    .summary = "the empty string behind a final newline counts as the last line of read_file",
    .report = "modelcontextprotocol/servers#4674",
    .demo = true,
    .tail = on_tail,
};
