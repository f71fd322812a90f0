/* The site of a session; see session_site.h.
 *
 * A box has a network of its own. The agent in it makes a socket there, and this process listens on it and serves: so the site is
 * reached at a port of the box's loopback and nowhere else, and nothing of it runs in the box. Sessions beside the first get a
 * door each, at the same port, to the one site. Without a box all have this machine's loopback and there is one door. */
#include "exec/target/session_site.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/listen.h"
#include "exec/site/remote.h"
#include "exec/target/session_internal.h"
#include "exec/target/url.h"

enum { MARKS_MAX = 4096, NS_PER_MS = 1000000 };

struct site_mark {
    int64_t step, ms; /* from when on, by our clock */
};

struct session_site {
    struct web_site *here; /* NULL: it is elsewhere */
    char *address;         /* without a "/" at the end */
    uint16_t port;
    struct site_mark *marks; /* of one elsewhere */
    size_t mark_count;
};

static struct session *owner_of(struct session *s)
{
    return s->first ? s->first : s;
}

static int64_t now_ms(void)
{
    return clock_monotonic_ns() / NS_PER_MS;
}

/* --- where it can be --- */

/* A server that was there before us, at an address of this machine: its network is ours. */
static bool is_neighbour(struct session *s)
{
    char host[256];
    int port;
    char *url = s->driver->url ? s->driver->url(s) : NULL;
    bool here = url && url_address(url, host, &port) && url_is_here(host);
    free(url);
    return here;
}

static bool possible(struct session *s)
{
    if (s->target->options.site)
        return true;
    return s->agent && (!s->target->beyond || is_neighbour(s));
}

static int make_socket(struct session *s)
{
    return s->target->beyond ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : agent_socket(s->agent, AF_INET);
}

/* A door at the site's port, or at a fresh one when it has none yet. An errno, 0, or -1 with *err. */
static int open_door(struct session *s, struct session_site *site, struct error **err)
{
    union listen_address address = {.four = {.sin_family = AF_INET, .sin_port = htons(site->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address.four;
    int fd = make_socket(s), why = fd < 0 ? errno : listen_with(fd, &address);
    if (!why && getsockname(fd, &address.any, &length) < 0)
        why = errno;
    if (why) {
        if (fd >= 0)
            close(fd);
        return why;
    }
    site->port = ntohs(address.four.sin_port);
    return web_site_serve(site->here, fd, &s->site_door, err);
}

/* --- its life --- */

static void drop(struct session *s)
{
    struct session_site *site = s->site;
    s->site = NULL;
    if (!site)
        return;
    web_site_free(site->here); /* and all its doors */
    s->site_door = NULL;
    free(site->address);
    free(site->marks);
    free(site);
}

static void open_here(struct session *s)
{
    const struct web_site_options options = {.open_record = true};
    s->site->here = web_site_new(&options);
    struct error *err = NULL;
    int status = open_door(s, s->site, &err);
    error_free(err);
    if (status)
        drop(s);
    else
        s->site->address = strings_printf("http://127.0.0.1:%u", (unsigned)s->site->port);
}

/* A room that nobody else has. */
static void open_room(struct session *s)
{
    const char *url = s->target->options.site;
    size_t length = strlen(url);
    while (length && url[length - 1] == '/')
        length--;
    uint64_t mark = hash64_mix(hash64(bytes_of_string(s->base)), (uint64_t)clock_monotonic_ns() ^ (uint64_t)clock_wall_ms() << 20);
    free(s->site->address);
    s->site->address = strings_printf("%.*s/~%016" PRIx64, (int)length, url, mark);
    s->site->mark_count = 0;
    if (!s->site->marks)
        s->site->marks = xcalloc(MARKS_MAX, sizeof *s->site->marks);
}

static void open_site(struct session *s)
{
    if (s->site || !possible(s))
        return;
    s->site = xcalloc(1, sizeof *s->site);
    if (s->target->options.site)
        open_room(s);
    else
        open_here(s);
}

/* Does it say {site} anywhere? */
static bool speaks_of_it(const struct target *t)
{
    const struct target_options *o = &t->options;
    const char *texts[] = {o->start, o->stop, o->ready, o->cwd};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && strstr(texts[i], TASK_SITE))
            return true;
    for (size_t i = 0; i < t->word_count; i++)
        if (strstr(t->words[i], TASK_SITE))
            return true;
    for (const char *const *env = o->env; env && *env; env++)
        if (strstr(*env, TASK_SITE))
            return true;
    return false;
}

int session_site_begin(struct session *s, struct error **err)
{
    struct session_site *site = owner_of(s)->site;
    if (site && site->here && !s->site_door) {
        int status = open_door(s, site, err);
        if (status > 0 && !(s->first && status == EADDRINUSE)) /* a network that both share has its door */
            status = error_set(err, ERR_TARGET, "the fixture site cannot be had at port %u again: %s", (unsigned)site->port, strerror(status));
        return status < 0 ? status : 0;
    }
    if (site || s->first || !speaks_of_it(s->target))
        return 0;
    open_site(s);
    return s->site ? 0 : error_set(err, ERR_INPUT, "'%s' speaks of {site}, which it cannot reach, expected --site URL", s->target->options.spec);
}

void session_site_end(struct session *s)
{
    struct web_door *door = s->site_door;
    s->site_door = NULL;
    web_door_close(door); /* the network that it is in may go now */
}

void session_site_free(struct session *s)
{
    if (s->first)
        session_site_end(s);
    drop(s);
}

void session_site_reset(struct session *s)
{
    if (!s->site)
        return;
    if (s->site->here)
        web_site_clear(s->site->here);
    else
        open_room(s);
}

/* --- is it reached --- */

/* The target's own word does not count: the site must have seen it. A browser's network is not tried, since that would leave traces in it. */
static bool was_reached(struct session *s)
{
    struct arena a;
    struct web_visits visits;
    if (!s->site->here || session_support(s, "browser") != SUPPORT_NONE || session_support(s, "fetch") == SUPPORT_NONE)
        return true;
    arena_init(&a);
    struct json *args = json_new(&a, JSON_OBJECT);
    json_set(&a, args, "url", json_text(&a, arena_printf(&a, "%s/robots.txt", s->site->address)));
    struct call call = {
        .op = ops_find(s->target->options.ops, "fetch"),
        .args = args,
        .cancel_after_ms = -1,
        .arena = &a,
        .timeout_ms = settings_int(s->target->options.settings, "exec.probe-timeout"),
    };
    session_calls_raw(s, (struct call *const[]){&call}, 1);
    web_site_visits(s->site->here, NULL, 0, &a, &visits);
    bool reached = visits.count > 0;
    web_site_clear(s->site->here);
    arena_release(&a);
    return reached;
}

bool session_site_supports(struct session *s)
{
    struct target *t = s->target;
    if (s->first)
        return s->first->site != NULL;
    open_site(s);
    if (!s->site)
        return false;
    target_lock(t);
    int known = t->site_reached;
    target_unlock(t);
    if (known < 0) { /* two sessions may both try; they see the same */
        known = was_reached(s);
        target_lock(t);
        t->site_reached = known;
        target_unlock(t);
    }
    return known;
}

/* --- what runs see of it --- */

const char *session_site(const struct session *s)
{
    const struct session_site *site = s->first ? s->first->site : s->site;
    return site ? site->address : NULL;
}

void session_site_step(struct session *s, int64_t step)
{
    struct session_site *site = owner_of(s)->site;
    if (!site)
        return;
    if (site->here)
        web_site_step(site->here, step);
    else if (site->mark_count < MARKS_MAX)
        site->marks[site->mark_count++] = (struct site_mark){step, now_ms()};
}

/* Which steps they came with, by two clocks that both tell when the record was asked for. */
static void find_steps(const struct session_site *site, struct web_visits *all, int64_t ahead_ms)
{
    struct web_visit *visits = (struct web_visit *)all->items; /* made for us, just now */
    for (size_t i = 0; i < all->count; i++) {
        visits[i].step = -1;
        for (size_t k = 0; k < site->mark_count && site->marks[k].ms + ahead_ms <= visits[i].start_ms; k++)
            visits[i].step = site->marks[k].step;
    }
}

bool session_site_visits(struct session *s, struct arena *a, struct web_visits *out)
{
    struct session_site *site = owner_of(s)->site;
    *out = (struct web_visits){.items = NULL};
    if (!site)
        return false;
    if (site->here) {
        web_site_visits(site->here, NULL, 0, a, out);
    } else {
        int64_t before = now_ms(), theirs;
        if (web_remote_visits(site->address, a, out, &theirs, NULL) < 0)
            return false;
        find_steps(site, out, theirs - (before + now_ms()) / 2);
    }
    session_secrets_visits(s, a, out);
    return true;
}
