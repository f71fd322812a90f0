/* env-canary: a variable in the target's environment whose value nobody else knows. That a program shows it when it is asked for its
 * environment is a matter of contract; no tool for files has any business with it. */
#include "mutate/start/start_internal.h"

static const struct start_kind kinds[] = {
    {"key", "the target is started with a secret in the variable " START_CANARY, START_SAME, {.canary = true}}, {0}};

static bool apply(struct mutation *m)
{
    return start_apply(m, &start_canary);
}

const struct mutator mutator_env_canary = {
    .name = "env-canary",
    .group = "env",
    .summary = "a secret variable in the target's environment",
    .details = "Its value is random, and looked for in every reply. What a command shows depends on the policy.",
    .places = "",
    .kinds = "key",
    .at_start = true,
    .apply = apply,
};

const struct start_row start_canary = {&mutator_env_canary, "/start/canary", kinds, NULL};
