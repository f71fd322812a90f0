"""A server that speaks as servers of browsers do, without a browser; for tests/unit/test_mcp_page.c.

argv[1] says in which way: `positions`, where tabs are told by their place and elements by a selector, or `references`, where tabs and
elements have names of the server's own, and each tool wants to be told the tab. Behind it: `hidden`, the outline leaves elements out; `heavy`, each
tab takes 8 MiB, and keeps them when it is closed; `full`, there are no more than three tabs, and who asks for one more is told so; `lossy`, the
same, and nobody is told.
"""
import json
import re
import sys

POSITIONS = sys.argv[1] == "positions"
HIDDEN = "hidden" in sys.argv
HEAVY = 8 << 20 if "heavy" in sys.argv else 0
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
ELEMENT = {"type": "string", "description": "the uid of an element from the page snapshot"}
PIXEL = "iVBORw0KGgo="
tabs = [[1, "about:blank"]]  # number of ours, address
current = 1
mark = ""
log = []
kept = []


def tool(name, **parameters):
    required = [key for key in parameters if key not in ("url", "index") or not POSITIONS]
    return {"name": name, "description": name, "inputSchema": {"type": "object", "properties": parameters, "required": required}}


def tools():
    if POSITIONS:
        return [tool("b_tabs", action={"type": "string", "enum": ["list", "new", "close", "select"]}, index=NUMBER, url=TEXT),
                tool("b_navigate", url=TEXT), tool("b_evaluate", function=TEXT),
                tool("b_click", target={"type": "string", "description": "an element selector"}),
                tool("b_file_upload", paths={"type": "array", "items": TEXT}),
                tool("b_resize", width=NUMBER, height=NUMBER), tool("b_screenshot")]
    page = {"pageId": NUMBER}
    return [tool("new_page", url=TEXT), tool("select_page", **page), tool("close_page", **page), tool("list_pages"),
            tool("navigate_page", url=TEXT, **page), tool("evaluate_script", function=TEXT, **page), tool("take_snapshot", **page),
            tool("click", uid=ELEMENT, **page), tool("fill", uid=ELEMENT, value=TEXT, **page),
            tool("upload_file", uid=ELEMENT, filePaths={"type": "array", "items": TEXT}, **page)]


def listing():
    if POSITIONS:
        rows = [f"- {i}: {'(current) ' if n == current else ''}[T]({url})" for i, (n, url) in enumerate(tabs)]
        return "### Result\n" + "\n".join(rows)
    return "## Pages\n" + "\n".join(f"{n}: T ({url}){' [selected]' if n == current else ''}" for n, url in tabs)


def find(number):
    return next(tab for tab in tabs if tab[0] == number)


def open_tab(url):
    global current
    if len(tabs) == 3 and "full" in sys.argv:
        raise ValueError("no more than three tabs")
    current = max(number for number, _ in tabs) + 1
    tabs.append([current, url])
    kept.append(bytearray(b"x") * HEAVY)
    if len(tabs) > 3 and "lossy" in sys.argv:
        del tabs[1]


def close_tab(number):
    global current
    tabs.remove(find(number))
    current = tabs[0][0] if number == current else current


def evaluate(script):
    global mark
    found = re.search(r"const m = '(\w+)'", script)
    mark = found.group(1) if found else mark
    quoted = re.search(r"\('([^']*)'\s*\)$", script)
    if quoted:
        value = quoted.group(1)
    elif "#missing" in script:
        value = {"missing": True}
    elif "querySelectorAll" in script:
        value = ["one", "two"]
    elif "querySelector(" in script:
        value = {"done": True}
    elif "undefined" in script:
        value = None
    else:
        value = "log: " + " ".join(log)
    text = "undefined" if value is None else json.dumps(value)
    return f"### Result\n{text}\n### Code\n```js\n{script}\n```" if POSITIONS else f"The script returned:\n```json\n{text}\n```"


def tab_tool(a):
    global current
    if a["action"] == "new":
        open_tab(a.get("url", "about:blank"))
    elif a["action"] == "close":
        close_tab(tabs[a["index"]][0])
    elif a["action"] == "select":
        current = tabs[a["index"]][0]
    return listing()


def call(name, a):
    global current
    log.append(name)
    if name == "b_tabs":
        return tab_tool(a)
    if name == "new_page":
        open_tab(a["url"])
    elif name == "close_page":
        close_tab(a["pageId"])
    elif name == "select_page":
        current = find(a["pageId"])[0]
    elif name in ("b_navigate", "navigate_page"):
        find(a.get("pageId", current))[1] = a["url"]
        return listing() if name == "navigate_page" else f"### Page\n- Page URL: {a['url']}"
    elif name in ("b_evaluate", "evaluate_script"):
        find(a.get("pageId", current))
        return evaluate(a["function"])
    elif name == "take_snapshot":
        return "uid=1_0 page\n" + ("" if HIDDEN else f'  uid=1_1 button "x"\n  uid=1_7 button "{mark}" focused\n')
    elif name in ("click", "fill", "upload_file") and a["uid"] != "1_7":
        raise ValueError("no such element")
    log.append(json.dumps(a.get("value", a.get("paths", a.get("filePaths", a.get("target", ""))))))
    return listing() if "page" in name else "fine"


def answer(message):
    method = message["method"]
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "pages", "version": "1"}}
    if method == "tools/list":
        return {"tools": tools()}
    name, arguments = message["params"]["name"], message["params"].get("arguments", {})
    try:
        content = [{"type": "text", "text": call(name, arguments)}]
    except (ValueError, StopIteration, IndexError, KeyError) as error:
        return {"content": [{"type": "text", "text": f"failed: {error!r}"}], "isError": True}
    if name == "b_screenshot":
        content.append({"type": "image", "data": PIXEL, "mimeType": "image/png"})
    return {"content": content}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        known = message["method"] in ("initialize", "tools/list", "tools/call")
        reply = {"result": answer(message)} if known else {"error": {"code": -32601, "message": "no such method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
