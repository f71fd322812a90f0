/* Reading addresses; see url.h. */
#include "exec/target/url.h"

#include <stddef.h>
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

bool url_is_here(const char *host)
{
    static const char *const here[] = {"localhost", "127.0.0.1", "::1", "ip6-localhost"};
    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        if (strcmp(host, here[i]) == 0)
            return true;
    return false;
}
