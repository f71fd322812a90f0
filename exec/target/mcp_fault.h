/* What is done to one exchange on purpose: its frame is sent otherwise (mutate/wire/wire.h), nothing is read for a while, or the
 * caller does something to the server while it runs. An exchange without a fault never comes here. */
#ifndef EXEC_TARGET_MCP_FAULT_H
#define EXEC_TARGET_MCP_FAULT_H

#include "exec/target/mcp_client.h"
#include "mutate/wire/wire.h"

enum { MCP_FAULT_ACTS = 2 };

struct mcp_fault {
    /* Set by the caller: */
    struct wire_mutation mutation;
    uint64_t room;                /* bytes that its frame may have */
    int64_t deaf_ms;              /* nothing is read for so long */
    int64_t longer_ms;            /* the deadline is so much later */
    uint64_t memory_before;       /* of the server's process, where it is looked at */
    /* Called after so many ms, while the exchange waits; -1: not at all. Whatever was begun is for the caller to end. */
    int64_t act_ms[MCP_FAULT_ACTS];
    void (*act)(void *context, int which);
    void *context;
    /* Set by mcp_client_exchange: */
    bool planned;                 /* `plan` was sent in the frame's place */
    struct wire_plan plan;
    const struct wire_plan *sent; /* the same, as long as the client lives */
    uint32_t replies, nulls;      /* answers with ids of the plan, errors with the id null */
    unsigned acted;               /* set of 1 << which */
    bool closed;                  /* the connection, or the request's, was closed by us */
    bool over;                    /* the transport says that nothing more comes */
    int status;                   /* of HTTP, when that refused it; 0 */
    const char *said;             /* with these words */
    /* The client's own: */
    bool own;                     /* the reply that is kept bears the call's own id */
    int64_t sent_ns, first_ns, closed_ns;
};

/* Where the writing of a plan stands. */
struct mcp_plan_cursor {
    const struct wire_plan *plan;
    size_t piece;
    uint64_t at;                  /* bytes of the piece that went */
    int64_t due_ns;               /* the next write is not before; 0: not known yet */
};
/* The bytes to write next; none when all went or it is not time yet (then *due_ns says when). */
struct bytes mcp_plan_next(struct mcp_plan_cursor *k, int64_t now_ns);
void mcp_plan_took(struct mcp_plan_cursor *k, size_t length, int64_t now_ns);
bool mcp_plan_all_went(const struct mcp_plan_cursor *k);

/* For mcp_client.c and mcp_message.c. */
/* Queues the plan in the place of the request's text (with its newline). False: it goes as it is. */
bool mcp_fault_send(struct mcp_client *c, struct mcp_exchange *x, struct bytes text);
/* A message that answers it; `null`: an error with the id null. */
void mcp_fault_reply(struct mcp_exchange *x, const struct json *message, uint64_t length, bool null);
/* What is due; true: the exchange has all that it can hope for. */
bool mcp_fault_look(struct mcp_client *c, struct mcp_exchange *x, int64_t now_ns);
/* One request with the id that we count on, however it is sent: the watch over duties may judge what comes of it. */
bool mcp_fault_plain(const struct wire_plan *p);
/* How many answers with its ids it is owed. */
uint32_t mcp_fault_owed(const struct mcp_fault *f);

#endif
