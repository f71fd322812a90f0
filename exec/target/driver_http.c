/* The driver for MCP servers over streamable HTTP: `http://HOST:PORT/PATH`, with or without --start.
 *
 * All but the way of the bytes is the stdio driver's: calls, maps, results. A server that --start began in the session's box is
 * reached by sockets that the box's agent makes, so it can listen on the box's own loopback and nowhere else. */
#include <stdlib.h>
#include <string.h>

#include "exec/target/driver_mcp_internal.h"
#include "exec/target/launch.h"

static int launched_ended(void *context, int *status)
{
    struct mcp_driver *state = context;
    return launch_ended(state->peer.session, status) ? 1 : 0;
}

static bool stopped(void *context)
{
    const struct mcp_driver *state = context;
    return session_stopping(state->peer.session);
}

static int connect_socket(void *context, int family)
{
    struct mcp_driver *state = context;
    return launch_socket(state->peer.session, family);
}

static char *http_url(struct session *s)
{
    return session_expand(s, s->target->words[0]);
}

static void make_client(struct mcp_driver *state, const char *url)
{
    const struct target_options *o = &state->peer.session->target->options;
    struct mcp_peer peer = {.in = -1, .out = -1, .err = -1, .ended = launched_ended, .stopped = stopped, .context = state};
    struct mcp_limits limits = {.max_line = (size_t)settings_int(o->settings, "exec.max-line"),
                                .quiet_ms = settings_int(o->settings, "exec.send-wait"),
                                .grace_ms = settings_int(o->settings, "exec.grace")};
    struct mcp_http_options http = {
        .url = url,
        .headers = o->headers,
        .ca_file = o->ca_file,
        .insecure = o->insecure,
        .socket = connect_socket,
        .context = state,
        .local_only = !o->allow_remote};
    state->peer.client = mcp_client_new_http(&peer, &limits, &http);
    state->peer.session->wire.root = state->peer.session->root;
    mcp_client_log(state->peer.client, &state->peer.session->wire);
    mcp_client_offer(state->peer.client, state->peer.session->target->offers, state->peer.session->root);
}

/* A server that does not take the first POST may speak the older transport. What it said to the POST is told when it does not. */
static int learn(struct mcp_driver *state, const char *url, struct error **err)
{
    const struct settings *settings = state->peer.session->target->options.settings;
    const struct target *target = state->peer.session->target;
    int status = mcp_learn(state, url, target->options.start != NULL, err);
    bool final = status == 0 || state->peer.session->again || target->options.era == TARGET_ERA_MODERN;
    if (final || !mcp_client_fall_back(state->peer.client, settings_int(settings, "exec.start-timeout")))
        return status;
    error_free(*err);
    *err = NULL;
    state->greet = true;
    return mcp_learn(state, url, false, err);
}

static int http_open(struct session *s, struct error **err)
{
    struct mcp_driver *state = xcalloc(1, sizeof *state);
    state->peer.session = s;
    state->over_http = true;
    mcp_server_init(&state->server);
    char *url = http_url(s);
    make_client(state, url);
    int status = learn(state, url, err);
    free(url);
    if (status < 0) {
        mcp_driver_free(state);
        return status;
    }
    mcp_client_listen(state->peer.client);
    s->driver_state = state;
    return 0;
}

/* A session that the server ended is followed by a new one before the next message of ours; raw bytes alone still go as if the old
 * one were there. How that went is seen by the calls themselves. */
static void begin_anew(struct mcp_driver *state, int64_t ms)
{
    struct mcp_client *c = state->peer.client;
    struct error *err = NULL;
    if (!mcp_client_session_over(c))
        return;
    mcp_client_start_anew(c, ms);
    if (mcp_greet(c, ms, "again", &state->server, &err) < 0)
        error_free(err);
    else
        mcp_client_listen(c);
}

static void http_calls(struct session *s, struct call *const *calls, size_t count)
{
    struct mcp_driver *state = s->driver_state;
    int64_t longest = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(calls[i]->op->name, "send") != 0 && calls[i]->timeout_ms > longest)
            longest = calls[i]->timeout_ms;
    int64_t start = settings_int(s->target->options.settings, "exec.start-timeout");
    if (longest)
        begin_anew(state, longest < start ? longest : start);
    mcp_calls(s, calls, count);
}

static void http_close(struct session *s)
{
    struct mcp_driver *state = s->driver_state;
    if (!state)
        return;
    peer_finish(&state->peer);
    mcp_driver_free(state);
    s->driver_state = NULL;
}

const struct driver driver_http = {
    .frames = true,
    .name = "http",
    .prefix = "http:",
    .doc = "an MCP server over streamable HTTP",
    .open = http_open,
    .close = http_close,
    .calls = http_calls,
    .supports = mcp_supports,
    .apart = true,
    .helper = mcp_helper,
    .alive = mcp_alive,
    .wire_events = mcp_wire_events,
    .stderr_tail = mcp_stderr_tail,
    .explain = mcp_explain,
    .tools = mcp_tool_list,
    .run_channel = mcp_run_channel,
    .url = http_url,
};
