/* Reading addresses; see url.h. */
#include "exec/target/url.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PORT_MAX = 65535 };

bool url_address(const char *url, char host[256], int *port)
{
    bool tls = strncasecmp(url, "https://", 8) == 0;
    if (!tls && strncasecmp(url, "http://", 7) != 0)
        return false;
    const char *at = url + (tls ? 8 : 7), *end = at + strcspn(at, "/?#");
    for (const char *user = at; user < end; user++)
        if (*user == '@')
            at = user + 1;
    const char *from = *at == '[' ? at + 1 : at, *to = *at == '[' ? strchr(at, ']') : NULL;
    if (!to || to > end)
        for (to = from; to < end && *to != ':';)
            to++;
    size_t length = (size_t)(to - from);
    if (length == 0 || length > 255)
        return false;
    memcpy(host, from, length);
    host[length] = '\0';
    const char *colon = *to == ']' ? to + 1 : to;
    *port = tls ? 443 : 80;
    if (colon < end && *colon == ':')
        *port = strncmp(colon + 1, "{port}", 6) == 0 ? 1 : (int)strtol(colon + 1, NULL, 10);
    return *port >= 1 && *port <= PORT_MAX;
}

static bool is_here_v4(uint32_t address) /* in network order */
{
    uint32_t host = ntohl(address);
    return host == INADDR_ANY || host >> 24 == IN_LOOPBACKNET;
}

bool url_address_is_here(const struct sockaddr *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    switch (address->sa_family) {
    case AF_UNIX:
        return true;
    case AF_INET:
        memcpy(&v4, address, sizeof v4);
        return is_here_v4(v4.sin_addr.s_addr);
    case AF_INET6:
        memcpy(&v6, address, sizeof v6);
        if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
            uint32_t inner;
            memcpy(&inner, v6.sin6_addr.s6_addr + 12, sizeof inner);
            return is_here_v4(inner);
        }
        return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr);
    default:
        return false;
    }
}

bool url_is_here(const char *host)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    if (strcasecmp(host, "localhost") == 0)
        return true; /* RFC 6761; whoever connects looks at the address again */
    if (!*host || getaddrinfo(host, NULL, &hints, &list) != 0)
        return false;
    bool here = list != NULL;
    for (const struct addrinfo *one = list; one; one = one->ai_next)
        here = here && url_address_is_here(one->ai_addr);
    freeaddrinfo(list);
    return here;
}

static bool is_tls(const char *url)
{
    return strncasecmp(url, "https:", 6) == 0;
}

bool url_same_place(const char *url, const char *other)
{
    char host[256], other_host[256];
    int port, other_port;
    if (!url_address(url, host, &port) || !url_address(other, other_host, &other_port) || strcasecmp(host, other_host) != 0)
        return false;
    return is_tls(url) == is_tls(other) ? port == other_port : is_tls(other);
}
