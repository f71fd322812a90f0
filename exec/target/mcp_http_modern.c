/* What the stateless era adds to each request over HTTP: headers that repeat the version, the method, and the name of what is asked
 * for. */
#include "exec/target/mcp_http.h"

#include <string.h>
#include <strings.h>

#include "exec/target/mcp_json.h"

void mcp_http_mirror(const struct post *p, struct arena *a, struct mcp_mirror *out)
{
    const struct mcp_client *c = p->client;
    const struct mcp_exchange *x = p->exchange;
    *out = (struct mcp_mirror){0};
    if (!mcp_client_is_modern(c))
        return;
    if (x && x->name.len)
        *out = (struct mcp_mirror){.method = x->method, .name = mcp_header_text(a, x->name)};
    else
        mcp_mirror_read(bytes_of(p->body, p->length), a, out);
    if (!out->version)
        out->version = c->envelope.version;
}

/* --- raw bytes --- */

/* What a header was sent as; NULL: not at all. */
static const char *sent(const struct mcp_http_ask *ask, const char *name, const char *ours)
{
    for (size_t i = 0; ask && i < ask->field_count; i++)
        if (strcasecmp(ask->fields[i].name, name) == 0)
            return ask->fields[i].value;
    return ours;
}

/* A POST to the address itself, in which nothing differs from ours but what this era's headers say. */
static bool is_plain(const struct mcp_http_ask *ask)
{
    static const char *const names[] = {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"};
    if (!ask)
        return true;
    if (ask->suffix || (ask->verb && strcmp(ask->verb, "POST") != 0))
        return false;
    for (size_t i = 0; i < ask->field_count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            known = known || strcasecmp(ask->fields[i].name, names[k]) == 0;
        if (!known)
            return false;
    }
    return true;
}

/* The answer: a JSON body, or the first event of a stream that is an answer. */
static const struct json *read_answer(struct bytes body, struct arena *a)
{
    struct json *answer = NULL;
    if (mcp_json_read(a, body, &answer) == MCP_JSON_OK)
        return answer;
    struct sse sse;
    struct sse_event event;
    const struct json *found = NULL;
    sse_init(&sse, body.len + 1);
    while (!found && sse_next(&sse, &body, &event))
        if (mcp_json_read(a, event.data, &answer) == MCP_JSON_OK && !json_get(answer, "method"))
            found = answer;
    sse_release(&sse);
    return found;
}

void mcp_http_tell_modern(struct post *p, int status)
{
    const struct mcp_http_ask *ask = p->exchange->ask;
    struct json *message = NULL;
    struct mcp_mirror ours;
    struct arena a;
    arena_init(&a);
    mcp_http_mirror(p, &a, &ours);
    if (is_plain(ask) && mcp_json_read(&a, bytes_of(p->body, p->length), &message) == MCP_JSON_OK) {
        struct duty_modern_ask told = {.message = message,
                                       .version = sent(ask, "MCP-Protocol-Version", ours.version),
                                       .method = sent(ask, "Mcp-Method", ours.method),
                                       .name = sent(ask, "Mcp-Name", ours.name),
                                       .status = status,
                                       .answer = read_answer(buf_bytes(&p->answer), &a),
                                       .text = buf_bytes(&p->answer)};
        duty_modern_asked(p->client->duties, &told);
    }
    arena_release(&a);
}
