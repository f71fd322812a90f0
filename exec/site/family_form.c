/* Forms: every kind of control, in many charsets, sent in each way; and the page that says what came. */
#include <string.h>

#include "exec/site/page.h"

static void put_controls(struct web_answer *a)
{
    web_add(a, "<p><label>name <input name=\"name\"></label>\n"
               "<p><label>password <input name=\"password\" type=\"password\"></label>\n"
               "<p><label>mail <input name=\"mail\" type=\"email\"></label>\n"
               "<p><label>number <input name=\"number\" type=\"number\"></label>\n"
               "<p><label>day <input name=\"day\" type=\"date\"></label>\n"
               "<p><label>message <textarea name=\"message\" rows=\"4\"></textarea></label>\n"
               "<p><label>colour <select name=\"colour\"><option value=\"\">none<option>red<option>green<option value=\"b\">blue</select></label>\n"
               "<p><label>sizes <select name=\"sizes\" multiple><option>S<option>M<option>L<option>XL</select></label>\n"
               "<p><label><input type=\"checkbox\" name=\"copy\" value=\"yes\">send me a copy</label>\n"
               "<p><label><input type=\"checkbox\" name=\"terms\" checked>terms</label>\n"
               "<p><label><input type=\"radio\" name=\"speed\" value=\"slow\" checked>slow</label>\n"
               "<label><input type=\"radio\" name=\"speed\" value=\"fast\">fast</label>\n"
               "<input type=\"hidden\" name=\"token\" value=\"&quot;t&amp;1&quot;\">\n");
}

/* "post" or "get", and which way of writing a body. */
static const char *way_of(const struct web_request *r)
{
    static const char *const ways[] = {"multipart/form-data", "text/plain"};
    const char *given = web_text(r, "enctype", "");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(given, ways[i]) == 0)
            return ways[i];
    return "application/x-www-form-urlencoded";
}

static void answer_form(struct web_request *r, struct web_answer *a)
{
    const char *charset = web_text(r, "charset", "utf-8");
    bool get = strcmp(web_text(r, "method", "post"), "get") == 0;
    web_head_as(a, web_text(r, "title", "Write to us"), charset);
    web_addf(a, "<form id=\"form\" method=\"%s\" action=\"%s\" enctype=\"%s\">\n", get ? "get" : "post", web_link(r, "/forms/sent"), way_of(r));
    web_add(a, "<input type=\"hidden\" name=\"_charset_\">\n");
    put_controls(a);
    web_add(a, "<p><button id=\"send\">send</button>\n</form>\n");
    if (!web_become(a, charset))
        web_fault(a, 400, "charset: there is none of that name");
    else
        web_header(a, "Content-Language", "en");
    if (a->status == 200)
        a->type = "text/html";
}

static void put_field(struct web_answer *a, struct bytes name, struct bytes value)
{
    web_add(a, "<tr><td class=\"name\">");
    web_escape(a, name);
    web_add(a, "</td><td class=\"value\" id=\"");
    web_escape(a, name);
    web_add(a, "\"><pre>\n"); /* the first line end in it is dropped, so texts that begin with one stay whole */
    web_escape(a, value);
    web_add(a, "</pre></td></tr>\n");
}

static void answer_sent(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Thank you");
    web_addf(a, "<p id=\"method\">%s</p>\n<table>\n", strcmp(r->method, "POST") == 0 ? "POST" : "GET");
    for (size_t i = 0; i < r->parameter_count && !r->visit->field_count; i++)
        put_field(a, r->parameters[i].name, r->parameters[i].value);
    for (size_t i = 0; i < r->visit->field_count; i++) {
        const struct web_field *f = &r->visit->fields[i];
        put_field(a, f->name, f->file ? f->filename : f->text.len ? f->text : f->value);
    }
    web_add(a, "</table>\n");
}

const struct web_page web_family_form[] = {
    WEB_PAGE("/forms/all", "title=Write to us, charset=utf-8, method=post, enctype=", "a form with every kind of control",
     "form#form with name, password, mail, number, day, message, colour, sizes, copy, terms, speed; button#send", answer_form),
    WEB_PAGE("/forms/sent", "charset=", "what a form sent", "a row a field: its name, and its value in the cell whose id is the name", answer_sent),
    {0},
};
