/* What pages may and may not do: policies, permissions, cookies of every kind, storage, workers. */
#include <string.h>

#include "exec/site/page.h"

static void answer_csp(struct web_request *r, struct web_answer *a)
{
    web_header(a, "Content-Security-Policy", "%s", web_text(r, "policy", "default-src 'none'"));
    web_head(a, web_text(r, "title", "Policy"));
    web_add(a, "<p id=\"state\">no script ran</p>\n<script>\ndocument.getElementById(\"state\").textContent = \"a script ran\";\n</script>\n");
}

static void answer_unframed(struct web_request *r, struct web_answer *a)
{
    web_header(a, "X-Frame-Options", "DENY");
    web_head(a, "Not in a frame");
    web_line(a, "text", BYTES_LITERAL("seen"));
}

static void answer_worker(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Worker");
    web_addf(a, "<p id=\"state\">waiting</p>\n<script>\nconst say = text => { document.getElementById(\"state\").textContent = text; };\n"
                "if (!navigator.serviceWorker) say(\"no workers\");\n"
                "else navigator.serviceWorker.register(\"%s\").then(() => say(\"registered\"), error => say(\"refused \" + error.name));\n</script>\n",
             web_link(r, "/policy/worker.js"));
}

/* There is none: what a service worker keeps would outlive the page that it belongs to. */
static void answer_no_worker(struct web_request *r, struct web_answer *a)
{
    web_fault(a, 404, "service workers are off here");
}

static void answer_cookies(struct web_request *r, struct web_answer *a)
{
    const char *path = web_link(r, "/");
    int64_t n = web_number(r, "n", 0, 0, 16), size = web_number(r, "size", 10, 0, 8000);
    web_header(a, "Set-Cookie", "plain=1; Path=%s", path);
    web_header(a, "Set-Cookie", "hidden=1; Path=%s; HttpOnly", path);
    web_header(a, "Set-Cookie", "strict=1; Path=%s; SameSite=Strict", path);
    web_header(a, "Set-Cookie", "secure=1; Path=%s; Secure", path);
    web_header(a, "Set-Cookie", "elsewhere=1; Path=%s", web_link(r, "/elsewhere"));
    web_header(a, "Set-Cookie", "short=1; Path=%s; Max-Age=1", path);
    web_header(a, "Set-Cookie", "foreign=1; Path=%s; Domain=example.com", path);
    for (int64_t i = 0; i < n; i++)
        web_header(a, "Set-Cookie", "big%d=%0*d; Path=%s", (int)i, (int)size, 0, path);
    web_head(a, "Cookies");
    web_addf(a, "<a id=\"seen\" href=\"%s\">which ones came back</a>\n", web_link(r, "/policy/cookies/seen"));
}

static void answer_seen(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Cookies seen");
    web_line(a, "cookies", r->cookies);
    web_add(a, "<p id=\"script\"></p>\n<script>\ndocument.getElementById(\"script\").textContent = document.cookie;\n</script>\n");
}

static void answer_permissions(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Permissions");
    web_add(a, "<p id=\"state\">waiting</p>\n<script>\nconst names = [\"geolocation\", \"notifications\", \"camera\", \"microphone\", \"clipboard-read\"];\n"
               "Promise.all(names.map(name => navigator.permissions.query({ name }).then(p => name + \" \" + p.state, () => name + \" unknown\")))\n"
               "  .then(all => { document.getElementById(\"state\").textContent = all.join(\", \"); });\n</script>\n");
}

static void answer_ask(struct web_request *r, struct web_answer *a)
{
    web_head(a, "Where are you?");
    web_add(a, "<p id=\"state\">waiting</p>\n<button id=\"ask\" onclick=\"ask()\">ask</button>\n<script>\nconst say = text => { document.getElementById(\"state\").textContent = text; };\n"
               "function ask() {\n  say(\"asked\");\n  navigator.geolocation.getCurrentPosition(p => say(\"at \" + p.coords.latitude), error => say(\"refused \" + error.code));\n}\n</script>\n");
}

/* A value that two pages of one origin share through the browser's storage. */
static void answer_keep(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Keep"));
    web_add(a, "<p id=\"state\">nothing</p>\n<input id=\"value\">\n<button id=\"keep\" onclick=\"keep()\">keep</button>\n<button id=\"forget\" onclick=\"forget()\">forget</button>\n<script>\n"
               "const store = new URLSearchParams(location.search).has(\"session\") ? sessionStorage : localStorage;\n"
               "const key = new URLSearchParams(location.search).get(\"key\") || \"kept\";\n"
               "function show() { document.getElementById(\"state\").textContent = store.getItem(key) === null ? \"nothing\" : \"kept \" + store.getItem(key); }\n"
               "function keep() { store.setItem(key, document.getElementById(\"value\").value); show(); }\n"
               "function forget() { store.removeItem(key); show(); }\nshow();\n</script>\n");
}

static void answer_robots(struct web_request *r, struct web_answer *a)
{
    a->type = "text/plain; charset=utf-8";
    web_add(a, "User-agent: *\nDisallow:\n");
}

const struct web_page web_family_policy[] = {
    WEB_PAGE("/policy/csp", "title=Policy, policy=default-src 'none'", "a content security policy", "#state: \"no script ran\", or \"a script ran\" where the policy lets it", answer_csp),
    WEB_PAGE("/policy/unframed", "", "not in frames", "#text, but in no frame", answer_unframed),
    WEB_PAGE("/policy/worker", "", "a service worker", "#state: \"refused …\", since there is none, or \"no workers\"", answer_worker),
    WEB_PAGE("/policy/worker.js", "", "no service worker", "status 404", answer_no_worker),
    WEB_PAGE("/policy/cookies", "n=0, size=10", "cookies of every kind",
             "sets plain, hidden, strict, secure, elsewhere, short (a second), foreign, and so many of that size; #seen leads on", answer_cookies),
    WEB_PAGE("/policy/cookies/seen", "", "cookies that came back", "#cookies as they came, #script as scripts see them", answer_seen),
    WEB_PAGE("/policy/permissions", "", "permissions", "#state: \"geolocation denied, …\"", answer_permissions),
    WEB_PAGE("/policy/where", "", "a page that asks for leave", "#ask asks for the place; #state \"asked\", then \"refused N\" or \"at N\"", answer_ask),
    WEB_PAGE("/policy/keep", "title=Keep, key=kept, session=", "storage", "#keep stores what stands in #value, #forget takes it away; #state \"kept VALUE\" or \"nothing\"", answer_keep),
    WEB_PAGE("/robots.txt", "", "robots.txt", "all may come in", answer_robots),
    {0},
};
