# An MCP server over streamable HTTP, started in the box on the box's own loopback: server-everything.
. "$(dirname "$0")/lib.sh"
[ -x "$SERVERS/mcp-server-everything" ] || skip "tests/servers/install.sh has not been run"
url='http://127.0.0.1:{port}/mcp'
start="$SERVERS/node $SERVERS/mcp-server-everything streamableHttp"

expect_status 0 "$TASKGEN" targets --explain --target "$url" --start "$start" --env 'PORT={port}'
grep -q '^mcp .*everything' out || fail "$(cat out err)"
grep -q 'protocol 2025-11-25' out || fail "$(cat out)"

# The tool echo, several calls at a time, in two sessions of one server.
/usr/bin/python3 - >tasks.jsonl <<'P'
import json
texts = ["plain", "Grüße, 日本語, 🚀", "quotes \" and \\ and \n newlines", "x" * 100000]
for number, text in enumerate(texts):
    def step(n, **more):
        return dict({"id": f"s{n}", "op": "call", "args": {"name": "echo", "arguments": {"message": text}}}, **more)
    steps = [step(1), step(2, group="g"), step(3, group="g"), step(4, group="g"), step(5, session="other")]
    print(json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": "w", "instruction": "x", "steps": steps,
                      "expect": [{"step": f"s{n}", "at": "/content", "contains": text} for n in range(1, 6)]}))
P
"$TASKGEN" run tasks.jsonl --target "$url" --start "$start" --env 'PORT={port}' --db http.db --json >events.jsonl ||
    { "$TASKGEN" report --db http.db; fail "echo over HTTP: $(tail -n 1 events.jsonl)"; }
tail -n 1 events.jsonl | grep -q '"passed":4' || fail "$(tail -n 1 events.jsonl)"

# What cannot be used: one clear line, status 3; wrong words: status 2.
expect_status 3 "$TASKGEN" targets --explain --target http://127.0.0.1:9/mcp
[ "$(grep -c . err)" = 1 ] || fail "$(cat err)"
expect_status 3 "$TASKGEN" targets --explain --target "https://127.0.0.1:{port}/mcp" --start "$start" --env 'PORT={port}'
expect_status 2 "$TASKGEN" targets --explain --target http://mcp.example.org/mcp
grep -q -e '--allow-remote' err || fail "$(cat err)"
expect_status 2 "$TASKGEN" targets --explain --target http://127.0.0.1/ --header 'Authorization: Bearer ${NO_SUCH_VARIABLE}'
grep -q 'NO_SUCH_VARIABLE is not set' err || fail "$(cat err)"
expect_nothing_left
