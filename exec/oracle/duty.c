/* The watch: which of our requests are open, what a message answers, and whose section it is. See duty.h.
 *
 * Invariant: `open` holds each request that has had no answer once, but for those that were forgotten, which
 * `forgot` tells. */
#include "exec/oracle/duty.h"

#include <stdlib.h>
#include <string.h>

#include "exec/oracle/duty_modern.h"

enum { METHOD_MAX = 64 };

struct duty_watch *duty_watch_new(enum duty_transport transport, duty_breach_fn *breach, void *context)
{
    struct duty_watch *w = xcalloc(1, sizeof *w);
    *w = (struct duty_watch){.transport = transport, .breach = breach, .context = context};
    arena_init(&w->arena);
    arena_init(&w->scratch);
    return w;
}

static void requests_free(struct duty_request *r)
{
    while (r) {
        struct duty_request *next = r->next;
        free(r->params);
        free(r);
        r = next;
    }
}

void duty_watch_free(struct duty_watch *w)
{
    if (!w)
        return;
    requests_free(w->open);
    requests_free(w->spare);
    duty_names_clear(&w->asked);
    duty_names_clear(&w->theirs);
    duty_names_clear(&w->tokens);
    duty_names_clear(&w->cursors);
    duty_names_clear(&w->tools.names);
    duty_names_clear(&w->prompts.names);
    duty_names_clear(&w->tasks);
    schema_book_free(w->rules);
    duty_modern_free(w->modern);
    free(w->http);
    arena_release(&w->arena);
    arena_release(&w->scratch);
    free(w);
}

static bool is_said(const struct duty_watch *w, int number)
{
    const struct duty_row *row = duty_find(number);
    if (!row)
        BUG("a duty that the table does not have");
    bool is_new = duty_since(w, "2026-07-28");
    if ((row->era == DUTY_ERA_OLD && is_new) || (row->era == DUTY_ERA_NEW && w->version && !is_new))
        return false;
    return row->always || !w->raw;
}

void duty_say(struct duty_watch *w, int number, const char *detail, struct bytes text)
{
    if (is_said(w, number))
        w->breach(w->context, number, detail, text);
}

void duty_say_should(struct duty_watch *w, int number, const char *detail, struct bytes text)
{
    if (is_said(w, number))
        w->breach(w->context, number, arena_printf(&w->scratch, DUTY_SHOULD "%s", detail), text);
}

/* Until 2025-06-18 keeping to what was agreed on was advice. */
void duty_say_agreed(struct duty_watch *w, int number, const char *detail, struct bytes text)
{
    if (duty_since(w, "2025-06-18") || !w->version)
        duty_say(w, number, detail, text);
    else
        duty_say_should(w, number, detail, text);
}

/* --- what we send --- */

static struct duty_request *new_request(struct duty_watch *w)
{
    struct duty_request *r = w->spare;
    if (r) {
        w->spare = r->next;
        w->spare_count--;
        *r = (struct duty_request){.params = r->params, .capacity = r->capacity};
        return r;
    }
    return xcalloc(1, sizeof *r);
}

static void give_back(struct duty_watch *w, struct duty_request *r)
{
    if (w->spare_count == DUTY_SPARE_MAX) {
        free(r->params);
        free(r);
        return;
    }
    r->next = w->spare;
    w->spare = r;
    w->spare_count++;
}

static void keep_params(struct duty_request *r, struct bytes params)
{
    r->kept = params.len <= DUTY_PARAMS_MAX;
    if (!r->kept || !params.len)
        return;
    if (r->capacity < params.len) {
        r->capacity = params.len < 256 ? 256 : params.len;
        r->params = xrealloc(r->params, r->capacity);
    }
    memcpy(r->params, params.data, params.len);
    r->length = params.len;
}

static void forget_oldest(struct duty_watch *w)
{
    struct duty_request **at = &w->open;
    while ((*at)->next)
        at = &(*at)->next;
    give_back(w, *at);
    *at = NULL;
    w->open_count--;
    w->forgot = true;
}

void duty_sent(struct duty_watch *w, const char *method, int64_t id, struct bytes params)
{
    w->big = w->big || params.len > DUTY_BIG;
    if (w->modern)
        duty_modern_sent(w, method, id, params);
    if (!id) {
        w->notified = true;
        return;
    }
    if (w->open_count == DUTY_OPEN_MAX)
        forget_oldest(w);
    struct duty_request *r = new_request(w);
    r->id = id;
    r->handler = duty_handler_find(method);
    keep_params(r, params);
    r->has_token = !r->kept || bytes_find(params, BYTES_LITERAL("\"progressToken\""), 0) >= 0;
    if (strcmp(method, "initialize") == 0 && !w->offered) {
        arena_clear(&w->scratch);
        const struct json *offered = json_get(duty_params(w, r), "capabilities");
        w->offered = offered ? json_copy(&w->arena, offered) : NULL;
    }
    r->next = w->open;
    w->open = r;
    w->open_count++;
}

void duty_answered(struct duty_watch *w, const struct json *message)
{
    arena_clear(&w->scratch);
    struct bytes id = duty_key(w, json_get(message, "id"));
    struct duty_name *asked = duty_names_find(&w->asked, id);
    if (asked && asked->token && asked->token->value > 0)
        asked->token->value--;
}

void duty_raw(struct duty_watch *w)
{
    w->raw = true;
}

/* --- what comes --- */

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
        w->open_count--;
        return r;
    }
    return NULL;
}

static struct bytes cursor_key(struct duty_watch *w, const char *method, const struct json *cursor)
{
    return bytes_of_string(
        arena_printf(&w->scratch, "%s %s", method, (const char *)duty_key(w, cursor).data));
}

/* Cursors go back as they came. */
static void look_at_cursor(struct duty_watch *w, const struct duty_request *r, const struct duty_reply *reply)
{
    const char *method = r->handler->method;
    const struct json *next = json_get(reply->result, "nextCursor"),
                      *cursor = json_get(duty_params(w, r), "cursor");
    if (next && !json_is(next, JSON_STRING))
        duty_say(w, 63, "nextCursor is no string", reply->line);
    bool known = !cursor || w->cursors.forgot || duty_names_find(&w->cursors, cursor_key(w, method, cursor));
    if (json_is(next, JSON_STRING))
        duty_names_add(&w->cursors, cursor_key(w, method, next));
    if (known || reply->code == -32602 || reply->code == -32601 /* there is no such list */)
        return;
    const char *detail = reply->result ? "an unknown cursor is accepted"
                                       : "an unknown cursor is refused with another code than -32602";
    if (strcmp(method, "tasks/list") == 0)
        duty_say(w, 86, detail, reply->line);
    else
        duty_say_should(w, 63, detail, reply->line);
}

static void look_at_reply(struct duty_watch *w, const struct duty_request *r, const struct json *message,
                          struct bytes line)
{
    struct duty_reply reply = {
        .result = json_get(message, "result"), .error = json_get(message, "error"), .line = line};
    if (!reply.result == !reply.error)
        return; /* said already */
    json_as_integer(json_get(reply.error, "code"), &reply.code);
    if (r->handler->items)
        look_at_cursor(w, r, &reply);
    r->handler->look(w, r, &reply);
}

static void receive_call(struct duty_watch *w, const struct json *method, const struct json *message,
                         struct bytes line)
{
    char name[METHOD_MAX] = "";
    if (method->text.len < sizeof name)
        memcpy(name, method->text.data, method->text.len);
    if (w->modern && duty_modern_called(w, name, message, line))
        return;
    if (json_get(message, "id"))
        duty_server_request(w, name, message, line);
    else
        duty_server_notification(w, name, message, line);
}

void duty_received(struct duty_watch *w, const struct json *message, struct bytes line)
{
    arena_clear(&w->scratch);
    if (w->http)
        duty_http_message(w, message, line);
    duty_message_form(w, message, line);
    const struct json *method = json_get(message, "method");
    if (json_is(method, JSON_STRING)) {
        receive_call(w, method, message, line);
        return;
    }
    struct duty_request *r = take(w, json_get(message, "id"));
    bool asks = w->modern && duty_modern_answer(w, r, message, line);
    if (!r) {
        duty_message_error(w, message, line);
        return;
    }
    if (r->handler && !asks)
        look_at_reply(w, r, message, line);
    if (r->has_token)
        duty_progress_ended(w, r);
    give_back(w, r);
}
