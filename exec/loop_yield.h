/* What pays: how many tasks of each source, and of each mutator, joined the corpus, and how many signatures they were the first to show, which count
 * for forty tasks each, for the time that they took. Not
 * thread-safe: the loop's lock guards it. */
#ifndef EXEC_LOOP_YIELD_H
#define EXEC_LOOP_YIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/* Where a task comes from. */
enum loop_source { LOOP_GENERATE, LOOP_MUTATE, LOOP_SPLICE, LOOP_SOURCES, LOOP_GIVEN = LOOP_SOURCES };
const char *loop_source_name(enum loop_source source); /* "generate", "mutate", "splice", "given" */

struct loop_yield {
    double won, seconds;
};
enum { LOOP_YIELD_ROWS = 64 };
/* Rows of one kind; which row is whose is the caller's business. What is old counts half after each LOOP_YIELD_HALF notes, since what
 * paid in the first minute is no measure for the second hour. */
struct loop_yields {
    struct loop_yield rows[LOOP_YIELD_ROWS];
    uint32_t noted;
};
enum { LOOP_YIELD_HALF = 2000 };

void loop_yield_note(struct loop_yields *y, size_t row, double won, double seconds);
/* Wins a second of each of the first `count` rows, as far as it is known: a row begins as the mean of all, with the weight of one win, and moves
 * away from it as it is tried. */
void loop_yield_rates(const struct loop_yields *y, size_t count, double *rates);
/* The chances of the rows to be drawn: of each its rate, but `even` of them are dealt out alike, so that none is ever lost. The sum is 1. */
void loop_yield_odds(const struct loop_yields *y, size_t count, double even, double *odds);

/* The same, by the squares of the rates: of many rows those that pay best get most of the draws. */
void loop_yield_best(const struct loop_yields *y, size_t count, double even, double *odds);

/* Shares of the sources: those of the settings, of which the part `adapt` follows the rates; none that is wanted at all gets less than LEAST. */
void loop_shares(const struct loop_yields *y, const double wanted[LOOP_SOURCES], double adapt, double shares[LOOP_SOURCES]);
/* One of `count` by its share. */
size_t loop_draw(const double *shares, size_t count, struct rng *rng);

#endif
