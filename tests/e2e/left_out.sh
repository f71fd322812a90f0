# Tools that are left out are not called, by whatever way: ops by the map and by a profile, tasks of the target's own tools, the ops
# call, request and send of a task file, probes, mutants. The server writes down what it is asked for.
. "$(dirname "$0")/lib.sh"
export CALLS=$WORK/calls
server="/usr/bin/python3 $SOURCE/tests/e2e/recording_server.py"

# Every way that there is, to each of the tools.
/usr/bin/python3 - >tasks.jsonl <<'P'
import json
def task(*steps):
    steps = [dict(step, id=f"s{i}") for i, step in enumerate(steps)]
    print(json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": "w", "instruction": "x", "steps": steps, "expect": []}))
def send(text):
    return {"op": "send", "args": {"content": text}}
for name in ("run_command", "wipe", "read_file", "write_file", "status"):
    frame = json.dumps({"jsonrpc": "2.0", "id": 7001, "method": "tools/call", "params": {"name": name, "arguments": {}}}) + "\n"
    odd = frame.replace(name, "".join(f"\\u{ord(c):04x}" for c in name)).replace("tools/call", "tools\\/call")
    task({"op": "call", "args": {"name": name, "arguments": {}}},
         {"op": "call", "args": {"name": {"$raw": json.dumps(name)}, "arguments": {}}},
         {"op": "call", "args": {"name": "status", "arguments": {"$raw": '{},"name":' + json.dumps(name)}}},
         {"op": "request", "args": {"method": "tools/call", "params": {"name": name, "arguments": {}}}})
    task(send(frame), send(odd), send("[" + frame.strip() + "]\n"))
    for cut in (10, frame.index(name) + 2, len(frame) - 3):
        task(send(frame[:cut]), send(frame[cut:]))
task({"op": "run", "args": {"language": "sh", "script": "true"}})
task({"op": "write", "args": {"path": "a", "content": "b"}})
task({"op": "read", "args": {"path": "a"}})
P
cat >profile.xml <<'X'
<profile xmlns="urn:taskgen:profile:1" name="recording">
  <match tools="run_command"/>
  <op name="run" tool="run_command"><arg name="command" value="@line"/></op>
</profile>
X

# called OPTIONS…: what is called, sorted
called() {
    local status=0
    rm -f "$CALLS" && : >"$CALLS" && chmod 666 "$CALLS"
    "$TASKGEN" run tasks.jsonl "$@" --profile profile.xml --no-box --env CALLS --db "run.$RANDOM.db" --set exec.step-timeout=1s --set exec.send-wait=50 --set exec.grace=200 --set leftover.settle=20 \
        --set confirm.runs=1 --set confirm.need=1 --target "mcp:$server" >out 2>err || status=$?
    [ "$status" -le 1 ] || { cat err; fail "run: status $status"; }
    "$TASKGEN" fuzz --tools --time 1 --workers 2 "$@" --no-box --env CALLS --db "fuzz.$RANDOM.db" --set exec.step-timeout=1s \
        --set confirm.runs=1 --set confirm.need=1 --target "mcp:$server" >out 2>err || status=$?
    [ "$status" -le 1 ] || { cat err; fail "fuzz: status $status"; }
    sort -u "$CALLS"
}

all=$(called --allow-destructive)
for name in read_file run_command status wipe write_file; do
    grep -qx "$name" <<<"$all" || fail "$name is never called, so nothing would be tried here: $all"
done
never() { # NAME: not among what was called
    ! grep -qx "$1" "$CALLS" || fail "$1 was called with $2"
}
called >/dev/null
never wipe "no --allow-destructive"
called --exclude-tool 'run_*' --exclude-tool wip? --allow-destructive >/dev/null
never run_command --exclude-tool
never wipe --exclude-tool
grep -qx read_file "$CALLS" || fail "nothing else is called either"
called --tool read_file --tool status >/dev/null
for name in run_command wipe write_file; do
    never "$name" --tool
done
grep -qx read_file "$CALLS" || fail "the one that is asked for is not called"
