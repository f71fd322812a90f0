#!/bin/sh
# One job of CI: what was found before is tried again, then a campaign goes on where the last one ended, then reports are written.
#
#     sh taskgen-ci.sh -- my-mcp-server {root}
#     TASKGEN_TIME=1h sh taskgen-ci.sh --target 'exec:my-sandbox-cli run'
#
# Keep the directory taskgen-ci between runs: its database is what the next run goes on with. Exit status: 0, or 1 when something that
# counts was found, or 2 and 3 when the job itself is broken (docs/ci.md).
set -u
: "${TASKGEN:=taskgen}" "${TASKGEN_DIR:=taskgen-ci}"
: "${TASKGEN_TIME:=10m}"        # of the campaign
: "${TASKGEN_REPLAY_TIME:=3m}"  # of what was found before
: "${TASKGEN_FAIL_ON:=any}"     # of the campaign
: "${TASKGEN_REPLAY_FAIL_ON:=regressed,confirmed}"

[ $# -gt 0 ] || {
    echo "usage: taskgen-ci.sh OPTION… -- COMMAND of an MCP server, or taskgen-ci.sh --target SPEC OPTION…" >&2
    exit 2
}
mkdir -p "$TASKGEN_DIR" || exit 3
db=$TASKGEN_DIR/taskgen.db
worst=0

# step NAME COMMAND…: runs it, and remembers the worst status: a broken job before a finding.
step() {
    echo "== $1"
    shift
    status=0
    "$@" || status=$?
    [ "$status" -le "$worst" ] || worst=$status
}

"$TASKGEN" doctor >"$TASKGEN_DIR/doctor.txt" || cat "$TASKGEN_DIR/doctor.txt"
if [ -e "$db" ]; then
    step "what was found before" "$TASKGEN" replay --db "$db" --all --time "$TASKGEN_REPLAY_TIME" --fail-on "$TASKGEN_REPLAY_FAIL_ON"
fi
step "campaign" "$TASKGEN" fuzz --db "$db" --time "$TASKGEN_TIME" --fail-on "$TASKGEN_FAIL_ON" --stats "$TASKGEN_DIR/stats.txt" \
    --series "$TASKGEN_DIR/series.csv" "$@"
if [ -e "$db" ]; then
    for format in junit sarif json markdown; do
        "$TASKGEN" report --db "$db" --format $format >"$TASKGEN_DIR/report.$format" || worst=3
    done
fi
exit "$worst"
