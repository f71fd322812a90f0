/* The site: its doors, each with a daemon of libmicrohttpd and a thread of its own, and its life; see site.h. */
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

static struct web_door **free_place(struct web_site *s)
{
    for (size_t i = 0; i < WEB_DOORS_MAX; i++)
        if (!s->doors[i])
            return &s->doors[i];
    return NULL;
}

static struct MHD_Daemon *start(struct web_site *s, int fd)
{
    return MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK, 0, NULL, NULL,
                            web_exchange_step, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_URI_LOG_CALLBACK, web_exchange_uri, s,
                            MHD_OPTION_NOTIFY_COMPLETED, web_exchange_done, s, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)s->options.connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX * 2, MHD_OPTION_END);
}

int web_site_serve(struct web_site *s, int fd, struct web_door **door, struct error **err)
{
    pthread_mutex_lock(&s->lock);
    struct web_door **place = free_place(s), *d = NULL;
    if (place)
        d = *place = xcalloc(1, sizeof *d);
    pthread_mutex_unlock(&s->lock);
    if (d) {
        d->site = s;
        d->daemon = start(s, fd);
    }
    if (!d || !d->daemon) {
        close(fd);
        web_door_close(d);
        return error_set(err, ERR_TARGET, "the fixture site does not start");
    }
    if (door)
        *door = d;
    return 0;
}

void web_door_close(struct web_door *door)
{
    if (!door)
        return;
    if (door->daemon)
        MHD_stop_daemon(door->daemon); /* closes the socket too */
    pthread_mutex_lock(&door->site->lock);
    for (size_t i = 0; i < WEB_DOORS_MAX; i++)
        if (door->site->doors[i] == door)
            door->site->doors[i] = NULL;
    pthread_mutex_unlock(&door->site->lock);
    free(door);
}

void web_site_free(struct web_site *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < WEB_DOORS_MAX; i++)
        web_door_close(s->doors[i]);
    web_record_clear(s);
    pthread_mutex_destroy(&s->lock);
    free(s->entries);
    free(s);
}
