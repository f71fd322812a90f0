/* The site: its sockets, each with a daemon of libmicrohttpd and a thread of its own, and its life; see site.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/site/site_internal.h"

enum {
    VISITS = 4096,
    CONNECTIONS = 1024,
    SECONDS = 60,           /* a connection that says nothing for so long is closed */
    HEAD_MAX = 64 << 10     /* bytes of a request's head, and of one block of an answer */
};

int64_t web_site_now(const struct web_site *s)
{
    return (clock_monotonic_ns() - s->start_ns) / 1000000;
}

struct web_site *web_site_new(const struct web_site_options *options)
{
    struct web_site *s = xcalloc(1, sizeof *s);
    if (options)
        s->options = *options;
    if (!s->options.visits)
        s->options.visits = VISITS;
    if (!s->options.connections)
        s->options.connections = CONNECTIONS;
    s->entries = xcalloc(s->options.visits, sizeof *s->entries);
    s->start_ns = clock_monotonic_ns();
    atomic_init(&s->step, -1);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

int web_site_serve(struct web_site *s, int fd, struct error **err)
{
    struct MHD_Daemon *daemon = NULL;
    if (s->daemon_count < WEB_DAEMONS_MAX)
        daemon = MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK, 0, NULL, NULL,
                                  web_exchange_step, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_URI_LOG_CALLBACK, web_exchange_uri, s,
                                  MHD_OPTION_NOTIFY_COMPLETED, web_exchange_done, s, MHD_OPTION_CONNECTION_LIMIT,
                                  (unsigned)s->options.connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS,
                                  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX * 2, MHD_OPTION_END);
    if (!daemon) {
        close(fd);
        return error_set(err, ERR_TARGET, "the fixture site does not start");
    }
    s->daemons[s->daemon_count++] = daemon;
    return 0;
}

void web_site_pause(struct web_site *s)
{
    for (size_t i = 0; i < s->daemon_count; i++)
        MHD_stop_daemon(s->daemons[i]); /* closes the socket too */
    s->daemon_count = 0;
}

void web_site_free(struct web_site *s)
{
    if (!s)
        return;
    web_site_pause(s);
    web_record_clear(s);
    pthread_mutex_destroy(&s->lock);
    free(s->entries);
    free(s);
}
