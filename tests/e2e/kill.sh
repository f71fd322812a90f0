# kill -9 of a running fuzz: the database stays whole, what was announced is in it, the next fuzz goes on, nothing runs on.
. "$(dirname "$0")/lib.sh"

for round in 1 2; do
    "$TASKGEN" fuzz --target demo --time 30 --workers 2 --db kill.db --seed 9 >"found.$round" 2>/dev/null &
    pid=$!
    sleep "$((RANDOM % 3 + 2)).$((RANDOM % 10))"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null || true
    sleep 0.7
    expect_nothing_running
    [ "$(sqlite3 kill.db 'PRAGMA integrity_check')" = ok ] || fail "round $round: the database is damaged"
done
# A disk that a task had mounted goes too.
cat >disk.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"stage-small-disk","args":{"path":"disk","bytes":65536}},{"id":"s2","op":"write","args":{"path":"disk/mounted","content":"x"}},{"id":"s3","op":"idle","args":{"ms":20000}}],"expect":[]}
J
"$TASKGEN" run disk.jsonl --target exec: --db disk.db --quiet >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do
    [ -n "$(find /proc/"$pid"/root"$WORK" -name mounted 2>/dev/null)" ] && break
    sleep 0.1
done
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
expect_nothing_running
! grep "$WORK" /proc/self/mounts || fail "a killed taskgen leaves a disk mounted"

"$TASKGEN" report --db kill.db --all --format json >report.json
cat found.* | grep -E '^(confirmed|flaky)' | grep -oE ' [0-9a-f]{8}  ' | tr -d ' ' | sort -u >announced.txt || true
while read -r prefix; do
    grep -q "\"signature\": *\"$prefix" report.json || fail "finding $prefix was announced and is lost"
done <announced.txt
[ -s announced.txt ] || fail "nothing was announced in two rounds"
before=$(sqlite3 kill.db 'SELECT count(*) FROM exec')
status=0
"$TASKGEN" fuzz --target demo --time 5 --workers 2 --db kill.db --seed 9 >/dev/null 2>&1 || status=$?
[ "$status" -le 1 ] || fail "the next fuzz ended with status $status"
after=$(sqlite3 kill.db 'SELECT count(*) FROM exec')
[ "$after" -gt "$before" ] || fail "the next fuzz did not go on"
# A shrink that is killed over and over gets to the three steps that matter, and never forgets the ones it had.
expect_status 1 "$TASKGEN" run "$SOURCE/tests/data/shrink/planted.jsonl" --target demo:mode-lost --db shrink.db --quiet
smallest() { sqlite3 shrink.db 'SELECT task_steps FROM finding'; }
steps=$(smallest)
[ "$steps" = 25 ] || fail "the planted task has $steps steps"
for wait in 0.3 0.5 0.8; do
    "$TASKGEN" shrink --all --db shrink.db >/dev/null 2>&1 &
    pid=$!
    sleep "$wait"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    now=$(smallest)
    [ "$now" -le "$steps" ] || fail "a killed shrink has lost the smaller task: $steps steps, then $now"
    steps=$now
done
expect_status 0 "$TASKGEN" shrink --all --db shrink.db
[ "$(smallest)" = 3 ] || fail "a shrink that was killed ends at $(smallest) steps"
expect_status 0 "$TASKGEN" shrink --all --db shrink.db
expect_in out " 0 sessions"
# SIGINT: everything saved, 130.
"$TASKGEN" fuzz --target demo --time 60 --workers 2 --db kill.db --seed 9 >/dev/null 2>&1 &
pid=$!
sleep 3
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" = 130 ] || fail "SIGINT ended it with status $status, expected 130"
# Directories of killed ones are swept by a later start once they are a minute old: a unit test's business.
expect_nothing_running
