/* initialize and tools/list; see mcp_handshake.h. */
#include "exec/target/mcp_handshake.h"

#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "exec/target/mcp_json.h"

enum { PAGES_MAX = 256, LINE_SHOWN = 160 };

static const char offered[] = "2025-11-25";
static const char *const accepted[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

static const char hello[] = "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                            "\"clientInfo\":{\"name\":\"taskgen\",\"version\":\"" TASKGEN_VERSION "\"}}";

void mcp_server_init(struct mcp_server *s)
{
    *s = (struct mcp_server){.name = "?", .version = "?"};
    arena_init(&s->arena);
    mcp_tools_init(&s->tools);
}

void mcp_server_release(struct mcp_server *s)
{
    mcp_tools_release(&s->tools);
    arena_release(&s->arena);
}

static const char *visible(struct arena *a, struct bytes text, size_t max)
{
    struct buf shown;
    buf_init(&shown, 4 * max + 16);
    add_visible(&shown, text, max);
    const char *copy = arena_string(a, buf_bytes(&shown));
    buf_release(&shown);
    return copy;
}

/* The line that ends at or before `end` and has anything in it; *start is where it begins. */
static struct bytes line_before(struct bytes text, size_t end, size_t *start)
{
    while (end > 0 && strchr("\n\r ", text.data[end - 1] ? text.data[end - 1] : 'x'))
        end--;
    *start = end;
    while (*start > 0 && text.data[*start - 1] != '\n')
        (*start)--;
    return bytes_slice(text, *start, end);
}

/* The last line that speaks of an error, since some runtimes go on after it; else the last line. */
static struct bytes last_words(struct bytes text)
{
    size_t start = text.len;
    struct bytes last = line_before(text, text.len, &start), line = last;
    while (line.len) {
        if (text_mentions(line, "error"))
            return line;
        line = line_before(text, start, &start);
    }
    return last;
}

static const char *said_last(struct mcp_client *c, struct arena *a)
{
    struct bytes line = last_words(mcp_client_stderr(c));
    return line.len ? arena_printf(a, "; its last words: %s", visible(a, line, LINE_SHOWN)) : "";
}

/* What came instead of an answer: the first line that was no message. */
static const char *said_instead(struct mcp_client *c, struct arena *a)
{
    const struct wire_event *events;
    size_t count = mcp_client_events(c, &events);
    for (size_t i = 0; i < count; i++)
        if (events[i].kind == WIRE_STRAY_LINE || events[i].kind == WIRE_BAD_MESSAGE)
            return arena_printf(a, "; instead of a message it wrote: %s",
                                visible(a, events[i].text, LINE_SHOWN));
    return "";
}

static int died(struct mcp_client *c, const char *command, const char *method, struct arena *a,
                struct error **err)
{
    int status = mcp_client_status(c);
    const char *how = WIFSIGNALED(status) ? arena_printf(a, "was ended by signal %d", WTERMSIG(status))
                                          : arena_printf(a, "ended with status %d", WEXITSTATUS(status));
    const char *last = said_last(c, a);
    return error_set(err, ERR_TARGET, "%s: %s before it answered %s%s", command, how, method,
                     *last ? last : said_instead(c, a));
}

/* One request of the handshake; 0 with its result object, or ERR_TARGET. A refusal is *refusal, when that
 * is wanted. */
static int ask(struct mcp_client *c, struct mcp_exchange *x, const char *command, struct arena *a,
               const struct json **result, bool *refusal, struct error **err)
{
    mcp_client_exchange(c, x, 1);
    if (x->state == MCP_DIED)
        return died(c, command, x->method, a, err);
    if (x->state == MCP_CUT)
        return error_set(err, ERR_TARGET, "%s: closed its standard output before it answered %s%s", command,
                         x->method, said_last(c, a));
    if (x->state != MCP_ANSWERED) {
        const char *instead = said_instead(c, a);
        return error_set(err, ERR_TARGET, "%s: no answer to %s within %lld ms%s", command, x->method,
                         (long long)x->timeout_ms, *instead ? instead : said_last(c, a));
    }
    if (x->too_long)
        return error_set(err, ERR_TARGET, "%s: its answer to %s is longer than exec.max-line", command,
                         x->method);
    const struct json *error = json_get(x->reply, "error");
    *result = json_get(x->reply, "result");
    if (error && refusal) {
        *refusal = true;
        return 0;
    }
    if (error)
        return error_set(err, ERR_TARGET, "%s: refused %s: %s", command, x->method,
                         visible(a, json_as_text(json_get(error, "message")), LINE_SHOWN));
    if (!json_is(*result, JSON_OBJECT))
        return error_set(err, ERR_TARGET, "%s: its answer to %s has no result object", command, x->method);
    return 0;
}

static bool is_accepted(struct bytes version)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (bytes_equal_string(version, accepted[i]))
            return true;
    return false;
}

static int initialize(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s,
                      struct error **err)
{
    struct mcp_exchange x = {.method = "initialize", .params = bytes_of_string(hello), .timeout_ms = ms,
                             .cancel_after_ms = -1, .arena = &s->arena};
    const struct json *result = NULL;
    TRY(ask(c, &x, command, &s->arena, &result, NULL, err));
    s->protocol = json_as_text(json_get(result, "protocolVersion"));
    if (!is_accepted(s->protocol))
        return error_set(err, ERR_TARGET, "%s: speaks protocol version '%s', expected %s to %s", command,
                         visible(&s->arena, s->protocol, 40), accepted[0], offered);
    struct bytes name = json_as_text(json_pointer(result, BYTES_LITERAL("/serverInfo/name")));
    struct bytes version = json_as_text(json_pointer(result, BYTES_LITERAL("/serverInfo/version")));
    s->name = name.len ? visible(&s->arena, name, 80) : "?";
    s->version = version.len ? visible(&s->arena, version, 40) : "?";
    mcp_client_set_version(c, s->protocol);
    return 0;
}

/* Params of the next page: the cursor goes back as it came. */
static struct bytes page_params(const struct json *cursor, struct arena *a)
{
    if (!cursor)
        return BYTES_LITERAL("{}");
    struct buf text;
    buf_init(&text, 1u << 20);
    buf_add_string(&text, "{\"cursor\":");
    json_write(&text, cursor, JSON_COMPACT);
    buf_add_string(&text, "}");
    struct bytes params = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return params;
}

/* A list without end is cut after PAGES_MAX pages; a cursor that leads to itself ends it. */
static int list_tools(struct mcp_client *c, int64_t until, const char *command, struct mcp_server *s,
                      struct error **err)
{
    const struct json *cursor = NULL;
    for (int page = 0; page < PAGES_MAX; page++) {
        int64_t left = (until - clock_monotonic_ns()) / 1000000;
        struct mcp_exchange x = {.method = "tools/list",
                                 .params = page_params(cursor, &s->arena),
                                 .timeout_ms = left > 1 ? left : 1,
                                 .cancel_after_ms = -1,
                                 .arena = &s->arena};
        const struct json *result = NULL;
        TRY(ask(c, &x, command, &s->arena, &result, page ? NULL : &s->tools_refused, err));
        if (s->tools_refused)
            return 0;
        if (!mcp_tools_add(&s->tools, json_get(result, "tools")))
            return error_set(err, ERR_TARGET, "%s: its answer to tools/list has no array of tools", command);
        const struct json *next = json_get(result, "nextCursor");
        if (!json_is(next, JSON_STRING) || (cursor && bytes_equal(next->text, cursor->text)))
            return 0;
        cursor = next;
    }
    return 0;
}

int mcp_handshake(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s,
                  struct error **err)
{
    int64_t until = clock_monotonic_ns() + ms * 1000000;
    TRY(initialize(c, ms, command, s, err));
    mcp_client_notify(c, "notifications/initialized", BYTES_NONE, ms);
    return list_tools(c, until, command, s, err);
}
