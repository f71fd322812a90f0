/* A listing against the directory as a witness saw it. */
#ifndef EXEC_ORACLE_LISTING_H
#define EXEC_ORACLE_LISTING_H

#include "exec/oracle/judge.h"

struct listing {
    size_t missing, extra; /* names; hidden ones do not count when the listing leaves all of them out */
    size_t missing_odd, extra_odd; /* those among them that are not plain ASCII, hold a ?, or end in a dot or a space */
    size_t shared; /* names of the directory that are in the listing */
    struct bytes a_missing, an_extra; /* the first of each */
    enum witness by;
};

/* False when step `index` is no listing, did not succeed, or cannot be held against anything. */
bool listing_compare(const struct execution *e, size_t index, struct arena *a, struct listing *l);
/* All that differs are names whose bytes were changed: as many missing as extra, all of them odd. */
bool listing_renames(const struct listing *l);

#endif
