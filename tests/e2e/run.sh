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
"$TASKGEN" fuzz --target demo:none --time 8 --db shared.db --features -outcome,-code --quiet >/dev/null 2>&1 &
writer=$!
for _ in $(seq 50); do [ -e shared.db ] && break; sleep 0.1; done
expect_status 3 "$TASKGEN" run --quiet --target exec: --db shared.db tasks.jsonl
one_line err
expect_status 0 "$TASKGEN" report --db shared.db
status=0
wait $writer || status=$?
[ "$status" = 0 ] || fail "the first writer was disturbed: status $status"
[ "$(sqlite3 shared.db "SELECT json_extract(settings, '\$.features') FROM run")" = -outcome,-code ] || fail "--features is not stored"
[ "$(sqlite3 shared.db 'SELECT count(*) FROM feature WHERE domain IN (1, 2)')" = 0 ] || fail "--features leaves nothing out"
expect_status 3 "$TASKGEN" run --quiet --target exec: --db /proc/no.db tasks.jsonl
one_line err

# A check of the user's own: it finds, is tried again only where it is stated, and a bad one is one line.
printf '[no-hello]\nop = run\nfield = stdout\nmust-not = ^hello\nprimitive = process\n' >own.ini
echo '{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"run","args":{"argv":["echo","hello"]}}]}' >own.jsonl
expect_status 1 "$TASKGEN" run --quiet --db own.db --target exec: --checks own.ini own.jsonl
expect_in out "user-no-hello"
expect_status 0 "$TASKGEN" run --quiet --db none.db --target exec: own.jsonl
expect_status 0 "$TASKGEN" replay --db own.db --all
expect_in err "expected --checks FILE or --check with it"
expect_status 1 "$TASKGEN" replay --db own.db --all -n 1 --checks own.ini
expect_in out "difference   none, every step went as then"
expect_in out "left over    nothing"
expect_status 1 "$TASKGEN" replay --db own.db --all -n 1 --checks own.ini --target "exec:sh -c '\"\$@\"; echo hello again' sh"
expect_in out 'difference   step s1 run: its reply was "hello\x0a", is "hello\x0ahello again\x0a"'
# Where an input came from and what it is kept for: by its number, its id, or a finding that it has shown.
expect_status 0 "$TASKGEN" explain --db run.db 1
expect_in out ", number 1 of the corpus"
expect_in out "run 2 times, first at 20"
expect_in out "data, workflow text-of-many-scripts, seed 4, index 0"
expect_in out "kept for what it was the first to show"
expect_in out "  outcome: "
id=$(sqlite3 run.db 'SELECT lower(hex(hash)) FROM corpus JOIN task ON task.id = corpus.task WHERE number = 1')
cp out by-number
expect_status 0 "$TASKGEN" explain --db run.db "${id:0:12}"
cmp -s out by-number || fail "explain by id says something else"
expect_status 0 "$TASKGEN" explain --db run.db --why 1
expect_in out "why: it was not made of a kept task"
expect_in out "now: number 1 of the corpus weighs"
"$TASKGEN" explain --db run.db --json '#1' | /usr/bin/python3 -c 'import json,sys
x = json.load(sys.stdin)
new = [f for f in x["features"] if f["kept_for"]]
assert x["number"] == 1 and x["origins"][0]["seed"] == 4 and new and all(f["stable"] and f["shown"] >= 1 and f["rarity"] > 0 and f["text"] for f in new)'
expect_status 0 "$TASKGEN" explain --db own.db "$(sqlite3 own.db 'SELECT substr(signature, 1, 8) FROM finding')"
expect_in out "user-no-hello"
expect_in out "  outcome: run -> ok"
expect_status 0 "$TASKGEN" explain --db run.db --domains
expect_in out "domain        features   stable   let in    alone  again     what"
"$TASKGEN" explain --db run.db --domains --json | /usr/bin/python3 -c 'import json,sys
rows = {r["domain"]: r for r in map(json.loads, sys.stdin)}
assert len(rows) >= 15 and rows["outcome"]["stable"] > 3 and rows["outcome"]["let_in"] > 0 and not rows["time"]["may_alone"]
assert all(r["let_in_alone"] <= r["let_in"] <= r["stable"] <= r["features"] <= r["shown"] for r in rows.values())'
for odd in '#99' zz 0123456789abcdef0123456789abcdef; do
    expect_status 2 "$TASKGEN" explain --db run.db "$odd"
    one_line err
done

sed -i 's/\^hello/(/' own.ini
expect_status 2 "$TASKGEN" run --quiet --db own.db --target exec: --checks own.ini own.jsonl
one_line err
expect_in err "own.ini:4: found '(', expected a PCRE2 pattern"

# What a finding behind a prefix needs to be seen without taskgen: a shell script, which tells that prefix from another one.
cat >lost.jsonl <<'J'
{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"write","args":{"path":"\u00e4 'b","content":{"$bytes":"YQBi/wo="}}},{"id":"s2","op":"run","args":{"language":"sh","script":"exit 3"}}],"expect":[{"step":"s2","exit":3}]}
J
expect_status 1 "$TASKGEN" run --quiet --db lost.db --target 'exec:sh -c '\''tr -d "\\000" | "$@" || exit 0'\'' sh' lost.jsonl
for check in nul-in-content exit-status-lost; do
    "$TASKGEN" report --db lost.db --format script "$(sqlite3 lost.db "SELECT signature FROM finding WHERE kind = '$check'")" >lost.sh
    expect_status 1 sh lost.sh
    expect_in out "the fault shows"
    expect_status 0 sh lost.sh env A=b
done
expect_nothing_left

# One by command, for two workers: the step's record comes on its standard input, what it says is the detail without paths and
# numbers, and it holds in replay, shrink and confirmation. One that is in trouble itself is told once, and finds nothing.
cat >look.py <<'P'
import json, sys
o = json.load(sys.stdin)
assert o["op"] == "run" and o["args"]["argv"][0] == "echo" and o["outcome"]["class"] == "ok" and o["outcome"]["exit"] == 0, o
if "hello" in o["outcome"]["result"]["stdout"]:
    print("greeted 17 times below", "/tmp/some/where")
    sys.exit(1)
P
printf '[greets]\n\nop = run\nprimitive = process\ncommand = true ; /usr/bin/python3 look.py ; exit $?\n' >cmd.ini
expect_status 1 "$TASKGEN" run --quiet --workers 2 --db cmd.db --target exec: --checks cmd.ini --check 'bad=echo oops >&2; exit 3' own.jsonl own.jsonl
[ "$(sqlite3 cmd.db "SELECT text || ' ' || state FROM finding")" = "undecided/process/user-greets/run: greeted <n> times below <path> confirmed" ] ||
    fail "found: $(sqlite3 cmd.db 'SELECT text, state FROM finding')"
[ "$(grep -c 'user-bad: its command ended with status 3, expected 0 or 1: oops' err)" = 1 ] || fail "trouble is not told once: $(cat err)"
grep -qE 'user-bad: no answer to ([0-9]+) of \1 steps' err || fail "trouble is not counted: $(cat err)"
expect_status 2 "$TASKGEN" shrink --db cmd.db "$(sqlite3 cmd.db 'SELECT signature FROM finding')"
expect_in err "is of the check user-greets, expected --checks FILE or --check with it; not tried"
expect_status 0 "$TASKGEN" shrink --db cmd.db --all --checks cmd.ini
expect_in out "nothing smaller shows it"
expect_status 1 "$TASKGEN" replay --db cmd.db --all -n 1 --check 'greets=/usr/bin/python3 look.py'
expect_status 0 "$TASKGEN" replay --db cmd.db --all --check greets=true
expect_in out "fixed"
expect_status 2 "$TASKGEN" run --quiet --db cmd.db --target exec: --check 'greets' own.jsonl
one_line err
expect_in err "--check: found 'greets', expected NAME=COMMAND"
printf '[a]\ncommand = true\n\n[b]\nop = run\n' >cmd.ini
expect_status 2 "$TASKGEN" run --quiet --db cmd.db --target exec: --checks cmd.ini own.jsonl
one_line err
expect_in err "cmd.ini:5: [b]: found nothing of that name, expected field"
expect_nothing_left
