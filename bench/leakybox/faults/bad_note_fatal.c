/* The store of notes is read as a whole or not at all. */
#include "leakybox/faults.h"

static enum fault_mark on_notes(struct fault_notes *e)
{
    e->fatal = e->bad_lines > 0;
    return e->fatal ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_bad_note_fatal = {
    .id = "bad-note-fatal",
    .class_id = "C66",
    .layer = "interface",
    .primitive = "persistence",
    .needs = "sequence",
    .summary = "one line of the store of notes that is not JSON makes every tool for notes fail, and the "
               "error does not say why",
    .report = "modelcontextprotocol/servers#3173",
    .notes = on_notes,
};
