/* What a site of a derivation stands for: the table that lets whoever edits, counts or shrinks derivations know what kind
 * of choice an entry is, without knowing templates. Sites of a domain are those of its plan, then those of its grammar.
 *
 * Derivations are preorder logs (derivation.h). The entries directly below an opening entry are its children; an entry whose
 * kind does not open has none. */
#ifndef GRAMMAR_SITE_H
#define GRAMMAR_SITE_H

#include "grammar/domain.h"

enum site_kind {
    SITE_WORKFLOW,    /* which workflow; opens; the root of every derivation */
    SITE_SWARM,       /* the subset of steps and alternatives that this task draws from; a leaf */
    SITE_ROOM,        /* how sparing the task is with its room, from 1; only in tasks that would else be too long; a leaf */
    SITE_ONE_OF,      /* which alternative; opens */
    SITE_ROUND,       /* one round of <repeat>: 0 go on, 1 stop; opens. Rounds of one repeat are siblings in a row */
    SITE_OPTIONAL,    /* 0 left out, 1 done; opens */
    SITE_DO,          /* which step a <do> does; opens */
    SITE_WALK,        /* one step of a <walk>, the last value: stop; opens. Steps of one walk are siblings in a row */
    SITE_PRODUCE,     /* the step done because a <with> found no handle; opens */
    SITE_HANDLE,      /* which handle a <with> takes, from the newest; a leaf */
    SITE_VALUE,       /* int, pick, seed of a recipe, spelling of a path; a leaf */
    SITE_ALTERNATIVE, /* grammar: which alternative; opens */
    SITE_COUNT,       /* grammar: repetitions beyond `least`; opens */
    SITE_LETTER,      /* grammar: a character of a set; a leaf */
    SITE_NUMBER,      /* grammar: a number of a range; a leaf */
    SITE_KINDS
};

struct site {
    enum site_kind kind;
    uint64_t choices;  /* possible values: 0 … choices-1; 0: depends on the moment (SITE_HANDLE, and all of 2^64) */
    uint64_t least;    /* SITE_COUNT, SITE_ROUND, SITE_WALK: repetitions that there always are */
    uint32_t width;    /* SITE_COUNT: children of each repetition, so repetition i has children [i*width, (i+1)*width); may
                          be 0: then repetitions cannot be told apart */
    const char *name;  /* of the workflow, rule, step or handle that it belongs to; "" when it has none */
    const char *place; /* "file:line" */
};

bool site_opens(enum site_kind kind);
/* What the site stands for; false when the domain has no such site. */
bool domain_site(const struct domain *d, uint32_t site, struct site *out);
uint32_t domain_site_end(const struct domain *d); /* one past the last */
/* Names a value for people: the step, the alternative's line, "stop"; written into the buffer, which is cleared first. */
void domain_site_value(const struct domain *d, uint32_t site, uint64_t value, struct buf *out);
/* The cheapest value of a site by (steps, height, bytes) as the compiler computed it: what reductions try first. For leaves 0. */
uint64_t domain_site_cheapest(const struct domain *d, uint32_t site);

#endif
