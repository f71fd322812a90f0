/* Guests of a door: waiting for their first line, then either given to the daemon or answered by a page's script; see raw.h. */
#include "exec/site/raw.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    PEEKED = 4096,
    PEEK_MS = 2000,       /* for a first line; then the daemon waits for it */
    PEEK_NAP_MS = 10,
    HEAD_MS = 20000,
    HEAD_LONG = 32 << 10,
    HOLD_MS = 600000,
    BLOCK = 16384,
    WORDS_MAX = 16 << 20
};

/* --- what pages say --- */

static void add_act(struct web_script *s, enum web_act_kind kind, uint64_t amount)
{
    struct web_act *last = s->count ? &s->acts[s->count - 1] : NULL;
    if (last && kind == WEB_SAY && last->kind == WEB_SAY)
        last->amount += amount;
    else if (s->count < sizeof s->acts / sizeof *s->acts)
        s->acts[s->count++] = (struct web_act){kind, amount};
}

void web_say(struct web_script *s, struct bytes words)
{
    if (words.len && buf_add(&s->words, words) == 0)
        add_act(s, WEB_SAY, words.len);
}

void web_sayf(struct web_script *s, const char *format, ...)
{
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    web_say(s, bytes_of_string(text));
}

void web_body(struct web_script *s)
{
    s->head = s->words.len;
}

void web_fill(struct web_script *s, uint64_t bytes)
{
    add_act(s, WEB_FILL, bytes);
}

void web_wait(struct web_script *s, int64_t ms)
{
    add_act(s, WEB_WAIT, ms > 0 ? (uint64_t)ms : 0);
}

void web_reset(struct web_script *s)
{
    add_act(s, WEB_RESET, 0);
}

void web_hold(struct web_script *s)
{
    add_act(s, WEB_HOLD, HOLD_MS);
}

/* --- guests --- */

struct web_guest *web_guest_new(int fd, int64_t now, struct web_guest *next)
{
    struct web_guest *g = xcalloc(1, sizeof *g);
    g->fd = fd;
    g->next = next;
    g->due_ms = g->until_ms = now + PEEK_MS;
    buf_init(&g->head, HEAD_LONG);
    return g;
}

static void end_visit(struct web_guest *g)
{
    bool whole = g->act == g->script.count;
    uint64_t head = g->script.head < g->said ? g->script.head : g->said;
    pthread_mutex_lock(&g->site->lock);
    g->entry->v.sent = g->said - head;
    pthread_mutex_unlock(&g->site->lock);
    web_record_end(g->site, g->entry, !whole ? WEB_LEFT : g->script.cut ? WEB_CUT : WEB_WHOLE);
    g->entry = NULL;
}

void web_guest_free(struct web_guest *g)
{
    if (g->entry)
        end_visit(g);
    buf_release(&g->head);
    buf_release(&g->script.words);
    free(g);
}

short web_guest_events(const struct web_guest *g)
{
    if (g->phase != WEB_GUEST_SPEAKS)
        return POLLIN;
    const struct web_act *act = g->act < g->script.count ? &g->script.acts[g->act] : NULL;
    return act && (act->kind == WEB_WAIT || act->kind == WEB_HOLD) ? POLLRDHUP : POLLOUT | POLLRDHUP;
}

static enum web_guest_next nap(struct web_guest *g, int64_t now, int64_t ms)
{
    g->naps = true;
    g->due_ms = now + ms < g->until_ms ? now + ms : g->until_ms;
    return WEB_GUEST_STAYS;
}

static struct bytes raw_value(void *head, const char *name)
{
    return web_raw_header(*(const struct bytes *)head, name);
}

/* The script says what there is to say; a request for a page that is not there gets one that says so. */
static void begin_script(struct web_guest *g, struct web_site *site)
{
    struct arena scratch;
    struct web_target target;
    struct bytes uri = BYTES_NONE;
    const char *method = "GET";
    struct bytes head = buf_bytes(&g->head);
    arena_init(&scratch);
    web_raw_line(&scratch, head, &method, &uri);
    web_target_read(&scratch, uri, &target);
    struct web_entry *e = g->entry = web_record_new();
    g->site = site;
    web_visit_target(e, method, &target);
    web_visit_headers(e, raw_value, &head);
    struct web_request r = {
        .site = site,
        .method = method,
        .room = target.room,
        .path = target.path,
        .host = web_raw_header(head, "host"),
        .cookies = web_raw_header(head, "cookie"),
        .range = web_raw_header(head, "range"),
        .visit = &e->v,
        .arena = &scratch,
    };
    r.parameter_count = web_parameters_read(&scratch, target.query, &r.parameters);
    r.page = web_page_find(r.path, &r.rest);
    buf_init(&g->script.words, WORDS_MAX);
    g->script.length = -1;
    if (r.page && r.page->script) {
        r.page->script(&r, &g->script);
    } else {
        g->script.status = 404;
        web_sayf(&g->script, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        web_body(&g->script);
    }
    e->v.status = g->script.status;
    e->v.length = g->script.length;
    web_record_begin(site, e);
    arena_release(&scratch);
}

static enum web_guest_next peek(struct web_guest *g, int64_t now)
{
    char bytes[PEEKED];
    ssize_t got = recv(g->fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        return WEB_GUEST_GOES;
    int asked = got > 0 ? web_raw_asked(bytes_of(bytes, (size_t)got)) : -1;
    if (asked == 0 || now >= g->until_ms)
        return WEB_GUEST_TO_DAEMON;
    if (asked < 0) {
        if (got > 0)
            return nap(g, now, PEEK_NAP_MS); /* what was peeked would be ready again at once */
        g->naps = false;
        g->due_ms = g->until_ms;
        return WEB_GUEST_STAYS;
    }
    g->phase = WEB_GUEST_HEAD;
    g->naps = false;
    g->due_ms = g->until_ms = now + HEAD_MS;
    return WEB_GUEST_STAYS;
}

/* Where the head ends; 0: it does not yet. */
static bool head_is_whole(struct bytes head)
{
    return bytes_find(head, BYTES_LITERAL("\r\n\r\n"), 0) >= 0 || bytes_find(head, BYTES_LITERAL("\n\n"), 0) >= 0;
}

static enum web_guest_next speak(struct web_guest *g, int64_t now);

static enum web_guest_next read_head(struct web_door *d, struct web_guest *g, int64_t now)
{
    char bytes[PEEKED];
    ssize_t got = recv(g->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) || now >= g->until_ms)
        return WEB_GUEST_GOES;
    if (got > 0)
        buf_add(&g->head, bytes_of(bytes, (size_t)got));
    if (g->head.overflow)
        return WEB_GUEST_GOES;
    if (!head_is_whole(buf_bytes(&g->head)))
        return WEB_GUEST_STAYS;
    begin_script(g, d->site);
    g->phase = WEB_GUEST_SPEAKS;
    g->until_ms = INT64_MAX;
    return speak(g, now);
}

/* --- the script --- */

/* What was not read makes the kernel reset a connection that is closed. */
static void drain(int fd)
{
    char bytes[BLOCK];
    for (int i = 0; i < 64 && recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0; i++)
        ;
}

/* Sends more of the act; -1: the client is gone, 0: it takes no more now, 1: the act is over. */
static int send_more(struct web_guest *g, const struct web_act *act)
{
    static const char letters[] = "The quick brown fox jumps over the lazy dog, again and again and again.\n";
    char filled[BLOCK];
    while (g->done < act->amount) {
        uint64_t left = act->amount - g->done;
        size_t size = left < BLOCK ? (size_t)left : BLOCK;
        const void *from = filled;
        if (act->kind == WEB_SAY)
            from = g->script.words.data + g->at;
        for (size_t i = 0; act->kind == WEB_FILL && i < size; i++)
            filled[i] = letters[(g->done + i) % (sizeof letters - 1)];
        ssize_t sent = send(g->fd, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : -1;
        g->done += (uint64_t)sent;
        g->said += (uint64_t)sent;
        g->at += act->kind == WEB_SAY ? (size_t)sent : 0;
    }
    return 1;
}

static void reset(int fd)
{
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

/* One act; 1: over, 0: not yet, -1: the client is gone. */
static int act_on(struct web_guest *g, const struct web_act *act, int64_t now)
{
    switch (act->kind) {
    case WEB_SAY:
    case WEB_FILL:
        return send_more(g, act);
    case WEB_RESET:
        reset(g->fd);
        return 1;
    case WEB_WAIT:
    case WEB_HOLD:
        if (!g->done)
            g->done = (uint64_t)now;
        g->due_ms = (int64_t)(g->done + act->amount);
        return now >= g->due_ms;
    }
    return 1;
}

static bool client_left(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) == 1 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static enum web_guest_next speak(struct web_guest *g, int64_t now)
{
    drain(g->fd);
    if (client_left(g->fd))
        return WEB_GUEST_GOES;
    g->due_ms = INT64_MAX;
    while (g->act < g->script.count) {
        int status = act_on(g, &g->script.acts[g->act], now);
        if (status < 0)
            return WEB_GUEST_GOES;
        if (status == 0)
            return WEB_GUEST_STAYS;
        g->act++;
        g->done = 0;
    }
    return WEB_GUEST_GOES;
}

enum web_guest_next web_guest_go_on(struct web_door *d, struct web_guest *g, bool ready, int64_t now)
{
    if (g->phase == WEB_GUEST_PEEK)
        return peek(g, now);
    if (g->phase == WEB_GUEST_HEAD)
        return ready || now >= g->until_ms ? read_head(d, g, now) : WEB_GUEST_STAYS;
    return speak(g, now);
}
