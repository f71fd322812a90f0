/* The inside of the MCP client; for mcp_client.c, mcp_io.c and mcp_message.c only. */
#ifndef EXEC_TARGET_MCP_CLIENT_INTERNAL_H
#define EXEC_TARGET_MCP_CLIENT_INTERNAL_H

#include "exec/oracle/duty.h"
#include "exec/target/mcp_client.h"
#include "exec/target/mcp_fault.h"
#include "exec/target/mcp_lines.h"
#include "exec/target/mcp_modern.h"
#include "exec/target/mcp_offer.h"
#include "exec/target/stderr_tail.h"

enum {
    EVENTS_MAX = 256,        /* kept between two looks; more are counted */
    EVENT_TEXT = 4096,
    ID_TEXT = 64 << 10,      /* of an id that is compared */
    RAW_IDS_MAX = 256,       /* ids in raw bytes that are remembered */
    RAW_LINES_MAX = 1 << 20,
    REPLY_QUEUE_MAX = 1 << 20 /* bytes of answers to a server that does not read them */
};

/* Bytes on their way out. A frame that was begun is always finished before the next one. */
struct frame {
    struct frame *next;
    struct mcp_exchange *exchange; /* whose `sent` counts them; NULL */
    size_t length, written;
    struct mcp_plan_cursor cursor; /* with a plan: what is written instead of data */
    uint8_t data[];
};

/* What became of one id we used; ids count from 1. */
struct id_record {
    struct mcp_exchange
        *exchange; /* it belongs to; NULL once that was given up or mcp_client_exchange is over */
    uint8_t replies;               /* 0, 1, 2 (many) */
    bool given_up;                 /* timed out or cancelled: a reply to it is late */
};

struct event_list {
    struct arena arena;
    struct wire_event items[EVENTS_MAX];
    size_t count;
};

/* How bytes get there and back: mcp_io.c over pipes, mcp_http.c over HTTP. */
struct mcp_wire {
    /* One message (or raw bytes) to be sent; the exchange, when there is one, learns how many bytes went. */
    void (*queue)(struct mcp_client *c, struct bytes data, struct mcp_exchange *exchange);
    /* The same for a plan, which lives as long as the client. */
    void (*queue_plan)(struct mcp_client *c, const struct wire_plan *plan, struct mcp_exchange *exchange);
    /* The connection (of the exchange, where each has one) is ended by us: input only, or both ways without a word. */
    void (*hang_up)(struct mcp_client *c, struct mcp_exchange *exchange, bool both);
    /* The exchange is no longer waited for: what was not sent is dropped, the rest goes on without it. */
    void (*abandon)(struct mcp_client *c, struct mcp_exchange *exchange);
    void (*write)(struct mcp_client *c);                 /* as much as goes without blocking */
    void (*turn)(struct mcp_client *c, int64_t until_ns); /* waits until something can be done, at most until then; does it */
    void (*check_end)(struct mcp_client *c);             /* asks whether the process ended */
    bool (*busy)(const struct mcp_client *c);            /* something is still to be sent */
    void (*detach)(struct mcp_client *c, struct mcp_exchange *exchange); /* what is under way goes on without it */
    bool closing_cancels;                                /* in the stateless era: to abandon a request is to cancel it */
    void (*listen)(struct mcp_client *c);                /* these three: NULL: nothing to do, no */
    void (*set_version)(struct mcp_client *c, struct bytes version);
    bool (*lost)(const struct mcp_client *c);            /* nobody answers at the other end any more */
    bool (*session_over)(const struct mcp_client *c);    /* these three: see mcp_client.h; NULL: never, nothing, no */
    void (*start_anew)(struct mcp_client *c, int64_t until_ns);
    bool (*fall_back)(struct mcp_client *c, int64_t until_ns);
    void (*finish)(struct mcp_client *c, int64_t until_ns); /* says goodbye; what waits is dropped */
    void (*release)(struct mcp_client *c);
};
bool mcp_pipe_signal_ignored(void); /* mcp_io.c */
extern const struct mcp_wire mcp_wire_pipe, mcp_wire_http;

struct mcp_client {
    const struct mcp_wire *wire;
    struct mcp_http *http;         /* mcp_wire_http's; NULL */
    struct mcp_peer peer;
    struct mcp_limits limits;
    struct mcp_lines lines;
    struct frame *first, *last;
    size_t queued_answers;         /* bytes of frames without an exchange */
    struct id_record *ids;         /* ids[0] is id 1 */
    size_t id_count, id_capacity;
    struct {
        struct bytes text;         /* JSON text, in raw_arena */
        struct mcp_exchange *exchange; /* the raw bytes it stood in, while they are waited for */
    } raw_ids[RAW_IDS_MAX];        /* ids in raw bytes that have had no answer */
    size_t raw_id_count;
    struct arena raw_arena;
    uint64_t raw_unreadable; /* lines of raw bytes that are no message: each may be answered with id null */
    struct mcp_exchange *raw;      /* the raw bytes that are being waited for, the last of several */
    struct buf raw_lines;          /* what came back meanwhile */
    struct event_list events[2];   /* one is filled while the other is with the caller */
    int filling;
    struct stderr_tail said;
    bool out_ended, in_broken, ended;
    bool pipe_ignored;             /* SIGPIPE does nothing in this program */
    int status;
    int64_t cut_ns;                /* when out or in was first found closed; 0 */
    int64_t wake_ignored_until;    /* the wake descriptor told of another process's end */
    struct mcp_envelope envelope;  /* of the stateless era; its version is NULL in the other one */
    bool batches;                  /* the protocol version allows several messages in one line */
    struct arena scratch;          /* of the message being read */
    struct buf message;            /* the request that is being made */
    bool wait_was_short;           /* mcp_io.c: the last wait for the server */
    unsigned sleepy_turns;         /* mcp_io.c: so many turns in which we do not wait awake */
    struct mcp_counts counts;
    struct mcp_offers offers;
    int64_t deaf_until_ns;         /* nothing is read before; 0 */
    struct arena plans;            /* what is sent in frames' places: it may still be on its way when the exchange is over */
    struct wire_log *log;          /* of what is sent over pipes; NULL */
    struct duty_watch *duties;     /* follows the conversation; its breaches become events */
};

/* mcp_message.c: one line from the server. */
void mcp_message_line(struct mcp_client *c, const struct mcp_line *line);
void mcp_event(struct mcp_client *c, enum wire_kind kind, struct bytes text);
/* What is no fault, but worth knowing. */
void mcp_note(struct mcp_client *c, const char *what, struct bytes text);
/* The same for a breach of a duty. */
void mcp_breach(struct mcp_client *c, int duty, const char *detail, struct bytes text);
/* Remembers the ids in the raw bytes of an exchange; sets its `owed` and `hoped`. */
void mcp_message_remember_raw(struct mcp_client *c, struct mcp_exchange *x);

/* The transport gives an exchange up. `broken`: the connection did; then, for a moment, the process is given time to turn out to
 * have ended, which says more. The text is copied. */
void mcp_client_fail(struct mcp_exchange *x, const char *failure, bool broken);
/* Sends the request of an exchange that waits once more, under a new id, with these params. */
void mcp_client_again(struct mcp_client *c, struct mcp_exchange *x, struct bytes params);
bool mcp_client_is_modern(const struct mcp_client *c);
/* The client without a transport. */
struct mcp_client *mcp_client_make(const struct mcp_peer *peer, const struct mcp_limits *limits, enum duty_transport transport);

#endif
