/* The driver for MCP servers over streamable HTTP: `http://HOST:PORT/PATH`, with or without --start.
 *
 * All but the way of the bytes is the stdio driver's: calls, maps, results. A server that --start began in the session's box is
 * reached by sockets that the box's agent makes, so it can listen on the box's own loopback and nowhere else. */
#include <stdlib.h>

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
        .socket = connect_socket,
        .context = state,
        .local_only = !o->allow_remote};
    state->peer.client = mcp_client_new_http(&peer, &limits, &http);
}

static int http_open(struct session *s, struct error **err)
{
    struct mcp_driver *state = xcalloc(1, sizeof *state);
    state->peer.session = s;
    mcp_server_init(&state->server);
    char *url = http_url(s);
    make_client(state, url);
    int status = mcp_learn(state, url, err);
    free(url);
    if (status < 0) {
        mcp_driver_free(state);
        return status;
    }
    mcp_client_listen(state->peer.client);
    s->driver_state = state;
    return 0;
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
    .name = "http",
    .prefix = "http:",
    .doc = "an MCP server over streamable HTTP",
    .open = http_open,
    .close = http_close,
    .calls = mcp_calls,
    .supports = mcp_supports,
    .alive = mcp_alive,
    .wire_events = mcp_wire_events,
    .stderr_tail = mcp_stderr_tail,
    .explain = mcp_explain,
    .tools = mcp_tool_list,
    .run_channel = mcp_run_channel,
    .url = http_url,
};
