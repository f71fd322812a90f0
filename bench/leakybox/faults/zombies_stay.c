/* The helper of a background process is never waited for. One that stays is no pile: harm is said of the third. */
#include "leakybox/faults.h"

enum { PILE = 3 };

static unsigned left;

static enum fault_mark on_start(struct fault_start *e)
{
    if (e->tool->run != tool_start_process)
        return FAULT_MISSED;
    e->keeps_zombie = true;
    left++;
    return left >= PILE ? FAULT_TRIGGERED : FAULT_REACHED;
}

const struct fault fault_zombies_stay = {
    .id = "zombies-stay",
    .class_id = "C41",
    .layer = "sandbox",
    .primitive = "process",
    .needs = "sequence",
    .summary = "each process from start_process that has ended leaves a zombie",
    .report = "puppeteer/puppeteer#1825",
    .start = on_start,
};
