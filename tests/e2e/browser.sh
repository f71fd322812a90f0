# Browsers over the DevTools protocol: Debian's Chromium, started in the box and over a WebSocket, with every op on real pages; endpoints
# as they should not be; and that no browser outlives its session, nor a taskgen that is killed.
. "$(dirname "$0")/lib.sh"

# --- endpoints: a server that speaks the protocol and is no browser ---

fake="/usr/bin/python3 $SOURCE/tests/e2e/fake_browser.py"
at=(--target 'cdp:ws://127.0.0.1:{port}/devtools' --set exec.grace=300ms)
cat >ask.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"evaluate","args":{"script":"1"}}],"expect":[{"step":"s1","at":"/value","equals":"said it"}]}
J
expect_status 0 "$TASKGEN" run ask.jsonl "${at[@]}" --start "$fake good {port}" --db good.db --quiet
expect_status 0 "$TASKGEN" run ask.jsonl --target 'cdp:http://127.0.0.1:{port}' --set exec.grace=300ms --start "$fake good {port}" --db good.db --quiet
expect_status 0 "$TASKGEN" targets --explain "${at[@]}" --start "$fake good {port}"
expect_in out 'cdp Fake/1.0 (protocol 1.3)'
expect_in out 'a context of our own: yes'
# A token goes with the request, and nowhere else.
export OURS=T0KEN-of-ours
expect_status 0 "$TASKGEN" run ask.jsonl "${at[@]}" --start "$fake token {port}" --bearer '${OURS}' --db token.db --quiet
! grep -aq T0KEN-of-ours token.db* out err || fail "the token was kept"
expect_status 3 "$TASKGEN" targets --explain "${at[@]}" --start "$fake token {port}"
one_line err
expect_in err 'it does not take a WebSocket there, and says: HTTP/1.1 401 Unauthorized'
# What a browser does to its connection is an outcome, not trouble of ours.
for mode in closes drops; do
    expect_status 1 "$TASKGEN" run ask.jsonl "${at[@]}" --start "$fake $mode {port}" --db "$mode.db" --quiet --set confirm.runs=1
    expect_in out 'the target died'
done
# Reports lay them side by side: who perished, and under what.
expect_status 0 "$TASKGEN" report --db good.db --db closes.db --db drops.db --format summary
/usr/bin/python3 - out <<'P' || fail "the report's figures are wrong: $(cat out)"
import json, sys
targets = json.load(open(sys.argv[1]))["targets"]
assert [t["label"] for t in targets] == ["A", "B", "C", "D"]
for t in targets[:2]: # two ways to one browser
    assert t["tasks"]["ran"] == t["tasks"]["passed"] == t["tasks"]["endings_known"] == 1 and t["tasks"]["perished"] == 0, t
for t in targets[2:]:
    assert t["kind"] == "browser" and t["tasks"]["ran"] == t["tasks"]["perished"] == 1, t
    assert [(w["domain"], w["workflow"], w["perished"]) for w in t["workflows"]] == [("d", "w", 1)], t
    assert [e["op"] for e in t["tasks"]["endings"]] == ["evaluate"], t
P
expect_status 0 "$TASKGEN" report --db good.db --db closes.db --format html
expect_in out '<h2 id="perished">'
expect_status 0 "$TASKGEN" run ask.jsonl "${at[@]}" --start "$fake huge {port}" --db huge.db --set exec.max-line=1M --set confirm.runs=1
! grep -qE 'transport-error|died' out || fail "a reply that we cut is held against the browser: $(cat out)"
# Nobody is sent to another machine: neither by the SPEC nor by what a server says.
expect_status 2 "$TASKGEN" targets --explain --target cdp:wss://browser.example.com/
one_line err
expect_in err '--allow-remote if that is meant'
expect_status 3 "$TASKGEN" targets --explain --target 'cdp:http://127.0.0.1:{port}' --start "$fake version {port}"
one_line err
expect_in err 'it leads to another machine'
expect_status 3 "$TASKGEN" targets --explain --target 'cdp:http://127.0.0.1:{port}' --start "$fake version {port}" --header 'X-Key: abcdef'
expect_in err 'is not told our headers'
for spec in cdp: cdp:ws: cdp:ws:/x 'cdp:wss://a b' cdp:http:x; do
    expect_status 2 "$TASKGEN" targets --explain --target "$spec"
    one_line err
done
expect_status 3 "$TASKGEN" targets --explain --target cdp:ws://127.0.0.1:1/
one_line err
if command -v openssl >/dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>openssl.log ||
        fail "$(cat openssl.log)"
    cat cert.pem key.pem >both.pem
    chmod 644 both.pem
    chmod 755 "$WORK"
    safe=(--target 'cdp:wss://localhost:{port}/d' --set exec.grace=300ms --start "$fake good {port} $WORK/both.pem")
    expect_status 3 "$TASKGEN" targets --explain "${safe[@]}"
    grep -qi certificate err || fail "$(cat err)"
    expect_status 0 "$TASKGEN" run ask.jsonl "${safe[@]}" --cacert cert.pem --db safe.db --quiet
    expect_status 0 "$TASKGEN" targets --explain "${safe[@]}" -k
fi
expect_nothing_left

# --- no browser at all ---

expect_status 3 "$TASKGEN" targets --explain --target cdp:false
one_line err
expect_in err 'false'
expect_status 3 "$TASKGEN" targets --explain --target cdp:/nowhere/chromium
one_line err
expect_status 3 "$TASKGEN" targets --explain --target cdp:cat --set exec.start-timeout=500ms
one_line err
expect_nothing_left

command -v chromium >/dev/null || skip "there is no chromium"

# --- the real one: every op once, on pages that the task serves beside it ---

/usr/bin/python3 - >tasks.jsonl <<'P'
import json
page = """<!doctype html><meta charset=utf-8><title>t</title><h1>Größe 漢字</h1>
<form action=/after.html><input name=a value=old><textarea name=b></textarea><input type=file name=f><button>go</button></form>
<a class=file href=data.bin>file</a> <a class=next href=after.html>next</a>
<button id=ask onclick="document.querySelector('h1').textContent = prompt('who?')">ask</button>
<button id=storm onclick="alert(1); alert(2)">storm</button>
<button id=open onclick="window.open('about:blank')">open</button>"""
steps, expect = [], []


def step(op, *facts, **args):
    extra = {k: args.pop(k) for k in ("timeout_ms", "group") if k in args}
    steps.append({"id": f"s{len(steps) + 1}", "op": op, "args": args, **extra})
    expect.extend({"step": steps[-1]["id"], **fact} for fact in facts)


at = lambda pointer, value: {"at": pointer, "equals": value}
text = lambda *values: [at(f"/texts/{i}", v) for i, v in enumerate(values)]
base = "http://127.0.0.1:28123/"
step("mkdir", path="www")
step("write", path="www/index.html", content=page)
step("write", path="www/after.html", content="<!doctype html><h1>after</h1>")
step("write", path="www/data.bin", content="saved bytes")
step("serve", path="www", port=28123)
step("navigate", at("/url", base), url=base)
step("scrape", *text("Größe 漢字"), selector="h1")
step("fill", selector="input[name=a]", value="new é")
step("fill", selector="textarea", value="one\ntwo")
step("evaluate", at("/value", ["new é", "one\ntwo"]), script="[document.forms[0].a.value, document.forms[0].b.value]")
step("attach", selector="input[type=file]", path="www/data.bin")
step("evaluate", at("/value", "saved bytes"), script="document.forms[0].f.files[0].text()")
step("attach", {"outcome": "error"}, selector="input[type=file]", path="www/none")
step("save", selector="a.file", path="got.bin")
step("click", selector="#ask")
step("evaluate", {"outcome": "error"}, script="1")
step("dialog", accept=True, text="Ada")
step("scrape", *text("Ada"), selector="h1")
step("click", selector="#storm")
step("dialog")
step("dialog")
step("dialog", {"outcome": "error"})
step("click", {"outcome": "error"}, selector="#none")
step("screenshot", {"at": "/content", "contains": "IHDR"}, width=31, height=17)
step("click", selector="#open")
step("tab-list", at("/tabs/0/current", False))
step("scrape", *text("Ada"), selector="h1")
step("submit", selector="form")
step("scrape", *text("after"), selector="h1")
step("tab-open", url="data:text/html,<h1>second</h1>")
step("scrape", *text("second"), selector="h1", group="g")
step("evaluate", at("/value", "2"), script="new Promise(r => setTimeout(() => r('2'), 300))", group="g")
step("run", at("/stdout", "beside\n"), language="sh", script="sleep 0.2; echo beside", group="g")
step("tab-close", tab={"$from": steps[-4]["id"], "at": "/tab"})
step("scrape", *text("after"), selector="h1")
step("navigate", {"outcome": "error"}, url="http://127.0.0.1:1/")
step("navigate", url=base + "after.html")
step("navigate", {"outcome": "error"}, url="chrome://crash")
step("evaluate", {"outcome": "error"}, script="1")
step("navigate", url=base + "after.html")
step("scrape", *text("after"), selector="h1")
expect.append({"file": "got.bin", "equals": "saved bytes"})
expect.append({"step": steps[-1]["id"], "outcome": "ok"})
print(json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": "w", "instruction": "x", "steps": steps, "expect": expect}))
P
expect_status 0 "$TASKGEN" run tasks.jsonl --target cdp:chromium --db a.db --set confirm.runs=1 --workers 1
expect_in out '1 passed'
expect_nothing_left

# Without the box root has a browser without a sandbox of its own; and over a WebSocket the same ops are there, less those of files.
expect_status 0 "$TASKGEN" targets --explain --target cdp:chromium
expect_in out 'its own sandbox: yes'
/usr/bin/python3 - tasks.jsonl >pages.jsonl <<'P'
import json, sys
task = json.load(open(sys.argv[1]))
keep = [{"id": "s1", "op": "navigate", "args": {"url": "data:text/html,<h1>x</h1><a href='data:text/plain,bytes' download>f</a>"}},
        {"id": "s2", "op": "scrape", "args": {"selector": "h1"}}, {"id": "s3", "op": "save", "args": {"selector": "a", "path": "f"}}]
task.update(steps=keep, expect=[{"step": "s2", "at": "/texts/0", "equals": "x"}, {"file": "f", "equals": "bytes"}])
print(json.dumps(task))
P
chromium='chromium --headless --no-first-run --disable-gpu --remote-debugging-port={port} --user-data-dir={home}/p'
expect_status 0 "$TASKGEN" run pages.jsonl --target 'cdp:http://127.0.0.1:{port}' --start "$chromium" --db b.db --set confirm.runs=1
expect_nothing_left

# --- killed in the middle ---

cat >wait.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"tab-open","args":{"url":"data:text/html,x"}},{"id":"s2","op":"write","args":{"path":"there","content":"x"}},{"id":"s3","op":"evaluate","args":{"script":"new Promise(() => 0)"},"timeout_ms":30000}],"expect":[]}
J
"$TASKGEN" run wait.jsonl --target cdp:chromium --db c.db --quiet >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do
    [ -n "$(find "$TMPDIR" -name there 2>/dev/null)" ] && break
    sleep 0.1
done
[ -n "$(pgrep -f "$TMPDIR/.*--type=renderer" || true)" ] || pgrep -f "user-data-dir=$TMPDIR/" >/dev/null || fail "no browser was started"
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
for _ in $(seq 30); do
    pgrep -f "$TMPDIR/" >/dev/null || break
    sleep 0.1
done
expect_nothing_running
