# Plug-ins: both that ship conform to the protocol, and tasks run through them as through any target.
. "$(dirname "$0")/lib.sh"
plugins=$SOURCE/docs/examples/plugins

for plugin in rest_sandbox jupyter_kernel; do
    "$SOURCE/scripts/plugin-conformance" /usr/bin/python3 "$plugins/$plugin.py" >conformance.txt 2>&1 ||
        fail "$plugin does not conform: $(cat conformance.txt)"
done
status=0
"$SOURCE/scripts/plugin-conformance" cat >conformance.txt || status=$?
[ "$status" = 1 ] || fail "cat conforms: $(cat conformance.txt)"

# run_all PLUGIN DOMAIN COUNT LEAST SEED: every task that can be executed passes, and at least so many can.
run_all() {
    "$TASKGEN" run --domain "$2" --count "$3" --seed "$5" --mutate 0 --target "plugin:/usr/bin/python3 $plugins/$1.py" --workers 2 \
        --db plugin.db --json >events.jsonl || fail "$1: tasks of $2 fail"
    /usr/bin/python3 - events.jsonl "$4" <<'P'
import json, sys
end = json.loads(open(sys.argv[1]).readlines()[-1])
assert end["harness"] == 0 and end["failed"] == 0, end
assert end["executed"] >= int(sys.argv[2]), end
P
}
run_all rest_sandbox filesystem 20 12 3
run_all jupyter_kernel ml 6 4 4
expect_nothing_left
