/* Random numbers, passed explicitly, the same on every machine: xoshiro256** (Blackman and Vigna, 2018),
 * seeded by splitmix64 from (seed, index), so that the stream of index i does not depend on any other index.
 *
 * Every draw but rng_fill() and a redraw in rng_below() takes one number from the stream, whatever its
 * arguments, so changing a probability does not shift what is drawn later; rng_below(r, 0) and an empty range
 * take none. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed, uint64_t index);
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n);                /* 0..n-1, unbiased; n = 0 gives 0 */
int64_t rng_range(struct rng *r, int64_t low, int64_t high);  /* both included; low when high <= low */
bool rng_chance(struct rng *r, double p);                     /* p outside 0..1 is clamped; never for NaN */
void rng_fill(struct rng *r, void *data, size_t len);         /* eight bytes a number, the low one first */

#endif
