"""A small MCP server over stdio with one fault, for tests: it asks its client for its roots, and dies when it gets them."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method is None:
        if "result" in message:
            sys.exit(3)
        print(json.dumps({"jsonrpc": "2.0", "id": asked, "result": {"content": [{"type": "text", "text": "no roots"}]}}), flush=True)
    elif "id" not in message:
        continue
    elif method == "initialize":
        offered = message["params"]["capabilities"]
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "wants-roots", "version": "1"}}}), flush=True)
    elif method == "tools/list" and "cursor" not in message.get("params", {}):
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {
            "tools": [{"name": "look", "inputSchema": {"type": "object"}}]}}), flush=True)
    elif method == "tools/call" and message["params"]["name"] == "look" and "roots" in offered:
        asked = message["id"]
        print(json.dumps({"jsonrpc": "2.0", "id": "r", "method": "roots/list"}), flush=True)
    elif method == "tools/call" and message["params"]["name"] == "look":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": "fine"}]}}), flush=True)
    elif method == "ping":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602 if method in ("tools/call", "tools/list") else -32601,
                                                                           "message": "no such thing"}}), flush=True)
