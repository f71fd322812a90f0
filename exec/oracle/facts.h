/* What many checks ask of an execution again and again, found out once. A step may be carried out thousands of times; asked anew for each
 * pair of steps, such a question takes minutes. All of it is true without facts too, only slower. */
#ifndef EXEC_ORACLE_FACTS_H
#define EXEC_ORACLE_FACTS_H

#include "exec/oracle/joined.h"
#include "exec/oracle/kept.h"
#include "exec/oracle/roundtrip.h"

struct background {
    size_t index; /* of the observation */
    bool any;     /* it may touch every file (runs_background_file) */
};

struct facts {
    const struct span *spans; /* of each observation: those of the task that it came from (joined_span) */
    /* Of the first i observations, i from 0 to all: */
    const size_t *rough;      /* how many did not go as they should (calm_until) */
    const size_t *broken;     /* … and have broken the session */
    const size_t *unseen;     /* how many have effects that not everybody sees (effects_seen_until) */
    size_t lawful;            /* so many observations from the first, before one that sends what no lawful client sends (client_illegal) */
    const size_t *stored;     /* observations that store a program of the kind that leaves something behind; of equal calls the first */
    size_t stored_count;
    const struct background *background; /* what may still be at work later (background_touches), in order; of equal calls the first */
    size_t background_count;
    bool lost; /* kept_lost, and which */
    struct kept_loss loss;
    bool compared; /* the mismatches are known (roundtrip_find) */
    const struct mismatch *mismatches;
    size_t mismatch_count;
};

/* The same execution with its facts, which live in `a`; as it is when it has them. */
struct execution facts_known(const struct execution *e, struct arena *a);

#endif
