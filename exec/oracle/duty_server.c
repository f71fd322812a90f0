/* What the server asks and tells: only what was agreed on, and each in its form. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

/* What must be offered for a request of the server's. */
static const struct {
    const char *method, *capability, *since, *detail;
} requests[] = {
    {"sampling/createMessage", "/sampling", "2024-11-05", "asks for sampling, which was not offered"},
    {"roots/list", "/roots", "2024-11-05", "asks for roots, which were not offered"},
    {"elicitation/create", "/elicitation", "2025-06-18", "asks for elicitation, which was not offered"},
    {"tasks/get", "/tasks", "2025-11-25", "asks for tasks, which were not offered"},
    {"tasks/result", "/tasks", "2025-11-25", "asks for tasks, which were not offered"},
    {"tasks/list", "/tasks/list", "2025-11-25", "asks for tasks, which were not offered"},
    {"tasks/cancel", "/tasks/cancel", "2025-11-25", "asks for tasks, which were not offered"},
};

/* What must be declared for a notification of the server's. */
static const struct {
    const char *method, *capability;
    int number;
    const char *detail;
} told[] = {
    {"notifications/tools/list_changed", "/tools/listChanged", 17,
     "tells of changed tools, which it did not declare"},
    {"notifications/resources/list_changed", "/resources/listChanged", 17,
     "tells of changed resources, which it did not declare"},
    {"notifications/resources/updated", "/resources/subscribe", 17,
     "tells of updates, which it did not declare"},
    {"notifications/prompts/list_changed", "/prompts/listChanged", 17,
     "tells of changed prompts, which it did not declare"},
    {"notifications/message", "/logging", 65, "logs without having declared it"},
};

static void look_at_offer(struct duty_watch *w, const char *method, struct bytes line)
{
    if (strcmp(method, "ping") == 0)
        return;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(requests[i].method, method) != 0)
            continue;
        if (w->version && !duty_since(w, requests[i].since))
            duty_say_agreed(w, 17, "a method that came with a later version", line);
        else if (!duty_offered(w, requests[i].capability))
            duty_say_agreed(w, 17, requests[i].detail, line);
        return;
    }
    if (!duty_offered(w, "/experimental"))
        duty_say_agreed(w, 17, "asks by a method that the protocol does not have", line);
}

/* A progress token is of a kind that it may be, and no other live request's. */
static struct duty_name *look_at_token(struct duty_watch *w, const struct json *token, struct bytes line)
{
    if (!token)
        return NULL;
    if (!json_is(token, JSON_STRING) && !json_is(token, JSON_NUMBER))
        duty_say(w, 59, "a progress token that is neither a text nor a number", line);
    struct duty_name *known = duty_names_add(&w->theirs, duty_key(w, token));
    if (known && known->value++ > 0)
        duty_say(w, 59, "two live requests with one progress token", line);
    return known;
}

/* The id is new. */
static void look_at_ids(struct duty_watch *w, const struct json *message, struct bytes line)
{
    const struct json *token = json_pointer(message, BYTES_LITERAL("/params/_meta/progressToken"));
    struct bytes id = duty_key(w, json_get(message, "id"));
    if (w->transport == DUTY_STDIO && duty_names_find(&w->asked, id))
        duty_say(w, 3, "two requests with one id", line);
    struct duty_name *asked = duty_names_add(&w->asked, id);
    struct duty_name *given = look_at_token(w, token, line);
    if (asked)
        asked->token = given;
}

void duty_server_request(struct duty_watch *w, const char *method, const struct json *message,
                         struct bytes line)
{
    const struct json *params = json_get(message, "params");
    if (strncmp(method, "notifications/", 14) == 0)
        return; /* said already */
    look_at_ids(w, message, line);
    look_at_offer(w, method, line);
    if (strcmp(method, "sampling/createMessage") == 0)
        duty_sampling_request(w, params, line);
    else if (strcmp(method, "elicitation/create") == 0)
        duty_elicitation_request(w, params, line);
}

static void look_at_log(struct duty_watch *w, const struct json *params, struct bytes line)
{
    if (!duty_log_level_known(json_get(params, "level")))
        duty_say(w, 65, "a log message without a known level", line);
    if (!json_get(params, "data"))
        duty_say(w, 65, "a log message without data", line);
}

/* A request may have been answered before its cancellation came, so only names that never were a request's
 * are wrong. */
static void look_at_cancelled(struct duty_watch *w, const struct json *params, struct bytes line)
{
    const struct json *id = json_get(params, "requestId");
    if (duty_since(w, "2026-07-28"))
        return;
    if (!id && !duty_since(w, "2025-11-25"))
        duty_say(w, 57, "a cancellation that names no request", line);
    else if (id && !w->asked.forgot && !duty_names_find(&w->asked, duty_key(w, id)))
        duty_say(w, 57, "cancels a request that it never made", line);
}

static void list_changed(struct duty_watch *w, const char *method)
{
    if (strcmp(method, "notifications/tools/list_changed") == 0)
        w->tools.complete = false;
    if (strcmp(method, "notifications/prompts/list_changed") == 0)
        w->prompts.complete = false;
}

void duty_server_notification(struct duty_watch *w, const char *method, const struct json *message,
                              struct bytes line)
{
    const struct json *params = json_get(message, "params");
    for (size_t i = 0; w->capabilities && i < sizeof told / sizeof *told; i++) {
        if (strcmp(told[i].method, method) != 0 || duty_declared(w, told[i].capability))
            continue;
        if (told[i].number == 17)
            duty_say_agreed(w, 17, told[i].detail, line);
        else
            duty_say(w, told[i].number, told[i].detail, line);
    }
    list_changed(w, method);
    if (strcmp(method, "notifications/message") == 0)
        look_at_log(w, params, line);
    else if (strcmp(method, "notifications/cancelled") == 0)
        look_at_cancelled(w, params, line);
    else if (strcmp(method, "notifications/progress") == 0)
        duty_progress_came(w, params, line);
    else if (strcmp(method, "notifications/tasks/status") == 0)
        duty_task_status(w, params, line);
}
