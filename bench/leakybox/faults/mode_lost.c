/* A file that is replaced becomes a new one, with the mode of a new one. */
#include "leakybox/faults.h"

static enum fault_mark on_store(struct fault_store *e)
{
    e->resets_mode = e->place->exists;
    return e->place->exists && (e->place->st.st_mode & 07777) != 0644 ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_mode_lost = {
    .id = "mode-lost",
    .class_id = "C56",
    .layer = "sandbox",
    .primitive = "permission",
    .needs = "sequence",
    .summary = "replacing the content of an existing file resets its mode to 0644",
    .report = "gominimal/minimal#955",
    .store = on_store,
};
