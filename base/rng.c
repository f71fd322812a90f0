/* xoshiro256** seeded by splitmix64. Only integer arithmetic of fixed width, so all machines agree; the
 * golden values in tests/unit/test_rng.c hold it still, since every stored seed depends on it. */
#include "base/rng.h"

#include <string.h>

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, unsigned count)
{
    return x << count | x >> (64 - count);
}

void rng_seed(struct rng *r, uint64_t seed, uint64_t index)
{
    /* Both steps are bijections of the index, so two indexes never share a state; mixing before and after
     * keeps neighbouring seeds and indexes apart. */
    uint64_t state = seed;
    state = splitmix64(&state) ^ index;
    state = splitmix64(&state);
    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix64(&state);
}

uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Lemire's multiply-and-shift: the high half of next*n is the draw; the few low halves that would favour some
 * values are drawn again. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    if (n == 0)
        return 0;
    unsigned __int128 product = (unsigned __int128)rng_next(r) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = -n % n; /* 2^64 mod n */
        while ((uint64_t)product < threshold)
            product = (unsigned __int128)rng_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

int64_t rng_range(struct rng *r, int64_t low, int64_t high)
{
    if (high <= low)
        return low;
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0: all of them */
    uint64_t draw = span ? rng_below(r, span) : rng_next(r);
    return (int64_t)((uint64_t)low + draw);
}

bool rng_chance(struct rng *r, double p)
{
    double draw = (double)(rng_next(r) >> 11) * 0x1p-53; /* 0 <= draw < 1 */
    return draw < p;
}

void rng_fill(struct rng *r, void *data, size_t len)
{
    uint8_t *out = data;
    while (len) {
        uint64_t word = rng_next(r);
        for (size_t k = 0; k < 8 && len; k++, len--, word >>= 8)
            *out++ = (uint8_t)word;
    }
}
