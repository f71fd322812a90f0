# docs/write-a-domain.md is true: each stage loads, makes tasks and passes in plain bubblewrap, and so does the finished example.
. "$(dirname "$0")/lib.sh"
sandbox="exec:bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind {root} {root} --unshare-all --die-with-parent"

/usr/bin/python3 - "$SOURCE/docs/write-a-domain.md" <<'P'
import re, sys
stages = re.findall(r"^```xml\n(.*?)^```$", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
assert len(stages) >= 3, len(stages)
for number, stage in enumerate(stages, 1):
    open(f"stage-{number}.xml", "w", encoding="utf-8").write(stage)
P
for template in stage-*.xml "$SOURCE/docs/examples/backup.xml"; do
    "$TASKGEN" --domain "$template" --count 1000 >/dev/null || fail "$template does not make tasks"
    "$TASKGEN" run --domain "$template" --count 25 --mutate 0 --target "$sandbox" --workers 2 --db guide.db --json >events.jsonl ||
        fail "$template: tasks fail in plain bubblewrap"
    tail -n 1 events.jsonl | grep -q '"passed":25' || fail "$template: not all of 25 passed: $(tail -n 1 events.jsonl)"
done
expect_nothing_left
