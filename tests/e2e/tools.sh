# Servers that no op reaches: their own tools are fuzzed from their JSON Schemas, in sessions that end cleanly, and no refusal of
# a call that was made to be refused is called a finding. Frames stay as they are here; wire.sh is about those. TOOLS_TIME (seconds) makes it longer.
. "$(dirname "$0")/lib.sh"

# What is planted is found: a tool that dies and one that falls silent, each by its name, and nothing else.
expect_status 1 "$TASKGEN" fuzz --target "mcp:/usr/bin/python3 $SOURCE/tests/e2e/odd_server.py" --count 40 --workers 2 --db odd.db \
    --set loop.wire-share=0 --set exec.step-timeout=1s --set exec.probe-timeout=1s --set exec.grace=200ms --quiet
expect_status 0 "$TASKGEN" report --db odd.db --format json
/usr/bin/python3 - out <<'P'
import json, sys
found = {(f["check"], f["title"]) for f in json.load(open(sys.argv[1])) if f["state"] == "confirmed" and not f["client_illegal"]}
assert any(check == "target-died" and "label" in title for check, title in found), found
assert any(check == "one-call-breaks-rest" and "lookup" in title for check, title in found), found
assert len(found) == 2, found
P
expect_nothing_left

[ -x "$SERVERS/mcp-server-everything" ] || skip "tests/servers/install.sh has not been run"

fuzz_it() { # SERVER TOOLS DUTIES OPTION…; DUTIES: what is known of how it refuses, and is no news
    local server=$1 tools=$2 known=$3 status=0
    shift 3
    expect_status 0 "$TASKGEN" targets --explain --target "mcp:$SERVERS/node $SERVERS/$server" "$@"
    expect_in out "$tools tools can be fuzzed from their schemas"
    "$TASKGEN" fuzz --target "mcp:$SERVERS/node $SERVERS/$server" "$@" --set loop.wire-share=0 --time "${TOOLS_TIME:-20}" --workers 2 --db "$server.db" --json >events.jsonl || status=$?
    [ "$status" -le 1 ] || { "$TASKGEN" report --db "$server.db" --all; fail "fuzz ended with status $status"; }
    expect_status 0 "$TASKGEN" report --db "$server.db" --all --format json
    /usr/bin/python3 - out "$known" <<'P' || fail "findings nobody has looked at"
import json, sys
news = [f["text"] for f in json.load(open(sys.argv[1])) if f["check"] not in sys.argv[2].split()
        and not f["client_illegal"] and not f["detail"].startswith("should: ")]
assert not news, news
P
    /usr/bin/python3 - events.jsonl <<'P'
import json, sys
end = [json.loads(line) for line in open(sys.argv[1])][-1]
assert end["event"] == "end" and end["executed"] > 0 and end["harness"] == 0, end
P
    expect_nothing_left
}
fuzz_it mcp-server-everything 16 mcp-81 --offer all
fuzz_it mcp-server-memory 9 none --env 'MEMORY_FILE_PATH={root}/memory.json'

# Every tool is reached, with arguments of all kinds, and sequences find what they made: the same tasks on both runs.
for db in one two; do
    "$TASKGEN" run --tools --count 12 --seed 5 --target "mcp:$SERVERS/node $SERVERS/mcp-server-memory" --env 'MEMORY_FILE_PATH={root}/memory.json' \
        --workers 2 --db $db.db --json >$db.jsonl || fail "run --tools: $(tail -n 1 $db.jsonl)"
    tail -n 1 $db.jsonl | grep -q '"executed":12' || fail "not all of 12 were executed: $(tail -n 1 $db.jsonl)"
done
/usr/bin/python3 - one.db two.db <<'P'
import json, sqlite3, sys
hashes, names, kinds, methods, outcomes = [], set(), set(), set(), {}
for path in sys.argv[1:]:
    db = sqlite3.connect(path)
    hashes.append(sorted(row[0] for row in db.execute("select hash from task where domain = 'tools'")))
    for text, steps in db.execute("select k.json, t.steps from trace t join exec e on e.id = t.exec join task k on k.id = e.task where k.json is not null"):
        task = json.loads(text)
        by_id = {step["id"]: step["args"] for step in task["steps"]}
        for step in json.loads(steps):
            args = by_id[step["id"]]
            methods.add(args.get("method"))
            if "name" not in args:
                continue
            names.add(args["name"])
            kinds.add(args["kind"])
            outcomes.setdefault((args["kind"], step["outcome"]), []).append(args["name"])
assert hashes[0] == hashes[1] and len(hashes[0]) == 12, hashes
assert len(names) == 9, names
assert methods >= {"ping", "tools/list"}, methods
assert kinds == {"valid", "boundary", "invalid"}, kinds
assert len(outcomes["valid", "ok"]) > 3 * len(outcomes.get(("valid", "tool-error"), [])), {k: len(v) for k, v in outcomes.items()}
assert len(outcomes["invalid", "tool-error"]) > 0, outcomes
P
/usr/bin/python3 - one.db >records.jsonl <<'P'
import sqlite3, sys
for (text,) in sqlite3.connect(sys.argv[1]).execute("select json from task where json is not null"):
    print(text)
P
/usr/bin/python3 "$SOURCE/tests/validate_tasks.py" "$SOURCE/domains/task-1.schema.json" records.jsonl

# Asked for where there are none: one line, the target's fault.
expect_status 3 "$TASKGEN" run --domain tools --target exec: --count 1 --db none.db
one_line err
expect_in err "no tools"
expect_status 2 "$TASKGEN" --domain tools --count 1
