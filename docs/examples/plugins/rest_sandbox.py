"""A plug-in for sandboxes behind an HTTP service: files and commands become requests.

    taskgen run --domain filesystem --count 20 --target 'plugin:python3 docs/examples/plugins/rest_sandbox.py'

SANDBOX_URL and SANDBOX_TOKEN (with --env) name a service; without them the stand-in beside this file is started on a free port of loopback.
The sandbox's files are not on this machine's disk as far as taskgen knows: everything is seen through the service.
"""
import base64, json, os, secrets, subprocess, sys, time, urllib.error, urllib.parse, urllib.request

import taskgen_plugin
from taskgen_plugin import Failed, as_bytes

LANGUAGES = {"sh": ["sh", "-c"], "bash": ["bash", "-c"], "python": ["python3", "-c"]}


class RestSandbox(taskgen_plugin.Plugin):
    name, version = "rest-sandbox", "1"
    needs = ["write", "write:bytes", "upload", "upload:bytes", "read", "read:bytes", "download", "run", "run:bytes"]
    needs += ["run:" + language for language in LANGUAGES]
    run = ["binary", "split", "exit", "stdin"]

    def request(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=body)
        request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            raise Failed(json.loads(error.read()).get("message", "refused"), error.code) from error

    def start_stand_in(self, directory, port):
        server = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rest_sandbox_server.py")
        self.server = subprocess.Popen([sys.executable, server, str(port), directory], env=dict(os.environ, SANDBOX_TOKEN=self.token),
                                       stdin=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.request("GET", "/")
            except Failed:
                return  # it answers
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the stand-in does not answer")

    def open(self, root, home, port):
        self.server, self.note = None, os.path.join(home, ".rest-sandbox")
        self.owner = not os.path.exists(self.note)  # else: one more client of the sandbox that a first one made
        self.token = os.environ.get("SANDBOX_TOKEN") or secrets.token_hex(8)
        self.url = os.environ.get("SANDBOX_URL", f"http://127.0.0.1:{port}")
        if "SANDBOX_URL" not in os.environ:
            self.start_stand_in(home, port)  # each client is in a box with a network of its own; the sandboxes are on disk
        if not self.owner:
            with open(self.note, encoding="utf-8") as f:
                self.sandbox, self.root = json.load(f)
            return
        made = json.loads(self.request("POST", "/sandboxes"))
        self.sandbox, self.root = "/sandboxes/" + made["id"], made["directory"]
        with open(self.note, "w", encoding="utf-8") as f:
            json.dump([self.sandbox, self.root], f)

    def close(self):
        if self.owner:
            self.request("DELETE", self.sandbox)
            os.unlink(self.note)
        if self.server:
            self.server.terminate()
            self.server.wait()

    def file(self, method, path, body=None):
        return self.request(method, self.sandbox + "/files?path=" + urllib.parse.quote(as_bytes(path), safe=""), body)

    def op_write(self, path, content):
        self.file("PUT", path, as_bytes(content))

    def op_read(self, path, offset=0, length=None, head=None, tail=None):
        data = self.file("GET", path)
        if head is not None or tail is not None:
            lines = data.splitlines(keepends=True)
            return {"content": b"".join(lines[:head] if head is not None else lines[max(0, len(lines) - tail):])}
        return {"content": data[offset:] if length is None else data[offset:offset + length]}

    op_upload, op_download = op_write, op_read

    def op_run(self, argv=None, language=None, script=None, stdin="", env=None, cwd=""):
        words = argv if argv is not None else LANGUAGES[language] + [script]
        if any(isinstance(word, bytes) or "\0" in word for word in words):
            raise taskgen_plugin.Skip("argv: words must be text without NUL")
        body = json.dumps({"argv": words, "env": env or {}, "cwd": cwd, "stdin": base64.b64encode(as_bytes(stdin)).decode()})
        reply = json.loads(self.request("POST", self.sandbox + "/commands", body.encode("utf-8")))
        return {"exit": reply["exit"], "stdout": base64.b64decode(reply["stdout"]), "stderr": base64.b64decode(reply["stderr"])}


taskgen_plugin.serve(RestSandbox())
