/* The watch: which of our requests are open, what a message answers, and whose section it is. See duty.h.
 *
 * Invariant: `open` holds each request that has had no answer once; memory is bounded by DUTY_OPEN_MAX of them. */
#include "exec/oracle/duty.h"

#include <stdlib.h>
#include <string.h>

#include "exec/oracle/duty_internal.h"

struct duty_watch *duty_watch_new(enum duty_transport transport, duty_breach_fn *breach, void *context)
{
    struct duty_watch *w = xcalloc(1, sizeof *w);
    *w = (struct duty_watch){.transport = transport, .breach = breach, .context = context};
    arena_init(&w->arena);
    return w;
}

void duty_watch_free(struct duty_watch *w)
{
    if (!w)
        return;
    while (w->open) {
        struct duty_request *r = w->open;
        w->open = r->next;
        free(r);
    }
    arena_release(&w->arena);
    free(w);
}

void duty_say(struct duty_watch *w, int number, const char *detail, struct bytes text)
{
    w->breach(w->context, number, detail, text);
}

void duty_sent(struct duty_watch *w, const char *method, int64_t id, struct bytes params)
{
    if (!id)
        return;
    size_t kept = params.len <= DUTY_PARAMS_MAX ? params.len : 0;
    struct duty_request *r = xmalloc(sizeof *r + kept);
    size_t length = strnlen(method, sizeof r->method - 1);
    r->id = id;
    memcpy(r->method, method, length);
    r->method[length] = '\0';
    if (kept)
        memcpy(r->text, params.data, kept);
    r->params = bytes_of(r->text, kept);
    r->next = w->open;
    w->open = r;
}

void duty_answered(struct duty_watch *w, const struct json *message)
{
    (void)w;
    (void)message;
}

void duty_raw(struct duty_watch *w)
{
    w->raw = true;
}

static struct duty_request *take(struct duty_watch *w, const struct json *id)
{
    int64_t number;
    if (!json_is(id, JSON_NUMBER) || !json_as_integer(id, &number))
        return NULL;
    for (struct duty_request **at = &w->open; *at; at = &(*at)->next) {
        struct duty_request *r = *at;
        if (r->id != number)
            continue;
        *at = r->next;
        return r;
    }
    return NULL;
}

void duty_received(struct duty_watch *w, const struct json *message, struct bytes line)
{
    if (json_get(message, "method"))
        return;
    struct duty_request *r = take(w, json_get(message, "id"));
    const struct json *result = json_get(message, "result");
    if (r && result) {
        if (strcmp(r->method, "initialize") == 0)
            duty_lifecycle_result(w, r, result, line);
        else if (strncmp(r->method, "tools/", 6) == 0)
            duty_tools_result(w, r, result, line);
    }
    if (r)
        free(r);
}
