# Shared by the end-to-end tests. $TASKGEN is the binary under test, $SOURCE the project's root; each test has a fresh
# $WORK as working directory, removed at the end.
set -euo pipefail
: "${TASKGEN:?}" "${SOURCE:?}"
WORK=$(mktemp -d "${TMPDIR:-/tmp}/taskgen-e2e-XXXXXX")
trap 'cd /; rm -rf "$WORK"' EXIT
cd "$WORK"
mkdir "$WORK/tmp"
export TMPDIR=$WORK/tmp

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# expect_status N COMMAND…: standard output and error go to ./out and ./err.
expect_status() {
    local expected=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    if [ "$status" != "$expected" ]; then
        head -c 4000 out err >&2
        fail "'$*' ended with status $status, expected $expected"
    fi
}

# expect_in FILE TEXT
expect_in() {
    grep -qF -- "$2" "$1" || {
        head -c 4000 "$1" >&2
        fail "'$2' does not stand in $1"
    }
}

# one_line FILE: bad input gets one clear line.
one_line() {
    [ "$(wc -l <"$1")" = 1 ] || {
        cat "$1" >&2
        fail "$1 has $(wc -l <"$1") lines, expected one"
    }
}

# Nothing of ours may be left running or lying about: sessions live below this test's own TMPDIR, which stands in the
# command line of each one's box and is empty when all have ended.
expect_nothing_running() {
    local left
    left=$(pgrep -af "$TMPDIR/" || true)
    [ -z "$left" ] || fail "still running: $left"
}

expect_nothing_left() {
    local left
    expect_nothing_running
    left=$(ls -A "$TMPDIR")
    [ -z "$left" ] || fail "left in $TMPDIR: $left"
}

SERVERS=$SOURCE/tests/servers/node_modules/.bin
