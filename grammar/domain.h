/* Plan level: a domain template (XML) and what it compiles to. The notation is documented for users in
 * docs/templates.md. Immutable once loaded; shared by all threads. */
#ifndef GRAMMAR_DOMAIN_H
#define GRAMMAR_DOMAIN_H

#include "base/settings.h"
#include "grammar/grammar.h"
#include "grammar/ops.h"

struct domain;

struct domain_hazard {
    const char *mutator;     /* name of a mutator; known names are checked by whoever knows them (cli) */
    double probability;
    const char *on;          /* "name body path script", or NULL */
    const char *kinds;       /* variants, or NULL */
    const char *place;       /* "file:line" */
};

/* Names a fact of a content recipe must be checked against while loading; supplied by gen, which knows recipes, so
 * that grammar does not depend on it. Return false for an unknown recipe or parameter or fact. */
struct domain_recipes {
    bool (*known)(const char *recipe);
    bool (*parameter_known)(const char *recipe, const char *parameter);
    bool (*fact_known)(const char *recipe, const char *fact);
};

/* Loads a template with all it includes. ERR_INPUT: "file:line: found …, expected …", one line. */
int domain_load(const char *file, const struct ops *ops, const struct domain_recipes *recipes, struct domain **domain,
                struct error **err);
void domain_free(struct domain *d);

const char *domain_name(const struct domain *d);
const char *domain_title(const struct domain *d);
const char *domain_file(const struct domain *d);
const char *domain_hash(const struct domain *d);  /* 16 hex digits: XXH3-64 of every source byte, included files too */
size_t domain_workflow_count(const struct domain *d);
const char *domain_workflow_name(const struct domain *d, size_t index);
double domain_workflow_weight(const struct domain *d, size_t index);
size_t domain_hazard_count(const struct domain *d);
const struct domain_hazard *domain_hazard(const struct domain *d, size_t index);
const struct grammar *domain_grammar(const struct domain *d);

#endif
