"""An MCP server that takes server/discover as argv[1] says; for tests/unit/test_mcp_era.c. Each start and each method it was asked
for is a line of the file argv[2]."""
import json
import os
import sys
import time

MODE, LOG = sys.argv[1], sys.argv[2]
ERRORS = {"unknown": -32601, "invalid": -32600, "params": -32602, "custom": -32000, "internal": -32603, "spoiled": -32601,
          "needs-capability": -32021}
OLD_VERSIONS, FUTURE = ["2025-06-18", "2025-11-25"], ["2030-01-01"]
MODERN = {"modern", "dual", "needs-capability", "slow-modern"}
asked = False
first = True  # start of this server

def log(word):
    with open(LOG, "a") as f:
        print(word, file=f)


def send(message):
    print(json.dumps(message), flush=True)


def discover(request):
    global asked
    asked = True
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if MODE == "dies":
        os._exit(4)
    if MODE in ("hangs", "closes"):
        if MODE == "closes":
            os.close(1)
        time.sleep(30)
    if MODE == "slow-modern" and first:
        time.sleep(30)
    if MODE == "silent":
        return
    if MODE == "logs":
        print("[warn] server/discover: what is that?", flush=True)
    if MODE == "null-id":
        return send({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Not initialized"}})
    if MODE == "not-json":
        print('{"jsonrpc":"2.0","error"', flush=True)
        return
    if MODE in ERRORS:
        return send(reply | {"error": {"code": ERRORS[MODE], "message": "no", "data": {"requiredCapabilities": {}}}})
    if MODE.startswith("refuses-"):
        supported = OLD_VERSIONS if MODE == "refuses-all-but-old" else FUTURE
        return send(reply | {"error": {"code": -32022, "message": "no", "data": {"supported": supported}}})
    results = {"lists-old": {"supportedVersions": OLD_VERSIONS}, "lists-future": {"supportedVersions": FUTURE},
               "odd": {"supportedVersions": "2026-07-28"}, "empty": {}}
    if MODE in results:
        return send(reply | {"result": results[MODE]})
    if MODE in MODERN:
        return send(reply | {"result": {
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 5000,
            "cacheScope": "public", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "2"}}}})
    send(reply | {"error": {"code": -32601, "message": "no"}})


def answer(request):
    method, reply = request["method"], {"jsonrpc": "2.0", "id": request.get("id")}
    meta = (request.get("params") or {}).get("_meta") or {}
    log(method)
    if method == "server/discover":
        discover(request)
    elif "id" not in request:
        pass
    elif method == "initialize":
        if MODE in MODERN - {"dual"} or (MODE == "spoiled" and asked):
            send(reply | {"error": {"code": -32022, "message": "no handshake here", "data": {"supported": ["2026-07-28"]}}})
        else:
            send(reply | {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                     "serverInfo": {"name": "old", "version": "1"}}})
    elif "io.modelcontextprotocol/protocolVersion" in meta and MODE not in MODERN:
        send(reply | {"error": {"code": -32602, "message": "what is this in _meta?"}})
    else:
        send(reply | {"result": {"resultType": "complete", "tools": [{"name": "t", "inputSchema": {"type": "object"}}],
                                 "ttlMs": 5000, "cacheScope": "public"}})


with open(LOG) as earlier:
    first = "start" not in earlier.read()
log("start")
if MODE == "banner":
    print("Welcome", flush=True)
for line in sys.stdin:
    answer(json.loads(line))
