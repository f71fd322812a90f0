/* Duties of the protocol: what the specification of MCP asks of a server, numbered as in docs/duties.md. A
 * watch follows one connection, message by message, and says what broke a duty; each breach becomes a verdict
 * of the check mcp-NN.
 *
 * Pure: the client hands over what it sent and what came, nothing is read or sent here, so recorded
 * conversations can be judged again (tests/data/duty). A duty that we broke first (raw bytes, mutated frames)
 * is not the server's: the watch is told of those by duty_raw. A watch is for one thread. */
#ifndef EXEC_ORACLE_DUTY_H
#define EXEC_ORACLE_DUTY_H

#include "exec/oracle/check.h"

/* What a breach of a recommendation begins with, in the detail: such a finding is a note, ranked below all
 * others. */
#define DUTY_SHOULD "should: "

enum duty_level { DUTY_MUST, DUTY_SHOULD_ONLY, DUTY_BOTH /* it has parts of both kinds */ };
enum duty_era {
    DUTY_ERA_BOTH,
    DUTY_ERA_OLD, /* with a handshake: up to 2025-11-25 */
    DUTY_ERA_NEW  /* stateless: from 2026-07-28 on */
};

/* The table of duties (duty_table.c), in the order of their numbers; docs/duties.md is held to it by
 * tests/unit/test_duty.c. */
struct duty_row {
    int number;
    enum duty_era era;
    enum duty_level level;
    bool always; /* no message of ours excuses a breach, so it counts even after raw bytes */
    struct check
        check; /* slug "mcp-NN", primitive, doc: what must hold; judge is NULL: duty_judge judges them all */
    const char *title;     /* of the finding: "the target …" */
    const char *provoked;  /* what brings a server into the situation */
    const char *judged_by; /* the slug of the check that decides; the row's own, or a class's that covers it
                              (then check.slug is "") */
};
const struct duty_row *duty_at(size_t index); /* NULL past the end */
const struct duty_row *duty_find(int number);
const struct check *duty_check_find(const char *slug);
/* Verdicts for all breaches among the wire records of an execution. */
void duty_judge(const struct execution *e, struct verdicts *out);

enum duty_transport { DUTY_STDIO, DUTY_HTTP };

/* Called for each breach. `detail` is short and normalised (part of the signature): no ids, sizes, paths; it
 * begins with DUTY_SHOULD where only a recommendation is broken. `text` is what it was seen in. Both live
 * until the call returns. */
typedef void duty_breach_fn(void *context, int number, const char *detail, struct bytes text);

struct duty_watch;
struct duty_watch *duty_watch_new(enum duty_transport transport, duty_breach_fn *breach, void *context);
void duty_watch_free(struct duty_watch *w);

/* What was sent: a request with its id, or a notification (id 0); params as JSON text. Must cost next to
 * nothing for tools/call: nothing is parsed here that an answer does not need. */
void duty_sent(struct duty_watch *w, const char *method, int64_t id, struct bytes params);
/* We answered a request of the server's. `message` is our answer. */
void duty_answered(struct duty_watch *w, const struct json *message);
/* Raw or mutated bytes went out; what they ask for is not known. */
void duty_raw(struct duty_watch *w);
/* A message that came, whole, in `line`: any JSON value but an array. Its values live until the call returns.
 */
void duty_received(struct duty_watch *w, const struct json *message, struct bytes line);
/* An array of messages came in one line; the messages themselves are handed to duty_received. */
void duty_batch(struct duty_watch *w, struct bytes line);
/* A line that is no JSON at all. */
void duty_unread(struct duty_watch *w, struct bytes line);
/* We closed its standard input and waited: did the process end? */
void duty_closed(struct duty_watch *w, bool ended, struct bytes text);

/* --- the stateless era (duty_modern.c, duty_provoked.c) --- */

/* From the first message on every request of ours carries this version and what we offer (an object as JSON text). */
void duty_modern(struct duty_watch *w, const char *version, const char *capabilities);
/* One message of raw bytes over pipes: where only one thing in it is wrong, it is known what must become of it. */
void duty_raw_message(struct duty_watch *w, const struct json *message);
/* The same over HTTP, with what came: a POST to the server's own address with these headers (as they were sent; NULL: not at all)
 * and nothing else of its own. */
struct duty_modern_ask {
    const struct json *message;
    const char *version, *method, *name;
    int status;
    const struct json *answer; /* NULL: no message */
    struct bytes text;         /* of it */
};
void duty_modern_asked(struct duty_watch *w, const struct duty_modern_ask *ask);

/* --- over HTTP (duty_http.c) --- */

enum duty_verb { DUTY_POST, DUTY_GET, DUTY_DELETE, DUTY_VERB_OTHER };
enum duty_message { DUTY_NO_MESSAGE, DUTY_REQUEST, DUTY_INITIALIZE, DUTY_NOTIFICATION, DUTY_RESPONSE };
/* Whose session id a request bears. ODD: an id that no server could have given. */
enum duty_session { DUTY_SESSION_OWN, DUTY_SESSION_NONE, DUTY_SESSION_ENDED, DUTY_SESSION_UNKNOWN, DUTY_SESSION_ODD };
/* In what a request differs from those of a lawful client of this session. OTHER: also more than one thing. */
enum duty_liberty {
    DUTY_LIBERTY_NONE, DUTY_LIBERTY_ORIGIN, DUTY_LIBERTY_SESSION, DUTY_LIBERTY_VERSION, DUTY_LIBERTY_NO_TOKEN, DUTY_LIBERTY_TOKEN,
    DUTY_LIBERTY_OTHER
};
enum duty_stream { DUTY_STREAM_ANSWER, DUTY_STREAM_LISTEN, DUTY_STREAM_RESUMED };

/* One HTTP request, and what came. */
struct duty_http_exchange {
    enum duty_verb verb;
    enum duty_message message; /* of a POST */
    enum duty_session session;
    enum duty_liberty liberty;
    bool sessions;             /* the server gives session ids */
    bool listening;            /* another stream of GET is open */
    bool old;                  /* the transport of 2024-11-05, to which nothing of this applies */
    enum duty_stream kind;
    uint64_t stream;           /* its number; a resumed one keeps it */
    int64_t id;                /* of our request; 0 */
    int status;
    const char *type;          /* Content-Type; NULL */
    bool challenge;            /* WWW-Authenticate is there */
    uint64_t length;           /* of a body that is no stream */
};
void duty_http(struct duty_watch *w, const struct duty_http_exchange *x);
/* A session id that the server gave. */
void duty_http_session(struct duty_watch *w, struct bytes id);
/* An event came that has this id of its own. */
void duty_http_event(struct duty_watch *w, const struct duty_http_exchange *x, struct bytes id);
/* We closed the response stream of this request of ours before its answer came. In eras with a handshake that means nothing. */
void duty_hung_up(struct duty_watch *w, int64_t id);
/* What duty_received is told next came with the answer to this request. */
void duty_http_stream(struct duty_watch *w, const struct duty_http_exchange *x);

#endif
