/* Redirects: chains, loops, by cookie, by page, to anywhere. */
#include <stdlib.h>
#include <string.h>

#include "exec/site/page.h"

static void go(struct web_answer *a, unsigned status, const char *address)
{
    a->status = status;
    web_header(a, "Location", "%s", address);
}

static unsigned status_of(const struct web_request *r)
{
    return (unsigned)web_number(r, "status", 302, 300, 399);
}

static void answer_chain(struct web_request *r, struct web_answer *a)
{
    int64_t n = web_number(r, "n", 3, 0, 1000);
    if (n > 0)
        go(a, status_of(r), web_link(r, "/redirect/chain?n=%d&status=%u", (int)n - 1, status_of(r)));
    else
        go(a, status_of(r), web_link(r, "/page?title=Arrived"));
}

static void answer_loop(struct web_request *r, struct web_answer *a)
{
    go(a, status_of(r), web_link(r, "/redirect/loop?status=%u", status_of(r)));
}

static void answer_endless(struct web_request *r, struct web_answer *a)
{
    go(a, status_of(r), web_link(r, "/redirect/endless?n=%lld&status=%u", (long long)web_number(r, "n", 0, 0, INT64_MAX - 1) + 1, status_of(r)));
}

static void answer_to(struct web_request *r, struct web_answer *a)
{
    go(a, status_of(r), web_text(r, "url", "about:blank"));
}

static void answer_nowhere(struct web_request *r, struct web_answer *a)
{
    a->status = status_of(r);
    web_head(a, "Nowhere");
}

/* Each time a cookie is counted up, until it says enough; who keeps no cookies never arrives. */
static void answer_cookie(struct web_request *r, struct web_answer *a)
{
    struct bytes seen = web_cookie(r, "seen");
    long long so_far = strtoll(arena_string(r->arena, seen), NULL, 10), n = web_number(r, "n", 3, 0, 100);
    if (so_far >= n) {
        web_header(a, "Set-Cookie", "seen=; Path=%s; Max-Age=0", web_link(r, "/"));
        web_head(a, "Arrived");
        web_addf(a, "<p id=\"seen\">%lld</p>\n", so_far);
        return;
    }
    web_header(a, "Set-Cookie", "seen=%lld; Path=%s", so_far + 1, web_link(r, "/"));
    go(a, 302, web_link(r, "/redirect/cookie?n=%lld", n));
}

static void answer_by_page(struct web_request *r, struct web_answer *a)
{
    int64_t ms = web_number(r, "ms", 500, 0, 600000);
    bool script = strcmp(web_text(r, "by", "meta"), "script") == 0;
    web_add(a, "<!doctype html>\n<meta charset=\"utf-8\">\n");
    if (!script)
        web_addf(a, "<meta http-equiv=\"refresh\" content=\"%.3f; url=%s\">\n", (double)ms / 1000, web_link(r, "/page?title=Arrived"));
    web_add(a, "<title>On the way</title>\n<h1>On the way</h1>\n");
    if (script)
        web_addf(a, "<script>\nsetTimeout(() => { location = \"%s\"; }, %d);\n</script>\n", web_link(r, "/page?title=Arrived"), (int)ms);
}

const struct web_page web_family_redirect[] = {
    WEB_PAGE("/redirect/chain", "n=3, status=302", "a chain", "so many redirects, then /page with the title Arrived", answer_chain),
    WEB_PAGE("/redirect/loop", "status=302", "a loop", "a redirect to itself", answer_loop),
    WEB_PAGE("/redirect/endless", "n=0, status=302", "an endless chain", "a redirect to the same with the next number", answer_endless),
    WEB_PAGE("/redirect/to", "url=about:blank, status=302", "to anywhere", "a redirect to that address, of any scheme", answer_to),
    WEB_PAGE("/redirect/nowhere", "status=302", "to nowhere", "such a status without an address", answer_nowhere),
    WEB_PAGE("/redirect/cookie", "n=3", "by cookie", "a redirect to itself that counts up a cookie; at that number h1 is \"Arrived\" and #seen the number", answer_cookie),
    WEB_PAGE("/redirect/page", "by=meta, ms=500", "by a page", "a page that goes on to /page with the title Arrived after so long, by meta or script", answer_by_page),
    {0},
};
