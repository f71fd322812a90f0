"""A small sandbox service over HTTP, as hosted ones are: the stand-in that rest_sandbox.py talks to when it is given no address.

    POST   /sandboxes                        {"id": ..., "directory": where its files are, as its commands see it}
    POST   /sandboxes/ID/commands            {"argv": [...], "stdin": base64, "env": {...}, "cwd": path, "timeout": seconds}
                                             {"exit": n, "stdout": base64, "stderr": base64}
    PUT    /sandboxes/ID/files?path=P        body: the bytes          GET: the bytes          DELETE
    DELETE /sandboxes/ID

Each sandbox is a directory below the one given on the command line. Every request must bear the token of the environment.
"""
import base64, http.server, json, os, secrets, shutil, subprocess, sys, urllib.parse

PORT, DIRECTORY, TOKEN = int(sys.argv[1]), sys.argv[2], os.environ["SANDBOX_TOKEN"]


class Refusal(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def directory(self, name):
        path = os.path.join(DIRECTORY, name)
        if not name.isalnum() or not os.path.isdir(path):
            raise Refusal(404, "no such sandbox")
        return path

    def inside(self, root, path):
        found = os.path.realpath(os.path.join(root, path))
        if found != os.path.realpath(root) and not found.startswith(os.path.realpath(root) + "/"):
            raise Refusal(403, "outside the sandbox")
        return found

    def run(self, root, body):
        request = json.loads(body)
        try:
            done = subprocess.run(request["argv"], input=base64.b64decode(request.get("stdin", "")), capture_output=True,
                                  cwd=self.inside(root, request.get("cwd", "")), env=dict(os.environ, **request.get("env", {})),
                                  timeout=request.get("timeout", 60), check=False)
        except subprocess.TimeoutExpired as late:
            raise Refusal(408, "the command took too long") from late
        except OSError as error:
            raise Refusal(400, f"cannot run it: {error.strerror}") from error
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return json.dumps({"exit": status, "stdout": base64.b64encode(done.stdout).decode(),
                           "stderr": base64.b64encode(done.stderr).decode()}).encode()

    def file(self, root, path, body):
        try:
            if self.command == "PUT":
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as f:
                    f.write(body)
                return b"{}"
            if self.command == "DELETE":
                os.unlink(path)
                return b"{}"
            with open(path, "rb") as f:
                return f.read()
        except OSError as error:
            raise Refusal(404 if isinstance(error, FileNotFoundError) else 400, error.strerror) from error

    def answer(self, body):
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Refusal(401, "wrong token")
        url = urllib.parse.urlsplit(self.path)
        parts = url.path.strip("/").split("/")
        if parts == ["sandboxes"] and self.command == "POST":
            name = secrets.token_hex(6)
            os.mkdir(os.path.join(DIRECTORY, name))
            return json.dumps({"id": name, "directory": os.path.realpath(os.path.join(DIRECTORY, name))}).encode()
        root = self.directory(parts[1] if len(parts) > 1 else "")
        if len(parts) == 2 and self.command == "DELETE":
            shutil.rmtree(root)
            return b"{}"
        if parts[2:] == ["commands"] and self.command == "POST":
            return self.run(root, body)
        if parts[2:] == ["files"]:
            query = urllib.parse.parse_qs(url.query, keep_blank_values=True, encoding="utf-8", errors="surrogateescape")
            return self.file(root, self.inside(root, query["path"][0]), body)
        raise Refusal(404, "no such thing")

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            self.reply(200, self.answer(body))
        except Refusal as refusal:
            self.reply(refusal.status, json.dumps({"message": str(refusal)}).encode())

    do_GET = do_PUT = do_POST = do_DELETE = handle_request


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
