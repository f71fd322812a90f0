/* Trials that the solution must pass: as it is. */
#include "exec/gate/trials/trials.h"

const struct gate_trial trial_solution = {.name = "solution", .blame = "its own solution does not pass", .solve = true};
