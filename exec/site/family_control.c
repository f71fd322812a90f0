/* Things that are not easily clicked: hidden, covered, moving, late, switched off, in a shadow. #state says what was done. */
#include <string.h>

#include "exec/site/page.h"

static const struct {
    const char *kind, *text;
} kinds[] = {
    {"plain", "<button id=\"target\" onclick=\"did('clicked')\">target</button>\n"},
    {"disabled", "<button id=\"target\" disabled onclick=\"did('clicked')\">target</button>\n"},
    {"hidden", "<button id=\"target\" style=\"display: none\" onclick=\"did('clicked')\">target</button>\n"},
    {"invisible", "<button id=\"target\" style=\"opacity: 0\" onclick=\"did('clicked')\">target</button>\n"},
    {"covered", "<div style=\"position: relative; width: 200px; height: 40px\"><button id=\"target\" onclick=\"did('clicked')\">target</button>"
                "<div id=\"cover\" style=\"position: absolute; inset: 0; background: silver\" onclick=\"did('covered')\"></div></div>\n"},
    {"moving", "<style>@keyframes go { to { transform: translateX(400px); } } #target { animation: go 1s alternate infinite; }</style>"
               "<button id=\"target\" onclick=\"did('clicked')\">target</button>\n"},
    {"far", "<div style=\"height: 5000px\"></div><button id=\"target\" onclick=\"did('clicked')\">target</button>\n"},
    {"late", "<div id=\"place\"></div><script>setTimeout(() => { place.innerHTML = '<button id=\"target\" onclick=\"did(\\'clicked\\')\">target</button>'; }, 700);</script>\n"},
    {"gone", "<button id=\"target\" onclick=\"did('clicked')\">target</button><script>setTimeout(() => target.remove(), 300);</script>\n"},
    {"shadow", "<div id=\"host\"></div><script>const root = host.attachShadow({ mode: \"open\" });\n"
               "root.innerHTML = '<button id=\"target\">target</button>';\nroot.getElementById(\"target\").onclick = () => did(\"clicked\");</script>\n"},
    {"many", "<button class=\"target\" onclick=\"did('first')\">one</button><button class=\"target\" onclick=\"did('second')\">two</button>\n"},
    {"twice", "<button id=\"target\" ondblclick=\"did('twice')\" onclick=\"did('once')\">target</button>\n"},
    {"hover", "<style>#menu { display: none; } #over:hover #menu { display: block; }</style>"
              "<div id=\"over\">menu<div id=\"menu\"><button id=\"target\" onclick=\"did('clicked')\">target</button></div></div>\n"},
    {"editable", "<div id=\"target\" contenteditable oninput=\"did(this.textContent)\">text</div>\n"},
    {"readonly", "<input id=\"target\" readonly value=\"as it is\" oninput=\"did(this.value)\">\n"},
    {"keys", "<input id=\"target\" onkeydown=\"did(document.getElementById('state').textContent.replace('nothing', '') + event.key + ' ')\">\n"},
    {"short", "<input id=\"target\" maxlength=\"5\" oninput=\"did(this.value)\">\n"},
    {"number", "<input id=\"target\" type=\"number\" min=\"1\" max=\"10\" oninput=\"did(this.value)\">\n"},
    {"colour", "<input id=\"target\" type=\"color\" oninput=\"did(this.value)\">\n"},
    {"range", "<input id=\"target\" type=\"range\" oninput=\"did(this.value)\">\n"},
    {"date", "<input id=\"target\" type=\"date\" oninput=\"did(this.value)\">\n"},
};

static void answer_control(struct web_request *r, struct web_answer *a)
{
    const char *kind = web_text(r, "kind", "plain"), *text = kinds[0].text;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i].kind) == 0)
            text = kinds[i].text;
    web_head(a, web_text(r, "title", "Control"));
    web_add(a, "<p id=\"state\">nothing</p>\n<script>\nfunction did(what) { document.getElementById(\"state\").textContent = what; }\n</script>\n");
    web_add(a, text);
}

const struct web_page web_family_control[] = {
    WEB_PAGE("/control", "title=Control, kind=plain", "a control",
             "#target, plain or disabled, hidden, invisible, covered, moving, far, late, gone, shadow, many, twice, hover, editable, readonly, keys, short, "
             "number, colour, range, date; #state is \"nothing\" until it was used, then what was done",
             answer_control),
    {0},
};
