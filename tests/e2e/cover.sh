# k-paths on the command line: a suite on standard output, what it covers and misses on standard error, usage faults.
. "$(dirname "$0")/lib.sh"

for file in plain unreached budget; do
    cp "$SOURCE/tests/data/kpath/$file.xml" .
done

expect_status 0 "$TASKGEN" --domain ./plain.xml --cover k=2
[ "$(wc -l <out)" = 5 ] || fail "expected 5 tasks, found $(wc -l <out)"
expect_in err "plain: 13 of 13 2-paths covered by 5 tasks (0 not reached)"
expect_in err "never taken, not counted: plain.xml:13 alternative 2: has weight 0"
cp out first
# The same bytes again; and each is a task that can be read.
expect_status 0 "$TASKGEN" generate --domain ./plain.xml --cover k=2 --threads 1
cmp out first || fail "a suite is not the same twice"
/usr/bin/python3 - first <<'P'
import json, sys
tasks = [json.loads(line) for line in open(sys.argv[1])]
assert [t["index"] for t in tasks] == list(range(5)), tasks
assert len({t["id"] for t in tasks}) == 5
assert all(t["mutations"] == [] for t in tasks)
P
expect_status 0 "$TASKGEN" --domain ./plain.xml --cover k=2 --format text
expect_in out "Look"
expect_status 0 "$TASKGEN" --domain ./plain.xml --workflow second --cover k=2
expect_in err "plain: 1 of 1 2-paths covered by 1 tasks"

# What is missed: what it has in common, or each path by name.
expect_status 0 "$TASKGEN" --domain ./unreached.xml --cover k=2
expect_in err "unreached: 6 of 8 2-paths covered by"
expect_in err "not reached: 1 path, unreached.xml:17 alternative 2: the choice came up there"
expect_status 0 "$TASKGEN" --domain ./unreached.xml --cover k=2 --missed
expect_in err "not reached: unreached.xml:13 workflow only > unreached.xml:17 alternative 2: the choice came up there"

# Several domains one after the other; a domain that ships.
expect_status 0 "$TASKGEN" --domain ./plain.xml --domain ./budget.xml --cover k=1
expect_in err "plain: 14 of 14 1-paths"
expect_in err "budget: 3 of 3 1-paths covered by 1 tasks"
expect_status 0 "$TASKGEN" --domain ml --cover k=2
[ "$(wc -l <out)" -lt 1000 ] || fail "$(wc -l <out) tasks are no small suite"
# Hazards only when they are asked for.
expect_status 0 "$TASKGEN" --domain ml --cover k=1 --mutate 1
grep -q '"mutator"' out || fail "no hazard, although --mutate is given"

# How much chance covers.
expect_status 0 "$TASKGEN" domains --domain ./plain.xml --paths --count 1000
expect_in out "14 of 14           13 of 13             8 of 8"
expect_status 0 "$TASKGEN" domains --domain ./plain.xml --paths --count 1 --json
/usr/bin/python3 -c 'import json; d = json.load(open("out")); assert d[0]["tasks"] == 1 and 0 < d[0]["paths"][1]["seen"] < d[0]["paths"][1]["all"] == 13, d'

# Faults of usage: one line each.
for arguments in "--cover 2" "--cover k=4" "--cover k=22" "--cover k=2 --count 3" "--cover k=2 --index 3" "--missed" \
    "--cover k=2 --steps 3"; do
    # shellcheck disable=SC2086
    expect_status 2 "$TASKGEN" --domain ./plain.xml $arguments
    [ "$(wc -l <err)" = 1 ] || fail "$arguments: not one line: $(cat err)"
done
