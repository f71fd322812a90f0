/* The driver for MCP servers over stdio: `mcp:COMMAND LINE`.
 *
 * The server is started by the session's agent in the session's box. The conversation is mcp_client.h's,
 * the first part of it mcp_handshake.h's; which tool carries out an op is map.h's, what a reply says
 * mcp_result.h's. A call becomes an exchange, and an exchange an outcome, in mcp_calls.c. After open
 * nothing a server does is an error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "exec/target/driver_mcp_internal.h"

/* --- opening and closing --- */

static int process_ended(void *context, int *status)
{
    const struct mcp_driver *state = context;
    return agent_status(state->session->agent, state->process.id, status);
}

static int process_wake(void *context)
{
    const struct mcp_driver *state = context;
    return agent_fd(state->session->agent);
}

static bool process_stopped(void *context)
{
    const struct mcp_driver *state = context;
    return session_stopping(state->session);
}

static int start_server(struct mcp_driver *state, char *const *words, struct error **err)
{
    struct session *s = state->session;
    char **env = session_environment(s), *cwd = session_directory(s);
    struct agent_command command = {
        .argv = (const char *const *)words, .env = (const char *const *)env, .cwd = cwd, .with_stdin = true};
    int status = agent_spawn(s->agent, &command, &state->process, err);
    if (status == 0 && state->process.exec_errno)
        status = error_set(err, ERR_TARGET, "cannot start '%s': %s", words[0],
                           strerror(state->process.exec_errno));
    strings_free(env);
    free(cwd);
    if (status < 0)
        return status;
    s->main_pid = state->process.pid;
    const struct settings *settings = s->target->options.settings;
    struct mcp_peer peer = {.in = state->process.in, .out = state->process.out, .err = state->process.err,
                            .wake = process_wake, .ended = process_ended, .stopped = process_stopped,
                            .context = state};
    struct mcp_limits limits = {.max_line = (size_t)settings_int(settings, "exec.max-line"),
                                .quiet_ms = settings_int(settings, "exec.send-wait"),
                                .grace_ms = settings_int(settings, "exec.grace")};
    state->client = mcp_client_new(&peer, &limits);
    return 0;
}

static int find_profile(struct mcp_driver *state, struct error **err)
{
    const struct target_options *options = &state->session->target->options;
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

static int learn_server(struct mcp_driver *state, const char *command, struct error **err)
{
    struct session *s = state->session;
    const struct target_options *options = &s->target->options;
    struct mcp_server *server = &state->server;
    TRY(mcp_handshake(state->client, settings_int(options->settings, "exec.start-timeout"), command, server,
                      err));
    mcp_tools_finish(&server->tools, options->tools, options->exclude_tools,
                     s->boxed || options->allow_destructive);
    TRY(find_profile(state, err));
    tool_map_init(&state->map, &server->tools, options->ops, state->profile);
    target_set_identity(s->target, "mcp %s %s (%zu tool%s)", server->name, server->version,
                        server->tools.count, server->tools.count == 1 ? "" : "s");
    return 0;
}

static void mcp_driver_free(struct mcp_driver *state)
{
    mcp_client_free(state->client);
    tool_map_release(&state->map);
    profile_free(state->profile);
    mcp_server_release(&state->server);
    free(state);
}

static int mcp_open(struct session *s, struct error **err)
{
    struct mcp_driver *state = xcalloc(1, sizeof *state);
    state->session = s;
    mcp_server_init(&state->server);
    char **words = session_words(s);
    int status = start_server(state, words, err);
    if (status == 0)
        status = learn_server(state, words[0], err);
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
    mcp_client_finish(state->client, settings_int(s->target->options.settings, "exec.grace"));
    mcp_driver_free(state);
    s->driver_state = NULL;
}

/* --- looking --- */

static bool mcp_alive(struct session *s)
{
    struct mcp_driver *state = s->driver_state;
    return state && mcp_client_alive(state->client);
}

static size_t mcp_wire_events(struct session *s, const struct wire_event **events)
{
    struct mcp_driver *state = s->driver_state;
    return mcp_client_events(state->client, events);
}

static struct bytes mcp_stderr_tail(struct session *s)
{
    const struct mcp_driver *state = s->driver_state;
    return mcp_client_stderr(state->client);
}

static void mcp_explain(struct session *s, struct buf *out)
{
    const struct mcp_driver *state = s->driver_state;
    size_t count = state->server.tools.count;
    buf_addf(out, "%s %s, protocol %.*s, %zu tool%s, profile: %s\n", state->server.name,
             state->server.version, BYTES_ARG(state->server.protocol), count, count == 1 ? "" : "s",
             state->profile ? profile_name(state->profile) : "none");
    if (state->server.tools_refused)
        buf_add_string(out, "the server has no tools/list\n");
    tool_map_explain(&state->map, &state->server.tools, out);
}

const struct driver driver_mcp = {
    .name = "mcp",
    .prefix = "mcp:",
    .doc = "an MCP server over stdio",
    .open = mcp_open,
    .close = mcp_close,
    .calls = mcp_calls,
    .supports = mcp_supports,
    .alive = mcp_alive,
    .wire_events = mcp_wire_events,
    .stderr_tail = mcp_stderr_tail,
    .explain = mcp_explain,
    .run_channel = mcp_run_channel,
};
