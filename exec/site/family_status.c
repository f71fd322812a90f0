/* Statuses, and doors that are closed. */
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "exec/site/page.h"

static void answer_status(struct web_request *r, struct web_answer *a)
{
    const char *number = arena_string(r->arena, r->rest);
    long status = strtol(number, NULL, 10);
    if (status < 200 || status > 599) {
        web_fault(a, 404, "found the status '%.20s', expected 200 to 599", number);
        return;
    }
    a->status = (unsigned)status;
    if (status == 204 || status == 304) {
        a->type = NULL;
        return;
    }
    if (status == 401)
        web_header(a, "WWW-Authenticate", "Basic realm=\"fixture\"");
    if (status == 429 || status == 503)
        web_header(a, "Retry-After", "%d", (int)web_number(r, "after", 1, 0, 3600));
    web_head(a, arena_printf(r->arena, "Status %ld", status));
    web_addf(a, "<p id=\"status\">%ld</p>\n", status);
}

static void answer_basic(struct web_request *r, struct web_answer *a)
{
    struct buf want, line;
    const struct bytes *given = web_visit_header(r->visit, "authorization");
    buf_init(&want, 4096);
    buf_init(&line, 8192);
    buf_add(&want, web_bytes(r, "user", "guest"));
    buf_add_string(&want, ":");
    buf_add(&want, web_bytes(r, "password", "open sesame"));
    buf_add_string(&line, "Basic ");
    base64_encode(&line, buf_bytes(&want));
    if (given && bytes_equal(*given, buf_bytes(&line))) {
        web_head(a, "Inside");
        web_line(a, "user", web_bytes(r, "user", "guest"));
    } else {
        a->status = 401;
        web_header(a, "WWW-Authenticate", "Basic realm=\"fixture\", charset=\"UTF-8\"");
        web_head(a, "Outside");
        web_line(a, "error", BYTES_LITERAL("who are you?"));
    }
    buf_release(&want);
    buf_release(&line);
}

/* So many failures for each room and path, then it goes well: for who tries again. */
static void answer_flaky(struct web_request *r, struct web_answer *a)
{
    struct bytes seen = web_cookie(r, "tries");
    long long tries = strtoll(arena_string(r->arena, seen), NULL, 10) + 1;
    web_header(a, "Set-Cookie", "tries=%lld; Path=%s", tries, web_link(r, "/status"));
    a->status = tries > web_number(r, "n", 2, 0, 1000) ? 200 : 503;
    web_head(a, a->status == 200 ? "At last" : "Not yet");
    web_addf(a, "<p id=\"tries\">%lld</p>\n", tries);
}

const struct web_page web_family_status[] = {
    WEB_PAGE("/status/basic", "user=guest, password=open sesame", "basic authentication", "#user for who has both; else status 401 and #error", answer_basic),
    WEB_PAGE("/status/flaky", "n=2", "well at last", "status 503 so often, by a cookie, then 200; #tries", answer_flaky),
    WEB_PAGE("/status/*", "after=1", "any status", "that status, 200 to 599, also in #status; 401, 429 and 503 with what belongs to them", answer_status),
    {0},
};
