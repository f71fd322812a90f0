"""An MCP server that misbehaves on request; for tests/unit/test_mcp_client.c and test_mcp_session.c.

argv[1] says how it behaves at the start, the name of a called tool how it answers. It reads and writes descriptors
directly, so that what goes out is exactly what stands here.
"""
import json
import os
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "normal"
held = []  # requests that are answered later


def out(data):
    while data:
        data = data[os.write(1, data):]


def send(message):
    out(json.dumps(message).encode() + b"\n")


def reply(request, text="ok"):
    send({"jsonrpc": "2.0", "id": request["id"],
          "result": {"content": [{"type": "text", "text": text}]}})


def lines():
    rest = b""
    while True:
        data = os.read(0, 65536)
        if not data:
            return
        rest += data
        *whole, rest = rest.split(b"\n")
        yield from whole


def tool(request):
    name = request["params"]["name"]
    arguments = request["params"].get("arguments", {})
    if name == "echo":
        reply(request, arguments.get("text", ""))
    elif name == "die":
        os.write(2, b"first line\nlast words\n")
        os._exit(7)
    elif name == "killed":
        os.kill(os.getpid(), 9)
    elif name == "answer-and-die":
        reply(request, "farewell")
        os._exit(0)
    elif name == "double":
        reply(request, "one")
        reply(request, "two")
    elif name == "unknown-id":
        send({"jsonrpc": "2.0", "id": 999999, "result": {}})
        send({"jsonrpc": "2.0", "id": "a string", "result": {}})
        reply(request)
    elif name == "stray":
        out(b"Server is running\n\n")
        reply(request)
    elif name == "flood":
        for _ in range(64):
            out(b"x" * 262144)
        reply(request)
    elif name == "flood-and-newline":
        for _ in range(64):
            out(b"x" * 262144)
        out(b"\n")
        reply(request)
    elif name == "huge":
        out(b'{"result":{"content":[{"type":"text","text":"' + b"y" * 3000000 +
            b'"}]},"jsonrpc":"2.0","id":%d}\n' % request["id"])
    elif name == "commas":
        out(b'{"jsonrpc":"2.0","id":%d,"result":[' % request["id"] + b"0," * 2100000 + b"0]}\n")
    elif name == "silent":
        pass
    elif name == "late":
        held.append(request)
    elif name == "swap":
        held.append(request)
        if len(held) == 4:
            for each in reversed(held):
                reply(each, each["params"]["arguments"]["text"])
            held.clear()
    elif name == "bad-utf8":
        out(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a\xff\xfe"}]}}\n' % request["id"])
    elif name == "deep":
        depth = 100000
        out(b'{"jsonrpc":"2.0","id":%d,"result":' % request["id"] + b"[" * depth + b"]" * depth + b"}\n")
        reply(request)
    elif name == "batch":
        out(b'[{"jsonrpc":"2.0","id":%d,"result":{}}]\n' % request["id"])
    elif name == "no-version":
        out(b'{"id":%d,"result":{"content":[]}}\n' % request["id"])
    elif name == "neither":
        out(b'{"jsonrpc":"2.0","id":%d}\n' % request["id"])
    elif name == "broken":
        out(b'{"jsonrpc":"2.0","id":\n')
        reply(request)
    elif name == "asks":
        send({"jsonrpc": "2.0", "id": "p1", "method": "ping"})
        send({"jsonrpc": "2.0", "id": 7, "method": "roots/list"})
        send({"jsonrpc": "2.0", "id": None, "method": "ping"})
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        held.append(request)
    elif name == "close-stdout":
        os.close(1)
        time.sleep(30)
    elif name == "close-stdin":
        os.close(0)
        time.sleep(30)
    elif name == "unread":
        # Writes far more than a pipe holds before it reads again.
        for i in range(20000):
            send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "z" * 400, "n": i}})
        reply(request)
    elif name == "chatter":
        os.write(2, b"e" * 300000 + b"\nthe end\n")
        reply(request)
    elif name == "environment":
        reply(request, json.dumps(dict(os.environ)))


answers = []
if MODE == "die":
    os.write(2, b"Traceback\nModuleNotFoundError: no such module\n\n")
    sys.exit(3)
if MODE == "garbage":
    out(b"Welcome to the server\nReady\n")
if MODE == "banner":
    out(b"Welcome to the server\n")
if MODE == "close":
    os.close(1)
    time.sleep(30)
for line in lines():
    try:
        message = json.loads(line)
    except ValueError:
        send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "parse error"}})
        continue
    method = message.get("method")
    if MODE in ("garbage", "mute"):
        continue
    if method == "initialize":
        if MODE == "refuse":
            send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32600, "message": "not today"}})
            continue
        version = "1999-01-01" if MODE == "old" else "2024-11-05" if MODE == "batches" else "2025-06-18"
        send({"jsonrpc": "2.0", "id": message["id"], "result": {
            "protocolVersion": version, "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake\u001b[31m", "version": "1"}}})
    elif method == "tools/list":
        cursor = message.get("params", {}).get("cursor")
        page = int(cursor or 0)
        if MODE == "no-tools":
            send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}})
            continue
        if MODE == "odd-tools":
            send({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": "many"}})
            continue
        result = {"tools": [{"name": "tool%d" % page, "inputSchema": {"type": "object"}}]}
        if MODE == "pages" and page < 4:
            result["nextCursor"] = str(page + 1)
        if MODE == "endless":
            result["nextCursor"] = str(page + 1)
        if MODE == "circle":
            result["nextCursor"] = "1"
        send({"jsonrpc": "2.0", "id": message["id"], "result": result})
    elif method == "tools/call":
        tool(message)
    elif method == "notifications/cancelled":
        for each in held:
            if each["id"] == message["params"]["requestId"]:
                time.sleep(0.05)
                reply(each, "too late")
        held[:] = [each for each in held if each["id"] != message["params"]["requestId"]]
    elif method is None:
        answers.append(line.decode())
        if len(answers) == 2:
            reply(held.pop(), "\n".join(answers))
            answers.clear()
    elif "id" in message:
        reply(message, "raw")
if MODE == "stays":
    time.sleep(60)
