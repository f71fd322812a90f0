# The negative control: with every planted fault off nothing is found. NONE_TIME (seconds) makes it longer.
. "$(dirname "$0")/lib.sh"

"$TASKGEN" fuzz --target demo:none --time "${NONE_TIME:-30}" --workers 2 --db none.db || {
    "$TASKGEN" report --db none.db --all --format json >&2
    fail "found without a fault, or the fuzz failed: see above"
}
expect_status 0 "$TASKGEN" report --db none.db --all --format json
[ "$(tr -d ' \n' <out)" = "[]" ] || fail "found without a fault: $(head -c 2000 out)"
expect_nothing_left
