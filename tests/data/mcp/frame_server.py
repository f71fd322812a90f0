"""An MCP server that reads frames by the letter, for tests/unit/test_mcp_fault.c: over lines (no argument), or over HTTP (a port).

What does not parse is answered by an error with the id null, what is no request by one with its id; with "sloppy" as the first
argument such frames are dropped without a word. Its tools: echo, big (so many bytes), and later, which is answered
after whatever came with it in one write.
"""
import http.server, json, os, sys, time

SLOPPY = sys.argv[1:2] == ["sloppy"]
PORT = int(sys.argv[1]) if sys.argv[1:] and not SLOPPY else 0
seen = {"aborted": 0, "calls": 0}
TOOLS = [{"name": name, "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}} for name in ("echo", "big", "count", "later")]


def error(id, code, text):
    return None if SLOPPY else {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}


def result_of(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "frames", "version": "1"}}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    seen["calls"] += 1
    name, text = params["name"], params.get("arguments", {}).get("text", "")
    text = "b" * int(text) if name == "big" else json.dumps(seen) if name == "count" else text
    return {"content": [{"type": "text", "text": text}]}


def answer(line):
    """The answer to one frame, or None."""
    try:
        message = json.loads(line.decode("utf-8"))
    except ValueError:
        return error(None, -32700, "parse error")
    if not isinstance(message, dict):
        return error(None, -32600, "no request")
    id = message.get("id")
    readable = isinstance(id, (str, int, float)) and not isinstance(id, bool)
    if "id" in message and not readable:
        return error(None, -32600, "no id")
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return error(id, -32600, "no request")
    if "id" not in message:
        return None
    if message["method"] not in ("initialize", "ping", "tools/list", "tools/call"):
        return error(id, -32601, "no such method")
    if not isinstance(message.get("params", {}), dict) or (message["method"] == "tools/call" and "params" not in message):
        return error(id, -32602, "no params")
    return {"jsonrpc": "2.0", "id": id, "result": result_of(message)}


def serve_lines():
    rest = b""
    while data := os.read(0, 1 << 20):
        *whole, rest = (rest + data).split(b"\n")
        for line in sorted(whole, key=lambda line: b'"later"' in line):
            said = answer(line)
            if said:
                sys.stdout.write(json.dumps(said) + "\n")
                sys.stdout.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            seen["aborted"] += 1
            self.close_connection = True
            return
        said = answer(body)
        refused = said and "error" in said and said["error"]["code"] in (-32700, -32600)
        text = json.dumps(said).encode() if said else b""
        self.send_response(400 if refused else 200 if said else 202)
        if said:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()


if PORT:
    http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
serve_lines()
