/* The barest client there is: writes requests that were made beforehand, counts what ends answers. It reads nothing, checks
 * nothing and times nothing out. */
#ifndef BENCH_WIRE_BARE_H
#define BENCH_WIRE_BARE_H

#include "base/bytes.h"

struct bare;

/* From now on this process has a network of its own, with loopback alone. */
void bare_private_network(void);

/* A server over its standard streams, in no box; or (port > 0) over HTTP on 127.0.0.1, `lanes` connections. The command is started
 * either way. */
struct bare *bare_start(char *const *argv, int port, int lanes);
void bare_stop(struct bare *b);
/* `requests` calls of the tool with `params` (JSON), `lanes` in flight; seconds that took. */
double bare_calls(struct bare *b, struct bytes params, size_t requests);

#endif
