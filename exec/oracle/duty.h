/* Duties of the protocol: what the specification of MCP asks of a server, numbered as in docs/duties.md. A watch follows one
 * connection, message by message, and says what broke a duty; each breach becomes a verdict of the check mcp-NN.
 *
 * Pure: the client hands over what it sent and what came, nothing is read or sent here, so recorded conversations can be judged
 * again (tests/data/duty). A duty that we broke first (raw bytes, mutated frames) is not the server's: the watch is told of
 * those by duty_raw. A watch is for one thread. */
#ifndef EXEC_ORACLE_DUTY_H
#define EXEC_ORACLE_DUTY_H

#include "base/json.h"
#include "exec/oracle/check.h"

/* The table of duties (duty_table.c), in the order of their numbers. */
struct duty_row {
    int number;
    struct check check; /* slug "mcp-NN", primitive, doc: what must hold; judge is NULL: duty_judge judges them all */
    const char *title;  /* of the finding: "the target …" */
};
const struct duty_row *duty_at(size_t index); /* NULL past the end */
const struct duty_row *duty_find(int number);
const struct check *duty_check_find(const char *slug);
/* Verdicts for all breaches among the wire records of an execution. */
void duty_judge(const struct execution *e, struct verdicts *out);

enum duty_transport { DUTY_STDIO, DUTY_HTTP };

/* Called for each breach. `detail` is short and normalised (part of the signature): no ids, sizes, paths; `text` is what it
 * was seen in. Both live until the call returns. */
typedef void duty_breach_fn(void *context, int number, const char *detail, struct bytes text);

struct duty_watch;
struct duty_watch *duty_watch_new(enum duty_transport transport, duty_breach_fn *breach, void *context);
void duty_watch_free(struct duty_watch *w);

/* What was sent: a request with its id, or a notification (id 0); params as JSON text. Must cost next to nothing for
 * tools/call: nothing is parsed here that an answer does not need. */
void duty_sent(struct duty_watch *w, const char *method, int64_t id, struct bytes params);
/* We answered a request of the server's. `message` is our answer. */
void duty_answered(struct duty_watch *w, const struct json *message);
/* Raw or mutated bytes went out; what they ask for is not known. */
void duty_raw(struct duty_watch *w);
/* A JSON-RPC object that came, whole, in `line`. Its values live until the call returns. */
void duty_received(struct duty_watch *w, const struct json *message, struct bytes line);

#endif
