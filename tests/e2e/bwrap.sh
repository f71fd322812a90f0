# A real process sandbox: bubblewrap, one process a call. Every task but the browser's runs; calm ones pass.
. "$(dirname "$0")/lib.sh"
sandbox="exec:bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind {root} {root} --unshare-all --die-with-parent"

status=0
"$TASKGEN" run --target "$sandbox" --domain all --count 60 --seed 5 --mutate 0 --workers 2 --db bwrap.db --json >events.jsonl || status=$?
[ "$status" -le 1 ] || fail "run ended with status $status"
/usr/bin/python3 - events.jsonl <<'P'
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
end = events[-1]
assert end["executions"] == 60, end
assert end["executed"] >= 43, end  # 80 % of the 54 that are not the browser's
assert end["harness"] == 0, end
assert end["passed"] >= end["executed"] * 0.95, end
P
expect_nothing_left
