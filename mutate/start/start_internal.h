/* What mutators of the start share. */
#ifndef MUTATE_START_START_INTERNAL_H
#define MUTATE_START_START_INTERNAL_H

#include "mutate/mutate_internal.h"
#include "mutate/start/start.h"

/* What becomes of the task's results. */
enum start_effect {
    START_SAME,  /* nothing may change */
    START_ASCII, /* nothing, where all text of the task is ASCII; else programs may do otherwise */
    START_OTHER  /* programs may do otherwise */
};

struct start_kind {
    const char *kind, *words; /* the record's detail is "kind: words" */
    enum start_effect effect;
    struct start start;
};

/* A mutator: its row in the registry, where its records stand, its kinds (the last has no name). */
struct start_row {
    const struct mutator *mutator;
    const char *at; /* "/start/locale" */
    const struct start_kind *kinds;
    void (*bring)(struct change *c); /* puts in steps that show what the start changes; NULL: the task's own have to */
};
extern const struct start_row start_locale, start_user, start_shared_memory, start_canary;

/* One of the kinds that the hazard admits; NULL: none, or the task has a mutation of the row already. */
const struct start_kind *start_choose(const struct mutation *m, const struct start_row *row);
/* mutator.apply of a row that only writes its record down, and lets expectations go by the kind's effect. */
bool start_apply(struct mutation *m, const struct start_row *row);

#endif
