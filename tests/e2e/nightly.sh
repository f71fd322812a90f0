# replay --all as a nightly re-test: findings move to fixed and regressed, those that have waited longest come first when there is
# little time, and a target that is gone is told and left alone.
. "$(dirname "$0")/lib.sh"

cat >lost.jsonl <<'J'
{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"write","args":{"path":"b","content":{"$bytes":"YQBi/wo="}}},{"id":"s2","op":"run","args":{"language":"sh","script":"exit 3"}}],"expect":[{"step":"s2","exit":3}]}
J
spec='exec:sh -c '\''case $MODE in bad) tr -d "\\000" | "$@" || exit 0;; gone) exit 99;; *) exec "$@";; esac'\'' sh'
few="--set confirm.runs=2 --set confirm.need=2"
expect_status 1 "$TASKGEN" run --quiet --db n.db --target "$spec" --env MODE=bad $few lost.jsonl
[ "$(sqlite3 n.db "SELECT count(*) FROM finding WHERE state = 'confirmed'")" = 2 ] || fail "two faults are expected: $(sqlite3 n.db 'SELECT text, state FROM finding')"
again() { # MODE STATUS [OPTION]…
    local mode=$1 status=$2
    shift 2
    expect_status "$status" "$TASKGEN" replay --db n.db --all --env MODE="$mode" $few "$@"
}
states() { sqlite3 n.db 'SELECT group_concat(state) FROM (SELECT state FROM finding ORDER BY signature)'; }

again bad 1
expect_in out "2 of 2 findings tried"
expect_in out "confirmed   as before         2"
again good 0
expect_in out "fixed       confirmed         2"
[ "$(states)" = fixed,fixed ] || fail "not fixed: $(states)"
again bad 1 --fail-on regressed
expect_in out "regressed   fixed             2"
again bad 0 --fail-on confirmed
# A target that cannot be had: one line about it, and everything stays.
before=$(sqlite3 n.db 'SELECT signature, state, n_failed, n_run, tested_ms FROM finding')
again gone 3
one_line err
[ "$(grep -c ' not tried ' out)" = 2 ] || fail "what was not tried is not named"
expect_in out "not tried, and left as they are: 2"
[ "$(sqlite3 n.db 'SELECT signature, state, n_failed, n_run, tested_ms FROM finding')" = "$before" ] || fail "a finding that was not tried has changed"
# Turns: with a limit of time the one that has waited longest, else the worst.
first=$(sqlite3 n.db 'SELECT signature FROM finding LIMIT 1')
long_ago() {
    sqlite3 n.db "UPDATE finding SET state = 'regressed'; UPDATE finding SET tested_ms = 1, state = 'flaky' WHERE signature = '$first'"
}
long_ago
again bad 1 --json --time 1m
head -n 1 out | grep -q "\"signature\":\"$first\"" || fail "$first has waited longest and does not come first: $(cat out)"
[ "$(sqlite3 n.db "SELECT tested_ms > 1 FROM finding WHERE signature = '$first'")" = 1 ] || fail "when it was tried is not kept"
long_ago
again bad 1 --json
head -n 1 out | grep -q "\"signature\":\"$first\"" && fail "a flaky one comes before a regressed one"
tail -n 1 out | /usr/bin/python3 -c 'import json, sys; e = json.load(sys.stdin); assert (e["event"], e["tried"], e["failed"], e["untried"]) == ("summary", 2, 2, 0), e'
again bad 0 --time 1ms
expect_in out "no time for: 2"
expect_status 2 "$TASKGEN" replay --db n.db --time 1m "$first"
one_line err
expect_nothing_left
