# A real MCP server that nobody here wrote: tasks run, most of those of filesystem and data are executed, a round trip that
# is not exact is found, nothing is left behind.
. "$(dirname "$0")/lib.sh"
[ -x "$SERVERS/mcp-server-filesystem" ] || skip "tests/servers/install.sh has not been run"
server="$SERVERS/node $SERVERS/mcp-server-filesystem {root}"

expect_status 0 "$TASKGEN" targets --explain --target "mcp:$server"
expect_in out "write_file"

status=0
"$TASKGEN" run --target "mcp:$server" --domain filesystem --domain data --count 60 --seed 3 --workers 2 --db fs.db --json >events.jsonl || status=$?
[ "$status" -le 1 ] || fail "run ended with status $status"
/usr/bin/python3 - events.jsonl <<'P'
import json, sys
end = [json.loads(line) for line in open(sys.argv[1])][-1]
assert end["event"] == "end", end
assert end["executions"] == 60, end
assert end["executed"] >= 30, end  # half of them, whatever workflows are added; that no more are skipped than must be is asked below
assert end["harness"] == 0, end
P
# Nothing is skipped but for what the server has no tool for.
lacks=" append copy remove run upload write:bytes "
sqlite3 fs.db "SELECT DISTINCT skip FROM exec WHERE skip IS NOT NULL" >skips
[ -s skips ] || fail "no task was skipped: then all of them should have been executed"
while read -r need; do
    [[ $lacks == *" $need "* ]] || fail "tasks were skipped for '$need', which the server can do"
done <skips
expect_nothing_left
