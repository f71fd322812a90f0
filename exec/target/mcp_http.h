/* The inside of the HTTP transport: mcp_http.c moves requests, mcp_http_ask.c writes them, mcp_http_reply.c understands what comes
 * back, mcp_http_plan.c sends plans in messages' places, mcp_http_old.c is the older transport of two endpoints. */
#ifndef EXEC_TARGET_MCP_HTTP_H
#define EXEC_TARGET_MCP_HTTP_H

#include <curl/curl.h>

#include "exec/target/mcp_client_internal.h"
#include "exec/target/sse.h"

enum post_kind {
    POST_MESSAGE, /* one message of ours */
    POST_RAW,     /* raw bytes: nothing of it is a message of the conversation */
    POST_LISTEN,  /* GET: the stream by which a server speaks unasked */
    POST_RESUME,  /* GET: on with a stream that broke off */
    POST_DELETE   /* the end of the session */
};

/* One HTTP request on its way. */
struct post {
    struct post *next;
    struct mcp_client *client;
    struct mcp_exchange *exchange; /* that waits for its answer; NULL */
    enum post_kind kind;
    CURL *easy;
    struct curl_slist *headers;
    uint8_t *body;
    size_t length;
    struct mcp_plan_cursor cursor; /* with a plan: what is sent instead of the body */
    bool held, deaf;               /* sending waits for its time; receiving does */
    uint64_t number;               /* of the stream: a resumed one keeps its own */
    unsigned fruitless;            /* how often it was taken up again since the last event */
    bool looked, stream;           /* headers are in; it is an event stream */
    bool challenge;                /* a header WWW-Authenticate is there */
    struct sse sse;
    struct buf answer;             /* a body that is no stream; of raw bytes any body */
    uint64_t answer_length;        /* kept or not */
    int64_t not_before_ns;         /* of a resumption */
    const char *refused;           /* why we would not go where it led (static text); NULL */
    struct duty_http_exchange duty;
    char error[CURL_ERROR_SIZE];
};

struct mcp_http {
    CURLM *multi;
    struct post *posts;
    char *url, *ca_file;
    char *endpoint;                /* of the older transport: where messages go; NULL: there is none */
    const char *const *headers;    /* borrowed from the options */
    char *session, *version;       /* header values; NULL until the server gave them */
    char *ended;                   /* id of the last session that ended; NULL */
    bool over;                     /* the session ended: a handshake is due */
    bool ending;                   /* a DELETE went out */
    bool insecure;
    bool old;                      /* the older transport is spoken */
    bool listening;                /* the server took our GET */
    int last_status;               /* of the last message of ours that was over */
    uint64_t streams;              /* numbers given out */
    int (*socket)(void *context, int family);
    void *context;
    bool local_only;               /* nothing may leave this machine */
    bool refused;                  /* the last attempt to connect was */
};

/* mcp_http.c */
struct post *mcp_http_add(struct mcp_client *c, enum post_kind kind, struct bytes body, struct mcp_exchange *exchange);

/* Ends the request, whatever has come of it. */
void mcp_http_drop(struct post *p);

/* mcp_http_plan.c: requests whose body is a plan. Options of p->easy; what waits for its time goes on when it has come, *next_ns says
 * when to look again; the request's connection is ended by us; HTTP's own words about it, when it is over. */
void mcp_http_plan_options(struct post *p);
void mcp_http_plan_go_on(struct mcp_client *c, int64_t *next_ns);
void mcp_http_plan_hang_up(struct mcp_client *c, struct mcp_exchange *exchange, bool both);
void mcp_http_plan_over(struct post *p, const char *said);

/* mcp_http_ask.c: headers and options of p->easy, and what p->duty knows before the answer. */
void mcp_http_ask(struct post *p);

/* mcp_http_modern.c: what headers repeat of a message, in the stateless era; else all NULL. */
void mcp_http_mirror(const struct post *p, struct arena *a, struct mcp_mirror *out);
/* Raw bytes and what came, for the watch over duties. */
void mcp_http_tell_modern(struct post *p, int status);

/* mcp_http_reply.c. Body bytes and headers as they come; curl's callbacks. */
size_t mcp_http_take(char *data, size_t size, size_t count, void *post);
size_t mcp_http_header(char *data, size_t size, size_t count, void *post);
/* The request is over: delivers what is left, and says why there is no answer when there is none. True: it is to be taken up
 * again from sse.last_id. */
bool mcp_http_over(struct post *p, CURLcode code);
/* Raw bytes are no longer waited for: what came so far is theirs. */
void mcp_http_settle_raw(struct post *p);
/* The session is no more, as the server says. */
void mcp_http_end_session(struct mcp_http *h);

/* mcp_http_old.c. An event of the listening stream that says where messages go. */
void mcp_http_take_endpoint(struct mcp_http *h, struct bytes place);
bool mcp_http_fall_back(struct mcp_client *c, int64_t until_ns);
/* The stream that all answers come on has ended: nobody is answered any more. */
void mcp_http_old_lost(struct mcp_client *c, const char *why);

#endif
