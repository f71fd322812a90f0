/* --metrics [ADDR:]PORT: what was handed over last, over HTTP: /metrics for Prometheus, / for a person. On this machine's own addresses
 * unless the caller says otherwise; and there only for those who ask it by such a name, so that no page in a browser can read it. */
#ifndef CLI_METRICS_H
#define CLI_METRICS_H

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>

struct metrics;

/* `where`: "9100", "127.0.0.1:9100", "[::1]:9100", "localhost:0" (0: any port that is free). ERR_INPUT for what is no such address, or one that
 * others can reach where that is not `open`; ERR_TARGET when it cannot be had. */
int metrics_open(const char *where, bool open, struct metrics **m, struct error **err);
const char *metrics_url(const struct metrics *m); /* "http://127.0.0.1:9100/" */
/* From now on these are what is served; copied. Any thread. */
void metrics_put(struct metrics *m, struct bytes figures, struct bytes page);
void metrics_close(struct metrics *m); /* NULL is fine */

#endif
