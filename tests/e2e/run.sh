# run: tasks from a pipe, every result stored; a target that cannot be had is one line and exit status 3.
. "$(dirname "$0")/lib.sh"

"$TASKGEN" --domain data --domain process --count 12 --seed 4 --mutate 0 >tasks.jsonl
expect_status 0 "$TASKGEN" run --target exec: --db run.db --quiet <tasks.jsonl
expect_in out "12 tasks"
[ "$(sqlite3 run.db 'SELECT count(*) FROM exec')" = 12 ] || fail "not every execution is stored"
expect_status 0 "$TASKGEN" run --target exec: --db run.db --quiet tasks.jsonl
[ "$(sqlite3 run.db 'SELECT count(*) FROM exec')" = 24 ] || fail "the second run is not stored beside the first"
[ "$(sqlite3 run.db 'SELECT count(DISTINCT task) FROM exec')" = 12 ] || fail "equal tasks have other ids"
expect_nothing_left

unusable() {
    expect_status 3 "$TASKGEN" run --quiet --db unusable.db --target "$1" --set exec.start-timeout=3s tasks.jsonl
    one_line err
}
unusable "mcp:/no/such/program"
unusable "mcp:false"
unusable "mcp:yes"
unusable "mcp:sleep 60"
unusable "exec:/no/such/prefix"
expect_nothing_left

# A database somebody else writes to, and one that cannot be made.
"$TASKGEN" fuzz --target demo:none --time 8 --db shared.db --quiet >/dev/null 2>&1 &
writer=$!
for _ in $(seq 50); do [ -e shared.db ] && break; sleep 0.1; done
expect_status 3 "$TASKGEN" run --quiet --target exec: --db shared.db tasks.jsonl
one_line err
expect_status 0 "$TASKGEN" report --db shared.db
status=0
wait $writer || status=$?
[ "$status" = 0 ] || fail "the first writer was disturbed: status $status"
expect_status 3 "$TASKGEN" run --quiet --target exec: --db /proc/no.db tasks.jsonl
one_line err

# A check of the user's own: it finds, is tried again only where it is stated, and a bad one is one line.
printf '[no-hello]\nop = run\nfield = stdout\nmust-not = ^hello\nprimitive = process\n' >own.ini
echo '{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"run","args":{"argv":["echo","hello"]}}]}' >own.jsonl
expect_status 1 "$TASKGEN" run --quiet --db own.db --target exec: --checks own.ini own.jsonl
expect_in out "user-no-hello"
expect_status 0 "$TASKGEN" run --quiet --db none.db --target exec: own.jsonl
expect_status 0 "$TASKGEN" replay --db own.db --all
expect_in err "expected --checks FILE"
expect_status 1 "$TASKGEN" replay --db own.db --all -n 1 --checks own.ini
sed -i 's/\^hello/(/' own.ini
expect_status 2 "$TASKGEN" run --quiet --db own.db --target exec: --checks own.ini own.jsonl
one_line err
expect_in err "own.ini:4: found '(', expected a PCRE2 pattern"
