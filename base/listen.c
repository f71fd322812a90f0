/* Addresses to listen at; see listen.h. Only addresses in digits and "localhost", so that no name server is asked. */
#include "base/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static bool read_port(const char *text, uint16_t *port)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (!*text || strspn(text, "0123456789") != strlen(text) || value > UINT16_MAX)
        return false;
    *port = htons((uint16_t)value);
    return true;
}

bool listen_split(const char *where, char *host, size_t size, const char **port)
{
    const char *colon = strrchr(where, ':'), *from = where, *to = colon;
    *port = colon ? colon + 1 : where;
    *host = 0;
    if (!colon || colon == where)
        return !colon;
    if (*from == '[') {
        if (to[-1] != ']')
            return false;
        from++;
        to--;
    } else if (memchr(from, ':', (size_t)(to - from))) {
        return false; /* IPv6 without brackets: which colon is the port's? */
    }
    return snprintf(host, size, "%.*s", (int)(to - from), from) < (int)size;
}

bool listen_is_loopback(const char *host)
{
    struct in_addr four;
    if (inet_pton(AF_INET, host, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
}

bool listen_address_is_loopback(const union listen_address *a)
{
    return a->any.sa_family == AF_INET ? ntohl(a->four.sin_addr.s_addr) >> 24 == 127 : IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
}

int listen_read(const char *where, union listen_address *a, struct error **err)
{
    char host[64];
    const char *port;
    uint16_t number;
    memset(a, 0, sizeof *a);
    if (!listen_split(where, host, sizeof host, &port) || !read_port(port, &number))
        return error_set(err, ERR_INPUT, "found '%s', expected [ADDRESS:]PORT, such as 9100, 127.0.0.1:9100 or [::1]:9100", where);
    const char *address = !*host || strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (inet_pton(AF_INET, address, &a->four.sin_addr) == 1) {
        a->four.sin_family = AF_INET;
        a->four.sin_port = number;
    } else if (inet_pton(AF_INET6, address, &a->six.sin6_addr) == 1) {
        a->six.sin6_family = AF_INET6;
        a->six.sin6_port = number;
    } else {
        return error_set(err, ERR_INPUT, "found the address '%s', expected localhost or one in digits", host);
    }
    return 0;
}

int listen_with(int fd, const union listen_address *a)
{
    int on = 1;
    socklen_t length = a->any.sa_family == AF_INET ? sizeof a->four : sizeof a->six;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 || bind(fd, &a->any, length) < 0 || listen(fd, BACKLOG) < 0)
        return errno;
    return 0;
}

int listen_open(const union listen_address *a, const char *where, int *fd, struct error **err)
{
    *fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0); /* what is started meanwhile does not get it */
    int why = *fd < 0 ? errno : listen_with(*fd, a);
    if (!why)
        return 0;
    if (*fd >= 0)
        close(*fd);
    return error_set(err, ERR_TARGET, "%s: %s", where, strerror(why));
}

void listen_url(int fd, char *url, size_t size)
{
    union listen_address a = {0};
    socklen_t length = sizeof a;
    char text[INET6_ADDRSTRLEN] = "";
    getsockname(fd, &a.any, &length);
    bool four = a.any.sa_family == AF_INET;
    bool all = four ? a.four.sin_addr.s_addr == htonl(INADDR_ANY) : IN6_IS_ADDR_UNSPECIFIED(&a.six.sin6_addr);
    inet_ntop(a.any.sa_family, four ? (void *)&a.four.sin_addr : (void *)&a.six.sin6_addr, text, sizeof text);
    if (all)
        snprintf(text, sizeof text, "%s", four ? "127.0.0.1" : "::1");
    snprintf(url, size, four ? "http://%s:%u/" : "http://[%s]:%u/", text, ntohs(four ? a.four.sin_port : a.six.sin6_port));
}
