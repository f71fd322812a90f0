# Seeds of any kind are run once, however often the run is killed and whatever the next one is given; the corpus goes out as a directory
# and comes in again elsewhere without running what is known; needless members leave.
. "$(dirname "$0")/lib.sh"

mkdir -p seeds/log
for i in $(seq 12); do
    printf '{"format":"taskgen/task/1","instruction":"Number %d.","steps":[{"id":"s1","op":"run","args":{"argv":["sleep","0.05"]}},{"id":"s2","op":"write","args":{"path":"f%d","content":"x"}}]}\n' "$i" "$i"
done >seeds/tasks.jsonl
echo hello >seeds/hello.txt
printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}\n' >seeds/log/session.jsonl
cp seeds/hello.txt seeds/log/again.txt # other bytes of the name: another task
printf '{"format":"taskgen/task/1"}' >seeds/bad.json
fuzz=("$TASKGEN" fuzz --target exec: --no-box --db a.db --set loop.batch=2 --domain filesystem --quiet --workers 1 --mutate 0 --set shrink.share=0)

# Killed in the middle of them; what was committed is not run again, and nothing is left out.
"${fuzz[@]}" --seeds seeds --time 30 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do
    [ "$(sqlite3 a.db 'SELECT count(*) FROM exec' 2>/dev/null || echo 0)" -ge 6 ] && break
    sleep 0.05
done
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
done_before=$(sqlite3 a.db "SELECT count(*) FROM exec JOIN seed USING (task) WHERE outcome <> 'skipped'") # the target has no tool to call
[ "$done_before" -ge 4 ] && [ "$done_before" -lt 15 ] || fail "$done_before seeds were run before the kill, expected some"
status=0
"${fuzz[@]}" --seeds seeds --runs 20 >out 2>err || status=$?
[ "$status" -le 1 ] || fail "the next fuzz ended with status $status: $(cat err)"
expect_in err "15 seeds, $((15 - done_before)) of them to be run; the others are known"
[ "$(sqlite3 a.db 'SELECT count(*) FROM seed')" = 15 ] || fail "not every seed is kept with its file"
[ "$(sqlite3 a.db "SELECT count(*) FROM seed WHERE (SELECT count(*) FROM exec WHERE exec.task = seed.task AND outcome <> 'skipped') <> (format <> 'mcp')")" = 0 ] || fail "a seed was run twice, or not at all"
[ "$(sqlite3 a.db "SELECT count(*) FROM exec JOIN task ON task.id = task JOIN run ON run.id = run WHERE parent IS NULL AND domain = 'filesystem'")" = \
    "$(sqlite3 a.db "SELECT count(DISTINCT task_index) FROM exec JOIN task ON task.id = task WHERE parent IS NULL AND domain = 'filesystem'")" ] ||
    fail "a fresh task was run twice"
[ "$(sqlite3 a.db "SELECT format FROM seed WHERE file = 'seeds/log/session.jsonl'")" = mcp ] || fail "the log is not known as one"

# Out, and in again: on another database they are all run, on this one none.
expect_status 0 "$TASKGEN" corpus --db a.db --out members
members=$(sqlite3 a.db 'SELECT count(*) FROM corpus')
[ "$(ls members/*.json | wc -l)" = "$members" ] || fail "not one file for each of $members members"
[ "$(wc -l <members/provenance.jsonl)" = "$members" ] || fail "not one line of provenance for each of $members members"
grep -q '"file":"seeds/' members/provenance.jsonl || fail "nothing comes from a seed"
"$TASKGEN" corpus --db a.db | sort >lines
sort members/*.json | cmp - lines || fail "the directory holds other tasks than the database"
"${fuzz[@]}" --seeds members --runs 1 >out 2>err || [ $? = 1 ]
expect_in err "$members seeds, 0 of them to be run"

# What is needless leaves; a dry run writes nothing.
before=$(sha256sum <a.db)
expect_status 0 "$TASKGEN" minimise --db a.db --dry-run --json
[ "$(sha256sum <a.db)" = "$before" ] || fail "a dry run wrote"
needed=$(sed -E 's/.*"needed":([0-9]+).*/\1/' out)
expect_status 0 "$TASKGEN" minimise --db a.db
[ "$(sqlite3 a.db 'SELECT count(*) FROM corpus')" = "$needed" ] || fail "the corpus is not what the dry run said"

# Merged once, however often; the inputs stay as they are.
"$TASKGEN" fuzz --target exec: --no-box --db b.db --domain filesystem --seed 2 --quiet --workers 1 --runs 3 >/dev/null 2>&1 || [ $? = 1 ]
expect_status 0 "$TASKGEN" merge both.db a.db b.db
expect_status 0 "$TASKGEN" merge both.db b.db a.db --json
expect_in out '"database":"a.db","runs":0,"executions":0,"tasks":0,"features":0,"corpus":0,"findings":0'
[ "$(sqlite3 both.db 'SELECT count(*) FROM exec')" = "$(($(sqlite3 a.db 'SELECT count(*) FROM exec') + 3))" ] || fail "merged twice"
expect_status 2 "$TASKGEN" merge both.db ./both.db

# A bad file that is named is a fault; so is a bad dictionary.
expect_status 2 "$TASKGEN" corpus --seeds seeds/nosuch
expect_status 0 "$TASKGEN" corpus --seeds seeds
expect_status 0 "$TASKGEN" corpus --seeds - <seeds/tasks.jsonl
[ "$(wc -l <out)" = 12 ] || fail "standard input gave $(wc -l <out) tasks"
printf '{"format":"taskgen/task/1"}\n' >bad.jsonl
expect_status 2 "$TASKGEN" corpus --seeds bad.jsonl
expect_in err "bad.jsonl"
printf 'a="x"\nb=y\n' >bad.dict
expect_status 2 "$TASKGEN" fuzz --target exec: --dict bad.dict
expect_in err "bad.dict:2: found 'y', expected"
