"""An MCP server over stdio for tests of what is not to be called: it writes the name of each tool that is called into the file $CALLS."""
import json
import os
import sys

TEXT = {"type": "string"}


def tool(name, annotations=None, **properties):
    entry = {"name": name, "description": name.replace("_", " "), "inputSchema": {"type": "object", "properties": properties}}
    return {**entry, "annotations": annotations} if annotations else entry


TOOLS = [tool("read_file", path=TEXT), tool("write_file", path=TEXT, content=TEXT), tool("run_command", command=TEXT),
         tool("wipe", {"destructiveHint": True}, path=TEXT), tool("status", {"readOnlyHint": True})]


def call(message):
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    with open(os.environ["CALLS"], "a") as log:
        log.write(f"{params.get('name')}\n")
    return {"content": [{"type": "text", "text": "done"}]}


def answer(message):
    if not isinstance(message, dict) or "id" not in message:
        return None
    method = message.get("method")
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "recording", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        result = call(message)
    elif method == "ping":
        result = {}
    else:
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


for line in sys.stdin.buffer:
    try:
        got = json.loads(line)
    except ValueError:
        continue
    for message in got if isinstance(got, list) else [got]:
        said = answer(message)
        if said:
            print(json.dumps(said), flush=True)
