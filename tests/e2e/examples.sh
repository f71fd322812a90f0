# The examples of docs/examples: units that systemd takes, CI files that are YAML with scripts a shell takes, and the script of CI itself,
# twice, with its database kept; the campaign's unit ends on SIGTERM as it promises.
. "$(dirname "$0")/lib.sh"
examples=$SOURCE/docs/examples

command -v systemd-analyze >/dev/null || skip "systemd-analyze is not installed"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
mkdir units
for unit in "$examples"/systemd/*; do
    sed "s,/usr/bin/taskgen,$TASKGEN," "$unit" >"units/$(basename "$unit" | sed 's/@/@demo/')"
done
systemd-analyze verify --man=no --recursive-errors=no units/*.service units/*.timer >verify.txt 2>&1 || fail "the units: $(cat verify.txt)"
[ ! -s verify.txt ] || fail "the units: $(cat verify.txt)"

/usr/bin/python3 - "$examples/ci" <<'P'
import os, subprocess, sys, yaml
github = yaml.safe_load(open(os.path.join(sys.argv[1], "github-actions.yml")))
assert set(github[True]) == {"push", "schedule"}, github  # YAML 1.1 reads the key "on" so
steps = github["jobs"]["taskgen"]["steps"]
scripts = [s["run"] for s in steps if "run" in s]
gitlab = yaml.safe_load(open(os.path.join(sys.argv[1], "gitlab-ci.yml")))["taskgen"]
scripts += gitlab["before_script"] + gitlab["script"]
assert len(scripts) == 6, scripts
for script in scripts:
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    for word in script.split():  # what they call is there
        if "docs/examples/" in word:
            assert os.path.exists(os.path.join(sys.argv[1], os.path.basename(word))), word
for path in ("taskgen-ci/report.sarif", "taskgen-ci"):
    assert any(s.get("with", {}).get("sarif_file", s.get("with", {}).get("path")) == path for s in steps), path
assert gitlab["artifacts"]["reports"]["junit"] == "taskgen-ci/report.junit"
P
for script in "$examples"/ci/*.sh; do sh -n "$script" || fail "$script"; done

# The job itself: it finds, goes on in the kept database, and says so in every form.
cat >fault.jsonl <<'J'
{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"upload","args":{"path":"a","content":{"$bytes":"/wCA"}}},{"id":"s2","op":"download","args":{"path":"a"}}]}
J
mkdir job
"$TASKGEN" run --quiet --target demo:download-reencodes --db job/taskgen.db --set confirm.runs=3 --fail-on never fault.jsonl >/dev/null
ci() {
    expect_status "$1" env TASKGEN="$TASKGEN" TASKGEN_DIR=job TASKGEN_TIME=1 sh "$examples/ci/taskgen-ci.sh" --set confirm.runs=3 --mutate 0 \
        --domain filesystem --workers 1 "${@:2}"
}
ci 1 --target demo:none
expect_in out "STILL FAILS"
expect_in out "1 of 1 findings tried"
/usr/bin/python3 - <<'P'
import json, xml.etree.ElementTree as tree
suites = tree.parse("job/report.junit").getroot()
assert suites.get("failures") == "1" and len(suites.findall(".//failure")) == 1, tree.tostring(suites)
log = json.load(open("job/report.sarif"))
assert log["version"] == "2.1.0" and [r["level"] for r in log["runs"][0]["results"]] == ["error"], log
assert len(json.load(open("job/report.json"))) == 1 and "binary-as-text" in open("job/report.markdown").read()
P
sqlite3 job/taskgen.db "UPDATE finding SET target = 'demo:none'"
ci 0 --target demo:none
[ "$(sqlite3 job/taskgen.db "SELECT state FROM finding")" = fixed ] || fail "the finding is not fixed"
[ "$(cut -d, -f2 job/series.csv | sort -un | tail -n 1)" -ge 3 ] || fail "the database was not kept"
ci 3 --target mcp:false
expect_status 2 sh "$examples/ci/taskgen-ci.sh"

# As systemd would start and stop a campaign.
export TARGET=demo:none OPTIONS="--workers 1 --domain filesystem"
line=$(sed -n 's/^ExecStart=//p' units/taskgen@demo.service)
sh -c "exec $(printf '%s' "$line" | sed 's/\${TARGET}/"$TARGET"/')" >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q 'executions  *: [1-9]' stats.txt 2>/dev/null && break; sleep 0.1; done
SECONDS=0
kill -TERM $pid
status=0
wait $pid || status=$?
[ "$status" = "$(sed -n 's/^SuccessExitStatus=//p' units/taskgen@demo.service)" ] || fail "SIGTERM ends it with $status"
[ "$SECONDS" -lt "$(sed -n 's/^TimeoutStopSec=//p' units/taskgen@demo.service)" ] || fail "it took $SECONDS s to end"
expect_in stats.txt "state              : stopped"
[ "$(sqlite3 campaign.db 'PRAGMA integrity_check')" = ok ] || fail "the database is damaged"
expect_nothing_left
