/* Parts of making a suite, for the files gen/cover*.c alone: cover.c aims at one path after the other and has
 * the books, cover_guide.c leads a derivation, cover_pick.c keeps few tasks, cover_gaps.c tells what is
 * missing. */
#ifndef GEN_COVER_INTERNAL_H
#define GEN_COVER_INTERNAL_H

#include "gen/cover.h"

#define COVER_FAR UINT32_MAX

/* Who can have a site below it: alternatives with it as a child, and those that may make a property whose
 * choices have it. */
struct cover_parents {
    uint32_t *first; /* by site, into items; one entry more than sites */
    uint32_t *items;
    uint32_t *waiting; /* room for a search */
    bool *known;       /* by site: room for a search */
    uint32_t sites;
};
void cover_parents_init(struct cover_parents *p, const struct kpath_graph *g);
void cover_parents_release(struct cover_parents *p);
/* How many choices lead from each alternative to one of those that are 0 in `distance` already; the others,
 * which are COVER_FAR, are lowered. */
void cover_spread(const struct cover_parents *p, const struct kpath_graph *g, uint32_t *distance);

/* What a task does where it is not on its way to its path. */
enum cover_manner {
    COVER_GREEDY, /* whatever is not covered yet */
    COVER_DRAWN,  /* as the rng has it */
    COVER_SHORT,  /* the cheapest, so that budgets last */
    COVER_MANNERS
};

struct cover_guide {
    struct chooser_guide guide; /* first, so that the guide that is asked is this */
    const struct kpath_graph *graph;
    unsigned k;
    const uint64_t *covered; /* bits, by path: earlier tasks have it */
    uint64_t *now;           /* bits: this task has it */
    uint64_t *noted;         /* those that are set in now */
    size_t noted_count, noted_room;
    uint64_t target;
    uint32_t elements[KPATH_LONGEST];
    uint64_t prefix[KPATH_LONGEST + 1]; /* [j], j >= 2: the path of the first j elements */
    const uint32_t *to_target, *to_any; /* distances, by alternative */
    enum cover_manner manner;
    double stray; /* chance of another way than the shortest */
    struct rng rng;
    bool reached, refused;    /* the target was taken; it came up and could not be taken */
    uint32_t asked, possible; /* as in struct cover_miss */
    struct kpath_place *open; /* of the log's open entries */
    size_t open_room;
};
void cover_guide_init(struct cover_guide *g, const struct kpath_graph *graph, unsigned k);
void cover_guide_release(struct cover_guide *g);
/* Before each derivation; distances have been set. */
void cover_guide_aim(struct cover_guide *g, uint64_t target, enum cover_manner manner, double stray,
                     uint64_t seed, uint64_t index);

/* Keeps, of tasks that each cover something, few that cover the same; the others are released. */
void cover_pick(const struct kpath_graph *g, unsigned k, struct derivation *tasks, size_t *count);

/* Of the paths that were missed, where `seen` has all that was reached. */
void cover_find_gaps(struct cover_suite *suite, const struct kpath_seen *seen);

static inline bool cover_has(const uint64_t *bits, uint64_t path)
{
    return bits[path / 64] >> path % 64 & 1;
}

static inline void cover_mark(uint64_t *bits, uint64_t path)
{
    bits[path / 64] |= (uint64_t)1 << path % 64;
}

static inline uint64_t *cover_bits_new(uint64_t count)
{
    return xcalloc((size_t)(count / 64 + 1), sizeof(uint64_t));
}

#endif
