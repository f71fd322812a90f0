/* 400 days later; the clock is shifted by libfaketime through the loader's own list, which env -i does not undo. */
#include "exec/gate/trials/trials.h"

const struct gate_trial trial_clock = {.name = "clock", .blame = "its solution fails at another date", .solve = true, .shift_clock = true};
