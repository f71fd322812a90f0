/* One trial of a task: an agent of ours does something in a fresh room, then the task's verifier says what it is worth, with
 * env -i, in a second fresh room when the task's verifier is separate, else in the same one. Trials are rows: one file each in
 * trials/ (every task) and exploits/ (ways in which agents cheat verifiers). */
#ifndef EXEC_GATE_TRIAL_H
#define EXEC_GATE_TRIAL_H

#include "exec/gate/state.h"

enum { CASE_OUTPUTS = 32, CASE_CONTENT = 1 << 16 };

/* What is known of a task once its solution has run. */
struct gate_case {
    const struct gate_task *task;
    struct state start, solved;
    struct strings outputs;                 /* regular files that the solution made or changed, absolute; at most CASE_OUTPUTS */
    struct buf contents[CASE_OUTPUTS];      /* their beginnings */
    char *keep;                             /* the solution's root is moved there when it has run, and is its caller's; NULL: it is removed */
    bool known;                             /* the solution has run */
    int64_t most_ms;                        /* longest time of one run, from --trial-time */
};

struct gate_trial {
    const char *name;
    int number;                /* of the way to cheat (docs/check.md); 0: none */
    const char *blame;         /* why a task is dropped whose verifier does not say what it should */
    bool solve;                /* the solution runs: 1 is expected, else 0 */
    /* What the agent does, as shell text; NULL: nothing (or the solution). False: there is nothing to try, *why says so (static). */
    bool (*script)(const struct gate_case *c, struct buf *out, const char **why);
    const char *const *env;    /* in the verifier's environment, and with `solve` in the solution's; NULL */
    bool shift_clock, tight;   /* as in struct room_run */
    bool together;             /* with a shared verifier the agent's processes are still there when it starts */
};

enum trial_end { TRIAL_REWARD, TRIAL_NO_REWARD, TRIAL_BAD_REWARD, TRIAL_LATE, TRIAL_SOLUTION_FAILED, TRIAL_SAME, TRIAL_NOT_TRIED, TRIAL_BROKEN };
struct trial_result {
    enum trial_end end;
    double reward;         /* with TRIAL_REWARD, 0..1 */
    bool good;             /* as it should be; not with TRIAL_SAME and TRIAL_NOT_TRIED */
    char note[200];        /* for people: why there is no reward */
    int64_t ns, inside_ns; /* all of it; how much of that programs ran, boxes and all */
};
/* solution: the directory that is /solution inside. state: what the agent left, taken over by the caller; NULL: not wanted.
 * ERR_TARGET, ERR_OUTPUT: the machine, not the task. */
int trial_run(const struct gate_case *c, const struct gate_trial *trial, const char *solution, struct trial_result *result, struct state *state, struct error **err);
const char *trial_end_name(enum trial_end end);

/* Every output gets this content; false when there is none. For scripts. */
bool trial_answer(const struct gate_case *c, struct bytes content, struct buf *out, const char **why);

const struct gate_trial *gate_trial_at(size_t index);   /* NULL past the end; the first is the solution */
const struct gate_trial *gate_exploit_at(size_t index); /* NULL past the end */

#endif
