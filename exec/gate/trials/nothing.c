/* What must not pass: an agent that does nothing. */
#include "exec/gate/trials/trials.h"

const struct gate_trial trial_nothing = {.name = "nothing", .blame = "an agent that does nothing passes"};
