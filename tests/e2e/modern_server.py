"""A strict MCP server of the stateless era (2026-07-28), for tests: over stdio, or over HTTP on 127.0.0.1 when the first argument is a
port. The last argument names rules that it breaks, with commas:

no-type no-ttl asks-us any-version any-meta any-header any-state odd-code odd-status logs goes-on
"""
import base64
import hashlib
import hmac
import http.server
import json
import socketserver
import sys
import time

VERSION, META = "2026-07-28", "io.modelcontextprotocol/"
WORDS = sys.argv[1:]
PORT = int(WORDS.pop(0)) if WORDS and WORDS[0].isdigit() else 0
BROKEN = set(WORDS[0].split(",")) if WORDS else set()
TEXT = {"type": "string"}
TOOLS = [
    {"name": "echo", "inputSchema": {"type": "object", "properties": {"message": TEXT}, "required": ["message"]},
     "annotations": {"readOnlyHint": True}},
    {"name": "région", "inputSchema": {"type": "object", "properties": {
        "place": {**TEXT, "x-mcp-header": "Place"},
        "deep": {"type": "object", "properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}}}, "required": ["place"]}},
    {"name": "ask", "inputSchema": {"type": "object"}},
    {"name": "needs-roots", "inputSchema": {"type": "object"}},
    {"name": "fragile", "inputSchema": {"type": "object"}},
]
BAD_TOOL = {"name": "mislabelled", "inputSchema": {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}}
dropped = set()
left = []  # of rule goes-on: answers to requests whose stream was closed


class Refusal(Exception):
    def __init__(self, code, message, status=400, **data):
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})
        self.status = status


def seal(text):
    return text + "." + hmac.new(b"key", text.encode(), hashlib.sha256).hexdigest()


def text_result(text, **more):
    return {"resultType": "complete", "content": [{"type": "text", "text": text}], **more}


def ask(params, capabilities):
    state = params.get("requestState")
    if state is None:
        if "elicitation" not in capabilities:
            raise Refusal(-32021, "elicitation is needed", requiredCapabilities={"elicitation": {}})
        return {"resultType": "input_required", "requestState": seal("step é \U0001f680 \" 2"), "inputRequests": {
            "ok": {"method": "elicitation/create", "params": {"mode": "form", "message": "go on?", "requestedSchema": {
                "type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}}}}}
    if "any-state" not in BROKEN and (state != seal(state.rsplit(".", 1)[0])):
        raise Refusal(-32602, "that state is not one of ours", 200)
    return text_result("answered: " + params["inputResponses"]["ok"]["action"])


def call(params, capabilities):
    name, arguments = params.get("name"), params.get("arguments") or {}
    if name == "echo":
        return text_result(str(arguments.get("message")))
    if name == "région":
        return text_result(f"{arguments.get('place')} {(arguments.get('deep') or {}).get('count')}")
    if name == "ask":
        return ask(params, capabilities)
    if name == "needs-roots" and "roots" not in capabilities:
        raise Refusal(-32021, "roots are needed", requiredCapabilities={"roots": {}})
    if name in ("needs-roots", "fragile"):
        return text_result("here")
    raise Refusal(-32602, f"no tool {name}", 200)


def answer(message):
    method, params = message["method"], message.get("params") or {}
    meta = params.get("_meta") or {}
    version, capabilities = meta.get(META + "protocolVersion"), meta.get(META + "clientCapabilities")
    if "any-meta" not in BROKEN and (not isinstance(version, str) or not isinstance(capabilities, dict)):
        raise Refusal(-32602, "_meta says neither version nor capabilities")
    if "any-version" not in BROKEN and version is not None and version != VERSION:
        raise Refusal(-32022, "unsupported version", supported=[VERSION], requested=version)
    kept = {} if "no-ttl" in BROKEN else {"ttlMs": 60000, "cacheScope": "public"}
    if method == "server/discover":
        return {"resultType": "complete", "supportedVersions": [VERSION], "capabilities": {"tools": {}}, **kept,
                "_meta": {META + "serverInfo": {"name": "strict", "version": "1"}}}
    if method == "tools/list":
        return {"resultType": "complete", "tools": TOOLS + ([BAD_TOOL] if PORT else []), **kept}
    if method == "tools/call":
        return call(params, capabilities or {})
    raise Refusal(-32000 - 50 if "odd-code" in BROKEN else -32601, f"no method {method}", 404)


def reply_to(message):
    """The reply, and the HTTP status."""
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        result = answer(message)
    except Refusal as r:
        return reply | {"error": r.error}, 200 if "odd-status" in BROKEN else r.status
    if "no-type" in BROKEN and message["method"] == "tools/call" and result["resultType"] == "complete":
        result.pop("resultType")
    return reply | {"result": result}, 200


def decoded(value):
    if value is not None and value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2]).decode()
    return value


def wrong_header(headers, message):
    """Why headers do not repeat the body, or None."""
    params = message.get("params") or {}
    version = (params.get("_meta") or {}).get(META + "protocolVersion")
    wanted = {"MCP-Protocol-Version": version, "Mcp-Method": message["method"]}
    if message["method"] == "tools/call":
        wanted["Mcp-Name"] = params.get("name")
        arguments = params.get("arguments") or {}
        if params.get("name") == "région":
            count = (arguments.get("deep") or {}).get("count")
            wanted |= {"Mcp-Param-Place": arguments.get("place"), "Mcp-Param-Count": None if count is None else str(count)}
    for name, value in wanted.items():
        if value is not None and decoded(headers.get(name)) != value:
            return f"{name} is {headers.get(name)!r}, and the body says {value!r}"
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def plain(self, status, message=None):
        body = json.dumps(message).encode() if message else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.plain(405)

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if "id" not in message:
            return self.plain(202)
        wrong = None if "any-header" in BROKEN else wrong_header(self.headers, message)
        if wrong:
            return self.plain(400, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32020, "message": wrong}})
        reply, status = reply_to(message)
        if message["method"] == "tools/call" and message["params"].get("name") == "fragile":
            return self.stream(message, reply)
        said = ((message.get("params") or {}).get("arguments") or {}).get("message")
        if said == "slow":
            return self.too_late(reply)
        if said == "later":
            time.sleep(0.8)
        if left:
            return self.with_others(reply)
        self.plain(status, reply)

    def too_late(self, reply):
        """Works on until long after the client has closed the stream."""
        time.sleep(0.4)
        self.close_connection = True
        if "goes-on" in BROKEN:
            left.append(reply)

    def with_others(self, reply):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        for one in (*left, reply):
            self.wfile.write(f"data: {json.dumps(one)}\n\n".encode())
        left.clear()

    def stream(self, message, reply):
        """The first one breaks off before its answer; the request comes again, as another one."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        self.wfile.write(b": nothing yet\n\n")
        if dropped:
            reply["result"]["content"][0]["text"] = "again" if message["id"] not in dropped else "the same id"
            self.wfile.write(f"data: {json.dumps(reply)}\n\n".encode())
        dropped.add(message["id"])


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


if PORT:
    Server(("127.0.0.1", PORT), Handler).serve_forever()
asked = False
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if "method" not in message:
        sys.exit("a response, which no client of this era sends")
    if "asks-us" in BROKEN and not asked and message["method"] == "tools/call":
        asked = True
        print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}), flush=True)
    if "logs" in BROKEN and message["method"] == "tools/call":
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}), flush=True)
    print(json.dumps(reply_to(message)[0]), flush=True)
