# A streamable HTTP server that does as its first argument says; for test_mcp_http.c. Its tool "run_command" answers by what the
# command is; requests are counted, so that a test can ask what came.
import http.server, json, os, queue, socketserver, ssl, sys, time

MODE, PORT = sys.argv[1], int(sys.argv[2])
SESSION = "a-session-0"
seen = {"DELETE": 0, "discover": 0, "GET": 0, "notifications": 0, "no-session": 0, "no-version": 0, "resumed": ""}
TOOL = {"name": "run_command", "description": "run a shell command",
        "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}
# MODE "sessions": a new id for each initialize, until a DELETE or the command "forget"; "old": HTTP+SSE, the transport of 2024-11-05.
sessions, streams = [], []
ERROR = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}'
ODD = {"d400": (400, ERROR, "application/json"), "d404": (404, b"{}", "application/json"), "d405": (405,), "d406": (406, b"no"),
       "d202": (202,), "d200": (200, b'{"jsonrpc":"2.0","id":1,"result":{}}', "application/json"),
       "d601": (200, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}', "application/json")}
REFUSALS = {"unauthorized": (401, b"who are you?"), "missing": (404, b"nothing here"), "broken": (500, b"")}


def result_of(message):
    if message["method"] == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "logging": {}}, "serverInfo": {"name": "fake", "version": "1"}}
    if message["method"] == "tools/list":
        return {"tools": [TOOL]}
    return {"content": [{"type": "text", "text": json.dumps(seen)}]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def plain(self, status, body=b"", kind="text/plain", **headers):
        self.send_response(status)
        if body or status != 202:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()

    def say(self, text):
        self.wfile.write(text.encode())
        self.wfile.flush()

    def refused_session(self, message):
        """What is wrong with the session of a request: a status, or None."""
        if MODE != "sessions" or (message or {}).get("method") == "initialize":
            return None
        given = self.headers.get("Mcp-Session-Id")
        return 400 if not given else None if given in sessions else 404

    def listen_old(self):
        self.begin_stream()
        self.say("event: endpoint\ndata: " + ("http://elsewhere.example/messages" if MODE == "astray" else "/messages?of=me") + "\n\n")
        answers = queue.Queue()
        streams.append(answers)
        for answer in iter(answers.get, None):
            self.say(f"event: message\ndata: {json.dumps(answer)}\n\n")

    def post_old(self, message):
        if self.path != "/messages?of=me":
            return self.plain(404, b"no POST here")
        self.plain(202, b"Accepted")
        if "id" not in message:
            seen["notifications"] += 1
            return None
        command = message.get("params", {}).get("arguments", {}).get("command")
        return streams[-1].put(None if command == "hang-up" else {"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)})

    def do_GET(self):
        seen["GET"] += 1
        if MODE in ("old", "astray"):
            return self.listen_old()
        if MODE == "pushes":  # two streams of its own, the second one where the first one ended
            last = self.headers.get("Last-Event-ID")
            seen["resumed"] = last or ""
            if last == "p2":
                return self.plain(405)
            self.begin_stream()
            return self.say(f"retry: 30\nid: {'p2' if last else 'p1'}\ndata: " + json.dumps({"jsonrpc": "2.0", "method": "notifications/other", "params": {}}) + "\n\nid: half\n")
        last = self.headers.get("Last-Event-ID")
        if not last:
            return self.plain(405)
        seen["resumed"] = last
        self.begin_stream()
        return self.say(f"id: 8\ndata: {json.dumps(self.server.owed)}\n\n")

    def do_DELETE(self):
        seen["DELETE"] += 1
        given = self.headers.get("Mcp-Session-Id")
        status = self.refused_session(None)
        if given in sessions:
            sessions.remove(given)
        self.plain(status or 200)

    def do_PUT(self):
        self.plain(405, json.dumps(dict(self.headers)).encode(), "application/json")

    def answer_call(self, message, reply):
        command = message["params"]["arguments"]["command"]
        if command == "stream":  # a notification first, the answer in two lines of data, CR LF, and cut into small writes
            self.begin_stream()
            text = json.dumps(reply)
            cut = text.index(",") + 1
            whole = ": a comment\r\nid: 5\r\ndata\r\n\r\nevent: message\r\ndata: " + json.dumps(
                {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}}) + "\r\n\r\n"
            whole += f"data: {text[:cut]}\r\ndata:{text[cut:]}\r\n\r\n"
            for i in range(0, len(whole), 7):
                self.say(whole[i:i + 7])
        elif command == "breaks":  # the stream ends before the answer; it can be taken up again
            self.server.owed = reply
            self.begin_stream()
            self.say("retry: 20\nid: 7\ndata:\n\n")
        elif command == "ends":  # the same, without an id to go on from
            self.begin_stream()
            self.say("data: \n\n")
        elif command == "accepted":
            self.plain(202)
        elif command == "gone":
            self.plain(404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}', "application/json")
        elif command == "forget":
            sessions.clear()
            self.plain(200, json.dumps(reply).encode(), "application/json")
        elif command == "slow":
            time.sleep(30)
        elif command == "big":
            reply["result"] = {"content": [{"type": "text", "text": "x" * 2000000}]}
            self.plain(200, json.dumps(reply).encode(), "application/json")
        elif command == "twice":
            self.begin_stream()
            self.say(f"data: {json.dumps(reply)}\n\n" * 2)
        elif command == "garbage":
            self.plain(200, b"<html>welcome</html>", "text/html")
        else:
            self.plain(200, json.dumps(reply, indent=2).encode(), "application/json")

    def discovered(self):
        seen["discover"] += 1
        if MODE == "deaf":
            time.sleep(30)
        elif MODE == "drops":
            self.close_connection = True
        elif MODE == "dies":
            os._exit(3)
        else:
            self.plain(*ODD.get(MODE, (400, b"Bad Request: no session")))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if MODE in REFUSALS:
            return self.plain(*REFUSALS[MODE])
        if MODE == "shows":  # what it was not to show
            return self.plain(401, b"no such user: " + str(self.headers.get("Authorization")).encode())
        seen["headers"] = dict(self.headers) if MODE == "echoes" else {}
        if MODE == "circle":
            return self.plain(307, Location=self.path)
        if MODE == "moved" and self.path == "/mcp":
            return self.plain(307, Location="/elsewhere")
        if MODE.startswith("to:") and self.path == "/mcp":
            return self.plain(307, Location=MODE[3:])
        if MODE == "chats":
            return self.plain(200, b"hello", "application/json")
        if MODE == "guarded" and self.headers.get("Authorization") != "Bearer secret-7":
            return self.plain(401)
        try:
            message = json.loads(body)
        except ValueError:
            return self.plain(400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}', "application/json")
        if MODE in ("old", "astray"):
            return self.post_old(message)
        status = self.refused_session(message)
        if status:
            return self.plain(status, b"what session?")
        if "method" not in message:
            return self.plain(400, b"nothing was asked")
        if message["method"] == "server/discover":  # of an era that this server does not know
            return self.discovered()
        if message["method"] == "initialize":
            sessions.append(f"{SESSION}-{len(sessions)}" if MODE == "sessions" else SESSION)
            seen["initialize"] = seen.get("initialize", 0) + 1
        else:
            seen["no-session"] += self.headers.get("Mcp-Session-Id") != SESSION
            seen["no-version"] += self.headers.get("MCP-Protocol-Version") != "2025-06-18"
        if "id" not in message:
            seen["notifications"] += 1
            return self.plain(202)
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)}
        if message["method"] == "tools/call":
            return self.answer_call(message, reply)
        return self.plain(200, json.dumps(reply).encode(), "application/json", Mcp_Session_Id=sessions[-1] if sessions else SESSION)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    owed = None


server = Server(("0.0.0.0" if MODE.startswith("to:") else "127.0.0.1", PORT), Handler)
if len(sys.argv) > 3:  # over TLS, with this certificate and key
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
