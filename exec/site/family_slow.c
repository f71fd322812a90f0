/* Answers that take their time, and those that never end. */
#include <string.h>

#include "exec/site/page.h"

enum { LONGEST_MS = 600000 };

static int64_t wait_of(const struct web_request *r, int64_t fallback)
{
    return web_number(r, "ms", fallback, 0, LONGEST_MS);
}

static void answer_late(struct web_request *r, struct web_answer *a)
{
    a->delay_ms = wait_of(r, 3000);
    web_head(a, web_text(r, "title", "Late"));
    web_line(a, "text", BYTES_LITERAL("here it is"));
}

static void answer_drip(struct web_request *r, struct web_answer *a)
{
    int64_t n = web_number(r, "n", 20, 1, 100000);
    web_head(a, web_text(r, "title", "Drop by drop"));
    a->piece = 64;
    a->pause_ms = wait_of(r, 200);
    a->chunked = true;
    while (a->body.len % a->piece)
        web_add(a, "\n");
    for (int64_t i = 1; i <= n; i++) {
        web_addf(a, "<p class=\"drop\">%lld</p>", (long long)i);
        while (a->body.len % a->piece)
            web_add(a, "\n");
    }
}

/* All of it is there, but the connection does not say so. */
static void answer_unfinished(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Unfinished"));
    web_line(a, "text", BYTES_LITERAL("all is said"));
    a->hold = true;
}

static void answer_endless(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Endless"));
    size_t head = a->body.len;
    for (int i = 0; i < 64; i++)
        web_add(a, "<p class=\"more\">and so on</p>\n");
    a->endless = true;
    a->piece = a->body.len - head;
    a->pause_ms = wait_of(r, 200);
}

static void answer_events(struct web_request *r, struct web_answer *a)
{
    a->type = "text/event-stream";
    web_addf(a, "data: %s\n\n", "tick");
    a->endless = true;
    a->piece = a->body.len;
    a->pause_ms = wait_of(r, 500);
}

/* A page whose own head is quick, with something in it that never comes. */
static void answer_waiting(struct web_request *r, struct web_answer *a)
{
    static const struct {
        const char *kind, *text;
    } kinds[] = {
        {"frame", "<iframe src=\"%s\"></iframe>\n"},
        {"image", "<img src=\"%s\" alt=\"never\">\n"},
        {"script", "<script src=\"%s\"></script>\n<p id=\"after\">after the script</p>\n"},
        {"style", "<link rel=\"stylesheet\" href=\"%s\">\n<p id=\"after\">after the style</p>\n"},
        {"events", "<p id=\"state\">waiting</p>\n<script>\nnew EventSource(\"%s\").onmessage = event => { state.textContent = event.data; };\n</script>\n"},
    };
    const char *kind = web_text(r, "kind", "frame");
    web_head(a, web_text(r, "title", "Waiting"));
    web_line(a, "text", BYTES_LITERAL("before"));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i].kind) == 0)
            web_addf(a, kinds[i].text, web_link(r, strcmp(kind, "events") == 0 ? "/slow/events" : "/slow/late?ms=600000"));
}

const struct web_page web_family_slow[] = {
    WEB_PAGE("/slow/late", "title=Late, ms=3000", "late answer", "nothing for so long, not even a status; then #text", answer_late),
    WEB_PAGE("/slow/drip", "title=Drop by drop, n=20, ms=200", "drop by drop", "so many p.drop, numbered, with a pause before each", answer_drip),
    WEB_PAGE("/slow/unfinished", "title=Unfinished", "unfinished", "#text at once; the answer does not end", answer_unfinished),
    WEB_PAGE("/slow/endless", "title=Endless, ms=200", "endless", "p.more without an end, 64 of them at a time", answer_endless),
    WEB_PAGE("/slow/events", "ms=500", "events", "a stream of events \"tick\" without an end", answer_events),
    WEB_PAGE("/slow/waiting", "title=Waiting, kind=frame", "a page that never has loaded",
     "#text at once, and a frame, image, script, style or events (kind) that never comes, or never ends", answer_waiting),
    {0},
};
