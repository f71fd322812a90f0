# Bad input to us gets one line that names what and what was expected, and exit status 2.
. "$(dirname "$0")/lib.sh"

bad() {
    expect_status 2 "$TASKGEN" "$@" </dev/null
    one_line err
}

bad frobnicate
bad --domain nosuch --count 1
expect_in err "'nosuch'"
bad --domain ml --count minus
expect_in err "--count"
bad --domain ml --mutate 2
bad --domain ml --format xml
bad --domain ml --threads 0
bad --domain ml --nosuchflag
expect_in err "--nosuchflag"
bad --domain ml --workflow nosuch
bad --domain ml --set nosuch.key=1
expect_in err "nosuch.key"
bad --domain ml --set exec.step-timeout=soon
bad fuzz --target demo --time never
bad fuzz --target demo --until-stable soon
expect_in err "--until-stable: found 'soon'"
bad fuzz --target demo --runs 0
bad run --target demo --runs 1.5
bad fuzz --target demo --fail-on confirmed,odd
expect_in err "--fail-on: found 'odd', expected never, or"
bad fuzz --target demo --features outcome,odd
expect_in err "--features: found 'odd', expected one of outcome code"
bad fuzz --target demo --features outcome,-outcome
bad fuzz --target nosuch:thing
bad fuzz
bad site --port 70000
bad site --listen here:80
expect_in err "found the address 'here'"
bad site --port 1 --listen 127.0.0.1:0
bad site --record nosuch/file
bad replay --db nosuch.db abcd
bad shrink --db nosuch.db abcd
bad explain --db nosuch.db abcd
bad explain
bad explain --domains abcd
bad rebucket --db nosuch.db
bad minimise --db nosuch.db
bad corpus --db nosuch.db
bad merge out.db nosuch.db
bad merge out.db
[ ! -e out.db ] || fail "a merge of nothing made a database"
bad corpus --seeds nosuch
bad fuzz --target exec: --seeds nosuch
bad report --db nosuch.db
printf 'no database\n%.0s' {1..100} >text.db
bad report --db text.db
expect_in err "'text.db' is not a database"
bad report --db text.db --db nosuch.db
bad report --format nosuch
bad report --db nosuch.db --format script

printf '[exec]\nstep-timeout = 5s\nnosuch = 1\n' >settings.ini
bad --domain ml --config settings.ini
expect_in err "settings.ini:3"

printf '{"format":"taskgen/task/1"}\n' >tasks.jsonl
bad run --target exec: tasks.jsonl
expect_in err "tasks.jsonl:1"

cat >broken.xml <<'X'
<domain xmlns="urn:taskgen:domain:1" name="broken" title="Broken">
  <workflow name="w">
    <say>Hello.</say>
    <wriet path="a"/>
  </workflow>
</domain>
X
bad --domain ./broken.xml
expect_in err "broken.xml:4"
expect_in err "wriet"

cat >hazard.xml <<'X'
<domain xmlns="urn:taskgen:domain:1" name="hazard" title="Hazard">
  <workflow name="w">
    <say>Wait.</say>
    <idle ms="1"/>
  </workflow>
  <hazard mutator="encoding" p="0.5" on="nowhere"/>
</domain>
X
bad --domain ./hazard.xml
expect_in err "hazard.xml:6"
expect_in err "'nowhere'"

# One file for options and settings: what it says, what the command line says in its place, and what it cannot say.
cat >all.ini <<'X'
[options]
count = 3
seed = 5
format = text
[options.generate]
domain = ml
domain = data
mutate = 0
[options.fuzz]
target = exec:sh -c 'a ; "$@"' sh
quiet = yes
time = 5
[exec]
step-timeout = 5s
X
"$TASKGEN" --domain ml --domain data --count 3 --seed 5 --mutate 0 --format text >plain.txt
"$TASKGEN" --config all.ini | cmp - plain.txt || fail "the file does not say what the command line says"
"$TASKGEN" --domain ml --count 2 --seed 5 --mutate 0 >plain.txt
"$TASKGEN" --config all.ini --domain ml --count 2 --format jsonl | cmp - plain.txt || fail "the command line does not win"
expect_status 0 "$TASKGEN" fuzz --config all.ini --time 7 --workers 2 --set confirm.runs=3 --env A=secret --save-config saved.ini
[ ! -e taskgen.db ] || fail "--save-config does not end"
expect_in err "--env may be a secret"
for line in 'time = 7' "target = exec:sh -c 'a ; \"\$@\"' sh" 'quiet = yes' 'workers = 2' 'count = 3' 'step-timeout = 5000ms' '[confirm]' 'runs = 3'; do
    expect_in saved.ini "$line"
done
grep -q '=secret' saved.ini && fail "a secret is saved"
expect_status 0 "$TASKGEN" fuzz --config saved.ini --save-config again.ini
grep -v '^;' saved.ini | cmp - again.ini || fail "a saved file does not say the same again"
printf '[options]\nquiet = yes\ntarget = demo\ndomain = ml\n[options.fuzz]\nquiet = no\ndomain = data\n' >all.ini
expect_status 0 "$TASKGEN" fuzz --config all.ini --save-config one.ini -- server 'a b'
[ "$(cat one.ini)" = "$(printf '[options.fuzz]\ndomain = data\ntarget = mcp:server '"'a b'")" ] || fail "sections do not win over each other: $(cat one.ini)"
printf '[options]\nnosuch = 1\n' >all.ini
bad --config all.ini
expect_in err "all.ini:2: [options]: there is no option 'nosuch'"
printf '[options.fuzz]\nformat = text\n' >all.ini
bad --config all.ini
expect_in err "all.ini:2: [options.fuzz]: there is no option 'format'"
printf '[options.fly]\ntime = 5\n' >all.ini
bad fuzz --config all.ini
expect_in err "there is no verb 'fly'"
printf '[options]\ntools = maybe\n' >all.ini
bad fuzz --config all.ini
expect_in err "expected yes or no"

# Help is not a fault.
expect_status 0 "$TASKGEN" --help
for verb in generate run fuzz replay shrink rebucket minimise corpus merge report domains mutators ops targets site doctor; do
    expect_status 0 "$TASKGEN" "$verb" --help
    expect_in out "usage: taskgen"
done
expect_status 0 "$TASKGEN" --version
# A closed pipe ends quietly.
"$TASKGEN" --domain filesystem --count 2000 2>err | head -n 1 >/dev/null || fail "a closed pipe is a fault"
[ ! -s err ] || fail "a closed pipe is not quiet: $(cat err)"
# A full disk is not.
expect_status 3 sh -c '"$TASKGEN" --domain filesystem --count 100 >/dev/full'
# The page of settings is the table.
"$TASKGEN" help settings >settings.txt
sed -n '/^```$/,/^```$/p' "$SOURCE/docs/settings.md" | sed '1d;$d' | cmp - settings.txt || fail "docs/settings.md is not what 'taskgen help settings' prints"
# The man page is well-formed.
"$TASKGEN" help --man >taskgen.1
! man -l --warnings taskgen.1 2>&1 >/dev/null | grep . || fail "the man page has faults"
# doctor says what is not there, and what would bring it.
bad doctor everything
expect_status 3 env PATH=/nonexistent "$TASKGEN" doctor
expect_in out "MISSING  bwrap"
expect_in out "to have more of it: apt-get install bubblewrap"
expect_status 3 env TMPDIR=/proc "$TASKGEN" doctor --json
/usr/bin/python3 - <<'P'
import json
report = json.load(open("out"))
rows = {r["name"]: r for r in report["rows"]}
assert report["usable"] is False and rows["disk for sessions"]["state"] == "missing", report
for name in ("python3", "user namespaces", "control groups", "ptrace", "seccomp", "openat2", "descriptors", "clock source", "memory"):
    assert rows[name]["state"] in ("ok", "absent") and rows[name]["found"], name
assert all(r["how"] for r in report["rows"] if r["state"] != "ok"), report
P
