/* initialize and tools/list; see mcp_handshake.h. */
#include "exec/target/mcp_handshake.h"

#include "base/clock.h"
#include "exec/target/mcp_ask.h"
#include "exec/target/mcp_offer.h"
#include "exec/target/mcp_pages.h"

static const char offered[] = "2025-11-25";
static const char *const accepted[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};

static struct bytes hello(struct arena *a, unsigned offers)
{
    struct buf text;
    buf_init(&text, 4096);
    buf_addf(&text, "{\"protocolVersion\":\"%s\",\"capabilities\":", offered);
    mcp_offer_add_capabilities(&text, offers);
    buf_add_string(&text, ",\"clientInfo\":{\"name\":\"taskgen\",\"version\":\"" TASKGEN_VERSION "\"}}");
    struct bytes copy = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return copy;
}

void mcp_server_init(struct mcp_server *s)
{
    *s = (struct mcp_server){.name = "?", .version = "?", .keep_ms = -1};
    arena_init(&s->arena);
    mcp_tools_init(&s->tools);
}

void mcp_server_release(struct mcp_server *s)
{
    mcp_tools_release(&s->tools);
    arena_release(&s->arena);
}

bool mcp_version_is_known(struct bytes version)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (bytes_equal_string(version, accepted[i]))
            return true;
    return false;
}

void mcp_server_is(struct mcp_server *s, const struct json *who)
{
    struct bytes name = json_as_text(json_get(who, "name")), version = json_as_text(json_get(who, "version"));
    s->name = name.len ? mcp_visible(&s->arena, name, 80) : "?";
    s->version = version.len ? mcp_visible(&s->arena, version, 40) : "?";
}

static int initialize(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s,
                      struct error **err)
{
    struct mcp_exchange x = {.method = "initialize", .params = hello(&s->arena, mcp_client_offered(c)), .timeout_ms = ms,
                             .cancel_after_ms = -1, .arena = &s->arena};
    const struct json *result = NULL;
    mcp_client_exchange(c, &x, 1);
    s->hello_refused = x.state == MCP_ANSWERED && json_get(x.reply, "error");
    TRY(mcp_asked(c, &x, command, &s->arena, &result, NULL, err));
    s->protocol = json_as_text(json_get(result, "protocolVersion"));
    if (!mcp_version_is_known(s->protocol))
        return error_set(err, ERR_TARGET, "%s: speaks protocol version '%s', expected %s to %s", command,
                         mcp_visible(&s->arena, s->protocol, 40), accepted[0], offered);
    mcp_server_is(s, json_get(result, "serverInfo"));
    const struct json *capabilities = json_get(result, "capabilities");
    s->capabilities = json_is(capabilities, JSON_OBJECT) ? capabilities : NULL;
    mcp_client_set_version(c, s->protocol);
    return 0;
}

/* How long the list may be kept, and by whom. */
static void keep_caching(struct mcp_server *s, const struct json *result)
{
    static const char *const scopes[] = {"public", "private"};
    if (!json_as_integer(json_get(result, "ttlMs"), &s->keep_ms) || s->keep_ms < 0)
        s->keep_ms = -1;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (bytes_equal_string(json_as_text(json_get(result, "cacheScope")), scopes[i]))
            s->keep_scope = scopes[i];
}

int mcp_first_tools(struct mcp_client *c, int64_t until, const char *command, struct mcp_server *s, struct error **err)
{
    struct mcp_pages pages = {0};
    do {
        int64_t left = (until - clock_monotonic_ns()) / 1000000;
        struct mcp_exchange x = {.method = "tools/list",
                                 .params = mcp_pages_params(&pages, &s->arena),
                                 .timeout_ms = left > 1 ? left : 1,
                                 .cancel_after_ms = -1,
                                 .arena = &s->arena};
        const struct json *result = NULL;
        TRY(mcp_ask(c, &x, command, &s->arena, &result, pages.count ? NULL : &s->tools_refused, err));
        if (s->tools_refused)
            return 0;
        if (!pages.count)
            keep_caching(s, result);
        if (!mcp_tools_add(&s->tools, json_get(result, "tools")))
            return error_set(err, ERR_TARGET, "%s: its answer to tools/list has no array of tools", command);
        if (!mcp_pages_next(&pages, result))
            return 0;
    } while (true);
}

int mcp_greet(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s, struct error **err)
{
    TRY(initialize(c, ms, command, s, err));
    mcp_client_notify(c, "notifications/initialized", BYTES_NONE, ms);
    return 0;
}

int mcp_handshake(struct mcp_client *c, int64_t ms, const char *command, struct mcp_server *s,
                  struct error **err)
{
    int64_t until = clock_monotonic_ns() + ms * 1000000;
    TRY(mcp_greet(c, ms, command, s, err));
    return mcp_first_tools(c, until, command, s, err);
}

int mcp_list_tools(struct mcp_client *c, int64_t ms, struct mcp_server *s, struct error **err)
{
    return mcp_first_tools(c, clock_monotonic_ns() + ms * 1000000, "the server", s, err);
}
