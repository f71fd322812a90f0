/* Requests of the stateless era that take several turns: the server asks for input in its result, the client asks again with it. */
#include <string.h>

#include "exec/oracle/duty_modern.h"

enum { STATES_KEPT = 256 };

static const struct {
    const char *method, *capability;
} asks[] = {
    {"elicitation/create", "/elicitation"}, {"sampling/createMessage", "/sampling"}, {"roots/list", "/roots"}};

static void look_at_request(struct duty_watch *w, const struct json *request, struct bytes line)
{
    struct bytes method = json_as_text(json_get(request, "method"));
    const struct json *params = json_get(request, "params");
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        if (!bytes_equal_string(method, asks[i].method))
            continue;
        if (!duty_offered(w, asks[i].capability))
            duty_say(w, 93, arena_printf(&w->scratch, "asks by %s, which was not offered", asks[i].method), line);
        else if (i == 0)
            duty_elicitation_request(w, params, line);
        else if (i == 1)
            duty_sampling_request(w, params, line);
        return;
    }
    duty_say(w, 93, "asks for input by a method that there is not", line);
}

static bool may_ask(const struct duty_request *r)
{
    static const char *const methods[] = {"tools/call", "prompts/get", "resources/read"};
    for (size_t i = 0; r->handler && i < sizeof methods / sizeof *methods; i++)
        if (strcmp(r->handler->method, methods[i]) == 0)
            return true;
    return false;
}

void duty_input_required(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    const struct json *requests = json_get(result, "inputRequests"), *state = json_get(result, "requestState");
    if (!may_ask(r))
        duty_say(w, 93, "asks for input where it may not", line);
    if (!requests && !state)
        duty_say(w, 93, "asks for input without saying for what", line);
    if (requests && !json_is(requests, JSON_OBJECT))
        duty_say(w, 93, "inputRequests that are no object", line);
    if (state && !json_is(state, JSON_STRING))
        duty_say(w, 93, "a requestState that is no text", line);
    for (const struct json *one = json_is(requests, JSON_OBJECT) ? requests->first : NULL; one; one = one->next) {
        if (one->duplicate)
            duty_say(w, 93, "two inputRequests of one name", line);
        look_at_request(w, one, line);
    }
    if (json_is(state, JSON_STRING) && w->modern->states.count < STATES_KEPT)
        duty_names_add(&w->modern->states, state->text);
    else if (state)
        w->modern->states.forgot = true;
}

/* A server that keeps states with its clients, and takes one that it never gave. Where a forged one does no harm it need not
 * notice. */
void duty_input_given(struct duty_watch *w, const struct duty_request *r, const struct json *result, struct bytes line)
{
    if (!r->kept || bytes_find(bytes_of(r->params, r->length), BYTES_LITERAL("\"requestState\""), 0) < 0)
        return;
    const struct json *state = json_get(duty_params(w, r), "requestState");
    if (!json_is(state, JSON_STRING) || !w->modern->states.count || w->modern->states.forgot || json_is(json_get(result, "isError"), JSON_TRUE))
        return;
    if (!duty_names_find(&w->modern->states, state->text))
        duty_say_should(w, 93, "a requestState that was never given is accepted", line);
}
