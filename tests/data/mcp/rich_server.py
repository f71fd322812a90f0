"""An MCP server that has everything a client may meet, for tests: resources, templates, prompts, completion, logging, progress,
lists that change, requests to the client, odd JSON and very long lines. It speaks over standard input and output, or with the
arguments `http PORT` over streamable HTTP on loopback; there a tool named long-sse… is answered by an event stream.

argv[1] may be a mode: `bare` declares tools only, `loop` has cursors that lead in a circle, `own` names resources below its
working directory.
"""
import http.server
import json
import os
import sys
import threading
import time

MODE = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] != "http" else ""
ODD = ('{"big":18446744073709551616,"huge":1e999,"zero":-0,"one":1.0,"twice":1,"twice":2,"lone":"\\ud800","nul":"\\u0000",'
       '"tenth":0.10,"nested":[[{"a":1E2}]]}')
PAGES = {None: ("one", ""), "": ("two", "c"), "c": ("three", None)}
TOOLS = ["echo", "progress", "ask", "change", "odd", "long", "seen", "hold"]
tools = list(TOOLS)
seen = []      # notifications of the client
client = {}    # what it said at initialize
waiting = []   # calls that wait for the client's answer to a request of ours
held = []
listed = []    # lists it was asked for, beside tools
lock = threading.Lock()
late = []      # over HTTP: answers to calls that waited


def write(data):
    while data:
        data = data[os.write(1, data):]


def result(request, text):
    return b'{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(request["id"]).encode(), text if isinstance(text, bytes) else text.encode())


def text_result(request, text):
    return result(request, json.dumps({"content": [{"type": "text", "text": text}]}))


def error(request, code, message):
    return json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}).encode()


def notification(method, params=None):
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode()


def page(request, member, make):
    cursor = request.get("params", {}).get("cursor")
    listed.append(member)
    if MODE == "loop":
        rest = {None: "a", "a": "b", "b": "a"}
        return result(request, json.dumps({member: [make(str(cursor))], "nextCursor": rest.get(cursor, "a")}))
    if cursor not in PAGES:
        return error(request, -32602, "bad cursor")
    name, following = PAGES[cursor]
    return result(request, json.dumps({member: [make(name)], **({} if following is None else {"nextCursor": following})}))


def long_line(request, size, send):
    """size bytes of text in one message, written piece by piece; the id comes first, or last where the tool's name says so."""
    number = b'"id":%d' % request["id"]
    late = request["params"]["name"].endswith("late")
    head = b'{"jsonrpc":"2.0",' + (b"" if late else number + b",") + b'"result":{"content":[{"type":"text","text":"'
    tail = b'"}]}' + (b"," + number if late else b"") + b"}"
    send(head)
    piece = b"z" * (1 << 20)
    for _ in range(size >> 20):
        send(piece)
    send(tail)


def call(request, out):
    params = request["params"]
    name, arguments = params["name"], params.get("arguments") or {}
    if name not in tools:
        return error(request, -32602, f"unknown tool {name}")
    if name == "echo":
        return text_result(request, arguments.get("text", ""))
    if name == "progress":
        token = params.get("_meta", {}).get("progressToken")
        for step in range(1, 4) if token is not None else ():
            out(notification("notifications/progress", {"progressToken": token, "progress": step * 1.5, "total": 4.5}))
        return text_result(request, json.dumps(token))
    if name == "ask":
        waiting.append(request)
        out(json.dumps({"jsonrpc": "2.0", "id": "ask", **arguments}).encode())
        return None
    if name == "change":
        tools[:] = [tool for tool in TOOLS if tool != "odd"] + ["added"]
        for kind in ("tools", "resources", "prompts"):
            out(notification(f"notifications/{kind}/list_changed"))
        return text_result(request, "changed")
    if name == "odd":
        return result(request, '{"content":[],"structuredContent":' + ODD + "}")
    if name == "seen":
        return text_result(request, json.dumps({"seen": seen, "client": client, "listed": len(listed)}))
    if name == "hold":
        held.append(request)
        return None
    return text_result(request, "added")


def take(message, out):
    """The answer to a message, or None."""
    method = message.get("method")
    if method is None:
        return text_result(waiting.pop(), json.dumps({key: message[key] for key in ("result", "error") if key in message})) if waiting else None
    params = message.get("params") or {}
    if "id" not in message:
        seen.append({"method": method, "params": params})
        for each in [each for each in held if each["id"] == params.get("requestId")]:
            held.remove(each)
        return None
    if method == "initialize":
        client.update(params.get("capabilities", {}))
        more = {} if MODE == "bare" else {"resources": {"subscribe": True, "listChanged": True}, "prompts": {"listChanged": True},
                                          "completions": {}, "logging": {}}
        return result(message, json.dumps({"protocolVersion": "2025-06-18", "serverInfo": {"name": "rich", "version": "1"},
                                           "capabilities": {"tools": {"listChanged": True}, **more}}))
    if method == "tools/list":
        return result(message, json.dumps({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools]}))
    if method == "tools/call":
        return call(message, out)
    if method == "ping":
        return result(message, "{}")
    if method == "odd":
        return result(message, ODD)
    if method == "hold":
        held.append(message)
        return None
    if MODE == "bare":
        return error(message, -32601, f"no method {method}")
    if method == "resources/list":
        return page(message, "resources", lambda name: {"uri": f"file://{os.getcwd()}/{name}" if MODE == "own" else f"test://{name}", "name": name, "mimeType": "text/plain"})
    if method == "resources/templates/list":
        return page(message, "resourceTemplates", lambda name: {"uriTemplate": f"test://{name}/{{id}}", "name": name})
    if method == "prompts/list":
        return page(message, "prompts", lambda name: {"name": name, "arguments": [{"name": "topic", "required": True}, {"name": "style"}]})
    if method == "resources/read":
        if not str(params.get("uri")).startswith("test://"):
            return error(message, -32002, "Resource not found")
        return result(message, json.dumps({"contents": [{"uri": params["uri"], "text": "content"}]}))
    if method == "prompts/get":
        if params.get("name") not in ("one", "two", "three") or "topic" not in (params.get("arguments") or {}):
            return error(message, -32602, "bad prompt")
        return result(message, json.dumps({"messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}]}))
    if method == "completion/complete":
        return result(message, json.dumps({"completion": {"values": ["a", "b"], "hasMore": False}}))
    if method in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
        if method == "logging/setLevel" and params.get("level") not in ("debug", "info", "notice", "warning", "error", "critical", "alert",
                                                                       "emergency"):
            return error(message, -32602, "bad level")
        return result(message, "{}")
    return error(message, -32601, f"no method {method}")


def is_long(message):
    return message.get("method") == "tools/call" and message["params"]["name"].startswith("long")


def over_pipes():
    def out(data):
        write(data + b"\n")

    rest = b""
    while data := os.read(0, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if is_long(message):
                long_line(message, message["params"]["arguments"]["size"], write)
                write(b"\n")
                continue
            answer = take(message, out)
            if answer is not None:
                out(answer)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if is_long(message):
            return self.long(message)
        before = []
        with lock:
            answer = take(message, before.append)
        if answer is None and message.get("method") == "tools/call":
            return self.wait(before)
        if "method" not in message and answer:
            late.append(answer)
        if "id" not in message or "method" not in message:
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = b"".join(b"data: " + each + b"\n\n" for each in before + [answer]) if before else answer
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if before else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def wait(self, events):
        """A stream that stays open until the client has answered what it was asked."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for each in events:
            self.wfile.write(b"data: " + each + b"\n\n")
            self.wfile.flush()
        for _ in range(500):
            if late:
                self.wfile.write(b"data: " + late.pop() + b"\n\n")
                return
            time.sleep(0.02)

    def long(self, message):
        stream = "-sse" in message["params"]["name"]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        if stream:
            self.wfile.write(b"data: ")
        long_line(message, message["params"]["arguments"]["size"], self.wfile.write)
        if stream:
            self.wfile.write(b"\n\n")
        self.close_connection = True


if len(sys.argv) > 2 and sys.argv[1] == "http":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
over_pipes()
