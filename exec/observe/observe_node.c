/* The observer of the code of servers that run on Node.js: which ranges of which functions ran during a task, how often.
 *
 * V8 counts that itself. domains/observers/node-code.cjs, which Node.js loads first, has it switched on and answers on a socket in the
 * session's directory, whose name is gone before a task's first step. Whether a server runs on Node.js is not told by its name: at its
 * first start in a campaign, which is left alone, we look at the programs that run (chain_length), and from the second on it is
 * observed.
 *
 * What comes over the socket comes from the target. It may be anything, and is no more than features. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "exec/observe/node_answer.h"
#include "exec/procfs.h"
#include "exec/target/driver.h"
#include "exec/target/whereabouts.h"

#define SCRIPT "node-code.cjs"
#define VARIABLE "TASKGEN_OBSERVE"
#define PROC "/proc"

enum {
    PEERS_MAX = 16,        /* processes and threads of one session */
    LISTENERS_MAX = 8,
    CHAIN_UNKNOWN = -1,
    ANSWER_MS = 1000,      /* until a server that does not answer is given up */
    ANSWER_MAX = 8 << 20,  /* bytes; hundreds of times what servers need */
    PROCESSES_MAX = 256,
    NS_PER_MS = 1000000
};

struct shared {
    char *script;        /* of this machine */
    atomic_int chain;    /* Node.js processes from what we start to the server, itself counted; 0: it is none */
    atomic_uint sockets; /* made so far, for their names */
    struct script_lines *lines;
};

struct listener_at {
    struct session *session;
    int fd;
    char *path;
};

struct peer_at {
    int fd;
    struct buf in;
};

struct state {
    struct shared *shared;
    struct target *target;
    struct listener_at listeners[LISTENERS_MAX];
    size_t listener_count;
    struct peer_at peers[PEERS_MAX];
    size_t peer_count;
    bool at_work; /* a task runs */
    unsigned asked; /* numbers of questions */
};

/* --- a campaign's --- */

static char *script_path(void)
{
    char *domains = fs_data_dir("domains", NULL);
    char *path = domains ? strings_printf("%s/observers/" SCRIPT, domains) : NULL;
    free(domains);
    if (path && access(path, R_OK) < 0) {
        free(path);
        return NULL;
    }
    return path;
}

static const char *node_lacks(const struct target *t)
{
    if (t && target_beyond(t))
        return "the sandbox is elsewhere";
    if (t && !target_has_frames(t))
        return "it is no MCP server";
    char *path = script_path();
    bool there = path != NULL;
    free(path);
    return there ? NULL : "observers/" SCRIPT " is not among the installed data";
}

static void *node_open(struct target *t)
{
    (void)t;
    struct shared *s = xcalloc(1, sizeof *s);
    s->script = script_path();
    s->lines = script_lines_new();
    atomic_init(&s->chain, CHAIN_UNKNOWN);
    atomic_init(&s->sockets, 0);
    return s;
}

static void node_close(void *shared)
{
    struct shared *s = shared;
    script_lines_free(s->lines);
    free(s->script);
    free(s);
}

/* --- what runs --- */

static bool link_of(int pid, const char *name, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, PROC "/%d/%s", pid, name);
    ssize_t length = readlink(path, out, size - 1);
    out[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Distributions call it node or nodejs, some with a version behind. */
static bool is_node(int pid)
{
    char exe[4096];
    if (!link_of(pid, "exe", exe, sizeof exe))
        return false;
    const char *name = strrchr(exe, '/');
    name = name ? name + 1 : exe;
    if (strncmp(name, "node", 4) != 0)
        return false;
    name += strncmp(name, "nodejs", 6) == 0 ? 6 : 4;
    name += *name == '-';
    return name[strspn(name, "0123456789.")] == '\0';
}

/* From what we started, down along children that have its standard output, which a stdio server shares with nobody but who started
 * it in its own place (npx, a shell): how many of these run on Node.js. 0 when the last one does not. */
static int chain_length(const struct whereabouts *at)
{
    int pids[PROCESSES_MAX], chain = 0;
    char output[256], other[256];
    size_t count = proc_descendants(PROC, at->agent_pid, pids, PROCESSES_MAX);
    int current = 0;
    for (size_t i = 0; i < count && i < PROCESSES_MAX && !current; i++)
        current = proc_inside(PROC, pids[i]) == at->main_pid ? pids[i] : 0;
    bool last = false;
    if (!current || !link_of(current, "fd/1", output, sizeof output))
        return 0;
    for (int next = current; next; ) {
        current = next;
        next = 0;
        last = is_node(current);
        chain += last;
        for (size_t i = 0; i < count && i < PROCESSES_MAX && !next; i++) {
            struct proc_stat stat;
            bool below = proc_stat(PROC, pids[i], &stat) && stat.parent == current && stat.state != 'Z';
            next = below && link_of(pids[i], "fd/1", other, sizeof other) && strcmp(output, other) == 0 ? pids[i] : 0;
        }
    }
    return last ? chain : 0;
}

/* --- a session's --- */

static void *node_begin(void *shared)
{
    struct state *s = xcalloc(1, sizeof *s);
    s->shared = shared;
    return s;
}

static void peer_drop(struct state *s, size_t i)
{
    close(s->peers[i].fd);
    buf_release(&s->peers[i].in);
    s->peers[i] = s->peers[--s->peer_count];
}

static void listeners_close(struct state *s)
{
    while (s->listener_count) {
        struct listener_at *l = &s->listeners[--s->listener_count];
        close(l->fd);
        unlink(l->path);
        free(l->path);
    }
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 && chmod(path, 0666) == 0 &&
                listen(fd, PEERS_MAX) == 0;
    if (good)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Before those that the user gives it, if any. */
static void add_options(struct session *s, struct session_extra *extra, const char *script)
{
    char **env = session_environment(s);
    const char *theirs = "";
    for (char **e = env; *e; e++)
        if (strncmp(*e, "NODE_OPTIONS=", 13) == 0)
            theirs = *e + 13;
    strings_addf(extra->env, "NODE_OPTIONS=--require \"%s\"%s%s", script, *theirs ? " " : "", theirs);
    strings_free(env);
}

static void node_starting(void *state, struct session *session, struct session_extra *extra)
{
    struct state *s = state;
    struct whereabouts at;
    int chain = atomic_load(&s->shared->chain);
    bool boxed = target_boxed(session_target(session), NULL);
    const char *script = s->shared->script;
    if (chain <= 0 || !script || s->listener_count == LISTENERS_MAX)
        return;
    if (!boxed && strpbrk(script, "\"\\")) /* it stands between quotes */
        return;
    session_whereabouts(session, &at);
    char *path = strings_printf("%s/observe-%u", at.base, atomic_fetch_add(&s->shared->sockets, 1));
    int fd = listen_at(path);
    if (fd < 0) {
        free(path);
        return;
    }
    s->listeners[s->listener_count++] = (struct listener_at){.session = session, .fd = fd, .path = path};
    if (boxed)
        strings_add_all(extra->shown, (const char *const[]){script, SCRIPT, NULL});
    add_options(session, extra, boxed ? SESSION_SHOWN SCRIPT : script);
    strings_addf(extra->env, VARIABLE "=%d %s", chain, path);
}

static void accept_peers(struct state *s)
{
    for (size_t i = 0; i < s->listener_count; i++)
        for (int fd; s->peer_count < PEERS_MAX && (fd = accept4(s->listeners[i].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
            struct peer_at *p = &s->peers[s->peer_count++];
            p->fd = fd;
            buf_init(&p->in, ANSWER_MAX);
        }
}

static void node_started(void *state, struct session *session)
{
    struct state *s = state;
    int unknown = CHAIN_UNKNOWN;
    struct whereabouts at;
    session_whereabouts(session, &at);
    if (atomic_load(&s->shared->chain) == CHAIN_UNKNOWN && at.main_pid)
        atomic_compare_exchange_strong(&s->shared->chain, &unknown, chain_length(&at));
    accept_peers(s);
    if (s->at_work) /* see node_task_begin */
        listeners_close(s);
}

static void node_end(void *state)
{
    struct state *s = state;
    listeners_close(s);
    while (s->peer_count)
        peer_drop(s, s->peer_count - 1);
    free(s);
}

static const char *node_says(void *state)
{
    struct state *s = state;
    int chain = atomic_load(&s->shared->chain);
    return chain > 0 ? "runs on Node.js: its code is observed" : "does not run on Node.js: its code is not observed";
}

/* --- a task's --- */

/* A line; none: it is gone, or does not come. */
static struct bytes await_answer(struct peer_at *p, int64_t until_ns)
{
    enum { PIECE = 1 << 16 };
    for (;;) {
        ptrdiff_t end = bytes_find(buf_bytes(&p->in), BYTES_LITERAL("\n"), 0);
        if (end >= 0)
            return bytes_slice(buf_bytes(&p->in), 0, (size_t)end + 1);
        int64_t left = (until_ns - clock_monotonic_ns()) / NS_PER_MS;
        struct pollfd poll_it = {.fd = p->fd, .events = POLLIN};
        if (left <= 0 || poll(&poll_it, 1, (int)left) <= 0)
            return BYTES_NONE;
        uint8_t piece[PIECE];
        ssize_t n = recv(p->fd, piece, sizeof piece, 0);
        if (n <= 0 || buf_add(&p->in, bytes_of(piece, (size_t)n)) < 0)
            return BYTES_NONE;
    }
}

/* Asks all peers, then hears all; who does not answer is dropped. */
static void ask(struct state *s, const char *word, struct seen_list *list)
{
    char line[64];
    unsigned number = ++s->asked;
    int64_t until = clock_monotonic_ns() + ANSWER_MS * (int64_t)NS_PER_MS;
    int length = snprintf(line, sizeof line, "%s %u\n", word, number);
    for (size_t i = s->peer_count; i-- > 0;)
        if (send(s->peers[i].fd, line, (size_t)length, MSG_NOSIGNAL) != length)
            peer_drop(s, i);
    for (size_t i = s->peer_count; i-- > 0;) {
        struct bytes answer = await_answer(&s->peers[i], until);
        if (node_answer_read(answer, number, s->shared->lines, list))
            buf_drop_front(&s->peers[i].in, answer.len);
        else
            peer_drop(s, i);
    }
}

static void node_task_begin(void *state)
{
    struct state *s = state;
    accept_peers(s);
    listeners_close(s); /* what a task does finds no door, and leaves none behind */
    s->at_work = true;
    ask(s, "drop", NULL);
}

static void node_task_end(void *state, struct seen_list *list)
{
    struct state *s = state;
    s->at_work = false;
    ask(s, "take", list);
}

const struct observer observer_node = {
    .name = "node",
    .doc = "code of MCP servers that run on Node.js",
    .lacks = node_lacks,
    .open = node_open,
    .close = node_close,
    .begin = node_begin,
    .starting = node_starting,
    .started = node_started,
    .task_begin = node_task_begin,
    .task_end = node_task_end,
    .end = node_end,
    .says = node_says,
};
