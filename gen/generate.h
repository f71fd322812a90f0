/* From compiled domains to tasks. The task of (domains, seed, index) is the same bytes whatever the thread count, the
 * count asked for or the machine; index i never depends on i-1. */
#ifndef GEN_GENERATE_H
#define GEN_GENERATE_H

#include "base/settings.h"
#include "gen/task.h"
#include "grammar/domain.h"

/* What domain_load needs to know of the recipes there are. */
const struct domain_recipes *generate_recipes(void);

struct generate_options {
    const struct domain *const *domains; /* tasks are spread over them round robin by index */
    size_t domain_count;
    const char *workflow;       /* only this one; NULL: by weight */
    const struct settings *settings;
};

/* A fresh task. ERR_LIMIT when a budget does not even admit the cheapest completion, ERR_INPUT when the template is at
 * fault in a way that only shows while deriving (message with file:line). */
int generate_task(const struct generate_options *o, uint64_t seed, uint64_t index, struct task **task,
                  struct error **err);

/* The task that a derivation means: replayed as far as it goes, completed from (seed, index). The new, complete
 * derivation stands in the task. */
int generate_from(const struct generate_options *o, const struct domain *domain, const struct derivation *d,
                  uint64_t seed, uint64_t index, struct task **task, struct error **err);

/* A fresh task of one domain, for which a guide is asked about the choices first (derivation.h). It is not what
 * (seed, index) alone gives: its derivation reproduces it. */
int generate_guided(const struct generate_options *o, const struct domain *domain, struct chooser_guide *guide,
                    uint64_t seed, uint64_t index, struct task **task, struct error **err);

#endif
