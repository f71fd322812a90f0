# A real MCP server that nobody here wrote: tasks run, most of those of filesystem and data are executed, a round trip that
# is not exact is found, its code is observed, nothing is left behind.
. "$(dirname "$0")/lib.sh"
[ -x "$SERVERS/mcp-server-filesystem" ] || skip "tests/servers/install.sh has not been run"
server="$SERVERS/node $SERVERS/mcp-server-filesystem {root}"

expect_status 0 "$TASKGEN" targets --explain --target "mcp:$server"
expect_in out "write_file"
expect_in out "runs on Node.js: its code is observed"

status=0
"$TASKGEN" run --target "mcp:$server" --domain filesystem --domain data --count 60 --seed 3 --workers 2 --db fs.db --json >events.jsonl || status=$?
[ "$status" -le 1 ] || fail "run ended with status $status"
# Executed are all that need nothing the server has no tool for, counted from the tasks themselves; skipped are the others.
lacks=" append copy remove run upload write:bytes "
"$TASKGEN" --domain filesystem --domain data --count 60 --seed 3 >tasks.jsonl
/usr/bin/python3 - events.jsonl tasks.jsonl "$lacks" <<'P'
import json, sys
end = [json.loads(line) for line in open(sys.argv[1])][-1]
lacks = set(sys.argv[3].split())
fit = [t for t in map(json.loads, open(sys.argv[2])) if not any(n in lacks or n.split(":")[0] in lacks for n in t["needs"])]
assert end["event"] == "end", end
assert end["executions"] == 60, end
assert end["executed"] == len(fit) > 20, (end, len(fit))
assert end["harness"] == 0, end
P
sqlite3 fs.db "SELECT DISTINCT skip FROM exec WHERE skip IS NOT NULL" >skips
[ -s skips ] || fail "no task was skipped: then all of them should have been executed"
while read -r need; do
    [[ $lacks == *" $need "* ]] || fail "tasks were skipped for '$need', which the server can do"
done <skips
expect_nothing_left

# Of its own code, not Node's: some hundred ranges, more with each task; by the first session already. What was seen is no file of ours.
status=0
"$TASKGEN" fuzz --target "mcp:$server" --domain filesystem --count 2 --mutate 0 --observe node --db code.db --quiet >out 2>err || status=$?
[ "$status" -le 1 ] || fail "fuzz ended with status $status: $(head -c 2000 err)"
seen=$(sqlite3 code.db "SELECT count(*) FROM feature WHERE domain = 24")
[ "$seen" -gt 100 ] || fail "$seen ranges of code were seen"
expect_nothing_left
