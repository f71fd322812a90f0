/* Network: ways out, and ports opened inside. */
#include "gen/arm/tables.h"

/* How a step would get out: an op, or a tool that a script calls. */
static unsigned way_of(const struct arm_step *s)
{
    if (s->op & (OP(FETCH) | OP(CONNECT) | OP(RESOLVE)))
        return s->op & OP(FETCH) ? 1u : s->op & OP(CONNECT) ? 2u : 4u;
    if (!(s->op & OPS_PROGRAM))
        return 0;
    return (arm_word(s, "curl|wget|urlopen|urllib.request|requests.get|fetch") ? 8u : 0) |
           (arm_word(s, "getent|getaddrinfo|gethostbyname|dig|nslookup") ? 16u : 0) |
           (arm_says(s, "socket.create_connection|.connect((|/dev/tcp/|nc -z") ? 32u : 0) |
           (arm_says(s, "AF_INET6") ? 128u : 0) |
           (arm_says(s, "http_proxy|HTTPS_PROXY|https_proxy|--proxy|ProxyHandler") ? 64u : 0);
}

/* C75: one place, more than one way. */
static bool egress_differs(const struct arm_view *v)
{
    unsigned ways = 0, hosts = 0;
    EACH (s, v) {
        struct bytes url = s->op & OP(FETCH) ? arm_text(s, "url") : arm_text(s, "host");
        ways |= way_of(s);
        if (s->op & (OP(FETCH) | OP(CONNECT) | OP(RESOLVE)))
            hosts |= arm_holds(url, "::1|[::|[fe80")           ? 1u
                     : arm_holds(url, "127.0.0.1")             ? 2u
                     : arm_holds(url, "localhost")             ? 4u
                     : arm_holds(url, "redirect")              ? 8u
                     : arm_holds(url, "169.254|192.168|10.0.") ? 16u
                                                               : 32u;
    }
    return __builtin_popcount(ways) >= 2 || __builtin_popcount(hosts) >= 2;
}

/* C76 */
static bool port_unreachable(const struct arm_view *v)
{
    EACH (s, v) {
        if (!arm_serves(s))
            continue;
        if (arm_follows(v, s, OP(FETCH) | OP(CONNECT)))
            return true;
        EACH_AFTER (p, s, v)
            if (p->op & OPS_PROGRAM && way_of(p) & (8u | 32u))
                return true;
    }
    return false;
}

const struct arm_row arm_network[] = {
    {"C75", egress_differs, NULL},
    {"C76", port_unreachable, NULL},
    {0},
};
