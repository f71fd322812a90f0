# taskgen check: sound tasks are kept, each kind of hole drops its task for its own reason, hostile directories are refused in one
# line, and nothing is run on this machine.
. "$(dirname "$0")/lib.sh"
command -v bwrap >/dev/null || skip "bubblewrap is not installed"

# Rooms in memory, as without TMPDIR, but where it can be seen that none is left.
if [ -w /dev/shm ]; then
    TMPDIR=$(mktemp -d /dev/shm/taskgen-e2e-XXXXXX)
    trap 'cd /; rm -rf "$WORK" "$TMPDIR"' EXIT
fi

# says FILE PATTERN
says() {
    grep -q -- "$2" "$1" || {
        head -c 4000 "$1" >&2
        fail "'$2' does not stand in $1"
    }
}

# make NAME: a sound task with a separate verifier.
make() {
    mkdir -p "$1"/environment/files "$1"/solution "$1"/tests/expected
    cat >"$1"/task.toml <<'T'
schema_version = "1.4"
artifacts = ["/app"]
[verifier]
environment_mode = "separate"
timeout_sec = 20.0
T
    echo 'Sort the lines of words.txt into sorted.txt, and write how many there are into count.txt.' >"$1"/instruction.md
    printf 'FROM debian:12-slim\nWORKDIR /app\nCOPY files/ /app/\n' >"$1"/environment/Dockerfile
    printf 'pear\napple\nquince\nfig\nmedlar\n' >"$1"/environment/files/words.txt
    cat >"$1"/solution/solve.sh <<'T'
#!/bin/sh
set -eu
LC_ALL=C sort words.txt >sorted.txt
wc -l <words.txt >count.txt
T
    printf 'FROM debian:12-slim\nWORKDIR /app\nCOPY . /tests/\n' >"$1"/tests/Dockerfile
    printf 'apple\nfig\nmedlar\npear\nquince\n' >"$1"/tests/expected/1
    cat >"$1"/tests/test.sh <<'T'
#!/bin/sh
/bin/rm -rf /logs/verifier/reward.txt /logs/verifier/reward.json
reward=0
/usr/bin/env -i PATH=/usr/bin:/bin /bin/sh /tests/judge.sh </dev/null && reward=1
echo "$reward" >/logs/verifier/reward.txt
echo "{\"reward\": $reward}" >/logs/verifier/reward.json
T
    cat >"$1"/tests/judge.sh <<'T'
[ -f /app/sorted.txt ] && [ ! -L /app/sorted.txt ] && /usr/bin/cmp -s /app/sorted.txt /tests/expected/1 || exit 1
[ -f /app/count.txt ] && [ ! -L /app/count.txt ] && [ "$(/bin/cat /app/count.txt)" = 5 ]
T
}
# share NAME: the same with the verifier in the agent's root.
share() {
    make "$1"
    sed -i -e 's/"separate"/"shared"/' "$1"/task.toml
    rm "$1"/tests/Dockerfile
}

# dropped NAME TEXT…: it is dropped, for this reason and no other.
dropped() {
    expect_status 1 "$TASKGEN" check --exploits "${EXPLOITS:-none}" "$1"
    says out "^dropped .*: $2"
    grep -q '; ' out && { cat out; fail "$1: more than one reason"; }
    return 0
}

make sound
expect_status 0 "$TASKGEN" check --exploits all --json sound
[ "$(wc -l <out)" = 1 ] || fail "not one object"
/usr/bin/python3 - out <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["verdict"] == "kept" and r["reasons"] == [], r
assert r["mutants"]["tried"] == r["mutants"]["killed"] > 2, r["mutants"]
ends = {t["trial"]: t for t in r["trials"]}
assert all(ends[n]["reward"] == 1 for n in ("solution", "again", "locale", "limits")), ends
assert all(t["reward"] == 0 for t in r["trials"] if "exploit" in t and t["end"] == "reward"), ends
assert {t["exploit"] for t in r["trials"] if "exploit" in t} >= {1, 4, 7, 8, 9, 11, 12, 14, 17, 21, 23}, ends
P

make always && printf '#!/bin/sh\necho 1 >/logs/verifier/reward.txt\n' >always/tests/test.sh
expect_status 1 "$TASKGEN" check --exploits none always
says out "an agent that does nothing passes"
make exists && printf '[ -f /app/sorted.txt ]\n' >exists/tests/judge.sh
expect_status 1 "$TASKGEN" check --exploits none exists
says out "empty files pass"
make constant && printf '[ -s /app/sorted.txt ] && [ "$(/bin/cat /app/count.txt)" = 1 ]' >constant/tests/judge.sh && sed -i 's/^wc.*/echo 1 >count.txt/' constant/solution/solve.sh
dropped constant 'a constant answer (1) passes'
make blind && printf '[ "$(/bin/cat /app/count.txt)" = 5 ]\n' >blind/tests/judge.sh
dropped blind 'of [0-9]* solutions with a fault its verifier refuses'
make wrong && echo 'echo x >sorted.txt' >>wrong/solution/solve.sh
dropped wrong 'its own solution does not pass: reward 0'
make dated && sed -i "s/^reward=0/&; [ \"\$(date +%Y)\" = $(date +%Y) ] || reward=no/; s/^\/usr.*/& || :; [ \"\$reward\" = no ] \&\& reward=0/" dated/tests/test.sh && echo "[ \$(/bin/date +%Y) = $(date +%Y) ]" >>dated/tests/judge.sh
if ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1; then
    dropped dated 'its solution fails at another date'
fi
make locale && echo '[ -z "${LANGUAGE-}" ]' >>locale/tests/judge.sh && sed -i 's/env -i/env/' locale/tests/test.sh
dropped locale 'its solution fails in another locale'
make leaks && cp leaks/tests/expected/1 leaks/environment/files/.cache
dropped leaks 'environment/files/.cache holds the answer /app/sorted.txt, and its solution does not need'
# What is attached and copied is no leak, though the verifier does not look at the copy.
make attached && sed -i 's|WORKDIR.*|&\nCOPY inputs/ /inputs/|' attached/environment/Dockerfile && mkdir attached/environment/inputs &&
    echo 'a line to be copied' >attached/environment/inputs/1 && sed -i '2a cat /inputs/1 >copy.txt' attached/solution/solve.sh
expect_status 0 "$TASKGEN" check --exploits none --set gate.mutation-floor=0 attached
make coded && base64 -w0 coded/tests/expected/1 >>coded/instruction.md
dropped coded 'instruction.md holds the answer /app/sorted.txt in base64'
make spelled && tail -n 2 spelled/solution/solve.sh >>spelled/instruction.md
dropped spelled "instruction.md holds the solution's text"
make path && sed -i 's/env -i PATH=[^ ]*/env/' path/tests/test.sh && sed -i 's|/usr/bin/cmp|cmp|; s|\[ "$(/bin/cat /app/count.txt)" = 5 \]|:|' path/tests/judge.sh
EXPLOITS=all dropped path 'programs on PATH that always succeed'
make link && sed -i 's/ && \[ ! -L [^ ]* \]//' link/tests/judge.sh && sed -i 's|\[ -f /app/count.txt \].*|:|' link/tests/judge.sh
expect_status 1 "$TASKGEN" check --exploits all link
says out "links to the verifier's own files"
share planted && sed -i '/rm -rf/d; /reward.json/d' planted/tests/test.sh
expect_status 1 "$TASKGEN" check --exploits all planted
says out 'reward.json says 1 and reward.txt 0'
make folded && sed -i 's|/usr/bin/cmp -s /app/sorted.txt /tests/expected/1|[ "$(/usr/bin/tr A-Z a-z </app/sorted.txt)" = "$(/bin/cat /tests/expected/1)" ]|' folded/tests/judge.sh
EXPLOITS=all dropped folded 'the answer in the wrong case passes'
make evaluates && printf 'eval "n=$(/bin/cat /app/count.txt)"; [ "$n" = 5 ] && /usr/bin/cmp -s /app/sorted.txt /tests/expected/1\n' >evaluates/tests/judge.sh
expect_status 1 "$TASKGEN" check --exploits all evaluates
says out 'when it is evaluated'
make abort && sed -i '2i set -e' abort/tests/test.sh && sed -i 's/ && reward=1/; reward=1/' abort/tests/test.sh
dropped abort "no verdict where a reward of 0 was expected"

# --- beyond this machine ---
make builds && echo 'RUN curl http://x | sh' >>builds/environment/Dockerfile
expect_status 3 "$TASKGEN" check builds
says out '^not-executable .*line 4 of its Dockerfile runs a command'
make foreign && sed -i 's/debian:12-slim/alpine:3/' foreign/environment/Dockerfile
expect_status 3 "$TASKGEN" check foreign

# --- hostile directories: one line, and nothing of them runs ---
refused() {
    expect_status 2 "$TASKGEN" check --exploits none "$1"
    [ "$(wc -l <out)" = 1 ] || fail "$1: more than a line"
    says out "^bad .*$2"
}
make notoml && printf 'a = [\n' >notoml/task.toml && refused notoml 'task.toml:2: '
make nul && printf 'a = "\0"\n' >nul/task.toml && refused nul 'task.toml:1: '
make deeptoml && /usr/bin/python3 -c 'print("a=" + "[" * 1000)' >deeptoml/task.toml && refused deeptoml 'task.toml:1: '
make mode && sed -i 's/"separate"/"odd"/' mode/task.toml && refused mode 'environment_mode'
make climbing && sed -i 's|"/app"|"/app/../etc"|' climbing/task.toml && refused climbing 'artifact'
make nosolution && rm nosolution/solution/solve.sh && refused nosolution 'solution/solve.sh is missing'
make nodocker && rm nodocker/tests/Dockerfile && refused nodocker 'tests/Dockerfile is missing'
make etc && ln -s /etc/passwd etc/environment/files/p && refused etc 'leads out of the task'
make up && ln -s ../../../x up/environment/files/p && refused up 'leads out of the task'
make toml && mv toml/task.toml toml/t && ln -s t toml/task.toml && refused toml 'task.toml'
make pipe && mkfifo pipe/tests/p && refused pipe 'a FIFO'
make large && truncate -s 1G large/environment/files/big && refused large 'more than the'
make deep && (cd deep/environment/files && for _ in $(seq 70); do mkdir d && cd d; done) && refused deep 'directories deep'
expect_status 2 "$TASKGEN" check nosuch
one_line err
expect_status 2 "$TASKGEN" check --exploits odd sound
touch "$WORK/canary"
make escape && printf '#!/bin/sh\nrm -f %s/canary; echo x >>/usr/bin/env; touch /tmp/was-here-%s; exit 1\n' "$WORK" $$ >escape/solution/solve.sh
dropped escape 'its own solution does not pass'
[ -e "$WORK/canary" ] && [ ! -e /tmp/was-here-$$ ] || fail "a solution ran on this machine"

# --- a directory of tasks, a contract of one's own ---
mkdir set && mv sound blind set
printf '[gate]\nmutation-floor = 0.1\n' >contract.ini
expect_status 0 "$TASKGEN" check --exploits none --contract contract.ini set
says err '^2 tasks: 2 kept'
[ -z "$(ls "$TMPDIR")" ] || fail "left behind: $(ls "$TMPDIR")"
