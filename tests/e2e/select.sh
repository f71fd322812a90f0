# Choosing and measuring: what is chosen fits and does not depend on threads; a record makes its task again; the measures
# count; what nothing fits ends with one line.
. "$(dirname "$0")/lib.sh"

choice=(--domain filesystem --class C63 --class stale-content --steps 2..9)
"$TASKGEN" "${choice[@]}" --count 60 --seed 5 --threads 1 >one.jsonl
"$TASKGEN" "${choice[@]}" --count 60 --seed 5 --threads 4 >four.jsonl
cmp one.jsonl four.jsonl || fail "a selection depends on the number of threads"
[ "$(wc -l <one.jsonl)" = 60 ] || fail "expected 60 tasks"
"$TASKGEN" "${choice[@]}" --seed 5 --index 17 >alone.jsonl
sed -n 18p one.jsonl | cmp - alone.jsonl || fail "task 17 alone is another"

# Each record says how to make its task without the selection.
head -n 10 one.jsonl | /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    print(t["index"], t["seed"], t["workflow"])' >made.txt
[ "$(wc -l <made.txt)" = 10 ] || fail "records without index, seed and workflow"
number=0
while read -r index seed workflow; do
    number=$((number + 1))
    "$TASKGEN" --domain filesystem --workflow "$workflow" --seed "$seed" --index "$index" >again.jsonl
    sed -n ${number}p one.jsonl | cmp - again.jsonl || fail "index $index of $workflow is another task"
done <made.txt

"$TASKGEN" --domain all --hostile --count 40 >hostile.jsonl
[ "$(grep -c '"mutator"' hostile.jsonl)" = 40 ] || fail "--hostile gives calm tasks"
"$TASKGEN" --domain all --workflow 'f*' --workflow 's*' --count 40 | grep -oE '"workflow":"[^"]*"' | sort -u >workflows.txt
! grep -qv '"workflow":"[fs]' workflows.txt || fail "--workflow gives others: $(cat workflows.txt)"
"$TASKGEN" --domain all --primitive concurrency --count 5 >parallel.jsonl
[ "$(grep -c '"group"\|"op":"send"' parallel.jsonl)" = 5 ] || fail "--primitive concurrency gives tasks without any"

bad() {
    expect_status 2 "$TASKGEN" "$@"
    one_line err
}
bad --domain ml --class C95
bad --domain ml --class C25
expect_in err "only by env mutators"
bad --domain ml --primitive frob
bad --domain ml --steps 5..3
bad --domain ml --steps none
bad --domain ml --hostile --mutate 0
bad --domain ml --class C85
expect_in err "browser"

# Measures: the same for any number of threads; every class is in one of the three lists.
"$TASKGEN" domains --coverage --count 1000 --seed 2 --threads 1 >one.txt
"$TASKGEN" domains --coverage --count 1000 --seed 2 --threads 3 >three.txt
cmp one.txt three.txt || fail "the coverage depends on the number of threads"
[ "$(grep -cE '^C[0-9]{2} ' one.txt)" = 94 ] || fail "expected 94 classes"
grep -q '^C25 .*env mutators' one.txt || fail "C25 is not listed apart"
"$TASKGEN" domains --coverage --count 200 --json | /usr/bin/python3 -c '
import json, sys
r = json.load(sys.stdin)
assert len(r["classes"]) == 94 and sum(d["tasks"] for d in r["domains"]) == r["tasks"] == 200'
"$TASKGEN" domains --diversity --domain ml --domain data --count 300 --by-workflow >diversity.txt
grep -q '^ml  *300 ' diversity.txt || fail "no row of ml"
grep -q '^data  *300 ' diversity.txt || fail "no row of data"
"$TASKGEN" domains --diversity --domain ml --count 300 --json | /usr/bin/python3 -c '
import json, sys
(r,) = json.load(sys.stdin)
assert r["name"] == "ml" and r["tasks"] == 300 and r["equal"] <= r["near"] and 0 < r["distinct_2"] < 1 < r["compression"]'

# A fuzz with a selection goes on where it ended: the second takes the next tasks of the selection, another selection its own.
campaign() {
    "$TASKGEN" fuzz --target exec: --domain filesystem --seed 3 --count 3 --workers 1 --quiet --db fuzz.db --set loop.mutate-share=0 --set loop.splice-share=0 "$@" \
        >out 2>err || [ $? = 1 ] || fail "fuzz: $(cat err)"
}
campaign --class C06
campaign --class C06
campaign --class C11
places() {
    sqlite3 fuzz.db "SELECT group_concat(task_index / 1000, ' ') FROM (SELECT task_index FROM task JOIN exec ON exec.task = task.id WHERE run = $1 ORDER BY exec.id)"
}
[ "$(places 1)" = "0 1 2" ] || fail "the first run took $(places 1)"
[ "$(places 2)" = "3 4 5" ] || fail "the second run took $(places 2)"
[ "$(places 3)" = "0 1 2" ] || fail "another selection took $(places 3)"
