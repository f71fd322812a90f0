/* k-paths: what of a domain's grammar tasks have covered, and what there is to cover.
 *
 * A choice point is a site that opens (see site.h): a workflow, a one-of, a do, a step of a walk, a round of
 * a repeat, an optional, a producer, an alternative or a number of repetitions of the grammar. An alternative
 * is a choice point with one of its values; numbers of repetitions count as two, the least ("none" where that
 * is 0) and more, and where an alternative of the grammar is a mere text and has more than KPATH_WORDS of its
 * kind beside it, such as in a list of names, they count as one: which word it is tells as little as which
 * letter of a set. A k-path is a row of k alternatives, each made directly below the one before it in the
 * derivation. So the 1-paths are all alternatives of all choice points, the 2-paths are all alternatives in
 * each surrounding they can stand in.
 *
 * A property of a handle is made when it is first read, below whatever happens to be open then. Its choices
 * would give paths that mean nothing, so they count as standing below a parent of their own, "a property made
 * when read", which is in paths but is no 1-path. A log does not say why a choice was made: where a site may
 * stand directly below the open alternative for another reason too, that reason is taken.
 *
 * The graph is worked out of the compiled templates without deriving anything, so it is finite and has every
 * path that a derivation can have, and some that none has: guards, handles that are there already and budgets
 * forbid them. What can be told never to be taken is left out, with everything that only it leads to, and
 * listed: weight 0, and a cheapest completion that no budget admits (templates whose guards can be told never
 * to hold are not even loaded). A workflow of weight 0 counts as never taken, unless it is the one asked for.
 *
 * Paths of each length have dense numbers from 0, the same for the same templates. All of this is read-only
 * once made and may be shared by threads, but for struct kpath_seen. */
#ifndef GRAMMAR_KPATH_H
#define GRAMMAR_KPATH_H

#include "grammar/domain.h"

enum { KPATH_LONGEST = 3, KPATH_WORDS = 8 };
#define KPATH_NONE    UINT32_MAX
#define KPATH_NO_PATH UINT64_MAX

struct kpath_graph;

/* The graph of a domain, with paths of up to k alternatives (1..KPATH_LONGEST). `workflow`: of this one
 * alone; NULL: of all. ERR_LIMIT when there are more than 2^26 paths of one length. The domain has to outlive
 * it. */
int kpath_graph_new(const struct domain *d, const char *workflow, unsigned k, struct kpath_graph **graph,
                    struct error **err);
void kpath_graph_free(struct kpath_graph *g);
const struct domain *kpath_domain(const struct kpath_graph *g);
uint64_t kpath_count(const struct kpath_graph *g, unsigned k); /* how many k-paths there are */

/* Alternatives are numbered too: 0 is the parent of properties made when read, and from 1 on their number is
 * one more than that of their 1-path. */
uint32_t kpath_alternative_count(const struct kpath_graph *g);
/* KPATH_NONE: never taken. */
uint32_t kpath_alternative(const struct kpath_graph *g, uint32_t site, uint64_t value);
uint32_t kpath_alternative_site(const struct kpath_graph *g, uint32_t alternative);
/* The alternatives of a choice point: numbered in a row. */
void kpath_point(const struct kpath_graph *g, uint32_t site, uint32_t *first, uint32_t *count);
/* The choice points directly below an alternative, by site; NULL past the end. `first` and `count` are their
 * alternatives, which are numbered in a row. */
struct kpath_child {
    uint32_t site, first, count;
    uint32_t offset; /* of `first` among all alternatives below */
    uint32_t rest;   /* steps that are kept back for what follows it */
    bool unlikely;   /* a producer that a step is only done without when no other step can be done either */
};
const struct kpath_child *kpath_child(const struct kpath_graph *g, uint32_t alternative, size_t index);
/* Whether reading what is directly below the alternative may make a property whose choices have this site. */
bool kpath_may_make(const struct kpath_graph *g, uint32_t alternative, uint32_t site);
/* The alternatives of a path, outermost first. */
void kpath_elements(const struct kpath_graph *g, unsigned k, uint64_t path, uint32_t *alternatives);
/* The number of the path of k alternatives (2 or more), which has to be one. */
uint64_t kpath_number(const struct kpath_graph *g, unsigned k, const uint32_t *alternatives);
/* The path for people: "x.xml:12 workflow train > x.xml:20 repeat: go on". Appended. */
void kpath_name(const struct kpath_graph *g, unsigned k, uint64_t path, struct buf *out);
void kpath_name_elements(const struct kpath_graph *g, unsigned k, const uint32_t *alternatives,
                         struct buf *out);

/* Choices that are never taken, and why, as "x.xml:12 alternative 2: has weight 0"; appended. */
size_t kpath_never_count(const struct kpath_graph *g);
void kpath_never(const struct kpath_graph *g, size_t index, struct buf *out);

/* --- where in the graph an entry of a log stands --- */

struct kpath_place {
    uint32_t alternative;             /* KPATH_NONE: unknown to the graph */
    uint64_t path[KPATH_LONGEST + 1]; /* [j]: the j-path that ends here, KPATH_NO_PATH when there is none */
};
/* The place of a choice made below `parent` (NULL: the root). False when the site does not open or the graph
 * has no such choice there; then *out is unknown to the graph. */
bool kpath_enter(const struct kpath_graph *g, const struct kpath_place *parent, uint32_t site, uint64_t value,
                 struct kpath_place *out);
/* Whether the graph counts choices of this site at all. */
bool kpath_counts(const struct kpath_graph *g, uint32_t site);
/* Calls `see` for every choice of a log that the graph knows, in order. Returns how many choices it does not
 * know, which is 0 for whatever the domain's interpreter logged; *stranger is the first of them. */
size_t kpath_walk(const struct kpath_graph *g, const struct derivation *d,
                  void (*see)(void *context, const struct kpath_place *place), void *context,
                  size_t *stranger);

/* --- accounting --- */

struct kpath_seen {
    const struct kpath_graph *graph;
    uint64_t *bits[KPATH_LONGEST + 1];
    uint64_t count[KPATH_LONGEST + 1]; /* different k-paths seen */
    uint64_t strangers;                /* choices that the graph does not know */
};
void kpath_seen_init(struct kpath_seen *s, const struct kpath_graph *g);
void kpath_seen_release(struct kpath_seen *s);
/* Accounts a derivation of the graph's domain. True when it has a path of the longest kind that no earlier
 * one had. */
bool kpath_seen_add(struct kpath_seen *s, const struct derivation *d);
bool kpath_seen_has(const struct kpath_seen *s, unsigned k, uint64_t path);

#endif
