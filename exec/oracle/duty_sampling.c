/* What a server asks of the model and of the user: only in ways that the client can. */
#include <string.h>

#include "exec/oracle/duty_internal.h"

enum { USES_MAX = 64 };

static bool is_block(const struct json *block, const char *type)
{
    return bytes_equal_string(json_as_text(json_get(block, "type")), type);
}

/* Content is one block or, since tools came, a list of them. */
static const struct json *first_block(const struct json *message, size_t *count)
{
    const struct json *content = json_get(message, "content");
    *count = json_is(content, JSON_ARRAY) ? content->count : content != NULL;
    return json_is(content, JSON_ARRAY) ? content->first : content;
}

static const struct json *next_block(const struct json *message, const struct json *block)
{
    return json_is(json_get(message, "content"), JSON_ARRAY) ? block->next : NULL;
}

static size_t count_blocks(const struct json *message, const char *type)
{
    size_t count, found = 0;
    for (const struct json *b = first_block(message, &count); b; b = next_block(message, b))
        found += is_block(b, type);
    return found;
}

/* Does the message hold a result for the use of a tool? */
static bool has_result(const struct json *message, const struct json *use)
{
    size_t count;
    const struct json *id = json_get(use, "id");
    for (const struct json *b = first_block(message, &count); b; b = next_block(message, b))
        if (is_block(b, "tool_result") && id && json_get(b, "toolUseId") &&
            json_equal(json_get(b, "toolUseId"), id))
            return true;
    return false;
}

static void look_at_message(struct duty_watch *w, const struct json *message, struct bytes line)
{
    size_t count, results = count_blocks(message, "tool_result");
    first_block(message, &count);
    if (results && results < count)
        duty_say(w, 92, "results of tools among other content", line);
    const struct json *answer = message->next;
    for (const struct json *b = first_block(message, &count); b; b = next_block(message, b))
        if (is_block(b, "tool_use") && !has_result(answer, b)) {
            duty_say(w, 92, "a use of a tool without its result", line);
            return;
        }
    size_t uses = count_blocks(message, "tool_use");
    if (uses && answer && count_blocks(answer, "tool_result") > uses)
        duty_say(w, 92, "a result of a tool without its use", line);
}

void duty_sampling_request(struct duty_watch *w, const struct json *params, struct bytes line)
{
    bool tools = json_get(params, "tools") || json_get(params, "toolChoice");
    if (!duty_offered(w, "/sampling"))
        return; /* said already */
    if (tools && !duty_offered(w, "/sampling/tools"))
        duty_say(w, 92, "sampling with tools, which was not offered", line);
    const struct json *messages = json_get(params, "messages");
    for (const struct json *m = json_is(messages, JSON_ARRAY) ? messages->first : NULL; m; m = m->next)
        look_at_message(w, m, line);
}

/* Elicitation without a mode is by form, which is also what an offer without modes means. */
void duty_elicitation_request(struct duty_watch *w, const struct json *params, struct bytes line)
{
    const struct json *mode = json_get(params, "mode");
    bool url = json_is(mode, JSON_STRING) && bytes_equal_string(mode->text, "url");
    bool form = !mode || (json_is(mode, JSON_STRING) && bytes_equal_string(mode->text, "form"));
    if (!duty_offered(w, "/elicitation"))
        return;
    bool can_url = duty_offered(w, "/elicitation/url");
    bool can_form = duty_offered(w, "/elicitation/form") || !can_url;
    if (!url && !form)
        duty_say(w, 90, "elicitation in a mode that there is not", line);
    else if (url ? !can_url : !can_form)
        duty_say(w, 90, "elicitation in a mode that was not offered", line);
}
