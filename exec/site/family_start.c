/* The index, plain pages that say what they are told, the icon that browsers ask for. */
#include "exec/site/page.h"

static void list_page(struct web_request *r, struct web_answer *a, const struct web_page *p)
{
    web_add(a, "<tr><td><a href=\"");
    web_escape(a, bytes_of_string(web_link(r, "%s", p->path)));
    web_add(a, "\">");
    web_escape(a, bytes_of_string(p->path));
    web_add(a, "</a></td><td>");
    web_escape(a, bytes_of_string(p->parameters));
    web_add(a, "</td><td>");
    web_escape(a, bytes_of_string(p->title));
    web_add(a, "</td><td>");
    web_escape(a, bytes_of_string(p->says));
    web_add(a, "</td></tr>\n");
}

static void answer_index(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Fixture site");
    web_add(a, "<table>\n<tr><th>page</th><th>parameters</th><th>title</th><th>says</th></tr>\n");
    for (size_t f = 0; web_families[f]; f++)
        for (const struct web_page *p = web_families[f]; p->path; p++)
            list_page(r, a, p);
    web_add(a, "</table>\n");
}

static void answer_page(struct web_request *r, struct web_answer *a)
{
    int64_t links = web_number(r, "links", 0, 0, 10000);
    web_head(a, web_text(r, "title", "A page"));
    web_line(a, "text", web_bytes(r, "text", "Nothing is said here."));
    for (int64_t i = 1; i <= links; i++)
        web_addf(a, "<a class=\"link\" href=\"%s\">page %d</a>\n", web_link(r, "/page?title=page%%20%d", (int)i), (int)i);
    web_add(a, "<a class=\"index\" href=\"");
    web_add(a, web_link(r, "/"));
    web_add(a, "\">index</a>\n");
}

static void answer_link(struct web_request *r, struct web_answer *a)
{
    const char *to = web_text(r, "to", "/page");
    web_head(a, web_text(r, "title", "A link"));
    web_add(a, "<a id=\"go\" href=\"");
    web_escape(a, bytes_of_string(*to == '/' ? web_link(r, "%s", to) : to));
    web_add(a, "\"");
    if (web_has(r, "download")) {
        web_add(a, " download=\"");
        web_escape(a, web_bytes(r, "download", ""));
        web_add(a, "\"");
    }
    web_add(a, ">");
    web_escape(a, web_bytes(r, "text", "go"));
    web_add(a, "</a>\n");
}

static void answer_count(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Counter"));
    web_addf(a, "<p id=\"count\">%d</p>\n<button id=\"add\" onclick=\"count.textContent = Number(count.textContent) + 1\">add one</button>\n",
             (int)web_number(r, "from", 0, 0, 1000000));
}

static void answer_icon(struct web_request *r, struct web_answer *a)
{
    a->status = 204;
    a->type = NULL;
}

const struct web_page web_family_start[] = {
    WEB_PAGE("/", "", "index", "all pages of the site, in a table", answer_index),
    WEB_PAGE("/page", "title=A page, text=Nothing is said here., links=0", "plain page",
     "the title as h1 and title, the text as #text, so many links a.link", answer_page),
    WEB_PAGE("/link", "title=A link, to=/page, text=go, download=", "a link", "a#go to that address; one that begins with \"/\" is of the site", answer_link),
    WEB_PAGE("/count", "title=Counter, from=0", "counter", "a number in #count; the button #add adds one to it", answer_count),
    WEB_PAGE("/favicon.ico", "", "icon", "nothing, with status 204", answer_icon),
    {0},
};
