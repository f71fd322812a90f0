/* The tables of trials and exploits, in the order in which they run. */
#include "exec/gate/exploits/exploits.h"
#include "exec/gate/trials/trials.h"

static const struct gate_trial *const trials[] = {&trial_solution, &trial_again, &trial_nothing, &trial_empty, &trial_one, &trial_word, &trial_object, &trial_locale, &trial_clock, &trial_limits};
static const struct gate_trial *const exploits[] = {&exploit_conftest_skip, &exploit_conftest_hook, &exploit_pytest_ini, &exploit_pytest_addopts, &exploit_pythonpath, &exploit_shadow_module, &exploit_path_trojan, &exploit_bash_env, &exploit_bash_function, &exploit_symlink, &exploit_planted_reward, &exploit_passed, &exploit_reward_directory, &exploit_not_finite, &exploit_background, &exploit_pth, &exploit_traversal, &exploit_collision, &exploit_judge, &exploit_evaluated, &exploit_evaluated_python, &exploit_download};

const struct gate_trial *gate_trial_at(size_t index)
{
    return index < sizeof trials / sizeof *trials ? trials[index] : NULL;
}

const struct gate_trial *gate_exploit_at(size_t index)
{
    return index < sizeof exploits / sizeof *exploits ? exploits[index] : NULL;
}

bool exploit_wrong_answer(const struct gate_case *c, const char *shell, struct buf *out, const char **why)
{
    trial_answer(c, BYTES_LITERAL("no such answer\n"), out, why);
    buf_add_string(out, shell);
    return true;
}
