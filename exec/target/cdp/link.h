/* How messages of the DevTools protocol travel to a browser and back: over two pipes (link_pipe.c), or over a WebSocket
 * (link_socket.c). A message is one JSON text.
 *
 * A link never blocks but in `turn`, and there until something happens. What a browser does to it is data: once `lost` is set
 * nothing goes or comes any more. One thread. */
#ifndef EXEC_TARGET_CDP_LINK_H
#define EXEC_TARGET_CDP_LINK_H

#include "exec/target/mcp_lines.h"
#include "exec/target/session_internal.h"
#include "exec/target/stderr_tail.h"

struct cdp_link;
struct cdp_wire {
    void (*queue)(struct cdp_link *l, struct bytes message); /* the bytes are copied */
    /* Waits until something can be done, at most until then, and does it; each message that is there goes to l->take. */
    void (*turn)(struct cdp_link *l, int64_t until_ns);
    void (*release)(struct cdp_link *l); /* closes it */
};

struct cdp_link {
    const struct cdp_wire *wire;
    struct session *session;
    /* One message, which may be one that is too long. Its bytes are valid during the call only. */
    void (*take)(void *context, const struct mcp_line *message);
    void *context;
    struct mcp_lines lines;
    struct buf out;          /* still to be sent, from out_at on */
    size_t out_at;
    char *lost;              /* why there is no browser any more, in words; owned; NULL: there is one */
    int64_t cut_ns;          /* when its output was found closed; 0 */
    struct agent_process process; /* of a browser that we started; id 0: none */
    struct stderr_tail said;
    void *own;               /* the wire's */
};

/* Starts the browser that these words name, with --remote-debugging-pipe among them, in the session's box. */
int cdp_link_start(struct cdp_link *l, struct session *s, const char *const *words, struct error **err);
/* Connects to the browser at that address. */
struct endpoint;
int cdp_link_connect(struct cdp_link *l, struct session *s, struct endpoint *e, struct error **err);
void cdp_link_lose(struct cdp_link *l, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the first reason stays */
void cdp_link_release(struct cdp_link *l);
struct bytes cdp_link_stderr(const struct cdp_link *l);

#endif
