# No core is ever written, whatever dies: taskgen itself, what it starts, what its targets start, with the soft limit raised.
. "$(dirname "$0")/lib.sh"
ulimit -S -c "$(ulimit -H -c)"
[ "$(ulimit -c)" != 0 ] || skip "the hard limit on core dumps is 0 here"
mkdir control
(cd control && sh -c 'kill -SEGV $$' 2>/dev/null || true)
[ -n "$(ls control)" ] || skip "no core is written here anyway: core_pattern is $(cat /proc/sys/kernel/core_pattern)"
rm -r control

cores() { # anything like a core below this directory
    find "$WORK" -type f -name '*core*' -size +100k
}

export CANARY=in-memory-canary-1
for victim in taskgen box; do
    "$TASKGEN" fuzz --target demo --env CANARY --time 20 --workers 1 --db "$victim.db" >/dev/null 2>&1 &
    pid=$!
    trap 'kill -9 $pid 2>/dev/null || true; cd /; rm -rf "$WORK"' EXIT
    limit=
    for _ in $(seq 200); do # what it starts first lives for moments only
        child=$(pgrep -P "$pid" | tail -1 || true)
        limit=$(grep '^Max core file size' "/proc/$child/limits" 2>/dev/null || true)
        [ -n "$limit" ] && break
        sleep 0.05
    done
    grep -q '^Max core file size *[01] *[01] ' <<<"$limit" || fail "what it starts may dump: '$limit'"
    [ "$victim" = taskgen ] || kill -SEGV "$child" 2>/dev/null || true
    kill -SEGV "$pid" 2>/dev/null || true # it may have ended with its box
    wait "$pid" 2>/dev/null || true
    trap 'cd /; rm -rf "$WORK"' EXIT
    for _ in $(seq 50); do
        pgrep -f "$TMPDIR/" >/dev/null || break
        sleep 0.1
    done
    [ -z "$(cores)" ] || fail "$victim died and left $(cores)"
done

# What a target starts cannot raise its limit either; in the box and without.
cat >dies.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"run","args":{"language":"sh","script":"ulimit -c unlimited 2>/dev/null; sh -c 'kill -SEGV $$'; ls"}}],"expect":[{"step":"s1","at":"/stdout","equals":""}]}
J
for box in '' --no-box; do
    expect_status 0 "$TASKGEN" run dies.jsonl --target exec: $box --db dies.db
done
# Not being dumpable changes who owns /proc/self: what looks there still works.
expect_status 0 "$TASKGEN" doctor
expect_status 0 "$TASKGEN" targets --explain --target local
expect_nothing_running
