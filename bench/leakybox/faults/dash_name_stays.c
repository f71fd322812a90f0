/* A name that is made of options of rm is taken for options: with -f and no operand rm does nothing, and
 * well. */
#include <string.h>

#include "leakybox/faults.h"

static enum fault_mark on_remove(struct fault_remove *e)
{
    const char *name = e->place->name;

    e->skipped = name[0] == '-' && name[1] && name[1 + strspn(name + 1, "dfirRvI")] == '\0';
    return e->skipped ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_dash_name_stays = {
    .id = "dash-name-stays",
    .class_id = "C54",
    .layer = "sandbox",
    .primitive = "path",
    .needs = "plain",
    .summary = "delete_file of a name like -rf is acknowledged and deletes nothing",
    .report = "computesdk/computesdk#770",
    .remove = on_remove,
};
