#!/usr/bin/python3
"""Speaks JSON-RPC to leakybox with all faults off: the protocol's duties and the tools' edges.

Its faults are shown by tasks: leakybox_proofs.py.

usage: leakybox.py PATH_OF_LEAKYBOX [NAME...]
"""
import base64
import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback

LEAKYBOX = os.path.abspath(sys.argv[1])
WAIT = 30.0
FULL_DISK = ["unshare", "--user", "--map-root-user", "--mount"]


class Failure(Exception):
    pass


def check(condition, *words):
    if not condition:
        raise Failure(" ".join(str(word) for word in words) or "check failed")


class Box:
    """One server with a fresh root."""

    def __init__(self, faults="none", env=None, root=None, before=None, initialize=True):
        self.top = tempfile.mkdtemp(prefix="leakybox-test-")
        self.root = root or os.path.join(self.top, "root")
        os.makedirs(self.root, exist_ok=True)
        os.makedirs(os.path.join(self.top, "tmp"), exist_ok=True)
        self.canary = os.path.join(self.top, "canary")
        environment = dict(os.environ, LEAKYBOX_CANARY=self.canary, HOME=self.root, TMPDIR=os.path.join(self.top, "tmp"),
                           SECRET_TOKEN="s3cret")
        environment.update(env or {})
        self.process = subprocess.Popen((before or []) + [LEAKYBOX, self.root, "--faults", faults],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.pending = b""
        self.lines = []
        self.last = 0
        if initialize:
            answer = self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                                 "clientInfo": {"name": "test", "version": "1"}})
            check(answer["result"]["protocolVersion"] == "2025-11-25", answer)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        shutil.rmtree(self.top, ignore_errors=True)

    def close(self):
        """Ends the server in good order and returns its exit status."""
        if self.process.poll() is None:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
            try:
                self.process.wait(WAIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        return self.process.returncode

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def line(self, seconds=WAIT):
        """The next line of the server's output, or None when none comes in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                return None
            self.pending += more
        line, _, self.pending = self.pending.partition(b"\n")
        return line

    def message(self, seconds=WAIT):
        line = self.line(seconds)
        return None if line is None else json.loads(line)

    def post(self, method, params=None):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, **({"params": params} if params is not None else {})})
        return self.last

    def answer(self, number, seconds=WAIT):
        """The answer to one request; others that come meanwhile are kept."""
        for index, kept in enumerate(self.lines):
            if kept.get("id") == number:
                return self.lines.pop(index)
        end = time.monotonic() + seconds
        while True:
            got = self.message(max(0.0, end - time.monotonic()))
            if got is None:
                return None
            if got.get("id") == number:
                return got
            self.lines.append(got)

    def request(self, method, params=None, seconds=WAIT):
        return self.answer(self.post(method, params), seconds)

    def tool_post(self, name, **arguments):
        return self.post("tools/call", {"name": name, "arguments": arguments})

    def tool(self, name, **arguments):
        answer = self.answer(self.tool_post(name, **arguments))
        check(answer is not None, name, "was not answered")
        check("result" in answer, name, answer)
        return answer["result"]

    def good(self, name, **arguments):
        result = self.tool(name, **arguments)
        check(not result["isError"], name, arguments, result["content"][0]["text"][:300])
        return result

    def text(self, name, **arguments):
        return self.good(name, **arguments)["content"][-1]["text"]

    def refused(self, name, *words, **arguments):
        result = self.tool(name, **arguments)
        text = result["content"][0]["text"]
        check(result["isError"], name, arguments, "was not refused:", text[:200])
        for word in words:
            check(word in text, "the error of", name, "does not say", repr(word) + ":", text)
        return text

    def run(self, command, **arguments):
        return self.good("run_command", command=command, **arguments)["structuredContent"]

    def path(self, *names):
        return os.path.join(self.root, *names)

    def put(self, name, data, mode=None):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(self.path(name), mode)

    def get(self, name):
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def upload(self, name, data):
        self.good("upload_file", path=name, content_base64=base64.b64encode(data).decode())

    def download(self, name):
        return base64.b64decode(self.text("download_file", path=name), validate=True)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def children(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == pid:
            found.append((int(name), fields[0]))
    return found


def until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


# With all faults off. -------------------------------------------------------------------------------------------------

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def protocol_errors():
    deep = b"[" * 300000 + b"]" * 300000
    table = [  # line, id and code of the answer
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"},', None, -32700),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', None, -32700),
        (b'\0{"jsonrpc":"2.0","id":1,"method":"ping"}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"p\xffing"}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"pi\x01ng"}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"} {"a":1}', None, -32700),
        (b'[]', None, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b'7', None, -32600),
        (b'null', None, -32600),
        (b'{}', None, -32600),
        (b'{"id":2,"method":"ping"}', 2, -32600),
        (b'{"jsonrpc":2.0,"id":2,"method":"ping"}', 2, -32600),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', "x", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, -32600),
        (b'{"jsonrpc":"2.0","id":3}', 3, -32600),
        (b'{"jsonrpc":"2.0","id":3,"method":7}', 3, -32600),
        (b'{"jsonrpc":"2.0","id":3,"method":""}', 3, -32601),
        (b'{"jsonrpc":"2.0","id":3,"method":"resources/list"}', 3, -32601),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', 3, -32602),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":"x"}', 3, -32602),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call"}', 4, -32602),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":1}}', 4, -32602),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope"}}', 4, -32602),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_file","arguments":"x"}}', 4, -32602),
        (b'{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"x"}}', 4, -32602),
        (b'{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}', 5, -32600),
        (b'{"jsonrpc":"2.0","id":6,"method":"' + b"m" * 2000000 + b'"}', 6, -32601),
        (b'{"jsonrpc":"2.0","id":7,"method":"none","params":{"a":' + deep + b"}}", 7, -32601),
        (b'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"a":[' + b"1," * 4100000 + b"1]}}", 8, -32600),
    ]
    with Box() as b:
        for line, number, code in table:
            b.raw(line + b"\n")
            got = b.message()
            check(got and got.get("id") == number and got["error"]["code"] == code, line[:80], "->", str(got)[:300])
            check(set(got) == {"jsonrpc", "id", "error"}, got)
        for line, number in [(b'{"jsonrpc":"2.0","id":%s,"method":"ping","params":null}', "1"),
                             (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\r', "123456789012345678901234567890"),
                             (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}', '"\\ud800"'),
                             (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}', '""'),
                             (b'{"id":0,"jsonrpc":"2.0","method":"ping","id":%s}', "-0")]:
            b.raw(line % number.encode() + b"\n")
            want = b'{"jsonrpc":"2.0","id":' + number.encode() + b',"result":{}}'
            got = b.line()
            check(got == want, got, "instead of", want)
        # Neither blank lines, notifications nor answers are answered.
        b.raw(b'\n  \r\n{"jsonrpc":"2.0","method":"nope"}\n{"jsonrpc":"2.0","method":"notifications/cancelled"}\n'
              b'{"jsonrpc":"2.0","id":9,"result":{}}\n{"jsonrpc":"2.0","method":"ping","params":[]}\n')
        check(b.line(0.3) is None, "something was answered that must not be")
        check(b.request("ping")["result"] == {})
        check(b.close() == 0, "exit status", b.process.returncode)


@case
def lifecycle():
    with Box(initialize=False) as b:
        check(b.request("tools/list")["error"]["code"] == -32600, "before initialize")
        check(b.request("ping")["result"] == {})
        check(b.request("initialize")["error"]["code"] == -32602)
        result = b.request("initialize", {"protocolVersion": "1999-01-01"})["result"]
        check(result["protocolVersion"] == "2025-11-25" and "tools" in result["capabilities"], result)
        tools = b.request("tools/list")["result"]["tools"]
        check(len(tools) == len({tool["name"] for tool in tools}) >= 15, tools)
        for tool in tools:
            schema = tool["inputSchema"]
            check(schema["type"] == "object" and set(schema["required"]) <= set(schema["properties"]), tool)
            check(tool.get("outputSchema", {"type": "object"})["type"] == "object", tool)
    with Box(initialize=False) as b:
        result = b.request("initialize", {"protocolVersion": "2025-06-18"})["result"]
        check(result["protocolVersion"] == "2025-06-18")
    with Box() as b:  # a last message without its newline is one too
        b.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        b.process.stdin.close()
        check(b.message()["result"] == {})
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with Box() as b:
            pid = int(b.run("sleep 64 >/dev/null & echo $!")["stdout"])
            b.process.send_signal(number)
            check(b.process.wait(WAIT) == 128 + number, b.process.returncode)
            check(not alive(pid), "a child survives", number)


@case
def long_lines():
    with Box() as b:
        text = "é" * (10 << 20)
        b.good("write_file", path="big", content=text)
        check(b.text("read_file", path="big") == text)
        size = 128 << 20
        b.raw(b'{"jsonrpc":"2.0","method":"ping","params":{"id":1,"a":"')
        for _ in range(size >> 20):
            b.raw(b"\\\\\\\"" * (1 << 18))
        b.raw(b'"},"id":77}\n')
        got = b.message(120)
        check(got["id"] == 77 and got["error"]["code"] == -32600, got)
        check(b.request("ping")["result"] == {})
        os.truncate(b.path("big"), 33 << 20)
        b.refused("read_file", "more than", path="big")
        b.refused("download_file", "more than", path="big")
        check(b.text("read_file", path="big", offset=20 << 20, length=10) == "\0" * 10)


@case
def files():
    with Box() as b:
        for content in ("", "\0", "a\0b\0", "\u2028\ufeff\U0001f600\r\n\r", "\x7f\x1b[31m", "\\n%s$(id)`'\""):
            b.good("write_file", path="f", content=content)
            check(b.get("f") == content.encode(), repr(content), b.get("f"))
            check(b.text("read_file", path="f") == content, repr(content))
            check(b.download("f") == content.encode())
        b.good("write_file", path="x/y/z", content="deep")
        b.good("append_file", path="x/y/z", content="er")
        b.good("append_file", path="x/new", content="n")
        check(b.get("x/y/z") == b"deeper" and b.get("x/new") == b"n")
        for data in (b"", b"\xff", bytes(range(256)) * 300, base64.b64encode(b"12345678")):
            b.upload("bin", data)
            check(b.get("bin") == data and b.download("bin") == data)
        b.refused("upload_file", "base64", path="bin2", content_base64="a b=")
        b.put("latin", b"caf\xe9")
        b.refused("read_file", "0xe9", "byte 3", path="latin")
        b.refused("write_file", "surrogate", path="f", content="\ud800")
        b.put("lines", b"a\r\nb\n\nc")
        for arguments, want in [({"head": 0}, ""), ({"head": 1}, "a\r\n"), ({"head": 9}, "a\r\nb\n\nc"), ({"tail": 0}, ""),
                                ({"tail": 1}, "c"), ({"tail": 2}, "\nc"), ({"tail": 9}, "a\r\nb\n\nc"),
                                ({"offset": 3, "length": 2}, "b\n"), ({"offset": 100}, ""), ({"length": 0}, ""),
                                ({"head": 2.0}, "a\r\nb\n"), ({"head": None, "tail": 1}, "c")]:
            got = b.text("read_file", path="lines", **arguments)
            check(got == want, arguments, repr(got))
        b.put("empty", b"")
        check(b.text("read_file", path="empty", tail=3) == "")
        big = b"".join(b"%d\n" % i for i in range(40000))
        b.put("many", big)
        check(b.text("read_file", path="many", tail=20000) == "".join(f"{i}\n" for i in range(20000, 40000)))
        check(b.text("read_file", path="many", head=20000) == "".join(f"{i}\n" for i in range(20000)))
        # A line that never ends is looked for no further than an answer may reach, so that others are served.
        with open(os.path.join(b.root, "sparse"), "wb") as f:
            f.truncate(1 << 40)
        began = time.monotonic()
        b.refused("read_file", "more than", path="sparse", tail=1)
        b.refused("read_file", "more than", path="sparse", head=1)
        check(time.monotonic() - began < 10, "a huge file took", time.monotonic() - began, "s")
        b.refused("read_file", "-1", path="lines", head=-1)
        b.refused("read_file", "exclude", path="lines", head=1, tail=1)
        b.put("edit", b"one\r\ntwo\r\n\xff")
        b.good("edit_file", path="edit", old_text="two", new_text="2\0")
        check(b.get("edit") == b"one\r\n2\0\r\n\xff")
        b.refused("edit_file", "does not stand", path="edit", old_text="three", new_text="")
        b.refused("edit_file", "more than once", path="edit", old_text="\r\n", new_text="")
        b.refused("edit_file", "empty", path="edit", old_text="", new_text="")
        os.link(b.path("lines"), b.path("alias"))
        b.put("mode", b"#!/bin/sh", 0o750)
        b.good("write_file", path="alias", content="short")
        b.good("write_file", path="mode", content="x")
        check(b.get("lines") == b"short", "a hard link diverges")
        check(stat.S_IMODE(os.stat(b.path("mode")).st_mode) == 0o750)


@case
def arguments():
    with Box() as b:
        b.put("a", b"a")
        b.refused("read_file", "missing")
        b.refused("read_file", "not known", path="a", foo=1)
        b.refused("read_file", "expected a string", path=7)
        b.refused("read_file", "expected a string", path=None)
        b.refused("read_file", "integer", path="a", head="1")
        b.refused("read_file", "integer", path="a", head=1.5)
        b.refused("read_file", "integer", path="a", head=10**30)
        b.refused("read_file", "NUL byte", path="a\0b")
        b.refused("write_file", "NUL byte", path="a\0b", content="")
        b.refused("run_command", "NUL byte", command="echo a\0b")
        b.refused("run_command", "NUL byte", command="true", cwd="a\0b")
        b.refused("run_command", "NUL byte", command="true", env={"A": "\0"})
        b.refused("run_command", "variable", command="true", env={"A=B": "x"})
        b.refused("run_command", "131071", command=": " + "x" * 131072)
        b.refused("run_command", "from 1 to", command="true", timeout_ms=0)
        b.refused("signal_process", "no process", process_id="p01")
        b.refused("signal_process", "no process", process_id="p1")
        b.refused("poll_process", "no process", process_id="p99999999999999999999")
        b.refused("delete_file", "true or false", path="a", recursive="yes")
        b.refused("list_directory", "surrogate", path="\udfff")
        check(b.get("a") == b"a")


@case
def paths():
    with Box() as b:
        outside = os.path.join(b.top, "outside")
        os.mkdir(outside)
        with open(os.path.join(outside, "secret"), "w", encoding="utf-8") as file:
            file.write("canary")
        b.put("d/f", b"f")
        b.put("~/literal", b"l")
        os.symlink("d", b.path("to-d"))
        os.symlink(b.path("d", "f"), b.path("absolute"))
        os.symlink("../outside", b.path("out"))
        os.symlink(outside, b.path("out2"))
        os.symlink("loop", b.path("loop"))
        os.symlink("../outside/made", b.path("dangling-out"))
        os.symlink("d/made", b.path("dangling"))
        for path in ("d/f", "./d//f", "d/./f", "d/../d/f", "to-d/f", "absolute", b.path("d/f"), "~/d/f", "to-d/../d/f",
                     b.path("to-d", "..", "d", "f")):
            check(b.text("read_file", path=path) == "f", path)
        check(b.text("read_file", path="./~/literal") == "l")
        for path in ("../outside/secret", "d/../../outside/secret", "out/secret", "out2/secret", "/etc/passwd", "/",
                     outside + "/secret", b.root + "x/secret", "to-d/../../outside/secret", "..", "d/../.."):
            b.refused("read_file", "outside the root", path=path)
            b.refused("write_file", "outside the root", path=path, content="x")
        b.refused("write_file", "outside the root", path="dangling-out", content="x")
        check(os.listdir(outside) == ["secret"], os.listdir(outside))
        b.good("write_file", path="dangling", content="x")
        check(b.get("d/made") == b"x" and os.path.islink(b.path("dangling")))
        b.refused("read_file", "ELOOP", path="loop")
        b.refused("read_file", "empty", path="")
        b.refused("read_file", "ENOENT", path="no/such")
        b.refused("read_file", "ENOTDIR", path="d/f/x")
        b.refused("read_file", "ENOTDIR", path="d/f/")
        b.refused("read_file", "directory", path="d")
        b.refused("write_file", "directory", path="d", content="")
        b.refused("write_file", "directory", path=".", content="")
        b.refused("write_file", "EISDIR", path="new/", content="")
        b.refused("write_file", "ENOTDIR", path="d/f/x", content="")
        b.refused("write_file", "ENAMETOOLONG", path="n" * 256, content="")
        b.refused("write_file", "4095", path="n/" * 2048, content="")
        b.good("write_file", path="n" * 255, content="")
        os.mkfifo(b.path("fifo"))
        for tool in ("read_file", "download_file"):
            b.refused(tool, "FIFO", path="fifo")
        b.refused("write_file", "FIFO", path="fifo", content="x")
        b.refused("append_file", "FIFO", path="fifo", content="x")
        for name in ("-rf", "--help", "a b", "a\nb", "#?*", "%2e%2e", "..a", " ", "\u0301e", "\x1b[2J"):
            b.good("write_file", path=name, content=name)
            check(b.get(name) == name.encode(), repr(name))
        many = "/".join(["deep"] * 300)
        b.good("write_file", path=many, content="x")
        check(b.text("read_file", path=many[:-5] + "/../deep/deep") == "x")
        b.good("delete_file", path="deep", recursive=True)


@case
def directories():
    with Box() as b:
        b.put("d/b", b"22")
        b.put("d/a", b"")
        os.mkdir(b.path("d/c"))
        os.symlink("x", b.path("d/l"))
        os.mkfifo(b.path("d/p"))
        with open(os.path.join(os.fsencode(b.root), b"d", b"\xff"), "wb"):
            pass
        entries = b.good("list_directory", path="d")["structuredContent"]["entries"]
        check(entries == [{"name": "a", "kind": "file"}, {"name": "b", "kind": "file"}, {"name": "c", "kind": "directory"},
                          {"name": "l", "kind": "link"}, {"name": "p", "kind": "other"},
                          {"name_base64": "/w==", "kind": "file"}], entries)
        check(b.good("list_directory", path="d/c")["structuredContent"] == {"entries": []})
        b.refused("list_directory", "ENOTDIR", path="d/a")
        info = b.good("file_info", path="d/b")["structuredContent"]
        check(info["kind"] == "file" and info["size"] == 2 and info["mode"] == os.stat(b.path("d/b")).st_mode & 0o7777, info)
        check(abs(info["modified_ms"] - os.stat(b.path("d/b")).st_mtime * 1000) < 2)
        check(b.good("file_info", path="d/l")["structuredContent"]["kind"] == "link")
        check(b.good("file_info", path=".")["structuredContent"]["kind"] == "directory")
        b.refused("file_info", "ENOENT", path="nope")
        b.good("make_directory", path="m/n/o/")
        b.good("make_directory", path="m/n")
        b.refused("make_directory", "EEXIST", path="d/a")
        b.good("move_file", source="d/b", destination="m/moved")
        check(b.get("m/moved") == b"22" and b.get("d/b") is None)
        b.refused("move_file", "EEXIST", source="d/a", destination="m/moved")
        b.refused("move_file", "ENOENT", source="d/none", destination="m/x")
        b.refused("move_file", "ENOENT", source="d/a", destination="none/x")
        b.refused("move_file", "EINVAL", source="m", destination="m/n/m")
        b.refused("move_file", "ENOTDIR", source="d/a", destination="d/x/")
        b.refused("move_file", "root", source=".", destination="x")
        b.good("move_file", source="d/l", destination="l2")
        check(os.readlink(b.path("l2")) == "x")
        b.refused("delete_file", "ENOTEMPTY", path="m")
        b.refused("delete_file", "ENOENT", path="nope")
        b.refused("delete_file", "root", path=".", recursive=True)
        b.refused("delete_file", "root", path="d/..", recursive=True)
        os.symlink("d", b.path("ld"))
        b.good("delete_file", path="ld", recursive=True)
        check(os.path.isdir(b.path("d")))
        b.good("delete_file", path="m", recursive=True)
        b.good("delete_file", path="d/p")
        b.good("delete_file", path="d/c")
        check(not os.path.exists(b.path("m")))


@case
def commands():
    with Box() as b:
        for code in (0, 1, 126, 127, 255):
            check(b.run(f"exit {code}")["exit_code"] == code)
        for name, number in (("KILL", 9), ("TERM", 15), ("SEGV", 11)):
            got = b.run(f"kill -{name} $$")
            check(got["exit_code"] == 128 + number and got["signal"] == name, got)
        got = b.run("pwd; echo err >&2; cat")
        check(got["stdout"] == os.path.realpath(b.root) + "\n" and got["stderr"] == "err\n", got)
        check(b.run("cat", stdin="in\0put")["stdout"] == "in\0put")
        check(b.run("true", stdin="x" * 3000000)["exit_code"] == 0, "a command that does not read")
        check(b.run("wc -c", stdin="x" * 3000000)["stdout"].strip() == "3000000")
        got = b.run("printf 'a\\377'")
        check(got["stdout_base64"] == "Yf8=" and "stdout" not in got and got["stdout_bytes"] == 2, got)
        check(b.run("-x; +y; true")["exit_code"] == 0, "a line that begins like an option")
        check(b.run("cat << 'E'\na 'b' \"c\"\nE\n")["stdout"] == "a 'b' \"c\"\n")
        check(b.run("pwd", cwd="sub/..")["stdout"] if os.mkdir(b.path("sub")) else True)
        check(b.run("pwd", cwd="sub")["stdout"].endswith("/sub\n"))
        b.refused("run_command", "ENOENT", command="true", cwd="none")
        b.refused("run_command", "ENOTDIR", command="true", cwd="file") if b.put("file", b"") else None
        env = b.run("env", env={"EXTRA": "a=b", "HOME": "/h"})["stdout"].splitlines()
        check("EXTRA=a=b" in env and "HOME=/h" in env, env)
        check(not [line for line in env if line.startswith(("SECRET", "LEAKYBOX"))], env)
        check(b.run("ls /proc/self/fd | wc -l")["stdout"].strip() == "4", "descriptors leak into commands")
        check(b.run("ulimit -c 0; kill -PIPE $$")["exit_code"] == 141, "SIGPIPE is ignored in commands")
        big = b.run("head -c 17000000 /dev/zero | tr '\\0' 'x'")
        check(len(big["stdout"]) == 16 << 20 and big["stdout_bytes"] == 17000000)
        for _ in range(30):
            check(b.run("printf last; exec true")["stdout"] == "last")


@case
def concurrency():
    with Box() as b:
        start = time.monotonic()
        slow = [b.tool_post("run_command", command=f"sleep 1; echo {i}") for i in range(20)]
        check(b.request("ping", seconds=5) is not None)
        check(b.text("write_file", path="f", content="x"))
        check(time.monotonic() - start < 0.9, "a slow command holds others up")
        for i, number in enumerate(slow):
            check(b.answer(number)["result"]["structuredContent"]["stdout"] == f"{i}\n")
        check(time.monotonic() - start < 15)
        number = b.tool_post("run_command", command="sleep 0.3")
        b.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
        answers = [b.answer(number), b.answer(number)]
        check(sorted("error" in answer for answer in answers) == [False, True], answers)
        start = time.monotonic()
        first = b.run("sleep 65 & echo $!")
        check(time.monotonic() - start < 5 and alive(int(first["stdout"])), "a background process")
        number = b.tool_post("run_command", command="trap '' TERM; (setsid sleep 66 & echo $! > pid); sleep 67")
        check(until(lambda: b.get("pid")), "no pid")
        b.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        pid = int(b.get("pid"))
        check(until(lambda: not alive(pid)), "cancelling leaves a process")
        check(b.answer(number, 0.3) is None, "a cancelled call is answered")
        result = b.tool("run_command", timeout_ms=300,
                        command="trap '' TERM; setsid sh -c 'sleep 68 & echo $! > pid2; wait' & echo early; sleep 69")
        check(result["isError"] and "300 ms" in result["content"][0]["text"], result)
        check(result["structuredContent"]["stdout"] == "early\n" and result["structuredContent"]["exit_code"] == 137)
        pid = int(b.get("pid2"))
        check(until(lambda: not alive(pid), 2), "a time-out leaves a process")
        b.run("(setsid sh -c 'setsid sleep 70 & echo $! > pid3' &) ; sleep 0.2")
        pid = int(b.get("pid3"))
        check(alive(pid))
        server = b.process.pid
        check(b.close() == 0)
        check(not alive(pid) and not alive(int(first["stdout"])), "a process outlives the server")
        check(not children(server))


@case
def killed_server():
    with Box() as b:
        pid = int(b.run("setsid sleep 71 >/dev/null 2>&1 & echo $!")["stdout"])
        b.process.kill()
        b.process.wait()
        check(until(lambda: not alive(pid)), "a process outlives a killed server")


@case
def background():
    with Box() as b:
        name = b.good("start_process", command="echo a; read x; echo b$x >&2; exit 5")["structuredContent"]["process_id"]
        check(until(lambda: not b.good("poll_process", process_id=name)["structuredContent"]["running"]))
        got = b.good("poll_process", process_id=name)["structuredContent"]
        check(got["exit_code"] == 5 and got["stdout"] == "a\n" and got["stderr"] == "b\n", got)
        name = b.good("start_process", command="sleep 72")["structuredContent"]["process_id"]
        check(b.good("poll_process", process_id=name)["structuredContent"]["running"])
        b.good("signal_process", process_id=name, signal="USR1")
        check(until(lambda: not b.good("poll_process", process_id=name)["structuredContent"]["running"]))
        got = b.good("poll_process", process_id=name)["structuredContent"]
        check(got["exit_code"] == 138 and got["signal"] == "USR1", got)
        b.refused("signal_process", "ended", process_id=name)
        b.refused("signal_process", "TERM", process_id=name, signal="NOPE")
        name = b.good("start_process", command="sleep 0.5; echo done; exit 3")["structuredContent"]["process_id"]
        got = b.good("wait_process", process_id=name, timeout_ms=50)["structuredContent"]
        check(got["running"] and "exit_code" not in got, got)
        number = b.tool_post("wait_process", process_id=name)
        b.refused("wait_process", "already", process_id=name)
        got = b.answer(number)["result"]["structuredContent"]
        check(not got["running"] and got["exit_code"] == 3 and got["stdout"] == "done\n", got)
        check(b.good("wait_process", process_id=name)["structuredContent"] == got)
        name = b.good("start_process", command="exec sleep 73")["structuredContent"]["process_id"]
        number = b.tool_post("wait_process", process_id=name, timeout_ms=60000)
        b.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        check(b.answer(number, 0.3) is None, "a cancelled wait is answered")
        check(b.good("poll_process", process_id=name)["structuredContent"]["running"], "cancelling a wait kills")
        name = b.good("start_process", command="yes | head -c 3000000")["structuredContent"]["process_id"]
        check(until(lambda: not b.good("poll_process", process_id=name)["structuredContent"]["running"]))
        got = b.good("poll_process", process_id=name)["structuredContent"]
        check(got["stdout_bytes"] == 3000000 and len(got["stdout"]) == 1 << 20)
        for _ in range(100):
            b.good("start_process", command="true")
        check(until(lambda: all(state != "Z" for _, state in children(b.process.pid))), "zombies")


def full_disk_works():
    return subprocess.run(FULL_DISK + ["mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


@case
def full_disk():
    if not full_disk_works():
        print("skip full_disk: no user namespaces here")
        return
    mounted = FULL_DISK + ["sh", "-c", 'mount -t tmpfs -o size=256k none "$1" && exec "$0" "$@"']
    with Box(before=mounted) as b:
        b.good("write_file", path="old", content="-" * 1000)
        refused = 0
        for i in range(20):  # more than there is room for
            result = b.tool("write_file", path=f"new{i}", content="-" * 18000)
            refused += result["isError"]
            check(not result["isError"] or "no space left" in result["content"][0]["text"], result)
        check(refused, "more was stored than there is room for")
        b.refused("write_file", "no space left", path="old", content="-" * 18000)
        check(b.download("old") == b"-" * 1000, "the old content is lost")
        entries = b.good("list_directory", path=".")["structuredContent"]["entries"]
        check(len(entries) == 21 - refused, "a part of a file stays:", entries)


@case
def notes():
    with Box() as b:
        check(b.text("read_notes") == "")
        b.good("add_note", note="one\n\0two")
        b.good("add_note", note="three")
        check(b.text("read_notes") == "one\n\0two\n\nthree")
        b.put("notes.jsonl", b.get("notes.jsonl") + b'{"note":"cut o')
        b.good("add_note", note="four")
        got = b.text("read_notes")
        check(got.startswith("one\n\0two\n\nthree\n\nfour\n\n(") and "1 lines" in got, got)
        b.refused("add_note", "surrogate", note="\ud800")


@case
def slow_reader():
    with Box() as b:
        b.put("big", b"x" * (8 << 20))
        for _ in range(40):  # 320 MiB of answers that nobody reads yet
            b.tool_post("read_file", path="big")
        time.sleep(1)
        with open(f"/proc/{b.process.pid}/statm", encoding="utf-8") as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        check(resident < 1 << 30, "it buffers", resident)
        for number in range(2, 42):
            check(len(b.answer(number)["result"]["content"][0]["text"]) == 8 << 20)


@case
def command_line():
    def run(*words, **more):
        return subprocess.run([LEAKYBOX, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **more)
    listed = run("--list")
    names = [line.split()[0] for line in listed.stdout.splitlines()[1:]]
    check(listed.returncode == 0 and names, listed)

    def rows_on(faults):
        rows = [line.split() for line in run("--list", "--faults", faults).stdout.splitlines()[1:]]
        return {row[0]: row[4] for row in rows if row[5] == "on"}
    demo = rows_on("demo")
    check({"download-reencodes", "download-cut-at-nul", "two-roots"} <= set(demo) and set(demo.values()) == {"demo"}, demo)
    check(set(rows_on("all,-two-roots")) == set(names) - {"two-roots"})
    check(set(rows_on("all,none,mode-lost")) == {"mode-lost"})
    check(run("--list", "--faults", "nope").returncode == 2)
    check(run().returncode == 2 and run("/no/such").returncode == 2 and run("/", "/").returncode == 2)
    with tempfile.TemporaryDirectory() as root:
        check(run(root).returncode == 0)
        check(run(root, env=dict(os.environ, LEAKYBOX_CANARY="/no/such/file")).returncode == 3)


# ----------------------------------------------------------------------------------------------------------------------

def main():
    wanted = sys.argv[2:]
    failed = 0
    for name, function in CASES.items():
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        try:
            function()
            print(f"ok   {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:  # each test tells on its own
            failed += 1
            print(f"FAIL {name}: {error}", flush=True)
            if not isinstance(error, Failure):
                traceback.print_exc()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
