# What sessions leave behind is told and removed; calm ones leave nothing.
. "$(dirname "$0")/lib.sh"

# task SCRIPT…: a task with a step for each.
task() {
    /usr/bin/python3 -c 'import json, sys
print(json.dumps({"format": "taskgen/task/1", "instruction": "test", "steps": [
    {"id": "s%d" % (i + 1), "op": "run", "args": {"language": "sh", "script": s}} for i, s in enumerate(sys.argv[1:])]}))' "$@"
}

task 'echo x > ../stray; echo y > /tmp/temporary' 'cat ../private.txt; cp ../root-private/notes.txt copy' >files.jsonl
expect_status 0 "$TASKGEN" run --quiet --db a.db --target exec: files.jsonl
expect_in out "imported/imported: file stray; tripwire beside opened read; tripwire sibling opened read; canary beside in a reply; canary sibling in a file"
expect_in out "left behind, then removed: file 1, temporary 1"
expect_nothing_left

# For programs, and without a box, where a process that closes everything and leaves its session is left too. The
# process stays of its own accord until it is ended.
task 'setsid sleep 395 </dev/null >/dev/null 2>&1 & while ! pgrep -x sleep -f "sleep 395" >/dev/null; do sleep 0.05; done' >process.jsonl
for box in "" --no-box; do
    expect_status 1 "$TASKGEN" run --json --db b$box.db --set confirm.runs=1 --set confirm.need=1 $box --target exec: process.jsonl
    /usr/bin/python3 - <<'PY' || fail "the event of what was left"
import json
events = [json.loads(line) for line in open("out")]
left = [e for e in events if e["event"] == "left"]
assert len(left) == 1, left
assert [(l["kind"], l["command"], l["calm"]) for l in left[0]["leftovers"]] == [("process", "sleep 395", False)], left
assert left[0]["tripwires"] == [] and left[0]["canaries"] == [], left
assert [e["check"] for e in events if e["event"] == "finding" and e["state"] == "confirmed"] == ["orphan-left"], events
PY
    [ -z "$(pgrep -f 'sleep 395')" ] || fail "it still runs"
    expect_nothing_left
done

# Calm tasks touch nothing and leave nothing, whatever they run on; what else is found there is another matter.
"$TASKGEN" --domain filesystem --domain data --domain process --count 12 --seed 5 --mutate 0 >calm.jsonl
calm() {
    "$TASKGEN" run --quiet --db calm.db --set confirm.runs=1 --set confirm.need=1 "$@" calm.jsonl >out 2>err || [ $? = 1 ] ||
        fail "calm tasks with $*: $(cat err)"
    expect_in out "12 tasks"
    ! grep -E '^left|left behind' out || fail "calm tasks leave something with $*"
    expect_nothing_left
}
calm --target exec:
calm --target exec: --no-box
calm --target demo:none
if [ -x "$SERVERS/mcp-server-filesystem" ]; then
    calm --target "mcp:$SERVERS/mcp-server-filesystem {root}"
fi
