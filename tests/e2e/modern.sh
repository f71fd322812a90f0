# The stateless era of MCP (2026-07-28), over pipes and over HTTP: a strict server of ours, which refuses whatever is not as it must be,
# the same one with rules that it breaks, and a server on the official SDK.
. "$(dirname "$0")/lib.sh"
strict="/usr/bin/python3 $SOURCE/tests/e2e/modern_server.py"
url='http://127.0.0.1:{port}/mcp'

# What lawful tasks see, and what becomes of requests that break a rule; NAME is a tool's for the calls.
/usr/bin/python3 - <<'P'
import json
META = "io.modelcontextprotocol/"
WHOLE = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}

def task(name, steps, expect=()):
    for n, step in enumerate(steps):
        step["id"] = f"s{n}"
    with open(name, "w") as f:
        print(json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": name.split(".")[0], "instruction": "x",
                          "steps": steps, "expect": [{"step": f"s{n}", "at": "/content", "contains": t} for n, t in expect]}), file=f)

def call(name, **arguments):
    return {"op": "call", "args": {"name": name, "arguments": arguments}}

def send(method, meta, params=(), **more):
    message = {"jsonrpc": "2.0", "id": f"x{method}{len(str(meta))}{more}", "method": method, "params": {"_meta": meta, **dict(params)}}
    return {"op": "send", "args": {"content": json.dumps(message) + "\n", **more}}

task("lawful.jsonl", [
    call("echo", message="Grüße"), call("région", place=" Zürich ", deep={"count": -7}), call("ask"), call("fragile"),
    call("région", place="=?base64?eA==?=")],
    [(0, "Grüße"), (1, " Zürich  -7"), (2, "answered: "), (3, "again"), (4, "=?base64?eA==?= None")])
task("stdio.jsonl", [
    call("echo", message="begin"), send("tools/list", {}), send("tools/list", {**WHOLE, META + "protocolVersion": "1900-01-01"}), send("taskgen/none", WHOLE),
    call("ask"), {"op": "request", "args": {"method": "tools/call", "params": {"name": "ask", "requestState": "forged",
                                            "inputResponses": {"ok": {"action": "accept", "content": {"yes": True}}}}}},
    call("echo", message="end")], [(6, "end")])
named = {"name": "echo", "arguments": {"message": "x"}}
task("http.jsonl", [
    send("tools/list", WHOLE, headers={"Mcp-Method": None}), send("tools/list", WHOLE, headers={"Mcp-Method": "Tools/List"}),
    send("tools/list", WHOLE, headers={"mCP-mETHOD": "tools/list"}), send("tools/call", WHOLE, named, headers={"Mcp-Name": "ask"}),
    send("tools/call", WHOLE, named, headers={"Mcp-Name": "=?base64?ZWNobw==?="}), send("taskgen/none", WHOLE),
    send("tools/list", {META + "clientCapabilities": {}}), send("tools/list", {**WHOLE, META + "protocolVersion": "1900-01-01"}),
    {"op": "send", "args": {"content": "", "verb": "GET"}}, {"op": "send", "args": {"content": "", "verb": "DELETE"}},
    call("echo", message="end")], [(10, "end")])
ask = {"op": "request", "args": {"method": "tools/list"}}
task("connections.jsonl", [ask, {**ask, "session": "other"}, dict(ask), call("echo", message="end")], [(3, "end")])
closed = call("echo", message="slow")
closed["cancel_after_ms"] = 100
task("closed.jsonl", [closed, call("echo", message="later"), call("echo", message="end")], [(2, "end")])
P

# duties NAME: the numbers of the duties that the run's findings speak of, sorted.
duties() {
    "$TASKGEN" report --db "$1" --format json >findings.json
    /usr/bin/python3 -c 'import json; print(*sorted({f["check"] for f in json.load(open("findings.json"))}))'
}

# check WHAT EXPECTED TASKS TARGET…: runs the tasks once and compares the duties that were broken.
runs=0
check() {
    local what=$1 expected=$2 tasks=$3 found
    shift 3
    runs=$((runs + 1))
    "$TASKGEN" run "$tasks" "$@" --set confirm.runs=1 --set confirm.need=1 --db "$runs.db" --json >events.jsonl || [ $? = 1 ]
    found=$(duties "$runs.db")
    [ "$found" = "$expected" ] || fail "$what: found '$found', expected '$expected': $("$TASKGEN" report --db "$runs.db" | head -60)"
}

pipes() { # RULES
    printf 'mcp:%s %s' "$strict" "$1"
}
over_http=(--target "$url" --start)

expect_status 0 "$TASKGEN" targets --explain --target "$(pipes '')"
grep -q '^mcp strict 1 (5 tools, protocol 2026-07-28, modern era)' out || fail "$(cat out err)"
grep -q 'stays good for 60000 ms, public' out || fail "$(cat out)"
expect_status 3 "$TASKGEN" targets --explain --era old --target "$(pipes '')"
expect_status 0 "$TASKGEN" targets --explain --era modern "${over_http[@]}" "$strict {port}"
grep -q '(6 tools, protocol 2026-07-28, modern era)' out || fail "$(cat out err)"
grep -q 'mislabelled is not called' out || fail "a tool with a header that cannot be is used: $(cat out)"

# Nothing to say of a server that keeps the rules, but that one of its tools has an unwise name (which travels in base64), and over
# HTTP one is labelled wrongly; all lawful tasks pass.
check "strict, lawful" "mcp-74" lawful.jsonl --target "$(pipes '')" --offer elicitation
check "strict, provoked" "mcp-74" stdio.jsonl --target "$(pipes '')" --offer elicitation
check "strict over HTTP, lawful" "mcp-52 mcp-74" lawful.jsonl "${over_http[@]}" "$strict {port}" --offer elicitation
tail -n 1 events.jsonl | grep -q '"passed":1' || fail "lawful tasks over HTTP: $(tail -n 1 events.jsonl)"
check "strict over HTTP, provoked" "mcp-52 mcp-74" http.jsonl "${over_http[@]}" "$strict {port}"

check "rules broken over pipes" "mcp-09 mcp-10 mcp-19 mcp-20 mcp-29 mcp-53 mcp-64 mcp-65 mcp-74 mcp-93" stdio.jsonl --offer elicitation \
    --target "$(pipes no-type,no-ttl,asks-us,any-version,any-meta,odd-code,any-state,logs)"
check "headers not compared" "mcp-50 mcp-52 mcp-74" http.jsonl "${over_http[@]}" "$strict {port} any-header"
check "another status" "mcp-19 mcp-20 mcp-52 mcp-53 mcp-74" http.jsonl "${over_http[@]}" "$strict {port} odd-status"
check "two processes" "mcp-74" connections.jsonl --target "$(pipes '')"
tail -n 1 events.jsonl | grep -q '"passed":1' || fail "two processes: $(tail -n 1 events.jsonl)"
check "two connections" "mcp-52 mcp-74" connections.jsonl "${over_http[@]}" "$strict {port}"
check "a stream that we close" "mcp-52 mcp-74" closed.jsonl "${over_http[@]}" "$strict {port}"
check "going on after that" "mcp-52 mcp-54 mcp-74" closed.jsonl "${over_http[@]}" "$strict {port} goes-on"
expect_nothing_left

[ -f "$SOURCE/tests/servers/node_modules/@modelcontextprotocol/server/package.json" ] || skip "tests/servers/install.sh has not been run"
sdk="$SERVERS/node $SOURCE/tests/servers/modern.mjs"
expect_status 0 "$TASKGEN" targets --explain --target "mcp:$sdk"
grep -q '^mcp sdk-two 1 (4 tools, protocol 2026-07-28, modern era)' out || fail "$(cat out err)"
expect_status 0 "$TASKGEN" targets --explain --era old --target "mcp:$sdk"
grep -q 'protocol 2025-11-25, old era' out || fail "$(cat out err)"
check "the SDK over HTTP" "" http.jsonl "${over_http[@]}" "$sdk" --env 'PORT={port}'
tail -n 1 events.jsonl | grep -q '"passed":1' || fail "$(tail -n 1 events.jsonl)"
expect_nothing_left
