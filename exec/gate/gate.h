/* The gate: is a task for agents sound? Its solution must pass, again and in other circumstances; doing nothing, empty and constant
 * answers and most solutions with a fault put into them must not; nothing that the agent sees may hold the answer; and on demand
 * the ways in which agents cheat must not work. All of it is executed, in rooms (exec/gate/room.h). */
#ifndef EXEC_GATE_GATE_H
#define EXEC_GATE_GATE_H

#include "base/json.h"
#include "base/settings.h"
#include "exec/gate/trial.h"

enum gate_verdict { GATE_KEPT, GATE_DROPPED, GATE_BEYOND, GATE_BAD };

struct gate_options {
    double mutation_floor;     /* 0..1 */
    unsigned mutants;          /* most that are tried */
    int64_t trial_ms;          /* one run of a solution or a verifier */
    bool exploits;             /* the battery too */
    struct box_cgroup *group;  /* limits of processes and memory; NULL: none */
    /* Before each trial, for progress; NULL: nobody looks on. 1: stop. */
    int (*before)(void *user, const char *task, const char *trial);
    void *user;
};

struct gate_result {
    enum gate_verdict verdict;
    struct json *json;         /* all that was found, in the arena: task, verdict, reasons[], trials[], mutants{}, milliseconds */
    struct strings reasons;    /* a line each; released by gate_result_release */
    unsigned killed, mutants;
    uint64_t template_hash;    /* of tests/test.sh: verifiers of one making */
    unsigned trials;
    int64_t ns, inside_ns;     /* all trials; of these, what ran in rooms */
};

/* A task that is bad, dropped or beyond this machine is a result; an error is the machine's (ERR_TARGET, ERR_OUTPUT) or ERR_STOP. */
int gate_check(const char *dir, const struct gate_options *o, struct arena *a, struct gate_result *r, struct error **err);
/* Whether the battery is wanted for a task whose test.sh has this hash is the caller's business: the hash of a directory's, 0: none. */
uint64_t gate_template(const char *dir);
void gate_result_release(struct gate_result *r);
const char *gate_verdict_name(enum gate_verdict verdict);

/* --- parts --- */

/* A solution with one fault in it, in the directory `to`; false past the last of `most`. what: a word for people. */
struct mutants;
struct mutants *mutants_new(const struct gate_task *t, unsigned most, struct error **err);
bool mutants_next(struct mutants *m, const char **dir, const char **what, struct error **err);
void mutants_free(struct mutants *m);

/* What the agent sees that it should not: a line for people, to be freed, or NULL. Runs the solution without a file that is suspected. */
int leak_look(const struct gate_case *c, char **found, struct error **err);

#endif
