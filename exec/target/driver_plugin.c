/* The driver for plug-ins: `plugin:COMMAND`, a driver in any language that speaks one small JSON-RPC protocol, a message a line,
 * on its standard input and output. docs/plugins.md is its reference.
 *
 * The process is started and spoken to as an MCP server is (peer.h); only the questions differ: open, capabilities, call, close.
 * What a plug-in answers to `open` and `capabilities` decides whether the target can be used; whatever it does later is data. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/driver_plugin_internal.h"
#include "exec/target/mcp_ask.h"

static const char protocol[] = "taskgen/plugin/1";

enum { PARAMS_MAX = 65536, NAME_SHOWN = 80, NEEDS_MAX = 512 };

/* --- the first questions --- */

static int ask(struct plugin *p, const char *method, struct bytes params, const struct json **result, struct error **err)
{
    struct mcp_exchange x = {
        .method = method,
        .params = params,
        .timeout_ms = settings_int(p->peer.session->target->options.settings, "exec.start-timeout"),
        .cancel_after_ms = -1,
        .arena = &p->arena};
    return mcp_ask(p->peer.client, &x, p->command, &p->arena, result, NULL, err);
}

static struct bytes open_params(struct plugin *p)
{
    const struct session *s = p->peer.session;
    struct arena *a = &p->arena;
    struct json *params = json_new(a, JSON_OBJECT);
    json_set(a, params, "protocol", json_text(a, protocol));
    json_set(a, params, "root", json_text(a, s->root));
    json_set(a, params, "home", json_text(a, s->home));
    json_set(a, params, "port", json_integer(a, s->port));
    struct buf text;
    buf_init(&text, PARAMS_MAX);
    json_write(&text, params, JSON_COMPACT);
    struct bytes kept = arena_copy(a, buf_bytes(&text));
    buf_release(&text);
    return kept;
}

static int introduce(struct plugin *p, struct error **err)
{
    const struct json *result = NULL;
    TRY(ask(p, "open", open_params(p), &result, err));
    struct bytes speaks = json_as_text(json_get(result, "protocol"));
    if (!bytes_equal_string(speaks, protocol))
        return error_set(err, ERR_TARGET, "%s: its answer to open says protocol '%s', expected '%s'", p->command,
                         mcp_visible(&p->arena, speaks, NAME_SHOWN), protocol);
    const struct json *root = json_get(result, "root");
    if (root && (!json_is(root, JSON_STRING) || !root->text.len || root->text.data[0] != '/' ||
                 memchr(root->text.data, '\0', root->text.len)))
        return error_set(err, ERR_TARGET, "%s: its answer to open has a root that is no absolute path", p->command);
    if (root)
        p->peer.session->root_inside = arena_string(&p->arena, root->text);
    struct bytes name = json_as_text(json_get(result, "name")), version = json_as_text(json_get(result, "version"));
    target_set_identity(p->peer.session->target, "plugin %s %s",
                        name.len ? mcp_visible(&p->arena, name, NAME_SHOWN) : "?",
                        version.len ? mcp_visible(&p->arena, version, NAME_SHOWN) : "?");
    return 0;
}

static const struct {
    const char *name;
    unsigned flag;
} channels[] = {{"binary", RUN_BINARY}, {"split", RUN_SPLIT}, {"exit", RUN_EXIT}, {"stdin", RUN_STDIN},
                {"network", RUN_NETWORK}};

static int read_channels(struct plugin *p, const struct json *run, struct error **err)
{
    for (const struct json *word = run ? run->first : NULL; word; word = word->next) {
        size_t i = 0, count = sizeof channels / sizeof *channels;
        while (i < count && !bytes_equal_string(json_as_text(word), channels[i].name))
            i++;
        if (i == count)
            return error_set(err, ERR_TARGET,
                             "%s: its answer to capabilities has '%s' in run, expected binary, split, exit, stdin or network",
                             p->command, mcp_visible(&p->arena, json_as_text(word), NAME_SHOWN));
        p->run_channel |= channels[i].flag;
    }
    return 0;
}

static int learn(struct plugin *p, struct error **err)
{
    const struct json *result = NULL;
    TRY(ask(p, "capabilities", BYTES_LITERAL("{}"), &result, err));
    const struct json *needs = json_get(result, "needs");
    if (!json_is(needs, JSON_ARRAY))
        return error_set(err, ERR_TARGET, "%s: its answer to capabilities has no array needs", p->command);
    size_t count = 0;
    for (const struct json *need = needs->first; need; need = need->next, count++)
        if (!json_is(need, JSON_STRING) || count >= NEEDS_MAX)
            return error_set(err, ERR_TARGET, "%s: needs, in its answer to capabilities, is not a list of at most %d texts",
                             p->command, NEEDS_MAX);
    p->needs = needs;
    return read_channels(p, json_get(result, "run"), err);
}

/* --- the driver --- */

static void plugin_free(struct plugin *p)
{
    peer_release(&p->peer);
    arena_release(&p->arena);
    free(p->command);
    free(p);
}

static int plugin_open(struct session *s, struct error **err)
{
    struct plugin *p = xcalloc(1, sizeof *p);
    arena_init(&p->arena);
    char **words = session_words(s);
    p->command = xstrdup(words[0]);
    s->root_inside = NULL;
    int status = peer_start(&p->peer, s, words, err);
    strings_free(words);
    if (status == 0)
        status = introduce(p, err);
    if (status == 0)
        status = learn(p, err);
    if (status < 0) {
        s->root_inside = NULL;
        plugin_free(p);
    } else {
        s->driver_state = p;
    }
    return status;
}

/* Asked to end in good order first; a plug-in that does not answer is ended like any other process. */
static void plugin_close(struct session *s)
{
    struct plugin *p = s->driver_state;
    if (!p)
        return;
    struct mcp_exchange x = {.method = "close",
                             .params = BYTES_LITERAL("{}"),
                             .timeout_ms = settings_int(s->target->options.settings, "exec.grace"),
                             .cancel_after_ms = -1,
                             .arena = &p->arena};
    if (mcp_client_alive(p->peer.client))
        mcp_client_exchange(p->peer.client, &x, 1);
    peer_finish(&p->peer);
    plugin_free(p);
    s->driver_state = NULL;
    s->root_inside = NULL;
}

static enum support plugin_supports(struct session *s, const char *need)
{
    const struct plugin *p = s->driver_state;
    for (const struct json *one = p->needs->first; one; one = one->next)
        if (bytes_equal_string(one->text, need))
            return SUPPORT_NATIVE;
    return SUPPORT_NONE;
}

static bool plugin_alive(struct session *s)
{
    const struct plugin *p = s->driver_state;
    return p && mcp_client_alive(p->peer.client);
}

static size_t plugin_wire_events(struct session *s, const struct wire_event **events)
{
    const struct plugin *p = s->driver_state;
    return mcp_client_events(p->peer.client, events);
}

static struct bytes plugin_stderr_tail(struct session *s)
{
    const struct plugin *p = s->driver_state;
    return mcp_client_stderr(p->peer.client);
}

static unsigned plugin_run_channel(struct session *s)
{
    const struct plugin *p = s->driver_state;
    return p->run_channel;
}

static void plugin_explain(struct session *s, struct buf *out)
{
    struct plugin *p = s->driver_state;
    buf_add_string(out, "the plug-in says it can:");
    for (const struct json *one = p->needs->first; one; one = one->next)
        buf_addf(out, " %s", mcp_visible(&p->arena, one->text, NAME_SHOWN));
    buf_add_byte(out, '\n');
    session_explain_ops(s, out);
}

const struct driver driver_plugin = {
    .name = "plugin",
    .prefix = "plugin:",
    .doc = "a driver of your own, which speaks JSON lines",
    .open = plugin_open,
    .close = plugin_close,
    .calls = plugin_calls,
    .supports = plugin_supports,
    .alive = plugin_alive,
    .wire_events = plugin_wire_events,
    .stderr_tail = plugin_stderr_tail,
    .explain = plugin_explain,
    .run_channel = plugin_run_channel,
    .spelling = "relative",
};
