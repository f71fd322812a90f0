/* --start, --ready, --stop; see launch.h. */
#include "exec/target/launch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "exec/target/mcp_ask.h"
#include "exec/target/spec.h"
#include "exec/target/url.h"

enum { NS_PER_MS = 1000000, NAP_MS = 25, LOG_MAX = 1 << 20, CONNECT_MS = 200, WORDS_SHOWN = 160 };

/* Everything it writes goes to $1; then it takes the shell's place. */
static const char wrap[] = "exec >\"$1\" 2>&1; shift; exec \"$@\"";

static char *log_name(const struct session *s)
{
    return strings_printf("%s/home/.taskgen-start.log", s->base);
}

/* --- addresses --- */

int launch_socket(struct session *s, int family)
{
    struct session *net = s->first ? s->first : s;
    if (net->launched_id && net->boxed)
        return agent_socket(net->agent, family);
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Does anything take connections there? Only addresses of this machine are asked. */
static bool accepts(struct session *s, const char *host, int port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    bool six = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
    if (!six && inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &v4.sin_addr) != 1)
        return true; /* a name: connecting will tell */
    int fd = launch_socket(s, six ? AF_INET6 : AF_INET);
    if (fd < 0)
        return false;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    const struct sockaddr *address = six ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
    int reason = connect(fd, address, six ? sizeof v6 : sizeof v4) == 0 ? 0 : errno;
    if (reason == EINPROGRESS) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        socklen_t length = sizeof reason;
        if (poll(&p, 1, CONNECT_MS) != 1 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &length) < 0)
            reason = ETIMEDOUT;
    }
    close(fd);
    return reason == 0;
}

/* --- starting --- */

static int spawn(struct session *s, const char *text, const char *log, struct agent_process *process, struct error **err)
{
    char **words = NULL;
    char *expanded = session_expand(s, text);
    int status = spec_split(expanded, &words, err);
    free(expanded);
    if (status < 0)
        return status;
    struct strings argv = {0};
    strings_add_all(&argv, (const char *const[]){"/bin/sh", "-c", wrap, "sh", log, NULL});
    spec_make_absolute(words, true);
    strings_add_all(&argv, (const char *const *)words);
    strings_free(words);
    char **env = session_environment(s), *cwd = session_directory(s);
    struct agent_command command = {
        .argv = (const char *const *)argv.items, .env = (const char *const *)env, .cwd = cwd, .merge_err = true};
    status = agent_spawn(s->agent, &command, process, err);
    if (status == 0 && process->exec_errno)
        status = error_set(err, ERR_TARGET, "cannot start '%s': %s", text, strerror(process->exec_errno));
    if (status == 0)
        close(process->out); /* nothing comes there: the shell writes to the file */
    strings_release(&argv);
    strings_free(env);
    free(cwd);
    return status;
}

static bool says(const char *log, const char *pattern)
{
    struct buf text;
    buf_init(&text, LOG_MAX);
    fs_read(log, LOG_MAX, &text, NULL);
    bool there = bytes_find(buf_bytes(&text), bytes_of_string(pattern), 0) >= 0;
    buf_release(&text);
    return there;
}

static bool is_ready(struct session *s, const char *ready, const char *log)
{
    char host[256];
    int port;
    if (url_address(ready, host, &port))
        return accepts(s, host, port);
    return says(log, ready);
}

/* The last line it wrote that has anything in it. */
static int give_up(const char *what, const char *how, const char *log, struct error **err)
{
    struct buf text;
    struct arena a;
    buf_init(&text, LOG_MAX);
    arena_init(&a);
    fs_read(log, LOG_MAX, &text, NULL);
    struct bytes said = buf_bytes(&text);
    while (said.len && strchr("\r\n ", said.data[said.len - 1]) && said.data[said.len - 1])
        said.len--;
    size_t from = said.len;
    while (from && said.data[from - 1] != '\n')
        from--;
    said = bytes_slice(said, from, said.len);
    int status = error_set(err, ERR_TARGET, "--start %s: %s%s%s", what, how, said.len ? "; its last words: " : "",
                           said.len ? mcp_visible(&a, said, WORDS_SHOWN) : "");
    arena_release(&a);
    buf_release(&text);
    return status;
}

static int wait_until_ready(struct session *s, const char *what, const char *ready, const char *log, struct error **err)
{
    int64_t ms = settings_int(s->target->options.settings, "exec.start-timeout");
    int64_t until = clock_monotonic_ns() + ms * NS_PER_MS;
    while (!is_ready(s, ready, log)) {
        int status;
        char how[128];
        struct buf text;
        buf_init(&text, sizeof how);
        if (launch_ended(s, &status))
            buf_addf(&text, WIFSIGNALED(status) ? "was ended by signal %d before it was ready" : "ended with status %d before it was ready",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        else if (clock_monotonic_ns() >= until || session_stopping(s))
            buf_addf(&text, "not ready within %lld ms", (long long)ms);
        if (text.len) {
            int failed = give_up(what, buf_string(&text), log, err);
            buf_release(&text);
            return failed;
        }
        buf_release(&text);
        poll(NULL, 0, NAP_MS);
    }
    return 0;
}

int launch_begin(struct session *s, const char *url, struct error **err)
{
    const struct target_options *o = &s->target->options;
    s->launched_id = 0;
    if (!o->start || s->first)
        return 0;
    struct agent_process process;
    char *log = log_name(s);
    int status = spawn(s, o->start, log, &process, err);
    if (status == 0) {
        s->launched_id = process.id;
        s->main_pid = process.pid;
        char *ready = o->ready ? session_expand(s, o->ready) : url ? xstrdup(url) : NULL;
        if (ready)
            status = wait_until_ready(s, o->start, ready, log, err);
        free(ready);
    }
    free(log);
    return status;
}

void launch_blame(struct session *s, struct error **err)
{
    const struct target_options *o = &s->target->options;
    int status;
    if (!s->launched_id || s->first || !launch_ended(s, &status) || !err || !*err)
        return;
    struct error *start = NULL;
    char how[64], *log = log_name(s);
    snprintf(how, sizeof how, WIFSIGNALED(status) ? "was ended by signal %d" : "ended with status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    give_up(o->start, how, log, &start);
    error_wrap(err, "%s; so", start->text);
    error_free(start);
    free(log);
}

bool launch_ended(struct session *s, int *status)
{
    struct session *owner = s->first ? s->first : s;
    return owner->launched_id && agent_status(owner->agent, owner->launched_id, status) == 1;
}

static void wait_for_end(struct session *s, int id, int64_t until)
{
    int status;
    while (agent_status(s->agent, id, &status) == 0 && clock_monotonic_ns() < until)
        poll(NULL, 0, NAP_MS);
}

void launch_end(struct session *s)
{
    const struct target_options *o = &s->target->options;
    if (!s->launched_id || s->first)
        return;
    int64_t until = clock_monotonic_ns() + settings_int(o->settings, "exec.grace") * NS_PER_MS;
    struct agent_process process;
    char *log = log_name(s);
    if (o->stop && spawn(s, o->stop, log, &process, NULL) == 0)
        wait_for_end(s, process.id, until);
    else
        agent_signal(s->agent, s->launched_id, SIGTERM, true);
    wait_for_end(s, s->launched_id, until);
    free(log);
    s->launched_id = 0;
}
