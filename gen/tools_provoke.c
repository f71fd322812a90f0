/* Requests of the stateless era of MCP that break one of its rules, or stretch one: steps of the workflow "stateless". What a server must
 * make of each is known (exec/oracle/duty_provoked.c), so the row only has to make it. */
#include <string.h>

#include "base/encode.h"
#include "gen/task_internal.h"
#include "gen/tools_internal.h"

#define KEY          "\"io.modelcontextprotocol/"
#define VERSION      KEY "protocolVersion\":\"2026-07-28\""
#define CAPABILITIES KEY "clientCapabilities\":{}"
#define WHOLE        VERSION "," CAPABILITIES

/* One message, %NAME% being a tool's name as JSON text; headers (over HTTP only) as a JSON object, in which %NAME% is in base64. */
static const struct row {
    const char *what, *method, *params, *headers, *verb;
} rows[] = {
    {"no version", "tools/list", "{\"_meta\":{" CAPABILITIES "}}", NULL, NULL},
    {"no capabilities", "tools/list", "{\"_meta\":{" VERSION "}}", NULL, NULL},
    {"no _meta", "tools/list", "{}", NULL, NULL},
    {"an unknown version", "tools/list", "{\"_meta\":{" KEY "protocolVersion\":\"1900-01-01\"," CAPABILITIES "}}", NULL, NULL},
    {"an unknown version", "tools/call", "{\"name\":%NAME%,\"_meta\":{" KEY "protocolVersion\":\"2999-12-31\"," CAPABILITIES "}}", NULL, NULL},
    {"an unknown method", "taskgen/none", "{\"_meta\":{" WHOLE "}}", NULL, NULL},
    {"no version in a call", "tools/call", "{\"name\":%NAME%,\"_meta\":{" CAPABILITIES "}}", NULL, NULL},
    {"no header Mcp-Method", "tools/list", "{\"_meta\":{" WHOLE "}}", "{\"Mcp-Method\":null}", NULL},
    {"another Mcp-Method", "tools/list", "{\"_meta\":{" WHOLE "}}", "{\"Mcp-Method\":\"tools/call\"}", NULL},
    {"Mcp-Method in another case", "tools/list", "{\"_meta\":{" WHOLE "}}", "{\"Mcp-Method\":\"Tools/List\"}", NULL},
    {"a header's name in another case", "tools/list", "{\"_meta\":{" WHOLE "}}", "{\"mCP-mETHOD\":\"tools/list\"}", NULL},
    {"no header MCP-Protocol-Version", "tools/list", "{\"_meta\":{" WHOLE "}}", "{\"MCP-Protocol-Version\":null}", NULL},
    {"no header Mcp-Name", "tools/call", "{\"name\":%NAME%,\"_meta\":{" WHOLE "}}", "{\"Mcp-Name\":null}", NULL},
    {"another Mcp-Name", "tools/call", "{\"name\":%NAME%,\"_meta\":{" WHOLE "}}", "{\"Mcp-Name\":\"taskgen-none\"}", NULL},
    {"Mcp-Name in base64", "tools/call", "{\"name\":%NAME%,\"_meta\":{" WHOLE "}}", "{\"Mcp-Name\":\"=?base64?%NAME%?=\"}", NULL},
    {"GET", NULL, NULL, "{}", "GET"},
    {"DELETE", NULL, NULL, "{}", "DELETE"},
};
enum { ROWS = sizeof rows / sizeof *rows, CONTENT_MAX = 1 << 20, CONNECTIONS_ONE_IN = 3 };

/* Appends a text of the table with the tool's name in its place. */
static void add_text(struct buf *out, const char *text, struct bytes name, bool base64)
{
    static const char mark[] = "%NAME%";
    const char *at = strstr(text, mark);
    if (!at) {
        buf_add_string(out, text);
        return;
    }
    buf_add(out, bytes_of(text, (size_t)(at - text)));
    if (base64)
        base64_encode(out, name);
    else
        json_write_string(out, name);
    buf_add_string(out, at + sizeof mark - 1);
}

static struct bytes content_of(struct making *m, const struct row *row, struct bytes name)
{
    struct buf out;
    if (!row->method)
        return BYTES_NONE;
    buf_init(&out, CONTENT_MAX);
    buf_addf(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"taskgen-%zu\",\"method\":\"%s\",\"params\":", m->task->step_count + 1, row->method);
    add_text(&out, row->params, name, false);
    buf_add_string(&out, "}\n");
    struct bytes copy = arena_copy(&m->task->arena, buf_bytes(&out));
    buf_release(&out);
    return copy;
}

static struct json *headers_of(struct making *m, const struct row *row, struct bytes name)
{
    struct json *headers = NULL;
    struct buf out;
    buf_init(&out, CONTENT_MAX);
    add_text(&out, row->headers, name, true);
    int status = json_read(&m->task->arena, buf_bytes(&out), NULL, "headers", &headers, NULL, NULL);
    buf_release(&out);
    if (status < 0)
        BUG("a row of headers that is no JSON");
    return headers;
}

void tools_add_provoked(struct making *m, struct buf *said)
{
    double weights[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = m->tools->stateless == TOOLS_OVER_HTTP || !rows[i].headers;
    const struct row *row = &rows[chooser_weighted(&m->chooser, SITE_PROVOKE, weights, ROWS)];
    struct arena *a = &m->task->arena;
    struct bytes name = m->tools->count ? m->tools->items[m->tools->control].name : BYTES_LITERAL("none");
    struct json *args = json_new(a, JSON_OBJECT);
    json_set(a, args, "content", json_string(a, content_of(m, row, name)));
    if (row->verb)
        json_set(a, args, "verb", json_text(a, row->verb));
    else if (row->headers)
        json_set(a, args, "headers", headers_of(m, row, name));
    json_set(a, args, "what", json_text(a, row->what));
    task_add_step(m->task, m->send, args);
    buf_addf(said, "%sa request with %s", m->task->step_count > 1 ? ", " : "", row->what);
}

void tools_add_connections(struct making *m, struct buf *said)
{
    static const char *const methods[] = {"tools/list", "server/discover", "prompts/list"}, *const sessions[] = {"main", "other", "main"};
    enum { METHODS = sizeof methods / sizeof *methods, SESSIONS = sizeof sessions / sizeof *sessions };
    struct arena *a = &m->task->arena;
    if (chooser_uniform(&m->chooser, SITE_CONNECTIONS, CONNECTIONS_ONE_IN) != 0)
        return;
    bool prompts = json_get(m->tools->capabilities, "prompts") != NULL;
    const char *method = methods[chooser_uniform(&m->chooser, SITE_CONNECTIONS, METHODS - !prompts)];
    for (size_t i = 0; i < SESSIONS; i++) {
        struct json *args = json_new(a, JSON_OBJECT);
        json_set(a, args, "method", json_text(a, method));
        task_add_step(m->task, m->request, args)->session = sessions[i];
    }
    buf_addf(said, "%s on one connection, on another and on the first again", method);
}
