/* A browser elsewhere: messages are those of a WebSocket. libcurl has the connection, libwslay the frames.
 *
 * Pieces of a message go to the splitter of messages as they come, so one that is too long is never held. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <wslay/wslay.h>

#include "base/clock.h"
#include "exec/target/cdp/endpoint.h"
#include "exec/target/cdp/handshake.h"
#include "exec/target/cdp/link.h"

enum { NS_PER_MS = 1000000, LONGEST_MS = 200, CHUNK = 64 << 10, TURN_MAX = 4 << 20 };

struct web_socket {
    CURL *curl;
    curl_socket_t fd;
    wslay_event_context_ptr frames; /* NULL: the handshake is not over */
    struct buf early;     /* came with the answer to the handshake */
    size_t early_at;
    uint8_t opcode;       /* of the frame that is being read */
    bool last;            /* and it is the last one of its message */
    size_t taken;         /* bytes in this turn: whoever floods us does not keep us */
};

/* --- bytes --- */

/* -1: none now; 0: the connection has ended. */
static ssize_t get_bytes(struct web_socket *w, uint8_t *data, size_t length)
{
    size_t got = 0;
    CURLcode code = curl_easy_recv(w->curl, data, length, &got);
    if (code == CURLE_AGAIN)
        return -1;
    return code == CURLE_OK ? (ssize_t)got : 0;
}

static ssize_t receive(wslay_event_context_ptr frames, uint8_t *data, size_t length, int flags, void *context)
{
    struct cdp_link *l = context;
    struct web_socket *w = l->own;
    if (w->early_at < w->early.len) {
        struct bytes some = bytes_slice(buf_bytes(&w->early), w->early_at, w->early_at + length);
        memcpy(data, some.data, some.len);
        w->early_at += some.len;
        return (ssize_t)some.len;
    }
    ssize_t n = w->taken < TURN_MAX ? get_bytes(w, data, length) : -1;
    w->taken += n > 0 ? (size_t)n : 0;
    if (n < 0)
        wslay_event_set_error(frames, WSLAY_ERR_WOULDBLOCK);
    else if (n == 0) {
        cdp_link_lose(l, "the browser closed the connection");
        wslay_event_set_error(frames, WSLAY_ERR_CALLBACK_FAILURE);
    }
    return n > 0 ? n : -1;
}

static ssize_t give(wslay_event_context_ptr frames, const uint8_t *data, size_t length, int flags, void *context)
{
    struct cdp_link *l = context;
    struct web_socket *w = l->own;
    size_t sent = 0;
    CURLcode code = curl_easy_send(w->curl, data, length, &sent);
    if (code == CURLE_OK)
        return (ssize_t)sent;
    wslay_event_set_error(frames, code == CURLE_AGAIN ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    if (code != CURLE_AGAIN)
        cdp_link_lose(l, "the browser closed the connection");
    return -1;
}

static int mask(wslay_event_context_ptr frames, uint8_t *data, size_t length, void *context)
{
    return getrandom(data, length, 0) == (ssize_t)length ? 0 : -1;
}

/* --- messages --- */

static void split(struct cdp_link *l, struct bytes chunk)
{
    struct mcp_line message;
    while (mcp_lines_next(&l->lines, &chunk, &message))
        l->take(l->context, &message);
}

static void frame_begins(wslay_event_context_ptr frames, const struct wslay_event_on_frame_recv_start_arg *arg, void *context)
{
    struct cdp_link *l = context;
    struct web_socket *w = l->own;
    w->opcode = arg->opcode;
    w->last = arg->fin;
}

static void frame_goes_on(wslay_event_context_ptr frames, const struct wslay_event_on_frame_recv_chunk_arg *arg, void *context)
{
    struct cdp_link *l = context;
    struct web_socket *w = l->own;
    if (!wslay_is_ctrl_frame(w->opcode))
        split(l, bytes_of(arg->data, arg->data_length));
}

static void frame_ends(wslay_event_context_ptr frames, void *context)
{
    struct cdp_link *l = context;
    struct web_socket *w = l->own;
    if (!wslay_is_ctrl_frame(w->opcode) && w->last)
        split(l, BYTES_LITERAL("\0"));
}

/* --- the link's functions --- */

static void socket_queue(struct cdp_link *l, struct bytes message)
{
    struct web_socket *w = l->own;
    struct wslay_event_msg one = {.opcode = WSLAY_TEXT_FRAME, .msg = message.data, .msg_length = message.len};
    if (!l->lost && wslay_event_queue_msg(w->frames, &one) != 0)
        cdp_link_lose(l, "the connection takes no more messages");
}

static bool wait_for(struct web_socket *w, bool write, int64_t until_ns)
{
    int64_t ms = (until_ns - clock_monotonic_ns() + NS_PER_MS - 1) / NS_PER_MS;
    struct pollfd polled = {.fd = w->fd, .events = (short)(POLLIN | (write ? POLLOUT : 0))};
    ms = ms < 0 ? 0 : ms > LONGEST_MS ? LONGEST_MS : ms;
    return poll(&polled, 1, (int)ms) > 0;
}

static void look_for_close(struct cdp_link *l)
{
    struct web_socket *w = l->own;
    if (wslay_event_get_close_received(w->frames))
        cdp_link_lose(l, "the browser closed the connection (%u)", (unsigned)wslay_event_get_status_code_received(w->frames));
    else if (!wslay_event_want_read(w->frames) && !wslay_event_want_write(w->frames))
        cdp_link_lose(l, "what came is no WebSocket (%u)", (unsigned)wslay_event_get_status_code_sent(w->frames));
}

/* What can be done at once. Did anything come? */
static bool exchange(struct cdp_link *l)
{
    struct web_socket *w = l->own;
    w->taken = 0;
    wslay_event_send(w->frames);
    if (!l->lost && wslay_event_recv(w->frames) < 0)
        cdp_link_lose(l, "what came is no WebSocket");
    if (!l->lost)
        look_for_close(l);
    return w->taken > 0;
}

static void socket_turn(struct cdp_link *l, int64_t until_ns)
{
    struct web_socket *w = l->own;
    if (l->lost || exchange(l) || l->lost) /* what came may be here already, within libcurl, where no poll sees it */
        return;
    if (wait_for(w, wslay_event_want_write(w->frames), until_ns))
        exchange(l);
}

static void socket_release(struct cdp_link *l)
{
    struct web_socket *w = l->own;
    if (w->frames && !l->lost) { /* in good order, as far as that goes at once */
        wslay_event_queue_close(w->frames, WSLAY_CODE_NORMAL_CLOSURE, NULL, 0);
        wslay_event_send(w->frames);
    }
    if (w->frames)
        wslay_event_context_free(w->frames);
    if (w->curl)
        curl_easy_cleanup(w->curl);
    buf_release(&w->early);
    free(w);
}

static const struct cdp_wire socket_wire = {.queue = socket_queue, .turn = socket_turn, .release = socket_release};

/* --- the beginning --- */

static int send_all(struct web_socket *w, struct bytes data, int64_t until_ns, struct error **err)
{
    while (data.len && clock_monotonic_ns() < until_ns) {
        size_t sent = 0;
        CURLcode code = curl_easy_send(w->curl, data.data, data.len, &sent);
        if (code != CURLE_OK && code != CURLE_AGAIN)
            return error_set(err, ERR_TARGET, "the connection broke: %s", curl_easy_strerror(code));
        data = bytes_slice(data, sent, data.len);
        if (data.len)
            wait_for(w, true, until_ns);
    }
    return 0;
}

static int read_answer(struct cdp_link *l, const char *key, int64_t until_ns, struct error **err)
{
    struct web_socket *w = l->own;
    uint8_t chunk[CHUNK];
    char why[256];
    for (;;) {
        ssize_t n = get_bytes(w, chunk, sizeof chunk);
        if (n == 0)
            return error_set(err, ERR_TARGET, "the connection was closed before there was a WebSocket");
        if (n > 0)
            buf_add(&w->early, bytes_of(chunk, (size_t)n));
        enum handshake_status status = n > 0 ? handshake_read(buf_bytes(&w->early), key, &w->early_at, why) : HANDSHAKE_MORE;
        if (status == HANDSHAKE_REFUSED)
            return error_set(err, ERR_TARGET, "%s", why);
        if (status == HANDSHAKE_DONE)
            return 0;
        if (clock_monotonic_ns() >= until_ns || session_stopping(l->session))
            return error_set(err, ERR_TARGET, "no answer when a WebSocket was asked for (exec.start-timeout is how long is waited)");
        if (n < 0)
            wait_for(w, false, until_ns);
    }
}

static int shake_hands(struct cdp_link *l, const char *url, struct error **err)
{
    const struct target_options *o = &l->session->target->options;
    int64_t until = clock_monotonic_ns() + settings_int(o->settings, "exec.start-timeout") * NS_PER_MS;
    char key[HANDSHAKE_KEY];
    struct buf request;
    handshake_key(key);
    buf_init(&request, HANDSHAKE_MAX * 4);
    handshake_ask(&request, url, key, o->headers);
    int status = request.overflow ? error_set(err, ERR_INPUT, "the headers are too long for a WebSocket's request")
                                  : send_all(l->own, buf_bytes(&request), until, err);
    buf_release(&request);
    return status < 0 ? status : read_answer(l, key, until, err);
}

int cdp_link_connect(struct cdp_link *l, struct session *s, struct endpoint *e, struct error **err)
{
    static const struct wslay_event_callbacks callbacks = {.recv_callback = receive,
                                                           .send_callback = give,
                                                           .genmask_callback = mask,
                                                           .on_frame_recv_start_callback = frame_begins,
                                                           .on_frame_recv_chunk_callback = frame_goes_on,
                                                           .on_frame_recv_end_callback = frame_ends};
    CURL *curl = endpoint_connect(e, err);
    if (!curl)
        return ERR_TARGET;
    struct web_socket *w = xcalloc(1, sizeof *w);
    w->curl = curl;
    buf_init(&w->early, HANDSHAKE_MAX + CHUNK + 1);
    curl_easy_getinfo(curl, CURLINFO_ACTIVESOCKET, &w->fd);
    l->own = w;
    l->wire = &socket_wire;
    l->session = s;
    mcp_lines_init(&l->lines, (size_t)settings_int(s->target->options.settings, "exec.max-line"));
    l->lines.ending = '\0';
    buf_init(&l->out, 0);
    TRY(shake_hands(l, e->url, err));
    if (wslay_event_context_client_init(&w->frames, &callbacks, l) != 0)
        BUG("out of memory");
    wslay_event_config_set_no_buffering(w->frames, 1);
    wslay_event_config_set_max_recv_msg_length(w->frames, UINT64_MAX);
    return 0;
}
