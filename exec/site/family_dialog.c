/* Dialogs that block a page: asked for by a button, while it loads, when it is left, one after the other. */
#include <string.h>

#include "exec/site/page.h"

static void put_script_text(struct web_answer *a, struct bytes text)
{
    static const char hex[] = "0123456789abcdef";
    buf_add_byte(&a->body, '"');
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        if (c >= 0x80 || (c >= ' ' && c != '"' && c != '\\' && c != '<' && c != 0x7f)) {
            buf_add_byte(&a->body, c);
            continue;
        }
        const char escape[] = {'\\', 'x', hex[c >> 4], hex[c & 15], 0};
        web_add(a, escape);
    }
    buf_add_byte(&a->body, '"');
}

/* kind(text), and what became of it in #state. */
static void put_dialog(struct web_request *r, struct web_answer *a, const char *kind)
{
    web_add(a, "<p id=\"state\">waiting</p>\n<button id=\"ask\" onclick=\"ask()\">ask</button>\n<script>\nconst text = ");
    put_script_text(a, web_bytes(r, "text", "Well?"));
    web_addf(a, ";\nfunction ask() {\n  const got = %s(text);\n  document.getElementById(\"state\").textContent = \"%s \" + (got === undefined ? \"over\" : got);\n}\n",
             kind, kind);
    if (web_has(r, "load"))
        web_add(a, "window.onload = ask;\n");
    web_add(a, "</script>\n");
}

static void answer_alert(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Alert"));
    put_dialog(r, a, "alert");
}

static void answer_confirm(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Confirm"));
    put_dialog(r, a, "confirm");
}

static void answer_prompt(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Prompt"));
    put_dialog(r, a, "prompt");
}

static void answer_print(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Print"));
    put_dialog(r, a, "print");
}

static void answer_leave(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Unsaved changes"));
    web_add(a, "<p id=\"state\">not saved</p>\n<input id=\"field\">\n<script>\nwindow.onbeforeunload = event => { event.preventDefault(); return \"\"; };\n</script>\n");
}

static void answer_storm(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Storm"));
    web_addf(a, "<p id=\"state\">0</p>\n<script>\nwindow.onload = () => {\n  for (let i = 1; i <= %d; i++) {\n    alert(\"no. \" + i);\n"
                "    document.getElementById(\"state\").textContent = i;\n  }\n};\n</script>\n",
             (int)web_number(r, "n", 10, 0, 100000));
}

const struct web_page web_family_dialog[] = {
    WEB_PAGE("/dialogs/alert", "title=Alert, text=Well?, load=", "alert", "#ask opens it, with load the page itself does; then #state is \"alert over\"", answer_alert),
    WEB_PAGE("/dialogs/confirm", "title=Confirm, text=Well?, load=", "confirm", "#state becomes \"confirm true\" or \"confirm false\"", answer_confirm),
    WEB_PAGE("/dialogs/prompt", "title=Prompt, text=Well?, load=", "prompt", "#state becomes \"prompt ANSWER\" or \"prompt null\"", answer_prompt),
    WEB_PAGE("/dialogs/print", "title=Print, text=Well?, load=", "print", "#state becomes \"print over\"", answer_print),
    WEB_PAGE("/dialogs/leave", "title=Unsaved changes", "a page that asks before it is left", "#state; once #field has been typed into, leaving asks", answer_leave),
    WEB_PAGE("/dialogs/storm", "title=Storm, n=10", "one dialog after the other", "so many alerts from when it has loaded; #state counts those that were closed", answer_storm),
    {0},
};
