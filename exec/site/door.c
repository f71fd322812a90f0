/* Doors: sockets that the site is served on.
 *
 *   accept --> look at the first line, without taking it
 *                |-- a page of family_raw.c --> answered here, byte by byte (raw.c)
 *                '-- any other              --> libmicrohttpd's daemon, whose thread calls exchange.c
 *
 * The door's own thread does the first and also lets time pass: connections of the daemon that wait are suspended, and it resumes them
 * when their time has come or the client has gone, which a suspended connection would not notice. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "exec/site/raw.h"
#include "exec/site/site_internal.h"

enum {
    SECONDS = 300,        /* a connection that says nothing for so long is closed */
    HEAD_MAX = 128 << 10, /* bytes of a request's head, and of one block of an answer */
    FULL_NAP_MS = 50,     /* when no descriptor is left */
    SLEEP_MAX_MS = 600000
};

static int64_t now_ms(void)
{
    return clock_monotonic_ns() / 1000000;
}

static void wake_up(struct web_door *d)
{
    uint64_t one = 1;
    ssize_t ignored = write(d->wake, &one, sizeof one);
    (void)ignored;
}

/* --- sleepers --- */

void web_door_sleep(struct web_exchange *x, int64_t ms)
{
    struct web_door *d = x->door;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    x->fd = info ? info->connect_fd : -1;
    x->due_ms = now_ms() + (ms < SLEEP_MAX_MS ? ms : SLEEP_MAX_MS);
    pthread_mutex_lock(&d->lock);
    if (atomic_load(&d->closing)) { /* nobody would wake it any more */
        atomic_store(&x->gone, true);
    } else {
        MHD_suspend_connection(x->connection);
        x->next_sleeper = d->sleepers;
        d->sleepers = x;
    }
    pthread_mutex_unlock(&d->lock);
    wake_up(d);
}

/* Whose time has come, whose client is gone, or all when the door closes. */
static void resume_sleepers(struct web_door *d, int64_t now, const struct pollfd *polled, size_t count)
{
    struct web_exchange *up = NULL;
    pthread_mutex_lock(&d->lock);
    for (struct web_exchange **at = &d->sleepers; *at;) {
        struct web_exchange *x = *at;
        for (size_t i = 0; i < count; i++)
            if (polled[i].revents && polled[i].fd == x->fd)
                atomic_store(&x->gone, true);
        if (!atomic_load(&x->gone) && x->due_ms > now && !atomic_load(&d->closing)) {
            at = &x->next_sleeper;
            continue;
        }
        *at = x->next_sleeper;
        x->next_sleeper = up;
        up = x;
    }
    pthread_mutex_unlock(&d->lock);
    while (up) {
        struct web_exchange *x = up;
        up = x->next_sleeper;
        if (atomic_load(&d->closing))
            atomic_store(&x->gone, true);
        MHD_resume_connection(x->connection); /* from here on it is its daemon's */
    }
}

/* --- the thread --- */

struct round {
    struct pollfd *fds;
    size_t count, capacity;
    size_t sleepers, guests; /* where theirs begin */
    int64_t due_ms;          /* INT64_MAX: nothing is due */
};

static void add_fd(struct round *r, int fd, short events)
{
    if (r->count == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 64;
        r->fds = xrealloc(r->fds, r->capacity * sizeof *r->fds);
    }
    r->fds[r->count++] = (struct pollfd){.fd = fd, .events = events};
}

static void add_due(struct round *r, int64_t due_ms)
{
    r->due_ms = due_ms < r->due_ms ? due_ms : r->due_ms;
}

static void gather(struct web_door *d, struct round *r, int64_t accept_ms, int64_t now)
{
    r->count = 0;
    r->due_ms = INT64_MAX;
    add_fd(r, d->wake, POLLIN);
    bool rests = accept_ms > now;
    add_fd(r, rests ? -1 : d->listening, POLLIN);
    if (rests)
        add_due(r, accept_ms);
    r->sleepers = r->count;
    pthread_mutex_lock(&d->lock);
    for (struct web_exchange *x = d->sleepers; x; x = x->next_sleeper) {
        add_fd(r, x->fd, POLLRDHUP);
        add_due(r, x->due_ms);
    }
    pthread_mutex_unlock(&d->lock);
    r->guests = r->count;
    for (struct web_guest *g = d->guests; g; g = g->next) {
        add_fd(r, g->naps ? -1 : g->fd, web_guest_events(g));
        add_due(r, g->due_ms);
    }
}

/* The daemon's; it closes what it cannot take. */
static void hand_over(struct web_door *d, int fd)
{
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &length) < 0) {
        close(fd);
        return;
    }
    MHD_add_connection(d->daemon, fd, (const struct sockaddr *)&peer, length);
}

static void take_connections(struct web_door *d, int64_t *accept_ms, int64_t now)
{
    for (int i = 0; i < WEB_GUESTS_MAX; i++) {
        int fd = accept4(d->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                *accept_ms = now + FULL_NAP_MS;
            return;
        }
        if (d->guest_count < WEB_GUESTS_MAX)
            d->guests = web_guest_new(fd, now, d->guests), d->guest_count++;
        else
            hand_over(d, fd);
    }
}

/* The list is as it was when it was gathered. */
static void serve_guests(struct web_door *d, const struct round *r, int64_t now)
{
    size_t i = r->guests;
    for (struct web_guest **at = &d->guests; *at;) {
        struct web_guest *g = *at;
        bool ready = r->fds[i++].revents != 0;
        enum web_guest_next next = ready || g->due_ms <= now ? web_guest_go_on(d, g, ready, now) : WEB_GUEST_STAYS;
        if (next == WEB_GUEST_STAYS) {
            at = &g->next;
            continue;
        }
        int fd = g->fd;
        *at = g->next;
        d->guest_count--;
        web_guest_free(g);
        if (next == WEB_GUEST_TO_DAEMON)
            hand_over(d, fd);
        else
            close(fd);
    }
}

static void *run(void *user)
{
    struct web_door *d = user;
    struct round r = {0};
    int64_t accept_ms = 0;
    while (!atomic_load(&d->closing)) {
        int64_t now = now_ms();
        gather(d, &r, accept_ms, now);
        int64_t left = r.due_ms - now;
        int timeout = r.due_ms == INT64_MAX ? -1 : left < 0 ? 0 : left > 1000 ? 1000 : (int)left;
        if (poll(r.fds, r.count, timeout) < 0)
            clock_sleep_ms(1);
        now = now_ms();
        if (r.fds[0].revents) {
            uint64_t ignored;
            ssize_t got = read(d->wake, &ignored, sizeof ignored);
            (void)got;
        }
        resume_sleepers(d, now, r.fds + r.sleepers, r.guests - r.sleepers);
        serve_guests(d, &r, now);
        if (r.fds[1].revents)
            take_connections(d, &accept_ms, now);
    }
    free(r.fds);
    return NULL;
}

/* --- opening and closing --- */

static struct web_door **free_place(struct web_site *s)
{
    for (size_t i = 0; i < WEB_DOORS_MAX; i++)
        if (!s->doors[i])
            return &s->doors[i];
    return NULL;
}

static struct web_door *new_door(struct web_site *s, int fd)
{
    pthread_mutex_lock(&s->lock);
    struct web_door **place = free_place(s), *d = NULL;
    if (place)
        d = *place = xcalloc(1, sizeof *d);
    pthread_mutex_unlock(&s->lock);
    if (!d)
        return NULL;
    d->site = s;
    d->listening = fd;
    d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

static bool start(struct web_door *d)
{
    /* poll, not epoll: it is told again and again what is ready, so nothing is lost between two threads */
    d->daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME |
                                     MHD_USE_SUPPRESS_DATE_NO_CLOCK,
                                 0, NULL, NULL, web_exchange_step, d, MHD_OPTION_URI_LOG_CALLBACK, web_exchange_uri, d,
                                 MHD_OPTION_NOTIFY_COMPLETED, web_exchange_done, d, MHD_OPTION_CONNECTION_LIMIT,
                                 (unsigned)d->site->options.connections, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX, MHD_OPTION_END);
    int flags = fcntl(d->listening, F_GETFL);
    bool ready = d->daemon && d->wake >= 0 && flags >= 0 && fcntl(d->listening, F_SETFL, flags | O_NONBLOCK) == 0;
    d->started = ready && pthread_create(&d->thread, NULL, run, d) == 0;
    return d->started;
}

int web_site_serve(struct web_site *s, int fd, struct web_door **door, struct error **err)
{
    struct web_door *d = new_door(s, fd);
    if (!d || !start(d)) {
        if (d)
            web_door_close(d); /* and the socket */
        else
            close(fd);
        return error_set(err, ERR_TARGET, "the fixture site does not start");
    }
    if (door)
        *door = d;
    return 0;
}

void web_door_close(struct web_door *d)
{
    if (!d)
        return;
    atomic_store(&d->closing, true);
    wake_up(d);
    if (d->started)
        pthread_join(d->thread, NULL);
    close(d->listening);
    while (d->guests) {
        struct web_guest *g = d->guests;
        d->guests = g->next;
        close(g->fd);
        web_guest_free(g);
    }
    resume_sleepers(d, INT64_MAX, NULL, 0);
    if (d->daemon)
        MHD_stop_daemon(d->daemon);
    if (d->wake >= 0)
        close(d->wake);
    pthread_mutex_lock(&d->site->lock);
    for (size_t i = 0; i < WEB_DOORS_MAX; i++)
        if (d->site->doors[i] == d)
            d->site->doors[i] = NULL;
    pthread_mutex_unlock(&d->site->lock);
    pthread_mutex_destroy(&d->lock);
    free(d);
}
