# A run as root leaves the host as it was: taskgen runs over an overlay of this machine's root, in namespaces of its own, against a shell
# server and commands, in the box and without it; then the overlay's upper layer holds nothing but our database, and no process,
# mount, control group or port is left.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "an overlay of / needs root"
if [ "${1:-}" != inside ]; then
    unshare --mount --pid --net --ipc --fork true 2>err || skip "no namespaces to be had here: $(head -1 err)"
    [ -x "$SERVERS/mcp-server-commands" ] || skip "tests/servers/install.sh has not been run"
    status=0
    unshare --mount --pid --net --ipc --fork --kill-child bash "$SOURCE/tests/e2e/host.sh" inside "$WORK" || status=$?
    exit "$status"
fi

# --- in namespaces of our own ---
outer=$2
layers=$outer/layers new=$outer/layers/root at=/var/tmp/taskgen-host
mount -n --make-rprivate /
mkdir -p "$layers"
mount -n -t tmpfs -o mode=755 layers "$layers"
mkdir "$layers/upper" "$layers/work" "$new"
mount -n -t overlay overlay -o "lowerdir=/,upperdir=$layers/upper,workdir=$layers/work" "$new" 2>err || skip "no overlay of / to be had here: $(head -1 err)"
mount -n -t proc proc "$new/proc"
mount -n --rbind /sys "$new/sys"
mount -n --rbind /dev "$new/dev"
mount -n -t tmpfs shm "$new/dev/shm"
mkdir "$new$at" "$new$at/old"
for place in "$SOURCE" "$BUILD" "$(readlink -f "$SERVERS")"; do # what lies on disks of its own is not in the overlay
    [ -e "$new$place" ] || { mkdir -p "$new$place" && mount -n --bind "$place" "$new$place"; }
done
ip link set lo up
cd "$new"
pivot_root . ".$at/old"
mkdir "$at/layers"
mount -n --move "$at/old$layers" "$at/layers" # the upper layer, to be looked at
umount -n -l "$at/old"
rmdir "$at/old"
trap - EXIT
export TMPDIR=$at HOME=/root
cd "$at"
listening() { # ports
    cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 | awk '$4 == "0A" || $4 == "07" { print $2 }' | sort
}
pids=
awk '{ print $5 }' /proc/self/mountinfo | sort >"$at/layers/mounts"

go() {
    local status=0
    "$TASKGEN" "$@" >"$at/layers/out" 2>&1 &
    pids="$pids $!"
    wait "$!" || status=$?
    [ "$status" -le 1 ] || { tail -5 "$at/layers/out"; fail "'taskgen $*' ended with status $status"; }
}
server=$SERVERS/mcp-server-commands
go fuzz --time 3 --seed 1 --db host.db --workers 2 --tools -- "$server"
go fuzz --time 2 --seed 2 --db host.db --workers 2 --target exec:
# without the box there is no wall but the tasks' own manners: those that are as they were written
go run --domain data --domain filesystem --count 4 --seed 3 --mutate 0 --db host.db --no-box --workers 2 -- "$server"
go run --domain data --domain process --count 4 --seed 4 --mutate 0 --db host.db --no-box --workers 2 --target exec:
[ "$(sqlite3 host.db 'SELECT count(*) > 10 FROM exec')" = 1 ] || fail "next to nothing was run"

# Nothing in the upper layer but what leads to our directory, and in that nothing but the database.
cat >"$at/layers/expected" <<L
var
var/tmp
var/tmp/taskgen-host
var/tmp/taskgen-host/host.db
var/tmp/taskgen-host/layers
L
(cd "$at/layers/upper" && find . -mindepth 1 | cut -c3- | grep -vE '^var/tmp/taskgen-host/host\.db(-wal|-shm|-lock|\.lock)$' | sort) >"$at/layers/found"
diff "$at/layers/expected" "$at/layers/found" >"$at/layers/diff" || fail "the host is not as it was: $(head -20 "$at/layers/diff")"
left=$(ls -A /dev/shm)
[ -z "$left" ] || fail "left in /dev/shm: $left"
left=
for process in /proc/[0-9]*; do # the shell that looks is the first one
    [ "$process" = /proc/1 ] || left="$left $(tr '\0' ' ' <"$process/cmdline")"
done
[ -z "$left" ] || fail "processes are left: $left"
awk '{ print $5 }' /proc/self/mountinfo | sort | diff "$at/layers/mounts" - || fail "mounts are left"
for pid in $pids; do # their names begin with the process that made them
    left=$(find /sys/fs/cgroup -maxdepth 5 -type d -name "taskgen-$pid-*" 2>/dev/null || true)
    [ -z "$left" ] || fail "control groups are left: $left"
done
left=$(listening)
[ -z "$left" ] || fail "ports are left open: $left"
