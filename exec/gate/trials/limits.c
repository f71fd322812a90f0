/* With little stack, few descriptors and a strict umask. */
#include "exec/gate/trials/trials.h"

const struct gate_trial trial_limits = {.name = "limits", .blame = "its solution fails under tighter limits", .solve = true, .tight = true};
