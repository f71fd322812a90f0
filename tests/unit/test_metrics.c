/* --metrics: where it listens, whom it answers, and what. */
#include "cli/metrics.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

static struct metrics *m;
static unsigned port;
static struct buf reply;

static void set_up(void)
{
    struct error *err = NULL;
    ck_assert_msg(metrics_open("0", false, &m, &err) == 0, "%s", err ? err->text : "");
    ck_assert_int_eq(sscanf(metrics_url(m), "http://127.0.0.1:%u/", &port), 1);
    metrics_put(m, BYTES_LITERAL("first\n"), BYTES_LITERAL("<p>first"));
    metrics_put(m, BYTES_LITERAL("figures\n"), BYTES_LITERAL("<p>page"));
    buf_init(&reply, 1 << 20);
}

static void tear_down(void)
{
    metrics_close(m);
    buf_release(&reply);
}

/* Sends the text and reads until the server closes. */
static const char *ask(const char *request)
{
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char bytes[4096];
    ssize_t got;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    ck_assert_int_eq(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    buf_clear(&reply);
    while ((got = read(fd, bytes, sizeof bytes)) > 0)
        buf_add(&reply, bytes_of(bytes, (size_t)got));
    close(fd);
    return buf_string(&reply);
}

static bool status_is(const char *got, const char *status)
{
    return strncmp(got, "HTTP/1.1 ", 9) == 0 && strncmp(got + 9, status, 3) == 0;
}

START_TEST(answers)
{
    const char *got = ask("GET /metrics HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n");
    ck_assert_msg(status_is(got, "200") && strstr(got, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"), "%s", got);
    ck_assert_str_eq(strstr(got, "\r\n\r\n"), "\r\n\r\nfigures\n");
    got = ask("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    ck_assert_msg(status_is(got, "200") && strstr(got, "\r\nContent-Type: text/html; charset=utf-8\r\n") && strstr(got, "\r\n\r\n<p>page"), "%s", got);
    got = ask("HEAD /metrics HTTP/1.1\r\nHost: [::1]:99\r\nConnection: close\r\n\r\n");
    ck_assert_msg(status_is(got, "200") && !strstr(got, "figures"), "%s", got);
    ck_assert(status_is(ask("GET /metrics?x=1 HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n"), "200"));
}
END_TEST

START_TEST(turns_down)
{
    static const struct {
        const char *request, *status;
    } rows[] = {
        {"GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "404"},
        {"GET /metrics/../.. HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "404"},
        {"POST /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\nxx", "405"},
        /* a page that has pointed its name at this machine */
        {"GET /metrics HTTP/1.1\r\nHost: evil.example:9100\r\nConnection: close\r\n\r\n", "403"},
        {"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\nConnection: close\r\n\r\n", "403"},
        {"GET /metrics HTTP/1.1\r\nHost: 10.0.0.1:9100\r\nConnection: close\r\n\r\n", "403"},
        {"GET /metrics HTTP/1.0\r\n\r\n", "403"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = ask(rows[i].request);
        ck_assert_msg(status_is(got, rows[i].status) && !strstr(got, "figures"), "%s%s", rows[i].request, got);
    }
    ck_assert(status_is(ask("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), "200"));
}
END_TEST

START_TEST(addresses)
{
    static const struct {
        const char *where;
        bool open;
        int status;
    } rows[] = {
        {"127.0.0.1:0", false, 0},       {"localhost:0", false, 0},         {"127.9.9.9:0", false, 0},   {"0.0.0.0:0", true, 0},
        {"0.0.0.0:0", false, ERR_INPUT}, {"10.1.2.3:9100", false, ERR_INPUT}, {"[::]:0", false, ERR_INPUT}, {"65536", false, ERR_INPUT},
        {"", false, ERR_INPUT},          {"http", false, ERR_INPUT},        {"-1", false, ERR_INPUT},    {":9100", false, ERR_INPUT},
        {"::1:0", true, ERR_INPUT},      {"[::1:0", false, ERR_INPUT},      {"example.org:0", true, ERR_INPUT}, {"127.0.0.1:", false, ERR_INPUT},
        {"127.0.0.1:+1", false, ERR_INPUT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct metrics *other = NULL;
        struct error *err = NULL;
        int status = metrics_open(rows[i].where, rows[i].open, &other, &err);
        ck_assert_msg(status == rows[i].status, "%s: %d %s", rows[i].where, status, err ? err->text : "");
        ck_assert((err != NULL) == (status < 0));
        error_free(err);
        metrics_close(other);
    }
    char taken[32];
    struct metrics *other = NULL;
    struct error *err = NULL;
    snprintf(taken, sizeof taken, "%u", port);
    ck_assert_int_eq(metrics_open(taken, false, &other, &err), ERR_TARGET);
    error_free(err);
}
END_TEST

static void fill(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, answers);
    tcase_add_test(tests, turns_down);
    tcase_add_test(tests, addresses);
}

int main(void)
{
    return unit_main("metrics", fill);
}
