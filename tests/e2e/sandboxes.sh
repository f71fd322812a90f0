# Sandboxes that run commands: each line of docs/targets.md, "Command sandboxes", is taken as it stands there, explained, and runs
# real tasks; nothing is left behind. What this machine cannot run by hand is skipped, with what it said.
. "$(dirname "$0")/lib.sh"
docs=$SOURCE/docs/targets.md
PATH=$SERVERS:$PATH
tasks="--domain filesystem --domain data --domain process --workflow keep-notes --workflow change-settings --workflow file-papers
    --workflow count-what-is-there --workflow store-a-table --workflow correct-a-record --workflow quoting --workflow two-streams
    --workflow here-documents --seed 3 --mutate 0"
tried=0

# The code block that follows a line of the docs, without its indentation.
block() {
    awk -v from="$1" 'index($0, from) == 1 { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next } seen && on { exit }' "$docs"
}

here() {
    sed "s|ROOTFS|$WORK/rootfs|g; s|BUNDLE|$WORK/bundle|g; s|SETTINGS|$WORK/srt.json|g"
}

# What the docs say about a sandbox's options, as an array.
options_of() {
    local text
    text=$(awk -v name="    # $1" '$0 == name || index($0, name ":") == 1 { on = 1; next } on && /^    [^#]/ { print; next } on { exit }' "$docs" | here)
    [ "$text" ] || fail "docs/targets.md says nothing of $1"
    eval "options=($text)"
}

# by_hand NAME COMMAND…: can this machine do it at all?
by_hand() {
    local name=$1 said
    shift
    said=$(TMPDIR=$WORK "$@" 2>&1 </dev/null) && return 0
    echo "skip: $name: $(printf %s "$said" | tail -n 1 | cut -c1-200)"
    return 1
}

# try NAME COUNT SHOWN: SHOWN stands in what is explained.
try() {
    local name=$1 count=$2 shown=$3 status=0 begun=$SECONDS options
    options_of "$name"
    "$TASKGEN" targets --explain "${options[@]}" >"$name.explain" 2>"$name.err" || fail "$name cannot be had: $(cat "$name.err")"
    expect_in "$name.explain" "$shown"
    "$TASKGEN" run "${options[@]}" $tasks --count "$count" --workers 2 --db "$name.db" --json >"$name.jsonl" 2>"$name.err" || status=$?
    [ "$status" -le 1 ] || fail "$name: run ended with status $status: $(cat "$name.err")"
    /usr/bin/python3 - "$name.jsonl" "$count" <<'P' || { "$TASKGEN" report --db "$name.db"; fail "$name: too little was executed or passed"; }
import json, sys
end = [json.loads(line) for line in open(sys.argv[1])][-1]
count = int(sys.argv[2])
print(end["executed"], "of", count, "tasks executed,", end["passed"], "passed", file=sys.stderr)
sys.exit(not (end["executions"] >= count and end["executed"] >= count * 0.7 and end["passed"] >= end["executed"] * 0.85 and end["harness"] == 0))
P
    expect_nothing_left
    tried=$((tried + 1))
    echo "ok: $name, $((SECONDS - begun)) s"
}

# The preparations, as the docs tell them.
if by_hand rootfs test -x /bin/busybox; then
    block "With busybox" | here >rootfs.sh
    sh -e rootfs.sh
    if by_hand bundle command -v runc; then
        block "A bundle for runc" | here >bundle.sh
        [ "$(id -u)" = 0 ] || sed -i 's/^runc spec$/runc spec --rootless/' bundle.sh # as the page says
        sh -e bundle.sh
    fi
fi
block '`srt` takes' >srt.json

try local 8 "box made by bubblewrap: "
try plain 8 "prefix: none"
by_hand bubblewrap bwrap --ro-bind / / true && try bubblewrap 8 "namespaces of its own: network, mounts, processes"
by_hand unshare unshare --user --map-root-user --mount --pid --fork --mount-proc --net true &&
    try unshare 8 "namespaces of its own: network, mounts, processes"
by_hand firejail firejail --quiet --noprofile --net=none true && try firejail 8 "namespaces of its own: network, mounts, processes"
by_hand proot proot true && try proot 8 "namespaces of its own: none"
if [ -d rootfs ]; then
    by_hand bubblewrap-rootfs bwrap --ro-bind rootfs / /bin/true && try bubblewrap-rootfs 8 "working directory: {root}"
    by_hand chroot unshare --user --map-root-user chroot rootfs true && try chroot 8 "a fresh directory for each session"
fi
if [ -d bundle ]; then
    by_hand runc runc --version && try runc 5 "variables of a call: by env"
    by_hand crun unshare -m crun --version && try crun 5 "variables of a call: by env"
fi
by_hand systemd-run systemd-run --quiet --pipe --wait --collect true && try systemd-run 5 "working directory: {root}"
by_hand sandbox-runtime srt --settings srt.json true && try sandbox-runtime 2 "namespaces of its own: network, mounts, processes"
[ $tried -ge 3 ] || fail "only $tried sandboxes could be tried"
