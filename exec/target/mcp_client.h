/* The client's side of MCP: JSON-RPC messages to and from a server that may do anything, one a line over a process's standard
 * streams, or over streamable HTTP.
 *
 * Requests go out together and are answered in any order; writing and reading are done in one poll loop
 * without blocking, so a server that floods us without reading cannot bring us to a halt. Every id we used is
 * remembered, so a second answer, a late one and one to nothing are told apart. What the server asks of us is
 * answered: ping with an empty result, what we offer (mcp_offer.h) as it asks for, everything else with -32601.
 *
 * A client is for one thread. No function fails because of what a server does: that is data. */
#ifndef EXEC_TARGET_MCP_CLIENT_H
#define EXEC_TARGET_MCP_CLIENT_H

#include "base/json.h"
#include "exec/target/target.h"

struct mcp_client;
struct mcp_fault; /* mcp_fault.h */

/* What a progress token that is a text begins with; the request's id follows. */
#define MCP_TOKEN "taskgen-"

/* The process at the other end. */
struct mcp_peer {
    int in, out, err; /* write end of its standard input, read ends of the others; -1: none. Not blocking. The
                         client's from now on */
    /* A descriptor that becomes readable when the process may have ended and stays so until `ended` was
     * asked; -1 or NULL: there is none. */
    int (*wake)(void *context);
    /* Has it ended? 1 with *status as by waitpid, 0 not yet, -1 cannot be known any more. */
    int (*ended)(void *context, int *status);
    /* Are all exchanges to end now? NULL: never. Asked at least ten times a second. */
    bool (*stopped)(void *context);
    void *context;
};

struct mcp_limits {
    size_t max_line;       /* longest line that is read; longer ones are dropped and counted */
    int64_t quiet_ms;      /* how long raw bytes that ask for nothing are given to bring something */
    int64_t grace_ms;      /* from the end of its output until we no longer wait for the end of the process */
};

/* How raw bytes go over HTTP when they go otherwise than messages of ours do. */
struct mcp_http_ask {
    const char *verb;         /* NULL: POST */
    const char *suffix;       /* behind the URL; NULL */
    const struct mcp_http_field {
        const char *name, *value; /* instead of what we would send by that name; value NULL: nothing. {session} in it is the id
                                     of the session, or of the one that ended last */
    } *fields;
    size_t field_count;
};

enum mcp_state {
    MCP_WAITING,
    MCP_ANSWERED,   /* `reply` is there, or the reply was too long (`too_long`) */
    MCP_TIMEOUT,
    MCP_DIED,       /* the process ended and still owed the answer */
    MCP_CUT,        /* the process goes on, but its standard output or input is closed */
    MCP_STOPPED,    /* we were told to stop */
    MCP_FAILED      /* the transport says that there will be no answer: `failure` says why */
};

/* One request and what became of it, or raw bytes. */
struct mcp_exchange {
    /* Set by the caller: */
    const char *method;       /* NULL: raw bytes */
    struct bytes method_text; /* how it is written when it may hold any byte; none: as method, which needs no escapes */
    bool notification;        /* no id goes along, no reply is waited for */
    struct bytes progress;    /* the progress token in params, as JSON text; none: progress is not asked for */
    struct bytes params;      /* JSON text that is written as it stands; none: the request has no params */
    struct bytes raw;         /* without a method: what is written; answers to ids in it are waited for */
    struct bytes name;        /* of the tool, where params are long and have no _meta: saves looking for it; none: it is looked for */
    const char *const *headers; /* "Name: value" beside the usual ones, over HTTP; NULL-terminated; NULL */
    const struct mcp_http_ask *ask; /* of raw bytes, over HTTP only; NULL: as a message of ours would go */
    int64_t timeout_ms;       /* more than 0 */
    int64_t cancel_after_ms;  /* tell the server to cancel after so long (raw bytes over HTTP: break the connection); -1: only at
                                 the deadline */
    struct arena *arena;      /* for the reply */
    /* Called once it has ended, while others may still be waited for; NULL. A second reply may still come: `replies` is final when
     * mcp_client_await returns. */
    void (*done)(void *context, struct mcp_exchange *x);
    void *context;
    struct mcp_fault *fault;  /* what is done to it on purpose; NULL: nothing. Not of raw bytes */
    /* Set by mcp_client_exchange: */
    enum mcp_state state;
    struct json *reply;       /* the whole message; NULL */
    struct bytes lines;       /* of raw bytes: what came back meanwhile, cut to 1 MiB */
    const char *failure;      /* MCP_FAILED: "HTTP 404: …", in the exchange's arena */
    int http_status;          /* of raw bytes over HTTP: what came; 0: nothing yet */
    const char *http_type;    /* likewise, the content type; NULL */
    const char *http_session; /* likewise: whose id was sent: "own" "none" "ended" "unknown" "odd"; NULL: the server has none */
    bool too_long;            /* the reply was longer than max_line */
    bool cancelled;           /* before the deadline, as asked */
    uint32_t replies;         /* messages that carried its id (or answered the raw bytes) */
    uint32_t progress_count;  /* notifications that carried its token */
    char progress_last[40];   /* the last one's progress: a number's text, cut; "" */
    uint64_t sent, received;  /* bytes */
    int64_t start_ns, end_ns;
    int64_t id;               /* of the request; 0 for raw bytes */
    /* The client's own: */
    uint64_t length;          /* of what is to be written */
    size_t owed, hoped;       /* answers that raw bytes are owed, and may have at most */
    bool whole;               /* raw bytes: they are over when the transport says so, not when it was quiet for a while */
    bool over;                /* it said so */
    int64_t deadline_ns, cancel_ns, failed_ns;
    bool told;                /* `done` was called */
    unsigned again;           /* how often it was sent again, with a new id */
    struct bytes latest;      /* params of the last time; none: as they were given */
    bool lost;                /* it was sent again because its answer was lost */
};

struct mcp_client *mcp_client_new(const struct mcp_peer *peer, const struct mcp_limits *limits);

/* Streamable HTTP instead of pipes: every message of ours is a POST, answers come as JSON or as an event stream. The peer's
 * descriptors are -1; its functions may speak of a process that serves, or be NULL. */
struct mcp_http_options {
    const char *url;
    const char *const *headers; /* "Name: value", NULL-terminated; NULL */
    const char *ca_file;        /* certificates to trust beside the system's; NULL */
    bool insecure;              /* any certificate will do */
    /* A socket to connect with, as socket(2) gives one; NULL: an ordinary one. */
    int (*socket)(void *context, int family);
    void *context;
    bool local_only;            /* connect to this machine only, wherever redirects lead */
};
struct mcp_client *mcp_client_new_http(const struct mcp_peer *peer, const struct mcp_limits *limits,
                                       const struct mcp_http_options *http);
/* The server took back the session id it gave (HTTP 404, or a DELETE of ours): a handshake is due before the next request. */
bool mcp_client_session_over(const struct mcp_client *c);
/* The next request is the first one of a new session. */
void mcp_client_start_anew(struct mcp_client *c, int64_t ms);
/* The server did not take the first message: speaks it the HTTP+SSE transport of 2024-11-05? True: it does, and messages go that
 * way from now on; the handshake can be tried again. */
bool mcp_client_fall_back(struct mcp_client *c, int64_t ms);
/* Opens the stream by which a server speaks unasked, once initialized; it may refuse. Pipes: nothing. */
void mcp_client_listen(struct mcp_client *c);
/* What is offered to the server, which is nothing before. Before initialize. */
void mcp_client_offer(struct mcp_client *c, unsigned set, const char *root);
unsigned mcp_client_offered(const struct mcp_client *c);
/* Everything that is written to the pipes goes into the log too, which outlives the client. */
struct wire_log;
void mcp_client_log(struct mcp_client *c, struct wire_log *log);
void mcp_client_free(struct mcp_client *c); /* closes the descriptors */
/* The id that the next request will have; the others follow in order. */
int64_t mcp_client_next_id(const struct mcp_client *c);
/* Sends one; then no function but these two may be called until mcp_client_await was, with all that were sent. The exchange and
 * what it points to stay where they are until then. */
void mcp_client_send(struct mcp_client *c, struct mcp_exchange *x);
/* Waits until each has an answer or has passed its deadline. */
void mcp_client_await(struct mcp_client *c, struct mcp_exchange *exchanges, size_t count);
/* Both: sends all and waits for all. */
void mcp_client_exchange(struct mcp_client *c, struct mcp_exchange *exchanges, size_t count);
/* Sends a notification, best effort within ms. */
void mcp_client_notify(struct mcp_client *c, const char *method, struct bytes params, int64_t ms);
/* Closes the server's standard input and reads on until the process ends or ms ran out. True: it ended. */
bool mcp_client_finish(struct mcp_client *c, int64_t ms);
/* The stateless era: from now on every request carries this version and what we offer (an object as JSON text); requests of the
 * server get no answer. NULL: back to the era of the handshake. The watch over duties begins anew. */
void mcp_client_set_modern(struct mcp_client *c, const char *version, const char *capabilities);
/* In the stateless era: a request that stays open, by which the server tells what it is asked for. `filter` is its member
 * "notifications". */
void mcp_client_subscribe(struct mcp_client *c, const char *filter);
/* Forgets what went over the wire outside calls, because a question of ours that the server need not know may have been its cause:
 * everything but lines that are no messages, and of those the ones that speak of `word`. */
void mcp_client_forget_events(struct mcp_client *c, const char *word);
/* The protocol version that was agreed on; in "2025-03-26" several messages may share a line. */
void mcp_client_set_version(struct mcp_client *c, struct bytes version);

bool mcp_client_alive(struct mcp_client *c);                /* the process has not ended */
int mcp_client_status(const struct mcp_client *c);          /* as by waitpid, once it ended; else 0 */
size_t mcp_client_events(struct mcp_client *c, const struct wire_event **events); /* since the last call */
struct bytes mcp_client_stderr(struct mcp_client *c); /* last 4 KiB; until the next call of any function */

struct mcp_counts {
    uint64_t tools_changed, resources_changed, prompts_changed, resources_updated, logged; /* notifications of these */
    uint64_t lines, stray, too_long, late, unknown, doubled, bad, requests, notifications, progress;
    uint64_t events_dropped;
};
const struct mcp_counts *mcp_client_counts(const struct mcp_client *c);

#endif
