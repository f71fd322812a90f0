/* How a task came to be run, in words and as JSON. */
#ifndef CLI_EXPLAIN_WHY_H
#define CLI_EXPLAIN_WHY_H

#include "base/json.h"
#include "corpus/store.h"

/* Do the numbers of a pick lead to it: does the draw fall on its weight? */
bool explain_why_holds(const struct store_picked *p);
void explain_why_pick(const struct store_picked *p, const char *parent, struct buf *out);
/* What a member's chance is now (store_weigh). */
void explain_why_member(const struct store_picked *p, struct buf *out);
struct json *explain_why_json(const struct store_picked *p, bool pick, struct arena *a); /* pick: else what a member weighs now */

#endif
