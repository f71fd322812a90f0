/* More windows than one: pop-ups, and frames within frames, of this origin and of another. */
#include <string.h>

#include "exec/site/page.h"

enum { FRAMES_MAX = 1000 };

/* The other name of the same server: localhost for 127.0.0.1 and the other way round; else the same, where there is no other. */
static const char *other_origin(const struct web_request *r)
{
    const char *host = arena_string(r->arena, r->host);
    if (strncmp(host, "127.0.0.1", 9) == 0)
        return arena_printf(r->arena, "http://localhost%s", host + 9);
    if (strncmp(host, "localhost", 9) == 0)
        return arena_printf(r->arena, "http://127.0.0.1%s", host + 9);
    return "";
}

static void put_address(struct web_answer *a, const char *address)
{
    web_escape(a, bytes_of_string(address));
}

/* A parameter as it goes on in an address. */
static const char *passed(const struct web_request *r, const char *name, const char *fallback)
{
    static const char digits[] = "0123456789ABCDEF";
    struct bytes value = web_bytes(r, name, fallback);
    char *text = arena_alloc(r->arena, 3 * value.len + 1), *at = text;
    for (size_t i = 0; i < value.len; i++) {
        uint8_t c = value.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
            *at++ = (char)c;
        } else {
            *at++ = '%';
            *at++ = digits[c >> 4];
            *at++ = digits[c & 15];
        }
    }
    *at = 0;
    return text;
}

static void answer_popups(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Pop-ups"));
    web_add(a, "<p id=\"state\">none</p>\n<button id=\"open\" onclick=\"open_them()\">open</button>\n<a id=\"link\" target=\"_blank\" href=\"");
    put_address(a, web_link(r, "/popups/child?text=%s", passed(r, "text", "in a new window")));
    web_add(a, "\">open by a link</a>\n<script>\nfunction open_them() {\n  let opened = 0;\n");
    web_addf(a, "  for (let i = 1; i <= %d; i++)\n    if (window.open(\"%s&n=\" + i, \"_blank\", \"width=300,height=200\")) opened++;\n",
             (int)web_number(r, "n", 1, 0, FRAMES_MAX), web_link(r, "/popups/child?text=%s", passed(r, "text", "in a new window")));
    web_add(a, "  document.getElementById(\"state\").textContent = \"opened \" + opened;\n}\n");
    web_add(a, "window.onmessage = event => { document.getElementById(\"state\").textContent = \"told \" + event.data; };\n");
    if (web_has(r, "load"))
        web_add(a, "window.onload = open_them;\n");
    web_add(a, "</script>\n");
}

static void answer_child(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Child");
    web_line(a, "text", web_bytes(r, "text", "in a new window"));
    web_add(a, "<button id=\"tell\" onclick=\"(opener || parent).postMessage(document.getElementById('text').textContent, '*')\">tell</button>\n"
               "<button id=\"close\" onclick=\"window.close()\">close</button>\n");
}

static void answer_nested(struct web_request *r, struct web_answer *a)
{
    int64_t depth = web_number(r, "depth", 3, 0, 64);
    bool cross = web_has(r, "cross");
    web_head(a, web_text(r, "title", "Frames"));
    web_addf(a, "<p class=\"depth\">%d</p>\n", (int)depth);
    if (depth == 0) {
        web_line(a, "text", web_bytes(r, "text", "innermost"));
        return;
    }
    web_add(a, "<iframe id=\"frame\" name=\"frame\" style=\"width: 90%; height: 400px\" src=\"");
    web_add(a, cross ? other_origin(r) : "");
    put_address(a, web_link(r, "/frames/nested?depth=%d%s&text=%s", (int)depth - 1, cross ? "&cross" : "", passed(r, "text", "innermost")));
    web_add(a, "\"></iframe>\n");
}

static void answer_cross(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Another origin"));
    web_add(a, "<p id=\"state\">waiting</p>\n<iframe id=\"frame\" src=\"");
    web_add(a, other_origin(r));
    put_address(a, web_link(r, "/popups/child?text=%s", passed(r, "text", "of another origin")));
    web_add(a, "\"></iframe>\n<script>\nwindow.onmessage = event => { document.getElementById(\"state\").textContent = \"told \" + event.data; };\n</script>\n");
}

static void answer_many(struct web_request *r, struct web_answer *a)
{
    int64_t n = web_number(r, "n", 50, 0, FRAMES_MAX);
    web_head(a, web_text(r, "title", "Many frames"));
    for (int64_t i = 1; i <= n; i++)
        web_addf(a, "<iframe class=\"frame\" width=\"60\" height=\"40\" src=\"%s\"></iframe>\n", web_link(r, "/page?title=%d", (int)i));
}

/* Browsers stop a frame that shows the page it is in. */
static void answer_itself(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Itself"));
    web_addf(a, "<iframe id=\"frame\" src=\"%s\"></iframe>\n", web_link(r, "/frames/itself?n=%d", (int)web_number(r, "n", 0, 0, 1000000) + 1));
}

static void answer_sandboxed(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Sandboxed"));
    web_addf(a, "<iframe id=\"frame\" sandbox=\"%s\" src=\"%s\"></iframe>\n", web_has(r, "scripts") ? "allow-scripts" : "",
             web_link(r, "/dialogs/alert?load"));
    web_line(a, "text", BYTES_LITERAL("the frame may open no dialog"));
}

const struct web_page web_family_window[] = {
    WEB_PAGE("/popups", "title=Pop-ups, text=in a new window, n=1, load=", "pop-ups",
             "#open opens so many /popups/child, with load the page itself does; #state: \"opened N\", or \"told TEXT\" by one; #link opens one too", answer_popups),
    WEB_PAGE("/popups/child", "text=in a new window", "a pop-up", "#text; #tell tells it the page that opened it, #close closes it", answer_child),
    WEB_PAGE("/frames/nested", "title=Frames, depth=3, text=innermost, cross=", "frames within frames",
             ".depth, and #frame with the next, down to 0 with #text; with cross each is of the other origin", answer_nested),
    WEB_PAGE("/frames/cross", "title=Another origin, text=of another origin", "a frame of another origin",
             "#frame with /popups/child by the server's other name (127.0.0.1 or localhost); when told, #state is \"told TEXT\"", answer_cross),
    WEB_PAGE("/frames/many", "title=Many frames, n=50", "many frames", "so many iframe.frame with /page", answer_many),
    WEB_PAGE("/frames/itself", "title=Itself, n=0", "a frame with itself", "#frame with the same page, numbered on", answer_itself),
    WEB_PAGE("/frames/sandboxed", "title=Sandboxed, scripts=", "a sandboxed frame", "#frame with a page that would open a dialog, but may not", answer_sandboxed),
    {0},
};
