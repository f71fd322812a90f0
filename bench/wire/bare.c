/* The bare loop; see bare.h. An answer over pipes ends with a newline; over HTTP with the last chunk, or with the blank line of an
 * event. */
#include "bare.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum { LANES_MAX = 64, TEXT_MAX = 1 << 20, CONNECT_TRIES = 400, NAP_MS = 25 };

struct bare {
    pid_t pid;
    int in, out, port, lanes;
    int sockets[LANES_MAX];
    char session[256];
    long id;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_wire: bare loop: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void put(int fd, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        ssize_t n = write(fd, text + at, length - at);
        if (n <= 0)
            die("write");
        at += (size_t)n;
    }
}

static int connect_to(int port)
{
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < CONNECT_TRIES; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
            return fd;
        close(fd);
        poll(NULL, 0, NAP_MS);
    }
    die("connect");
    return -1;
}

/* Reads until the text ends an HTTP answer: the last chunk, or a body of the announced length (only 202s have none). */
static size_t read_answer(int fd, char *text)
{
    for (size_t length = 0;;) {
        ssize_t n = read(fd, text + length, TEXT_MAX - 1 - length);
        if (n <= 0)
            die("read");
        length += (size_t)n;
        text[length] = '\0';
        const char *body = strstr(text, "\r\n\r\n");
        if (!body)
            continue;
        const char *said = strcasestr(text, "content-length:");
        if (said && said < body) {
            if (strlen(body + 4) >= (size_t)strtol(said + 15, NULL, 10))
                return length;
        } else if (length >= 5 && memcmp(text + length - 5, "0\r\n\r\n", 5) == 0) {
            return length;
        }
    }
}

static void post(struct bare *b, int fd, const char *body)
{
    static char text[TEXT_MAX];
    int n = snprintf(text, sizeof text,
                     "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n%s%s%s"
                     "Content-Length: %zu\r\n\r\n%s",
                     *b->session ? "Mcp-Session-Id: " : "", b->session, *b->session ? "\r\n" : "", strlen(body), body);
    put(fd, text, (size_t)n);
}

static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                            "\"capabilities\":{},\"clientInfo\":{\"name\":\"bare\",\"version\":\"1\"}}}";
static const char ready[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

static void greet_http(struct bare *b)
{
    static char text[TEXT_MAX];
    for (int i = 0; i < b->lanes; i++)
        b->sockets[i] = connect_to(b->port);
    post(b, b->sockets[0], hello);
    read_answer(b->sockets[0], text);
    const char *id = strcasestr(text, "mcp-session-id:");
    if (id)
        sscanf(id + 15, " %255[^\r\n]", b->session);
    post(b, b->sockets[0], ready);
    read_answer(b->sockets[0], text);
}

/* Lines until so many have come. */
static void read_lines(struct bare *b, size_t lines)
{
    static char text[TEXT_MAX];
    while (lines) {
        ssize_t n = read(b->out, text, sizeof text);
        if (n <= 0)
            die("read");
        for (char *at = text; lines && (at = memchr(at, '\n', (size_t)(text + n - at))); at++)
            lines--;
    }
}

static void greet_pipe(struct bare *b)
{
    put(b->in, hello, strlen(hello));
    put(b->in, "\n", 1);
    read_lines(b, 1);
    put(b->in, ready, strlen(ready));
    put(b->in, "\n", 1);
}

/* Some servers listen on every address: they get a network of their own, with loopback alone, which we join. */
void bare_private_network(void)
{
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (unshare(CLONE_NEWNET) < 0)
        die("a network namespace (run it as root)");
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback) < 0)
        die("loopback");
    close(fd);
}

struct bare *bare_start(char *const *argv, int port, int lanes)
{
    struct bare *b = xcalloc(1, sizeof *b);
    int in[2], out[2];
    if (pipe(in) < 0 || pipe(out) < 0)
        die("pipe");
    b->port = port;
    b->lanes = lanes < LANES_MAX ? lanes : LANES_MAX;
    b->pid = fork();
    if (b->pid == 0) {
        char text[16];
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a run that fails leaves nothing behind */
        snprintf(text, sizeof text, "%d", port);
        setenv("PORT", text, 1);
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int fd = 3; fd < 256; fd++)
            close(fd);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    b->in = in[1];
    b->out = out[0];
    if (port)
        greet_http(b);
    else
        greet_pipe(b);
    return b;
}

void bare_stop(struct bare *b)
{
    for (int i = 0; b->port && i < b->lanes; i++)
        close(b->sockets[i]);
    close(b->in);
    close(b->out);
    kill(b->pid, SIGTERM);
    waitpid(b->pid, NULL, 0);
    free(b);
}

static int request(struct bare *b, struct bytes params, char *text)
{
    return snprintf(text, TEXT_MAX, "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":%.*s}", ++b->id,
                    BYTES_ARG(params));
}

double bare_calls(struct bare *b, struct bytes params, size_t requests)
{
    static char text[TEXT_MAX], answer[TEXT_MAX];
    int64_t start = clock_monotonic_ns();
    for (size_t done = 0; done < requests; done += (size_t)b->lanes) {
        for (int i = 0; i < b->lanes; i++) {
            int n = request(b, params, text);
            if (b->port) {
                post(b, b->sockets[i], text);
            } else {
                text[n] = '\n';
                put(b->in, text, (size_t)n + 1);
            }
        }
        for (int i = 0; b->port && i < b->lanes; i++)
            read_answer(b->sockets[i], answer);
        if (!b->port)
            read_lines(b, (size_t)b->lanes);
    }
    return (double)(clock_monotonic_ns() - start) / 1e9;
}
