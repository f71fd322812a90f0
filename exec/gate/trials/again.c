/* Once more, in fresh rooms. */
#include "exec/gate/trials/trials.h"

const struct gate_trial trial_again = {.name = "again", .blame = "its solution passes once, but not twice", .solve = true};
