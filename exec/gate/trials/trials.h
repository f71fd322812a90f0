/* The trials that every task goes through, a file each. */
#ifndef EXEC_GATE_TRIALS_TRIALS_H
#define EXEC_GATE_TRIALS_TRIALS_H

#include "exec/gate/trial.h"

extern const struct gate_trial trial_solution, trial_again, trial_locale, trial_clock, trial_limits, trial_nothing, trial_empty, trial_one, trial_word, trial_object;

#endif
