# Generation: same seed, same bytes, any thread count; one task alone is the same task; every task is valid.
. "$(dirname "$0")/lib.sh"

"$TASKGEN" --domain ml --count 100 --seed 1 >ml.jsonl
[ "$(wc -l <ml.jsonl)" = 100 ] || fail "expected 100 lines"
grep -oE '"id":"[0-9a-f]{32}"' ml.jsonl | sort -u >ids.txt
[ "$(wc -l <ids.txt)" = 100 ] || fail "ids are not unique"

for domain in lifecycle filesystem process network perf sdlc ml data report browser; do
    "$TASKGEN" --domain $domain --count 200 --seed 7 --threads 1 >one.jsonl
    "$TASKGEN" --domain $domain --count 200 --seed 7 --threads 5 >five.jsonl
    cmp one.jsonl five.jsonl || fail "$domain: the bytes depend on the number of threads"
    "$TASKGEN" --domain $domain --seed 7 --index 123 >alone.jsonl
    sed -n 124p one.jsonl | cmp - alone.jsonl || fail "$domain: task 123 alone is another"
    "$TASKGEN" --domain $domain --count 200 --seed 8 >other.jsonl
    ! cmp -s one.jsonl other.jsonl || fail "$domain: the seed changes nothing"
    "$TASKGEN" --domain $domain --count 50 --seed 7 --mutate 0 >calm.jsonl
    ! grep -q '"mutator"' calm.jsonl || fail "$domain: --mutate 0 mutates"
    "$TASKGEN" --domain $domain --count 20 --seed 7 --format text >text.txt
    [ -s text.txt ] || fail "$domain: no text"
    cat one.jsonl other.jsonl calm.jsonl >>all.jsonl
done
grep -q '"mutator"' all.jsonl || fail "no task has a mutation"
/usr/bin/python3 "$SOURCE/tests/validate_tasks.py" "$SOURCE/domains/task-1.schema.json" all.jsonl

# --domain all is all ten; repeating mixes.
"$TASKGEN" --domain all --count 100 | grep -oE '"domain":"[a-z]+"' | sort -u >domains.txt
[ "$(wc -l <domains.txt)" = 10 ] || fail "--domain all gives $(wc -l <domains.txt) domains, expected 10"
"$TASKGEN" --domain ml --domain data --count 10 | grep -oE '"domain":"[a-z]+"' | sort -u >domains.txt
[ "$(wc -l <domains.txt)" = 2 ] || fail "two --domain give other than two domains"
