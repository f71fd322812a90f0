/* The domains of features, and what each has been good for in a database. */
#ifndef CLI_EXPLAIN_DOMAINS_H
#define CLI_EXPLAIN_DOMAINS_H

#include "base/json.h"
#include "corpus/store.h"

/* A table, or with `json` an object a line. */
int explain_domains(struct store *store, bool json, struct buf *out, struct error **err);

#endif
