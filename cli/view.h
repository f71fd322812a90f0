/* The live view: a campaign's figures in a few lines for a terminal. Composing is pure; drawing is screen.h. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli/figures.h"

/* Appends lines for a terminal of that size, each ended by a newline; plain ASCII, none longer than columns - 1, and about two thirds of the
 * rows at the most, so that what scrolls by above has room. Returns how many. `now_ms` as elapsed_ms. */
unsigned view_compose(const struct figures *f, unsigned columns, unsigned rows, struct buf *out);
/* The same as a page for a browser, which asks again by itself. */
void view_page(const struct figures *f, unsigned columns, unsigned rows, struct buf *out);
/* "0:12:34", "3 d 4:00:00"; of a negative time "-". */
void view_time(int64_t ms, char out[32]);

#endif
