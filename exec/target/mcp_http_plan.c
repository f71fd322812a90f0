/* Requests whose body is a plan (mutate/wire/wire.h): read by curl piece by piece, with pauses, cut off before its announced length, or
 * given up before the answer. And answers that are not read for a while. */
#include "exec/target/mcp_http.h"

#include <string.h>

#include "base/clock.h"

/* curl's read callback. What ends before its announced length waits for the connection's end. */
static size_t send_plan(char *to, size_t size, size_t count, void *context)
{
    struct post *p = context;
    int64_t now = clock_monotonic_ns();
    struct bytes next = mcp_plan_next(&p->cursor, now);
    size_t length = next.len < size * count ? next.len : size * count;
    if (!length) {
        bool whole = mcp_plan_all_went(&p->cursor) && p->cursor.plan->total == p->cursor.plan->declared;
        p->held = !whole;
        return whole ? 0 : CURL_READFUNC_PAUSE;
    }
    memcpy(to, next.data, length);
    mcp_plan_took(&p->cursor, length, now);
    if (p->exchange)
        p->exchange->sent += length;
    return length;
}

/* A redirect, or a kept connection that turned out to be gone: once more from the start. */
static int rewind_plan(void *context, curl_off_t offset, int origin)
{
    struct post *p = context;
    if (offset != 0 || origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    p->cursor = (struct mcp_plan_cursor){.plan = p->cursor.plan};
    if (p->exchange)
        p->exchange->sent = 0;
    return CURL_SEEKFUNC_OK;
}

void mcp_http_plan_options(struct post *p)
{
    curl_easy_setopt(p->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(p->easy, CURLOPT_READFUNCTION, send_plan);
    curl_easy_setopt(p->easy, CURLOPT_READDATA, p);
    curl_easy_setopt(p->easy, CURLOPT_SEEKFUNCTION, rewind_plan);
    curl_easy_setopt(p->easy, CURLOPT_SEEKDATA, p);
    curl_easy_setopt(p->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->cursor.plan->declared);
}

/* Dropped in the middle, a connection is closed; with nothing to linger for it is reset, as a client's death does. */
void mcp_http_plan_hang_up(struct mcp_client *c, struct mcp_exchange *exchange, bool both)
{
    for (struct post *p = c->http->posts, *next; p; p = next) {
        curl_socket_t fd = CURL_SOCKET_BAD;
        next = p->next;
        if (p->exchange != exchange)
            continue;
        if (both && p->easy && curl_easy_getinfo(p->easy, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK && fd != CURL_SOCKET_BAD)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
        mcp_http_drop(p);
    }
}

static void go_on(struct post *p, int64_t now, int64_t *next_ns)
{
    int64_t deaf_until = p->client->deaf_until_ns;
    bool sends = p->held && !mcp_plan_all_went(&p->cursor), due = sends && now >= p->cursor.due_ns;
    bool hears = p->deaf && now >= deaf_until;
    if (sends && !due && p->cursor.due_ns < *next_ns)
        *next_ns = p->cursor.due_ns;
    if (p->deaf && !hears && deaf_until < *next_ns)
        *next_ns = deaf_until;
    p->held = p->held && !due;
    p->deaf = p->deaf && !hears;
    if ((due || hears) && p->easy)
        curl_easy_pause(p->easy, (p->held ? CURLPAUSE_SEND : 0) | (p->deaf ? CURLPAUSE_RECV : 0));
}

void mcp_http_plan_go_on(struct mcp_client *c, int64_t *next_ns)
{
    int64_t now = 0;
    for (struct post *p = c->http->posts; p; p = p->next) {
        if (!p->held && !p->deaf)
            continue;
        now = now ? now : clock_monotonic_ns();
        go_on(p, now, next_ns);
    }
}

/* That HTTP refuses it is an answer too, and nothing more comes. */
void mcp_http_plan_over(struct post *p, const char *said)
{
    struct mcp_fault *f = p->exchange->fault;
    long status = 0;
    curl_easy_getinfo(p->easy, CURLINFO_RESPONSE_CODE, &status);
    f->status = status >= 400 ? (int)status : 0;
    f->said = arena_string(p->exchange->arena, bytes_of_string(said));
    f->over = true;
}
