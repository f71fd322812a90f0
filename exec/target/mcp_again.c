/* Sending again; see mcp_again.h.
 *
 * What the server gave as its state goes back as it came; what it asks for is answered as mcp_offer.h does it. */
#include "exec/target/mcp_again.h"

#include "exec/target/mcp_client_internal.h"
#include "exec/target/mcp_json.h"

enum { TURNS_MAX = 8, ANSWER_MAX = 1 << 20, PARAMS_MAX = INT32_MAX };

/* The answer to one request for input; NULL: it is not offered, or was refused. */
static struct json *answer_to(struct mcp_client *c, const struct json *request, struct arena *a, const char **note)
{
    struct json *answer = NULL;
    struct buf text;
    buf_init(&text, ANSWER_MAX);
    buf_add_byte(&text, '{');
    mcp_offer_answer(&c->offers, request, &text, note);
    buf_add_byte(&text, '}');
    bool read = !text.overflow && mcp_json_read(a, buf_bytes(&text), &answer) == MCP_JSON_OK;
    buf_release(&text);
    return read ? json_get(answer, "result") : NULL;
}

static struct json *answers_to(struct mcp_client *c, const struct json *requests, struct arena *a, struct bytes line)
{
    struct json *answers = json_new(a, JSON_OBJECT);
    for (const struct json *one = json_is(requests, JSON_OBJECT) ? requests->first : NULL; one; one = one->next) {
        const char *note = NULL;
        struct json *answer = answer_to(c, one, a, &note);
        if (!answer)
            return NULL;
        json_set_bytes(a, answers, one->key, json_copy(a, answer));
        if (note)
            mcp_note(c, note, line);
    }
    return answers;
}

static void put(struct arena *a, struct json *params, const char *name, struct json *value)
{
    struct json *old = json_get(params, name);
    if (old)
        json_remove(params, old);
    if (value)
        json_set(a, params, name, value);
}

static void send_again(struct mcp_client *c, struct mcp_exchange *x, struct bytes params)
{
    c->wire->detach(c, x);
    mcp_client_again(c, x, params);
}

bool mcp_again_with_input(struct mcp_client *c, struct mcp_exchange *x, struct bytes text)
{
    const struct json *result = json_get(x->reply, "result"), *state = json_get(result, "requestState");
    const struct json *requests = json_get(result, "inputRequests");
    struct json *params = NULL;
    if (!bytes_equal_string(json_as_text(json_get(result, "resultType")), "input_required") || x->again >= TURNS_MAX)
        return false;
    if (mcp_json_read(x->arena, x->params.len ? x->params : BYTES_LITERAL("{}"), &params) != MCP_JSON_OK ||
        !json_is(params, JSON_OBJECT) || (!requests && !state))
        return false;
    struct json *answers = answers_to(c, requests, x->arena, text);
    if (!answers)
        return false;
    put(x->arena, params, "inputResponses", requests ? answers : NULL);
    put(x->arena, params, "requestState", state ? json_copy(x->arena, state) : NULL);
    struct buf out;
    buf_init(&out, PARAMS_MAX);
    json_write(&out, params, JSON_COMPACT);
    x->latest = arena_copy(x->arena, buf_bytes(&out));
    bool fits = !out.overflow;
    buf_release(&out);
    if (fits)
        send_again(c, x, x->latest);
    return fits;
}

bool mcp_again_for_answer(struct mcp_client *c, struct mcp_exchange *x)
{
    if (x->lost || !x->method || x->notification)
        return false;
    x->lost = true;
    send_again(c, x, x->latest.len ? x->latest : x->params);
    return true;
}
