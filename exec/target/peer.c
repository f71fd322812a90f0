/* Starting and ending the process that a JSON-RPC driver talks to; see peer.h. */
#include "exec/target/peer.h"

#include <stdlib.h>
#include <string.h>

static int process_ended(void *context, int *status)
{
    const struct peer *p = context;
    return agent_status(p->session->agent, p->process.id, status);
}

static int process_wake(void *context)
{
    const struct peer *p = context;
    return agent_fd(p->session->agent);
}

static bool process_stopped(void *context)
{
    const struct peer *p = context;
    return session_stopping(p->session);
}

int peer_start(struct peer *p, struct session *s, char *const *words, struct error **err)
{
    *p = (struct peer){.session = s};
    char **env = session_environment(s), *cwd = session_directory(s);
    struct agent_command command = {
        .argv = (const char *const *)words, .env = (const char *const *)env, .cwd = cwd, .with_stdin = true};
    int status = agent_spawn(s->agent, &command, &p->process, err);
    if (status == 0 && p->process.exec_errno)
        status = error_set(err, ERR_TARGET, "cannot start '%s': %s", words[0], strerror(p->process.exec_errno));
    strings_free(env);
    free(cwd);
    if (status < 0)
        return status;
    s->main_pid = p->process.pid;
    const struct settings *settings = s->target->options.settings;
    struct mcp_peer other = {.in = p->process.in, .out = p->process.out, .err = p->process.err,
                             .wake = process_wake, .ended = process_ended, .stopped = process_stopped,
                             .context = p};
    struct mcp_limits limits = {.max_line = (size_t)settings_int(settings, "exec.max-line"),
                                .quiet_ms = settings_int(settings, "exec.send-wait"),
                                .grace_ms = settings_int(settings, "exec.grace")};
    p->client = mcp_client_new(&other, &limits);
    s->wire.root = s->root;
    mcp_client_log(p->client, &s->wire);
    mcp_client_offer(p->client, s->target->offers, s->root);
    return 0;
}

void peer_finish(struct peer *p)
{
    mcp_client_finish(p->client, settings_int(p->session->target->options.settings, "exec.grace"));
}

void peer_release(struct peer *p)
{
    mcp_client_free(p->client);
    p->client = NULL;
}
