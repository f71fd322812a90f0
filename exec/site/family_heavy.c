/* Pages that cost a browser something: elements, memory, time, messages. The price is stated in the address. */
#include <string.h>

#include "exec/site/page.h"

static void answer_dom(struct web_request *r, struct web_answer *a)
{
    int64_t n = web_number(r, "n", 10000, 0, 1000000);
    web_head(a, web_text(r, "title", "Elements"));
    web_addf(a, "<p id=\"count\">%lld</p>\n<ul>\n", (long long)n);
    for (int64_t i = 1; i <= n; i++)
        web_addf(a, "<li>item %lld\n", (long long)i);
    web_add(a, "</ul>\n");
}

static void answer_deep(struct web_request *r, struct web_answer *a)
{
    int64_t n = web_number(r, "n", 1000, 0, 1000000);
    web_head(a, web_text(r, "title", "Deep"));
    for (int64_t i = 0; i < n; i++)
        web_add(a, "<div>");
    web_add(a, "<p id=\"text\">at the bottom</p>");
    for (int64_t i = 0; i < n; i++)
        web_add(a, "</div>");
}

/* Each page of each array is written to, so that it is really there. */
#define TAKE                                                                                             \
    "const kept = [];\nfunction take(mib) {\n  for (let i = 0; i < mib; i++) {\n"                        \
    "    const block = new Uint8Array(1 << 20);\n    for (let k = 0; k < block.length; k += 512) block[k] = k + i;\n" \
    "    kept.push(block);\n  }\n  document.getElementById(\"state\").textContent = kept.length + \" MiB\";\n}\n"

static void answer_memory(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Memory"));
    web_addf(a, "<p id=\"state\">0 MiB</p>\n<button id=\"free\" onclick=\"kept.length = 0; take(0)\">free</button>\n<script>\n" TAKE "take(%d);\n</script>\n",
             (int)web_number(r, "mib", 64, 0, 65536));
}

static void answer_leak(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Leak"));
    web_addf(a, "<p id=\"state\">0 MiB</p>\n<script>\n" TAKE "const timer = setInterval(() => { if (kept.length >= %d) clearInterval(timer); else take(%d); }, %d);\n</script>\n",
             (int)web_number(r, "max", 1024, 0, 65536), (int)web_number(r, "mib", 1, 1, 1024), (int)web_number(r, "ms", 100, 1, 600000));
}

static void answer_busy(struct web_request *r, struct web_answer *a)
{
    bool never = web_has(r, "never");
    web_head(a, web_text(r, "title", "Busy"));
    web_add(a, "<p id=\"state\">at work</p>\n<button id=\"work\" onclick=\"work()\">work</button>\n<script>\nfunction work() {\n");
    web_addf(a, "  const end = performance.now() + %d;\n  while (%s) ;\n", (int)web_number(r, "ms", 2000, 0, 600000),
             never ? "true" : "performance.now() < end");
    web_addf(a, "  document.getElementById(\"state\").textContent = \"done\";\n}\n%s</script>\n",
             web_has(r, "click") ? "document.getElementById(\"state\").textContent = \"ready\";\n" : "setTimeout(work, 0);\n");
}

static void answer_console(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Console"));
    web_addf(a, "<p id=\"state\">at work</p>\n<script>\nfor (let i = 1; i <= %d; i++) console.log(\"message \" + i + \" \" + \"x\".repeat(%d));\n"
                "document.getElementById(\"state\").textContent = \"done\";\n</script>\n",
             (int)web_number(r, "n", 1000, 0, 1000000), (int)web_number(r, "length", 20, 0, 1 << 20));
}

static void answer_errors(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Errors"));
    web_addf(a, "<p id=\"state\">at work</p>\n<script>\nfor (let i = 1; i <= %d; i++) setTimeout(() => { throw new Error(\"no. \" + i); }, 0);\n"
                "Promise.reject(new Error(\"not handled\"));\nsetTimeout(() => { document.getElementById(\"state\").textContent = \"done\"; }, 0);\n</script>\n",
             (int)web_number(r, "n", 10, 0, 100000));
}

static void answer_canvas(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Canvas"));
    web_addf(a, "<canvas id=\"canvas\" width=\"%d\" height=\"%d\"></canvas>\n<p id=\"state\">empty</p>\n<script>\n"
                "const canvas = document.getElementById(\"canvas\"), pen = canvas.getContext(\"2d\");\n",
             (int)web_number(r, "width", 2000, 1, 65536), (int)web_number(r, "height", 2000, 1, 65536));
    web_add(a, "if (pen) {\n  pen.fillStyle = \"teal\";\n  pen.fillRect(0, 0, canvas.width, canvas.height);\n"
               "  document.getElementById(\"state\").textContent = pen.getImageData(0, 0, 1, 1).data.join(\" \");\n}\n</script>\n");
}

static void answer_requests(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Requests"));
    web_addf(a, "<p id=\"state\">0</p>\n<script>\nlet done = 0;\nfor (let i = 1; i <= %d; i++)\n  fetch(\"%s&n=\" + i).then(() => { document.getElementById(\"state\").textContent = ++done; });\n</script>\n",
             (int)web_number(r, "n", 100, 0, 100000), web_link(r, "/page?title=one"));
}

static void answer_storage(struct web_request *r, struct web_answer *a)
{
    web_head(a, web_text(r, "title", "Storage"));
    web_addf(a, "<p id=\"state\">0 KiB</p>\n<script>\nlet kept = 0, why = \"\";\ntry {\n  for (; kept < %d; kept++) localStorage.setItem(\"block \" + kept, \"x\".repeat(1024));\n"
                "} catch (error) { why = \", then \" + error.name; }\ndocument.getElementById(\"state\").textContent = kept + \" KiB\" + why;\n</script>\n",
             (int)web_number(r, "kib", 1024, 0, 1 << 20));
}

const struct web_page web_family_heavy[] = {
    WEB_PAGE("/heavy/dom", "title=Elements, n=10000", "many elements", "#count, and so many li", answer_dom),
    WEB_PAGE("/heavy/deep", "title=Deep, n=1000", "deep elements", "#text within so many div", answer_deep),
    WEB_PAGE("/heavy/memory", "title=Memory, mib=64", "memory", "so many MiB of arrays, each page of them written to; #state \"N MiB\"; #free lets go of them", answer_memory),
    WEB_PAGE("/heavy/leak", "title=Leak, mib=1, ms=100, max=1024", "growing memory", "so many MiB more each so long, up to max; #state", answer_leak),
    WEB_PAGE("/heavy/busy", "title=Busy, ms=2000, never=, click=", "busy script", "computes for so long, or for ever, when loaded or (click) by #work; then #state is \"done\"", answer_busy),
    WEB_PAGE("/heavy/console", "title=Console, n=1000, length=20", "many messages", "so many messages to the console; #state \"done\"", answer_console),
    WEB_PAGE("/heavy/errors", "title=Errors, n=10", "many errors", "so many uncaught errors; #state \"done\"", answer_errors),
    WEB_PAGE("/heavy/canvas", "title=Canvas, width=2000, height=2000", "a big canvas", "all teal: #state is \"0 128 128 255\", or other figures where it is too big", answer_canvas),
    WEB_PAGE("/heavy/requests", "title=Requests, n=100", "many requests", "so many requests at once; #state counts those that were answered", answer_requests),
    WEB_PAGE("/heavy/storage", "title=Storage, kib=1024", "much storage", "so many KiB kept in localStorage; #state \"N KiB\", and why not more", answer_storage),
    {0},
};
