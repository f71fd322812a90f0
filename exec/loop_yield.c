/* What pays; see loop_yield.h. */
#include "exec/loop_yield.h"

static const double LEAST = 0.05;

const char *loop_source_name(enum loop_source source)
{
    static const char *const names[] = {"generate", "mutate", "splice", "given"};
    return names[source];
}

void loop_yield_note(struct loop_yields *y, size_t row, double won, double seconds)
{
    if (row >= LOOP_YIELD_ROWS)
        return;
    y->rows[row].won += won;
    y->rows[row].seconds += seconds;
    if (++y->noted < LOOP_YIELD_HALF)
        return;
    y->noted = 0;
    for (size_t i = 0; i < LOOP_YIELD_ROWS; i++) {
        y->rows[i].won /= 2;
        y->rows[i].seconds /= 2;
    }
}

void loop_yield_rates(const struct loop_yields *y, size_t count, double *rates)
{
    double won = 1, seconds = 1; /* before anything is known: one win a second */
    for (size_t i = 0; i < count; i++) {
        won += y->rows[i].won;
        seconds += y->rows[i].seconds;
    }
    for (size_t i = 0; i < count; i++)
        rates[i] = (y->rows[i].won + 1) / (y->rows[i].seconds + seconds / won);
}

static void deal(size_t count, double even, double *odds)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += odds[i];
    for (size_t i = 0; i < count; i++)
        odds[i] = even / (double)count + (1 - even) * odds[i] / sum;
}

void loop_yield_odds(const struct loop_yields *y, size_t count, double even, double *odds)
{
    loop_yield_rates(y, count, odds);
    deal(count, even, odds);
}

void loop_yield_best(const struct loop_yields *y, size_t count, double even, double *odds)
{
    loop_yield_rates(y, count, odds);
    for (size_t i = 0; i < count; i++)
        odds[i] *= odds[i];
    deal(count, even, odds);
}

void loop_shares(const struct loop_yields *y, const double wanted[LOOP_SOURCES], double adapt, double shares[LOOP_SOURCES])
{
    double rates[LOOP_SOURCES], of_rates = 0, of_wanted = 0, sum = 0;
    loop_yield_rates(y, LOOP_SOURCES, rates);
    for (int i = 0; i < LOOP_SOURCES; i++) {
        of_rates += wanted[i] > 0 ? rates[i] : 0;
        of_wanted += wanted[i];
    }
    for (int i = 0; i < LOOP_SOURCES; i++) {
        shares[i] = wanted[i] > 0 ? (1 - adapt) * wanted[i] / of_wanted + adapt * rates[i] / of_rates : 0;
        if (wanted[i] > 0 && shares[i] < LEAST)
            shares[i] = wanted[i] < LEAST ? wanted[i] : LEAST;
        sum += shares[i];
    }
    for (int i = 0; i < LOOP_SOURCES && sum > 0; i++)
        shares[i] /= sum;
}

size_t loop_draw(const double *shares, size_t count, struct rng *rng)
{
    double at = (double)(rng_next(rng) >> 11) / 9007199254740992.0; /* 2^53 */
    size_t i = 0;
    for (; i + 1 < count && at >= shares[i]; i++)
        at -= shares[i];
    return i;
}
