# What a campaign says of itself while it runs: the live view on a terminal, --stats and --series, /metrics; and how it ends.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c 'import pyte, prometheus_client.parser' 2>/dev/null || skip "python3-pyte or python3-prometheus-client is not installed"

echo '{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"run","args":{"argv":["sleep","0.2"]}}]}' >one.jsonl
for i in $(seq 40); do sed "s/0.2/0.2$i/" one.jsonl; done >many.jsonl
printf '[bad]\nop = run\nfield = exit\nmust-not = 0\nprimitive = process\n' >own.ini

# On a terminal, as an emulator shows it.
expect_status 0 /usr/bin/python3 "$SOURCE/tests/e2e/watch_terminal.py" "$TASKGEN"

# Elsewhere: no escape sequences. --stats, --series and the metrics agree with the database, and with each other.
"$TASKGEN" run --target exec: -w 1 --db run.db --set stats.interval=100 --set status.interval=100 --set confirm.runs=1 --set confirm.need=1 --checks own.ini \
    --stats stats.txt --series series.csv --metrics 0 many.jsonl >out 2>err &
pid=$!
for _ in $(seq 100); do grep -q '^findings  *: 1' stats.txt 2>/dev/null && break; sleep 0.1; done
url=$(sed -n 's/.* figures at //p' err)
grep -qxF "metrics            : ${url%metrics}" stats.txt || fail "stats.txt does not say where the metrics are: $url"
curl -fsS "$url" >metrics.txt
curl -fsS "${url%metrics}" >page.html
[ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: evil.example' "$url")" = 403 ] || fail "the metrics answer a stranger's name"
kill -9 $pid
wait $pid 2>/dev/null || true
grep -q $'\033' err && fail "escape sequences where there is no terminal"
expect_in page.html "taskgen run"
expect_in stats.txt "state              : running"
/usr/bin/python3 - <<'P' || fail "what was kept is not whole"
import csv, re
from prometheus_client.parser import text_string_to_metric_families
text = open("metrics.txt").read()
families = {f.name: f for f in text_string_to_metric_families(text)}
value = lambda name: families[name].samples[0].value
assert value("taskgen_executions") >= 1 and families["taskgen_executions"].type == "counter"
assert value("taskgen_info") == 1 and families["taskgen_info"].samples[0].labels["target"] == "exec:"
assert families["taskgen_findings"].samples[0].labels == {"layer": "undecided", "primitive": "process", "state": "confirmed"}
# as promtool check metrics looks at them: each family once with help and type, counters by name, samples below their type
seen, current, samples = set(), None, set()
for line in text.splitlines():
    if line.startswith("# HELP"):
        current = line.split()[2]
        assert current not in seen and len(line.split()) > 3, line
        seen.add(current)
    elif line.startswith("# TYPE"):
        assert line.split()[2] == current and (line.split()[3] == "counter") == current.endswith("_total"), line
    else:
        assert re.fullmatch(re.escape(current) + r'(\{\w+="(\\["\\n]|[^"\\\n])*"(,\w+="(\\["\\n]|[^"\\\n])*")*\})? [-+.e0-9]+', line), line
        assert line.rsplit(" ", 1)[0] not in samples, line
        samples.add(line.rsplit(" ", 1)[0])
assert text.endswith("\n")
stats = dict(re.split(r"\s+: ?", line, maxsplit=1) for line in open("stats.txt"))
rows = list(csv.DictReader(open("series.csv")))
assert open("series.csv").read().endswith("\n") and all(None not in r.values() and None not in r for r in rows)
assert int(stats["executions"]) >= 1 and int(rows[-1]["executions"]) >= int(stats["executions"]), (stats, rows[-1])
assert stats["target"].strip() == "exec:" and int(stats["pid"]) > 1
P
# The next run goes on in both; it ends by itself, for the reason that is asked for, and says so everywhere.
expect_status 0 "$TASKGEN" run --target exec: -w 1 --db run.db --runs 2 --json --stats stats.txt --series series.csv many.jsonl
expect_in stats.txt "state              : runs"
expect_in stats.txt "run                : 2"
[ "$(grep -c time_ms series.csv)" = 1 ] || fail "the header of the series stands there again"
[ "$(tail -n 1 series.csv | cut -d, -f2,4)" = 2,2 ] || fail "the series does not go on: $(tail -n 1 series.csv)"
tail -n 1 out | /usr/bin/python3 -c 'import json, sys; e = json.load(sys.stdin); assert (e["event"], e["end"], e["executions"], e["given"]) == ("end", "runs", 2, 2), e'
# --fail-on decides between 0 and 1, and nothing else does.
fails() { expect_status "$1" "$TASKGEN" run --target exec: --db fail.db --quiet --set confirm.runs=1 --set confirm.need=1 --checks own.ini --fail-on "$2" one.jsonl; }
fails 1 fresh
fails 0 fresh
fails 1 confirmed+undecided,flaky
expect_status 2 "$TASKGEN" run --target exec: --metrics 0.0.0.0:0 one.jsonl
one_line err
expect_in err "--metrics-open"
echo 'time,tasks' >other.csv
expect_status 2 "$TASKGEN" run --target exec: --series other.csv one.jsonl
one_line err
expect_status 3 "$TASKGEN" run --target exec: --stats /nonexistent/stats one.jsonl
one_line err
# A secret that stands in the SPEC, and in what a check says of a target, is shown nowhere.
printf '[tells]\nop = run\nfield = exit\nmust-not = 0\nprimitive = process\n' >own.ini
cat >secret.sh <<'X'
stty cols 300
"$TASKGEN" run --target 'exec:env TOKEN=hunter2-secret' --env TOKEN=hunter2-secret --db secret.db --stats secret.txt --series secret.csv \
    --set status.interval=100 --set confirm.runs=1 --set confirm.need=1 --checks own.ini many.jsonl --runs 2
X
TERM=xterm script -q -c 'sh secret.sh' typescript >/dev/null
grep -q 'taskgen run' typescript || fail "there was no view: $(cat typescript)"
grep -q 'TOKEN=' secret.txt || fail "the target does not stand in the stats"
! grep -l hunter2 typescript secret.txt secret.csv || fail "a secret is shown"
expect_nothing_running # what is left of the killed one a later start sweeps
