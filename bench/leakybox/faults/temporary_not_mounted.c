/* What holds the temporary directory is mounted when a session is made, not when it is opened again. */
#include "leakybox/faults.h"
#include "leakybox/session.h"

static bool again;

static enum fault_mark on_begin(struct fault_begin *e)
{
    again = session_again(e->root);
    return FAULT_MISSED;
}

/* Harm comes to those that use it. */
static bool uses_temporary(struct bytes command)
{
    return bytes_find(command, BYTES_LITERAL("TMPDIR"), 0) >= 0 ||
           bytes_find(command, BYTES_LITERAL("mktemp"), 0) >= 0 ||
           bytes_find(command, BYTES_LITERAL("tempfile"), 0) >= 0;
}

static enum fault_mark on_start(struct fault_start *e)
{
    if (!again)
        return FAULT_REACHED;
    e->temporary = "/mnt/leakybox-volume/tmp";
    return uses_temporary(e->command) ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_temporary_not_mounted = {
    .id = "temporary-not-mounted",
    .class_id = "C59",
    .layer = "sandbox",
    .primitive = "mount",
    .needs = "sequence",
    .summary = "in a session that is opened again, TMPDIR of commands names a directory that is not there",
    .report = "e2b-dev/infra#2593",
    .begin = on_begin,
    .start = on_start,
};
