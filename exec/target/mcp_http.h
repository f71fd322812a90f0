/* The inside of the HTTP transport: mcp_http.c moves requests, mcp_http_reply.c understands what comes back. */
#ifndef EXEC_TARGET_MCP_HTTP_H
#define EXEC_TARGET_MCP_HTTP_H

#include <curl/curl.h>

#include "exec/target/mcp_client_internal.h"
#include "exec/target/sse.h"

enum post_kind {
    POST_MESSAGE, /* one message of ours */
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
    unsigned resumed;              /* how often it was taken up again */
    bool looked, stream;           /* headers are in; it is an event stream */
    struct sse sse;
    struct buf answer;             /* a body that is no stream */
    uint64_t answer_length;        /* kept or not */
    int64_t not_before_ns;         /* of a resumption */
    const char *refused;           /* why we would not go where it led (static text); NULL */
};

struct mcp_http {
    CURLM *multi;
    struct post *posts;
    char *url, *ca_file;
    const char *const *headers;    /* borrowed from the options */
    char *session, *version;       /* header values; NULL until the server gave them */
    int (*socket)(void *context, int family);
    void *context;
    bool local_only;               /* nothing may leave this machine */
    bool refused;                  /* the last attempt to connect was */
};

/* Body bytes as they come; curl's write callback. */
size_t mcp_http_take(char *data, size_t size, size_t count, void *post);
size_t mcp_http_header(char *data, size_t size, size_t count, void *post);
/* The request is over: delivers what is left, and says why there is no answer when there is none. True: it is to be taken up
 * again from sse.last_id. */
bool mcp_http_over(struct post *p, CURLcode code, const char *error);

#endif
