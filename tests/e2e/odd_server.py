"""A small MCP server over stdio with two faults, for tests: the tool `label` dies of a text that is longer than its schema
allows, `lookup` falls silent for ever on a key that its schema does not list. `count` checks what it is told and refuses
openly, `status` always works."""
import json
import os
import sys
import time

TEXT = {"type": "string"}
TOOLS = [
    {"name": "label", "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "maxLength": 20}}, "required": ["text"]}},
    {"name": "lookup", "inputSchema": {"type": "object", "properties": {"key": {"enum": ["a", "b", "c"]}}, "required": ["key"]}},
    {"name": "count", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 10}}, "required": ["n"]}},
    {"name": "status", "inputSchema": {"type": "object", "properties": {}}, "annotations": {"readOnlyHint": True}},
]


def call(name, arguments):
    if name == "label":
        if len(arguments.get("text") or "") > 20:
            os._exit(3)
        return f"labelled {arguments.get('text')}", False
    if name == "lookup":
        while isinstance(arguments.get("key"), str) and arguments["key"] not in ("a", "b", "c"):
            time.sleep(1)
        return f"{arguments.get('key')} is there", False
    if name == "count":
        n = arguments.get("n")
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 10:
            return "n has to be a whole number from 0 to 10", True
        return " ".join(map(str, range(n))), False
    return "all is well", name != "status"


for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params") or {}
    if "id" not in request:
        continue
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if method == "initialize":
        reply["result"] = {"protocolVersion": params.get("protocolVersion", "2025-06-18"), "capabilities": {"tools": {}},
                           "serverInfo": {"name": "odd", "version": "1"}}
    elif (method == "tools/list" and "cursor" in params) or (method == "tools/call" and params.get("name") not in [t["name"] for t in TOOLS]):
        reply["error"] = {"code": -32602, "message": "no such cursor or tool"}
    elif method == "tools/list":
        reply["result"] = {"tools": TOOLS}
    elif method == "tools/call":
        text, is_error = call(params.get("name"), params.get("arguments") or {})
        reply["result"] = {"content": [{"type": "text", "text": text}], "isError": is_error}
    elif method == "ping":
        reply["result"] = {}
    else:
        reply["error"] = {"code": -32601, "message": f"no method {method}"}
    print(json.dumps(reply), flush=True)
