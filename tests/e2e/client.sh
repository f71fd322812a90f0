# What an MCP client does beside calls: requests of every kind, progress, cancellation, roots, sampling and elicitation, over pipes and
# over HTTP, against server-everything; and that a finding keeps what was offered.
. "$(dirname "$0")/lib.sh"

# A fault that shows only when roots are offered: the finding has the offer in its target, and a replay needs no option.
wants="mcp:/usr/bin/python3 $SOURCE/tests/e2e/wants_roots.py"
expect_status 0 "$TASKGEN" run --domain tools --count 4 --db none.db --quiet --target "$wants"
expect_status 1 "$TASKGEN" fuzz --domain tools --count 4 --db roots.db --quiet --set confirm.runs=2 --target "$wants" --offer roots
expect_status 0 "$TASKGEN" report --db roots.db --format json
/usr/bin/python3 - out >signature <<'P'
import json, sys
found = [f for f in json.load(open(sys.argv[1])) if f["check"] == "target-died"]
assert found and all(f["target"].startswith("mcp+roots:") for f in found), found
print(found[0]["signature"])
P
expect_status 1 "$TASKGEN" replay --db roots.db --runs 1 "$(cat signature)"
expect_in out "STILL FAILS"
expect_status 0 "$TASKGEN" replay --db roots.db --runs 1 --target "$wants" "$(cat signature)"
expect_status 2 "$TASKGEN" targets --explain --offer everything --target "$wants"
expect_in err "expected roots, sampling, elicitation, all or none"

[ -x "$SERVERS/mcp-server-everything" ] || skip "tests/servers/install.sh has not been run"

/usr/bin/python3 - >tasks.jsonl <<'P'
import json
steps, expect = [], []

def step(op, facts=(), **more):
    args = {key: value for key, value in more.items() if key not in ("cancel_after_ms", "group")}
    extra = {key: value for key, value in more.items() if key in ("cancel_after_ms", "group")}
    steps.append({"id": f"s{len(steps) + 1}", "op": op, "args": args, **extra})
    expect.extend({"step": steps[-1]["id"], **fact} for fact in facts)

def request(method, facts=(), params=None, **more):
    step("request", facts, method=method, **({} if params is None else {"params": params}), **more)

ok, error = {"outcome": "ok"}, {"outcome": "error"}
request("ping", [{"at": "/result", "equals": {}}])
request("resources/list", [{"at": "/result/resources/0/name", "contains": ".md"}], {})
request("resources/templates/list", [{"at": "/result/resourceTemplates/0/uriTemplate", "contains": "{resourceId}"}])
request("resources/read", [{"at": "/result/contents/0/uri", "equals": "demo://resource/dynamic/text/1"}], {"uri": "demo://resource/dynamic/text/1"})
request("resources/read", [error], {"uri": "demo://none"})
request("resources/subscribe", [ok], {"uri": "demo://resource/dynamic/text/1"})
request("resources/unsubscribe", [ok], {"uri": "demo://resource/dynamic/text/1"})
request("prompts/list", [{"at": "/result/prompts/0/name", "equals": "simple-prompt"}])
request("prompts/get", [{"at": "/result/messages/0/content/text", "contains": "Paris"}], {"name": "args-prompt", "arguments": {"city": "Paris"}})
request("prompts/get", [error], {"name": "args-prompt", "arguments": {}})
request("completion/complete", [ok], {"ref": {"type": "ref/prompt", "name": "completable-prompt"}, "argument": {"name": "department", "value": "E"}})
request("logging/setLevel", [ok], {"level": "error"})
request("taskgen/none", [error])
step("call", [{"at": "/progress/count", "equals": 4}, {"at": "/progress/last", "equals": "4"}], name="trigger-long-running-operation",
     arguments={"duration": 0.4, "steps": 4}, progress="text")
step("call", [{"at": "/structured/temperature", "equals": 33}], name="get-structured-content", arguments={"location": "New York"})
step("call", [{"at": "/content", "contains": "file://"}], name="get-roots-list", arguments={})
step("call", [{"at": "/content", "contains": "A fixed answer."}], name="trigger-sampling-request", arguments={"prompt": "x"})
step("call", [ok], name="trigger-elicitation-request", arguments={})
step("notify", [ok], method="notifications/roots/list_changed")
step("call", [], name="trigger-long-running-operation", arguments={"duration": 20, "steps": 2}, group="g")
step("notify", [ok], method="notifications/cancelled", about="running", group="g")
steps[-2]["timeout_ms"] = 500
request("ping", [ok])
print(json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": "w", "instruction": "x", "steps": steps, "expect": expect}))
P

check() { # TARGET OPTION…
    local status=0
    "$TASKGEN" run tasks.jsonl --offer all --set confirm.runs=1 --db "$1.db" --json --target "${@:2}" >events.jsonl || status=$?
    /usr/bin/python3 - "$1.db" <<'P' || { "$TASKGEN" report --db "$1.db" --all; fail "$1: $(tail -n 1 events.jsonl)"; }
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
(steps,) = db.execute("select steps from trace").fetchone()
steps = json.loads(steps)
outcomes = [step["outcome"] for step in steps]
assert outcomes[-3] == "timeout" and len(outcomes) == 22, outcomes
refused = [i for i, outcome in enumerate(outcomes) if outcome == "protocol-error"]
assert refused == [4, 9, 12], (refused, outcomes)
assert all(outcome == "ok" for i, outcome in enumerate(outcomes) if i not in refused and i != 19), outcomes
odd = [text for (text,) in db.execute("select text from finding") if "/mcp-" not in text]
assert not odd, odd
P
    expect_nothing_left
}
check pipes "mcp:$SERVERS/node $SERVERS/mcp-server-everything"
check http 'http://127.0.0.1:{port}/mcp' --start "$SERVERS/node $SERVERS/mcp-server-everything streamableHttp" --env 'PORT={port}'
