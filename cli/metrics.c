/* The little HTTP server of --metrics, by libmicrohttpd, on a thread of its own; see metrics.h. It knows nothing of a campaign: it hands
 * out two texts. */
#include "cli/metrics.h"

#include "base/listen.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONNECTIONS = 16, SECONDS = 10, TEXT_MAX = 16 << 20 };

struct metrics {
    struct MHD_Daemon *daemon;
    bool open;
    char url[128];
    pthread_mutex_t lock;    /* guards the texts */
    struct buf figures, page;
};

/* Did it come by a name of this machine alone? A page of anywhere can point a name of its own here, and would be asked by that. */
static bool host_is_ours(struct MHD_Connection *c)
{
    const char *given = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    char host[64];
    const char *rest;
    if (!given)
        return false;
    if (strspn(given, "0123456789.") == strlen(given) || strcmp(given, "localhost") == 0)
        return listen_is_loopback(given); /* without a port */
    if (strcmp(given, "[::1]") == 0)
        return true;
    return listen_split(given, host, sizeof host, &rest) && *host && listen_is_loopback(host);
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type, struct bytes text, const char *allow)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(text.len, (void *)(uintptr_t)text.data, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    if (allow)
        MHD_add_response_header(r, "Allow", allow);
    enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

static enum MHD_Result answer_words(struct MHD_Connection *c, unsigned status, const char *words, const char *allow)
{
    return answer(c, status, "text/plain; charset=utf-8", bytes_of_string(words), allow);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                                  const char *upload, size_t *upload_size, void **request)
{
    struct metrics *m = user;
    (void)version, (void)upload;
    if (!*request) { /* the headers are there; one is answered when its body, which nobody reads, is over */
        *request = m;
        return MHD_YES;
    }
    if (*upload_size) {
        *upload_size = 0;
        return MHD_YES;
    }
    if (!m->open && !host_is_ours(c))
        return answer_words(c, MHD_HTTP_FORBIDDEN, "asked by a name that is not this machine's own\n", NULL);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return answer_words(c, MHD_HTTP_METHOD_NOT_ALLOWED, "expected GET\n", "GET, HEAD");
    bool figures = strcmp(url, "/metrics") == 0;
    if (!figures && strcmp(url, "/") != 0)
        return answer_words(c, MHD_HTTP_NOT_FOUND, "there is / and /metrics\n", NULL);
    pthread_mutex_lock(&m->lock);
    enum MHD_Result result = figures ? answer(c, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", buf_bytes(&m->figures), NULL)
                                     : answer(c, MHD_HTTP_OK, "text/html; charset=utf-8", buf_bytes(&m->page), NULL);
    pthread_mutex_unlock(&m->lock);
    return result;
}

int metrics_open(const char *where, bool open, struct metrics **out, struct error **err)
{
    union listen_address a;
    int fd;
    TRY(listen_read(where, &a, err));
    if (!open && !listen_address_is_loopback(&a))
        return error_set(err, ERR_INPUT, "found '%s', which other machines may reach, expected an address of this one alone, or --metrics-open", where);
    TRY(listen_open(&a, where, &fd, err));
    struct metrics *m = xcalloc(1, sizeof *m);
    m->open = open;
    pthread_mutex_init(&m->lock, NULL);
    buf_init(&m->figures, TEXT_MAX);
    buf_init(&m->page, TEXT_MAX);
    listen_url(fd, m->url, sizeof m->url);
    m->daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, on_request, m, MHD_OPTION_LISTEN_SOCKET, fd,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS,
                                 MHD_OPTION_END);
    if (!m->daemon) {
        close(fd);
        metrics_close(m);
        return error_set(err, ERR_TARGET, "%s: the HTTP server does not start", where);
    }
    *out = m;
    return 0;
}

const char *metrics_url(const struct metrics *m)
{
    return m->url;
}

void metrics_put(struct metrics *m, struct bytes figures, struct bytes page)
{
    pthread_mutex_lock(&m->lock);
    buf_clear(&m->figures);
    buf_clear(&m->page);
    buf_add(&m->figures, figures);
    buf_add(&m->page, page);
    pthread_mutex_unlock(&m->lock);
}

void metrics_close(struct metrics *m)
{
    if (!m)
        return;
    if (m->daemon)
        MHD_stop_daemon(m->daemon); /* closes the socket too */
    pthread_mutex_destroy(&m->lock);
    buf_release(&m->figures);
    buf_release(&m->page);
    free(m);
}
