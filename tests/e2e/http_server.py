# An MCP server over streamable HTTP with one tool, echo. "strict" keeps every duty that HTTP asks for; "careless" has planted faults:
# a foreign Origin is served, an unknown session gets 400, a DELETE ends all sessions, and of calls that come at a time with one id
# each gets the answer to the last one. "files" can write and read files of its working directory, and so can "lossy", which loses the
# last byte of what it writes where that is not all ASCII.
import http.server, itertools, json, os, socketserver, sys, time

CARELESS, PORT = sys.argv[1] == "careless", int(sys.argv[2])
VERSION = "2025-11-25"
TOOL = {"name": "echo", "description": "says it again", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}
PATH = {"path": {"type": "string", "description": "path of the file"}}
FILES = [{"name": "write_file", "description": "writes content to a file", "annotations": {"destructiveHint": False},
          "inputSchema": {"type": "object", "properties": {**PATH, "content": {"type": "string", "description": "text to write"}}, "required": ["path", "content"]}},
         {"name": "read_file", "description": "reads a file as text", "annotations": {"readOnlyHint": True},
          "inputSchema": {"type": "object", "properties": PATH, "required": ["path"]}}]
TOOLS = FILES if sys.argv[1] in ("files", "lossy") else [TOOL]
sessions, numbers, last_message = set(), itertools.count(1), {}


def reply(said, **more):
    return {"result": {"content": [{"type": "text", "text": said}], **more}}


def of_file(name, arguments):
    try:
        if name == "write_file":
            data = arguments["content"].encode()
            with open(arguments["path"], "wb") as f:
                f.write(data[:-1] if sys.argv[1] == "lossy" and not data.isascii() else data)
            return reply("written")
        with open(arguments["path"], "rb") as f:
            return reply(f.read().decode())
    except (OSError, ValueError) as e:
        return reply(str(e), isError=True)


def call(message):
    if TOOLS == FILES:
        return of_file(message["params"]["name"], message["params"]["arguments"])
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    if params.get("name") != "echo":
        return {"error": {"code": -32602, "message": "no such tool"}}
    arguments = params.get("arguments")
    said = arguments.get("message") if isinstance(arguments, dict) else None
    if not isinstance(said, str):
        return {"result": {"isError": True, "content": [{"type": "text", "text": "echo wants a message"}]}}
    if CARELESS:
        last_message[message["id"]] = said
        time.sleep(0.1)
        said = last_message[message["id"]]
    return {"result": {"content": [{"type": "text", "text": said}]}}


ANSWERS = {
    "initialize": lambda _: {"result": {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": {"name": "echoes", "version": "1"}}},
    "tools/list": lambda m: {"error": {"code": -32602, "message": "no such page"}} if "cursor" in (m.get("params") or {}) else {"result": {"tools": TOOLS}},
    "tools/call": call,
    "ping": lambda _: {"result": {}},
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, **headers):
        text = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if text:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def refuses(self, message=None):
        """The status of what may not be, or None."""
        given, accept = self.headers.get("Mcp-Session-Id"), self.headers.get("Accept", "")
        first = message is not None and message.get("method") == "initialize"
        if self.headers.get("Origin") and not CARELESS:
            return 403
        if message is not None and ("application/json" not in accept or "text/event-stream" not in accept):
            return 406
        if message is not None and self.headers.get("Content-Type") != "application/json":
            return 415
        if not first and given not in sessions:
            return 404 if given and not CARELESS else 400
        return 400 if self.headers.get("MCP-Protocol-Version", VERSION) != VERSION else None

    def do_GET(self):
        self.answer(self.refuses() or 405)

    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(405)

    def do_DELETE(self):
        status = self.refuses()
        if not status:
            sessions.clear() if CARELESS else sessions.discard(self.headers["Mcp-Session-Id"])
        self.answer(status or 200)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            message = json.loads(body)
            proper = message["jsonrpc"] == "2.0" and (isinstance(message.get("method"), str) or "result" in message)
            proper = proper and (message.get("method") != "initialize" or isinstance(message.get("params"), dict))
        except (ValueError, KeyError, TypeError, AttributeError):
            message, proper = {}, False
        status = self.refuses(message) or (None if proper else 400)
        if status:
            return self.answer(status, {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}})
        if "id" not in message or "method" not in message:
            return self.answer(202)
        what = ANSWERS.get(message["method"], lambda _: {"error": {"code": -32601, "message": "no such method"}})(message)
        more = {}
        if message["method"] == "initialize":
            more["Mcp_Session_Id"] = f"session-{next(numbers)}"
            sessions.add(more["Mcp_Session_Id"])
        return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], **what}, **more)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


Server(("127.0.0.1", PORT), Handler).serve_forever()
