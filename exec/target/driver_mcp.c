/* The driver for MCP servers over stdio: `mcp:COMMAND LINE`.
 *
 * The server is started by the session's agent in the session's box. The conversation is mcp_client.h's,
 * the first part of it mcp_handshake.h's; which tool carries out an op is map.h's, what a reply says
 * mcp_result.h's. A call becomes an exchange, and an exchange an outcome, in mcp_calls.c. After open
 * nothing a server does is an error. */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/target/mcp_catalog.h"
#include "exec/target/mcp_era.h"
#include "exec/target/mcp_offer.h"
#include "exec/target/mcp_param.h"
#include "exec/target/session_internal.h"

/* --- opening and closing --- */

static int find_profile(struct mcp_driver *state, struct error **err)
{
    const struct target_options *options = &state->peer.session->target->options;
    if (options->profile)
        return profile_load(options->profile, options->ops, &state->profile, err);
    char *domains = fs_data_dir("domains", NULL);
    if (!domains)
        return 0; /* without our data there are no profiles to choose from */
    struct buf directory;
    buf_init(&directory, 1u << 16);
    buf_addf(&directory, "%s/profiles", domains);
    int status = profile_choose(buf_string(&directory), options->ops, &state->server.tools, &state->profile,
                                err);
    buf_release(&directory);
    free(domains);
    return status;
}

/* Asked once per target: later sessions begin as the first one that went well. */
static int meet(struct mcp_driver *state, const char *command, bool restartable, struct error **err)
{
    static const enum mcp_era begin[] = {
        [TARGET_ERA_AUTO] = MCP_ERA_ASK, [TARGET_ERA_OLD] = MCP_ERA_OLD, [TARGET_ERA_MODERN] = MCP_ERA_MODERN};
    struct session *s = state->peer.session;
    struct target *t = s->target;
    const struct settings *settings = t->options.settings;
    target_lock(t);
    enum mcp_era known = (enum mcp_era)t->era;
    target_unlock(t);
    struct buf capabilities;
    buf_init(&capabilities, 4096);
    mcp_offer_add_capabilities(&capabilities, mcp_client_offered(state->peer.client));
    struct mcp_meeting m = {.era = state->greet ? MCP_ERA_OLD : known == MCP_ERA_ASK ? begin[t->options.era] : known,
                            .ask_ms = settings_int(settings, "exec.era-timeout"),
                            .restartable = restartable,
                            .capabilities = buf_string(&capabilities)};
    int status = mcp_meet(state->peer.client, settings_int(settings, "exec.start-timeout"), command, &m, &state->server, err);
    buf_release(&capabilities);
    s->again = m.again;
    target_lock(t);
    t->era = status == 0 ? (int)m.era : m.again ? MCP_ERA_HELLO : (int)known;
    target_unlock(t);
    return status;
}

/* What may be called of the list that came. */
static void finish_tools(const struct mcp_driver *state, struct mcp_server *server)
{
    const struct session *s = state->peer.session;
    const struct target_options *options = &s->target->options;
    mcp_tools_finish(&server->tools, options->tools, options->exclude_tools, s->boxed || options->allow_destructive);
    if (state->server.modern && state->over_http)
        mcp_param_finish(&server->tools);
}

/* What changes is told of where the server says that it tells. */
static void subscribe(struct mcp_driver *state)
{
    static const struct {
        const char *pointer, *filter;
    } rows[] = {{"/tools/listChanged", "\"toolsListChanged\":true"},
                {"/prompts/listChanged", "\"promptsListChanged\":true"},
                {"/resources/listChanged", "\"resourcesListChanged\":true"}};
    struct buf filter;
    buf_init(&filter, 1024);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (json_is(json_pointer(state->server.capabilities, bytes_of_string(rows[i].pointer)), JSON_TRUE))
            buf_addf(&filter, "%c%s", filter.len ? ',' : '{', rows[i].filter);
    buf_add_string(&filter, "}");
    if (filter.len > 1)
        mcp_client_subscribe(state->peer.client, buf_string(&filter));
    buf_release(&filter);
}

/* A browser has many threads in each of many processes, and the kernel counts them all. That the server has one shows when it has told its tools, so
 * the first session is started again, in a box that has room for them. */
static int make_room(const struct mcp_driver *state, bool restartable, struct error **err)
{
    struct session *s = state->peer.session;
    const struct op *navigate = ops_find(s->target->options.ops, "navigate");
    if (!restartable || !s->agent || s->threads >= BROWSER_THREADS || !navigate || !tool_map_find(&state->map, navigate, false))
        return 0;
    target_lock(s->target);
    s->target->threads = BROWSER_THREADS;
    target_unlock(s->target);
    s->again = true;
    return error_set(err, ERR_TARGET, "its browser needs room for threads");
}

int mcp_learn(struct mcp_driver *state, const char *command, bool restartable, struct error **err)
{
    struct session *s = state->peer.session;
    const struct target_options *options = &s->target->options;
    struct mcp_server *server = &state->server;
    TRY(meet(state, command, restartable, err));
    finish_tools(state, server);
    if (server->modern)
        subscribe(state);
    TRY(find_profile(state, err));
    mcp_gate_init(&state->gate, &server->tools, options->tools, options->exclude_tools);
    tool_map_init(&state->map, &server->tools, options->ops, state->profile);
    mcp_tabs_init(&state->tabs, &state->map);
    TRY(make_room(state, restartable, err));
    target_set_identity(s->target, "mcp %s %s (%zu tool%s, protocol %.*s, %s era)", server->name, server->version,
                        server->tools.count, server->tools.count == 1 ? "" : "s", BYTES_ARG(server->protocol),
                        server->modern ? "modern" : "old");
    return 0;
}

/* A list that cannot be had leaves the old one in place. Identity and profile stay: they are the target's, not of this moment. */
void mcp_relearn(struct mcp_driver *state)
{
    enum { RELISTS_MAX = 16 };
    uint64_t changed = mcp_client_counts(state->peer.client)->tools_changed;
    if (changed == state->tools_seen || state->relists == RELISTS_MAX)
        return;
    struct session *s = state->peer.session;
    const struct target_options *options = &s->target->options;
    struct mcp_server fresh;
    state->tools_seen = changed;
    state->relists++;
    mcp_server_init(&fresh);
    if (mcp_list_tools(state->peer.client, settings_int(options->settings, "exec.probe-timeout"), &fresh, NULL) == 0 &&
        !fresh.tools_refused) {
        struct mcp_tools old = state->server.tools;
        state->server.tools = fresh.tools;
        fresh.tools = old;
        finish_tools(state, &state->server);
        tool_map_release(&state->map);
        tool_map_init(&state->map, &state->server.tools, options->ops, state->profile);
    }
    mcp_server_release(&fresh);
}

void mcp_driver_free(struct mcp_driver *state)
{
    peer_release(&state->peer);
    tool_map_release(&state->map);
    mcp_tabs_release(&state->tabs);
    mcp_gate_release(&state->gate);
    profile_free(state->profile);
    mcp_server_release(&state->server);
    free(state);
}

static int mcp_open(struct session *s, struct error **err)
{
    struct mcp_driver *state = xcalloc(1, sizeof *state);
    mcp_server_init(&state->server);
    char **words = session_words(s);
    int status = peer_start(&state->peer, s, words, err);
    if (status == 0)
        status = mcp_learn(state, words[0], true, err);
    strings_free(words);
    if (status < 0)
        mcp_driver_free(state);
    else
        s->driver_state = state;
    return status;
}

static void mcp_close(struct session *s)
{
    struct mcp_driver *state = s->driver_state;
    if (!state)
        return;
    peer_finish(&state->peer);
    const struct wire_event *events;
    size_t count = mcp_client_events(state->peer.client, &events);
    session_keep_breaches(s, events, count);
    mcp_driver_free(state);
    s->driver_state = NULL;
}

/* --- looking --- */

bool mcp_alive(struct session *s)
{
    struct mcp_driver *state = s->driver_state;
    return state && mcp_client_alive(state->peer.client);
}

size_t mcp_wire_events(struct session *s, const struct wire_event **events)
{
    struct mcp_driver *state = s->driver_state;
    return mcp_client_events(state->peer.client, events);
}

struct bytes mcp_stderr_tail(struct session *s)
{
    const struct mcp_driver *state = s->driver_state;
    return mcp_client_stderr(state->peer.client);
}

/* Ops of a browser that no one tool carries out. */
static void explain_lowered(struct session *s, struct buf *out)
{
    const struct ops *ops = s->target->options.ops;
    size_t before = out->len;
    for (size_t i = 0; session_supports(s, "browser") && i < ops_count(ops); i++) {
        const struct op *op = ops_at(ops, i);
        if (strcmp(op->group, "browser") == 0 && session_support_op(s, op) == SUPPORT_LOWERED)
            buf_addf(out, "%s %s", out->len == before ? "by several calls, or by a script in the page:" : "", op->name);
    }
    if (out->len > before)
        buf_add_byte(out, '\n');
}

void mcp_explain(struct session *s, struct buf *out)
{
    struct mcp_driver *state = s->driver_state;
    size_t count = state->server.tools.count;
    buf_addf(out, "%s %s, protocol %.*s (%s era), %zu tool%s, profile: %s\n", state->server.name,
             state->server.version, BYTES_ARG(state->server.protocol), state->server.modern ? "modern" : "old", count,
             count == 1 ? "" : "s", state->profile ? profile_name(state->profile) : "none");
    if (state->server.keep_ms >= 0)
        buf_addf(out, "its list of tools stays good for %lld ms, %s\n", (long long)state->server.keep_ms,
                 state->server.keep_scope ? state->server.keep_scope : "for whom it does not say");
    if (state->server.tools_refused)
        buf_add_string(out, "the server has no tools/list\n");
    if (state->relists)
        buf_addf(out, "its tools changed, and the list was fetched again: %u time%s\n", state->relists,
                 state->relists == 1 ? "" : "s");
    mcp_catalog_explain(mcp_catalog_of(state), out);
    tool_map_explain(&state->map, &state->server.tools, out);
    explain_lowered(s, out);
}

const struct driver driver_mcp = {
    .frames = true,
    .name = "mcp",
    .prefix = "mcp:",
    .doc = "an MCP server over stdio",
    .open = mcp_open,
    .close = mcp_close,
    .calls = mcp_calls,
    .supports = mcp_supports,
    .apart = true,
    .helper = mcp_helper,
    .alive = mcp_alive,
    .wire_events = mcp_wire_events,
    .stderr_tail = mcp_stderr_tail,
    .explain = mcp_explain,
    .tools = mcp_tool_list,
    .run_channel = mcp_run_channel,
};
