/* A small suite of tasks that covers the k-paths of a domain (grammar/kpath.h).
 *
 * For each path that no task has yet, a task is derived that aims at it: a guide wishes for what leads there
 * by the graph, then for the path itself, and beside that for whatever else is not covered. A path that was
 * not reached within a bounded number of tries is reported with what was seen of it. Of all tasks that had
 * something new, a set that still covers it all is kept.
 *
 * The suite follows from the domain, the seed and the settings alone. */
#ifndef GEN_COVER_H
#define GEN_COVER_H

#include "gen/generate.h"
#include "grammar/kpath.h"

enum { COVER_TRIES = 16, COVER_PATHS_MOST = 1 << 20 };

struct cover_options {
    const struct generate_options *generate; /* settings and workflow; domains are not looked at */
    const struct domain *domain;
    unsigned k;     /* 1..KPATH_LONGEST */
    unsigned tries; /* for one path; 0: COVER_TRIES */
    uint64_t seed;
};

/* A path that no task reached. */
struct cover_miss {
    uint64_t path;
    uint32_t tries;    /* tasks that aimed at it */
    uint32_t asked;    /* how often the choice came up where the path needs it */
    uint32_t possible; /* how often the value could be taken then */
    char *fault;       /* the template's fault that a task on the way there met; NULL: none */
};

/* What missed paths have in common: a part of them that no task has. */
struct cover_gap {
    unsigned length;
    uint32_t elements[KPATH_LONGEST];
    uint32_t beside; /* no alternative of its last choice was reached there: how many there are beside the one
                        named */
    size_t missed;   /* how many paths */
    size_t miss;     /* one of them, that says most about it */
};

struct cover_suite {
    struct cover_options options;
    struct kpath_graph *graph;
    struct derivation *tasks; /* those that cover most that is new first */
    size_t task_count;
    struct cover_miss *missed; /* by path */
    size_t missed_count;
    struct cover_gap *gaps;
    size_t gap_count;
    uint64_t derived; /* tasks that were derived to find them */
};

/* ERR_LIMIT when there are more than COVER_PATHS_MOST paths. The options and what they point to have to
 * outlive the suite, which is to be released in any case. */
int cover_make(const struct cover_options *o, struct cover_suite *suite, struct error **err);
void cover_release(struct cover_suite *suite);
/* One of the suite's tasks, with the suite's seed and this index; its derivation reproduces it. */
int cover_task(const struct cover_suite *suite, size_t index, struct task **task, struct error **err);
void cover_gap_name(const struct cover_suite *suite, const struct cover_gap *gap,
                    struct buf *out); /* appended */
/* Why it was not reached, as far as that is known; appended. */
void cover_why(const struct cover_suite *suite, const struct cover_miss *miss, struct buf *out);

#endif
