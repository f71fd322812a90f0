/* What mutators of browser tasks share: steps that load a page, pages of our own as addresses, and steps put in before others. */
#ifndef MUTATE_PAGE_PAGE_H
#define MUTATE_PAGE_PAGE_H

#include "mutate/mutate_internal.h"

/* It loads a page, whatever was there before: navigate, tab-open. */
bool page_loads(const struct task_step *step);
/* A step by that op is in the task: a target that cannot do it is not to lose the task. */
bool page_uses(const struct task *t, const char *op);
/* The index of one of the steps that load a page, each alike, that stand alone and are sent as they are; step_count: there is none. `any`: tab-open
 * too. */
size_t page_pick(const struct mutation *m, bool any);
/* A page as an address that holds all of it; what is no letter or digit is escaped, byte by byte. */
struct json *page_address(struct arena *a, const char *html);
/* Arguments with that address as `url`. */
struct json *page_args(struct arena *a, const char *html);
/* A step at `index`, in the session of the one that stood there. */
struct task_step *page_insert(struct change *c, size_t index, const char *op, struct json *args);

#endif
