# A plug-in that does as its first argument says; for test_plugin_driver.c.
import json, sys, time

mode = sys.argv[1]


def send(message):
    sys.stdout.write(json.dumps(dict(jsonrpc="2.0", **message)) + "\n")
    sys.stdout.flush()


OPEN = {
    "protocol": {"protocol": "taskgen/plugin/9"},
    "root": {"protocol": "taskgen/plugin/1", "root": "home/user"},
    "elsewhere": {"protocol": "taskgen/plugin/1", "name": "far", "version": "2", "root": "/home/user"},
}
NEEDS = {
    "no-needs": {},
    "odd-needs": {"needs": ["run", 5]},
    "odd-run": {"needs": ["run"], "run": ["colour"]},
}
ANSWERS = {
    "write": {"ok": True},
    "read": {"ok": True, "result": {"content": {"$bytes": "AP8="}}},
    "run": {"ok": True, "result": {"exit": 3, "stdout": "out", "stderr": "err"}},
    "remove": {"ok": False, "message": "it is not empty", "code": 39},
    "mkdir": {"skip": "no room for it"},
    "move": {"done": True},
}


def call(number, params):
    op = params["op"]
    if op == "copy":
        send({"id": number, "error": {"code": -32603, "message": "my own fault"}})
    elif op == "list":  # says what it was asked
        send({"id": number, "result": {"ok": True, "result": {"entries": [json.dumps(params, sort_keys=True)]}}})
    elif op == "idle":
        pass
    elif op == "stat":
        time.sleep(60)
    elif op == "signal":
        sys.exit(4)
    elif op == "resolve":  # twice
        send({"id": number, "result": {"ok": True}})
        send({"id": number, "result": {"ok": True}})
    else:
        send({"id": number, "result": ANSWERS[op]})


if mode == "dies":
    print("no module named sandbox", file=sys.stderr)
    sys.exit(2)
if mode == "chats":
    print("welcome to my sandbox", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    number, method = message.get("id"), message["method"]
    if mode == "refuses":
        send({"id": number, "error": {"code": -32000, "message": "no licence"}})
    elif method == "open":
        send({"id": number, "result": OPEN.get(mode, {"protocol": "taskgen/plugin/1", "name": "fake", "version": "1"})})
    elif method == "capabilities":
        ops = ["read", "remove", "mkdir", "move", "copy", "list", "stat", "signal", "resolve", "run", "run:sh", "write", "write:bytes"]
        send({"id": number, "result": NEEDS.get(mode, {"needs": ops, "run": ["binary", "exit"]})})
    elif method == "call":
        call(number, message["params"])
    elif method == "close":
        send({"id": number, "result": {}})
