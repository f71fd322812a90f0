/* A derivation: the flat preorder log of all choices made while a task was derived, plan level and value level alike.
 * It is at once the tree (each entry knows where its subtree ends), the seed file and the object that is mutated,
 * spliced and shrunk.
 *
 * A chooser makes choices. It answers from a replayed derivation as long as that lasts and its sites agree, else from the
 * rng, and logs what it answered; replaying a whole log reproduces the task byte for byte. A replayed value that is
 * out of range (after a mutation) is reduced modulo the number of choices, so every log means some task.
 *
 * Damage stays local: while a subtree is open, only the part of the replay that belongs to it is used, and closing it goes
 * on with what followed it. Where the replay has an entry of another site than the one asked for, the next one of that
 * site among the siblings ahead answers, and those between are passed over; where there is none, the rng answers, and the
 * entry stays for the next question. So a mutator may cut out, change or put in whole subtrees and leave everything beside
 * them as it was, though one more or one less choice is made there then. */
#ifndef GRAMMAR_DERIVATION_H
#define GRAMMAR_DERIVATION_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/rng.h"

struct choice {
    uint32_t site;   /* where: a node of the compiled domain (see domain.h); stable for a given grammar hash */
    uint32_t end;    /* index one past the last entry of this entry's subtree */
    uint64_t value;  /* which of the possibilities, from 0 */
};

struct derivation {
    struct choice *items;
    size_t count, capacity;
};

void derivation_init(struct derivation *d);
void derivation_release(struct derivation *d);
void derivation_clear(struct derivation *d);
void derivation_copy(struct derivation *to, const struct derivation *from);
/* Compact text form, as in a task's "derivation": base64 of varints (site delta, value, extent). */
void derivation_encode(const struct derivation *d, struct buf *out);
/* Reads what encode wrote into d, replacing what it held. ERR_INPUT, and d empty, when the text is something else: every
 * subtree has to lie within its parent. */
int derivation_decode(struct derivation *d, struct bytes text, struct error **err);

struct chooser;

/* Somebody who wishes for certain choices, say those that no task has made yet. Asked about each choice that opens a
 * subtree, with what can be chosen: indices of positive weight, or any of 0..n-1 where weights is NULL. False: the rng
 * decides. A wish is logged like any other choice, so replaying the log needs no guide. Not together with a replay. */
struct chooser_guide {
    bool (*wish)(struct chooser_guide *guide, const struct chooser *c, uint32_t site, const double *weights, uint64_t n,
                 uint64_t *value);
};

struct chooser {
    struct rng *rng;
    const struct derivation *replay; /* NULL: all from the rng */
    size_t at;                       /* next entry of replay */
    struct derivation *log;          /* never NULL, and not replay */
    bool diverged;                   /* replay and grammar disagreed about a site */
    size_t limit;                    /* end of the part of replay that the innermost open subtree may use */
    struct chooser_guide *guide;     /* NULL: nobody is asked */
};

void chooser_init(struct chooser *c, struct rng *rng, const struct derivation *replay, struct derivation *log);
/* Chooses 0..n-1 (n >= 1), each alike. A choice among one is not logged. Returns the value. n = 0 means 2^64. */
uint64_t chooser_uniform(struct chooser *c, uint32_t site, uint64_t n);
/* The same, but logged for n = 1 too: for a place that can go several ways and has only one left at the moment, so that
 * how many entries it has does not depend on the moment. */
uint64_t chooser_among(struct chooser *c, uint32_t site, uint64_t n);
/* Whether a choice of this site, made now, is answered by the replay rather than by the rng. */
bool chooser_recalls(const struct chooser *c, uint32_t site);
/* Logs what was settled elsewhere, in the place of what the replay has for this site, if it has anything. */
void chooser_note(struct chooser *c, uint32_t site, uint64_t value);
/* Chooses an index by weight; at least one weight is positive. A replayed index whose weight is not positive is moved on
 * to the next one that is. A choice among one is not logged. */
size_t chooser_weighted(struct chooser *c, uint32_t site, const double *weights, size_t n);
/* A choice that opens a subtree: everything logged until chooser_close belongs to it. Logged even for n = 1. */
size_t chooser_open_weighted(struct chooser *c, uint32_t site, const double *weights, size_t n, size_t *handle);
void chooser_close(struct chooser *c, size_t handle);

/* For each entry of a log whether it was drawn, when `replayed` was replayed to make the log, and not answered by it. */
void derivation_drawn(const struct derivation *replayed, const struct derivation *log, bool *drawn);

/* Weights prepared for drawing in constant time (Walker's alias method): a slot is drawn evenly, then it or the other
 * index it shares its room with. Declared weights are met to within 2^-32. */
struct weight_slot {
    uint32_t keep;  /* chance to stay, in 2^-32; 0 only for what has no weight */
    uint32_t other;
};
/* Fills n slots; n is at least 1 and below 2^32, every weight is finite and not negative, the sum is positive. What has
 * weight 0 is never drawn. */
void weight_slots_fill(struct weight_slot *slots, const double *weights, size_t n);
/* As chooser_open_weighted, but that a replayed index without weight gives the one that shares its room, and that no
 * guide is asked. */
size_t chooser_open_slots(struct chooser *c, uint32_t site, const struct weight_slot *slots, size_t n, size_t *handle);

/* How often something is repeated beyond its least: 0..n-1 (n >= 1). Opens a subtree, for what is repeated; logged even
 * for n = 1. COUNT_BOUNDED: each alike up to 16 possibilities; above, a power of two is drawn first, so that small
 * counts come more often and all may come. COUNT_OPEN: geometric with mean 3, never above CHOOSER_OPEN_MOST. */
enum count_shape { COUNT_BOUNDED, COUNT_OPEN };
enum { CHOOSER_OPEN_MOST = 64 };
uint64_t chooser_open_count(struct chooser *c, uint32_t site, uint64_t n, enum count_shape shape, size_t *handle);

#endif
