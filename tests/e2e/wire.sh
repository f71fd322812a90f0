# Frames that are sent otherwise, on real servers: what is at fault is found and marked, what is lawful and served is not, what we end
# ourselves is begun again and blames nobody. And sessions that tasks share.
. "$(dirname "$0")/lib.sh"
[ -x "$SERVERS/mcp-server-filesystem" ] || skip "tests/servers/install.sh has not been run"
server="mcp:$SERVERS/node $SERVERS/mcp-server-filesystem {root}"
once=(--set confirm.runs=1 --set confirm.need=1)

# mutated MUTATOR GROUP KIND…: a task each, whose second call has the mutation
mutated() {
    local mutator=$1 at=$2 kind
    for kind in "${@:3}"; do
        printf '{"format":"taskgen/task/1","instruction":"","steps":[%s,%s,%s],"expect":[%s],"mutations":[%s]}\n' \
            '{"id":"s1","op":"write","args":{"path":"a","content":"one"}}' \
            '{"id":"s2","op":"write","args":{"path":"b","content":"two é"}}' \
            '{"id":"s3","op":"read","args":{"path":"a"}}' \
            '{"step":"s3","at":"/content","equals":"one"}' \
            "{\"mutator\":\"$mutator\",\"step\":\"s2\",\"at\":\"/$at\",\"detail\":\"$kind: by hand\",\"before\":{}}"
    done
}

# Lawful, and served: nothing is found, and every task does what it should.
{
    mutated split-frame frame byte-by-byte in-character two-in-one
    mutated embedded-newline frame cr-between-tokens crlf-at-end
    mutated oversize-frame frame 64k-plus-1 1m
    mutated id-type frame string negative
    mutated early-close frame half-frame before-reply broken
    mutated slow-reader env short
    mutated stop-server env short
    mutated kill-server env at-once
} >lawful.jsonl
expect_status 0 "$TASKGEN" run --target "$server" --workers 2 --db lawful.db <lawful.jsonl
expect_in out "15 tasks"
expect_in out "15 passed, 0 failed, 0 skipped"

# A big frame any client may send, and one without a member that none may: both are found, and the second stands last.
{
    mutated oversize-frame frame 11m
    mutated missing-field frame jsonrpc
} >faults.jsonl
expect_status 1 "$TASKGEN" run --target "$server" --workers 2 --db faults.db "${once[@]}" <faults.jsonl
expect_in out "(no client may send it)"
expect_in out "after messages no client may send: 1 of them"
"$TASKGEN" report --db faults.db --format json >faults.json
/usr/bin/python3 - faults.json <<'P'
import json, sys
found = [(f["check"], f["op"], f["client_illegal"]) for f in json.load(open(sys.argv[1]))]
assert found == [("big-frame-fatal", "session", False), ("request-unanswered", "send", True)], found
P

# The loop draws them by itself, and not with --mutate 0.
status=0
"$TASKGEN" fuzz --target "$server" --domain filesystem --time 6 --workers 2 --db loop.db --set loop.wire-share=1 --json >loop.jsonl || status=$?
[ "$status" -le 1 ] || fail "fuzz ended with status $status"
wired() {
    /usr/bin/python3 - "$1" <<'P'
import sqlite3, sys
names = {row[0] for row in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM counter WHERE kind = 'mutator'")}
print(len(names & set("bad-utf8 embedded-newline split-frame oversize-frame duplicate-key id-type missing-field batch bom "
                      "unknown-version early-close no-newline-flood slow-reader kill-server stop-server".split())))
P
}
[ "$(wired loop.db)" -ge 1 ] || fail "no frame was mutated"
status=0
"$TASKGEN" fuzz --target "$server" --domain filesystem --time 3 --workers 2 --mutate 0 --db calm.db --set loop.wire-share=1 >/dev/null 2>&1 || status=$?
[ "$(wired calm.db)" = 0 ] || fail "frames were mutated with --mutate 0"

# One session for many tasks is quicker, and the tasks do what they should.
grep -v oversize lawful.jsonl | sed 's/"mutations":.*/"mutations":[]}/' | head -10 >plain.jsonl
expect_status 0 "$TASKGEN" run --target "$server" --workers 1 --reset task --db shared.db <plain.jsonl
expect_in out "10 passed"
expect_status 2 "$TASKGEN" run --target "$server" --reset sometimes --db shared.db <plain.jsonl
expect_in err "expected session, task or never"
expect_nothing_left
