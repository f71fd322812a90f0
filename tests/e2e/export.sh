# Exported tasks: the same bytes again, digests by Harbor's rule, and, executed in fresh roots, verifiers that pass the solution alone.
. "$(dirname "$0")/lib.sh"

domains="filesystem data ml sdlc report"
for domain in $domains; do
    "$TASKGEN" export --domain "$domain" --count 12 --seed 3 --mutate 0 --out "one/$domain" 2>>yield
    "$TASKGEN" export --domain "$domain" --count 12 --seed 3 --mutate 0 --out "two/$domain" 2>/dev/null
    expect_in yield "$domain: 12 tasks"
done
diff -r one two || fail "the same tasks give other bytes"
"$TASKGEN" export --domain ml --count 12 --seed 3 --format jsonl --out lines 2>/dev/null
/usr/bin/python3 -c 'import json; assert all(json.loads(l)["checks"] for l in open("lines/tasks.jsonl"))' || fail "tasks.jsonl"

# Bad input: one line, and nothing is made.
for words in "" "--domain ml" "--out x" "--domain ml --out x --format odd" "--out x --findings --domain ml" "--out one --domain ml" \
    "--out x --db no.db" "--out x --domain ml --db no.db" "--out x --domain ml stray"; do
    expect_status 2 "$TASKGEN" export $words
    one_line err
    [ ! -e x ] || [ -z "$(ls -A x)" ] || fail "'$words' wrote something"
    rm -rf x
done

# A task of a database is what a fresh one is.
"$TASKGEN" --domain ml --count 12 --seed 3 --mutate 0 >tasks.jsonl
"$TASKGEN" run --db run.db --target local <tasks.jsonl >/dev/null 2>&1 || true
"$TASKGEN" export --db run.db --out corpus 2>/dev/null
for task in corpus/ml-*; do
    [ ! -d "$task" ] || diff -r "$task" "one/ml/${task##*/}" || fail "$task is another task"
done

cat >rules.py <<'PY'
import hashlib, os, re, sys, tomllib
for top in sys.argv[1:]:
    with open(top + "/dataset.toml", "rb") as f:
        tasks = tomllib.load(f)["tasks"]
    assert len(tasks) >= 4, top
    for task in tasks:
        root = top + "/" + task["name"].split("/")[1]
        with open(root + "/task.toml", "rb") as f:
            toml = tomllib.load(f)
        assert toml["schema_version"] == "1.4" and toml["task"]["name"] == task["name"] and toml["metadata"]["derivation"]
        assert toml["verifier"]["environment_mode"] == "separate"
        files = sorted(os.path.relpath(os.path.join(d, n), root) for d, _, names in os.walk(root) for n in names)
        lines = "".join(f"{n}\0{hashlib.sha256(open(root + '/' + n, 'rb').read()).hexdigest()}\n" for n in files)
        assert task["digest"] == "sha256:" + hashlib.sha256(lines.encode()).hexdigest(), root
        for line in open(root + "/tests/judge.sh"):  # what is looked at is told
            found = re.match(r"(?:same|printed|size|there|gone|look \w+) '([\w./-]+)'", line)
            assert not found or found[1] in open(root + "/instruction.md").read(), (root, line)
PY
/usr/bin/python3 rules.py one/*

# box DIR…: a command in a root of its own, with nothing of the environment.
box() {
    bwrap --unshare-all --die-with-parent --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp --setenv LANG C.UTF-8 \
        --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/sbin /sbin \
        --ro-bind-try /etc/alternatives /etc/alternatives --proc /proc --dev /dev --tmpfs /tmp "$@" </dev/null >said 2>&1
}
box /usr/bin/true || skip "bubblewrap cannot make a box here"

# trial TASK HOW: the reward, after the solution, after nothing, or with empty files wherever one is looked at.
trial() {
    rm -rf app logs none
    mkdir app logs none
    [ ! -d "$1/environment/files" ] || cp -r "$1/environment/files/." app/
    local inputs=$1/environment/inputs name
    [ -d "$inputs" ] || inputs=none
    case $2 in
    solution) box --bind app /app --ro-bind "$inputs" /inputs --ro-bind "$1/solution" /solution --chdir /app /bin/sh /solution/solve.sh ||
        fail "$1: the solution: $(cat said)" ;;
    empty) sed -nE "s/^(same|printed|size|there|look [a-z]+) '([A-Za-z0-9_./-]+)'.*/\2/p" "$1/tests/judge.sh" | while read -r name; do
        mkdir -p "app/$(dirname "$name")"
        : >"app/$name"
    done ;;
    planted) ln -s /tests/expected app/expected && mkdir -p logs/reward.txt && echo '{"reward": 1}' >logs/reward.json ;;
    esac
    box --bind app /app --ro-bind "$1/tests" /tests --bind logs /logs/verifier /bin/sh /tests/test.sh
    [ "$(cat logs/reward.json)" = "{\"reward\": $(cat logs/reward.txt)}" ] || fail "$1: the two reward files differ"
    [ "$(cat logs/reward.txt)" = "$3" ] || fail "$1: $2 gives $(cat logs/reward.txt): $(cat said)"
}
for domain in $domains; do
    for task in $(ls -d "one/$domain"/*/ | head -4); do
        trial "${task%/}" solution 1
        trial "${task%/}" nothing 0
        trial "${task%/}" empty 0
        trial "${task%/}" planted 0
    done
done
