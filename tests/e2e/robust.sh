# What docs/robust.md says: two taskgens, a target that goes away, signals, a full disk, a read-only one, a clock that jumps.
. "$(dirname "$0")/lib.sh"
fuzz() { # DB WORD…: in the background, its output in DB.out
    local db=$1
    shift
    "$TASKGEN" fuzz --target exec: --domain filesystem --workers 2 --db "$db" --quiet "$@" >"$db.out" 2>"$db.err" &
    pid=$!
}
count() { sqlite3 "$1" 'SELECT count(*) FROM exec'; }
whole() { [ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] || fail "$1 is damaged"; }
ends() { # STATUS
    local status=0
    wait "$pid" || status=$?
    [ "$status" = "$1" ] || { cat ./*.err >&2; fail "fuzz ended with status $status, expected $1"; }
}
wait_for() { # COMMAND…: for ten seconds at most
    for _ in $(seq 100); do
        "$@" && return
        sleep 0.1
    done
    fail "waited in vain: $*"
}
has_some() { [ -e "$1" ] && [ "$(count "$1" 2>/dev/null || echo 0)" -gt "${2:-0}" ]; }

# Two on one database: the second is told who writes; a reader is never refused. SIGTERM and SIGHUP end it like SIGINT.
fuzz two.db --time 60
wait_for has_some two.db
expect_status 3 "$TASKGEN" fuzz --target exec: --db two.db --time 1
one_line err
expect_in err "$pid"
expect_status 0 "$TASKGEN" report --db two.db
kill -TERM "$pid"
ends 143
fuzz two.db --time 60 --seed 5
sleep 1
kill -HUP "$pid"
ends 129
[ "$(sqlite3 two.db 'SELECT count(*) FROM run WHERE ended_ms IS NULL')" = 0 ] || fail "a run that a signal ended has no end"
whole two.db
expect_nothing_left

# A target that is gone for a while: nothing is blamed on it, and the campaign goes on. Gone for longer than loop.patience: status 3.
cp "$BUILD/bench/leakybox/leakybox" server
gone() { "$TASKGEN" fuzz --target "mcp:$WORK/server {root}" --domain filesystem --workers 2 --db gone.db --quiet "$@"; }
gone --time 9 >gone.out 2>gone.err &
pid=$!
wait_for has_some gone.db
mv server away
sleep 3
before=$(count gone.db)
mv away server
wait "$pid" || fail "a target that was gone for three seconds ended it with status $?: $(cat gone.err gone.out)"
[ "$(count gone.db)" -gt "$before" ] || fail "it did not go on when the target was back"
[ "$(sqlite3 gone.db "SELECT count(*) FROM finding WHERE state <> 'unconfirmed'")" = 0 ] || fail "the target's absence is a finding"
gone --time 60 --set loop.patience=1s >gone.out 2>gone.err &
pid=$!
sleep 1
mv server away
ends 3
one_line gone.err
expect_in gone.err "$WORK/server"
whole gone.db

# No room, then a disk that is read-only: one line, status 3, and what was kept stays readable.
if unshare -m true 2>/dev/null; then
    mkdir disk
    unshare -m sh -c '
        mount -t tmpfs -o size=600k none disk || exit 77
        "$1" fuzz --target exec: --domain filesystem --workers 2 --time 60 --quiet --db disk/full.db >full.out 2>full.err
        echo $? >full.status
        "$1" report --db disk/full.db >report.out 2>&1 || echo "report: $?" >>full.status
        sqlite3 disk/full.db "PRAGMA integrity_check" >full.check
        mount -o remount,ro disk
        "$1" fuzz --target exec: --time 5 --quiet --db disk/full.db >ro.out 2>ro.err
        echo $? >ro.status
        "$1" report --db disk/full.db >/dev/null 2>&1 || echo "report of a read-only one: $?" >>ro.status
    ' sh "$TASKGEN"
    [ "$(cat full.status)" = 3 ] || { cat full.err >&2; fail "a full disk: status $(cat full.status)"; }
    [ "$(cat full.check)" = ok ] || fail "a full disk damaged the database"
    [ "$(cat ro.status)" = 3 ] || { cat ro.err >&2; fail "a read-only disk: status $(cat ro.status)"; }
    one_line ro.err
    grep -q "full" full.err || fail "it does not say that the disk is full: $(cat full.err)"
fi

# The wall clock jumps a day ahead, and two back: it ends when it should, and goes on next time.
clock=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1
if [ -e "$clock" ]; then
    echo "+0" >clock
    export FAKETIME_TIMESTAMP_FILE=$WORK/clock FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
    begin=$(date +%s)
    LD_PRELOAD=$clock "$TASKGEN" fuzz --target demo:none --domain filesystem --workers 2 --time 4 --quiet --db clock.db >clock.out 2>clock.err &
    pid=$!
    wait_for has_some clock.db
    echo "+1d" >clock
    sleep 1
    echo "-1d" >clock
    ends 0
    unset FAKETIME_TIMESTAMP_FILE
    [ $(($(date +%s) - begin)) -lt 30 ] || fail "a clock that jumped kept it from ending"
    whole clock.db
    had=$(count clock.db)
    expect_status 0 "$TASKGEN" fuzz --target demo:none --domain filesystem --workers 2 --time 2 --quiet --db clock.db
    [ "$(count clock.db)" -gt "$had" ] || fail "it did not go on after the clock had jumped"
fi
expect_nothing_running
