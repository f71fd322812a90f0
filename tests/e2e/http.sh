# An MCP server over streamable HTTP, started in the box on the box's own loopback: server-everything.
. "$(dirname "$0")/lib.sh"

# TLS: a certificate that nobody trusts is one line, unless it is named or any will do.
fake="/usr/bin/python3 $SOURCE/tests/data/mcp/http_fake.py"
if command -v openssl >/dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>openssl.log ||
        fail "$(cat openssl.log)"
    cat cert.pem key.pem >both.pem
    chmod 644 both.pem # the box is nobody's, not ours
    chmod 755 "$WORK"
    safe=(--target 'https://localhost:{port}/mcp' --start "$fake good {port} $WORK/both.pem")
    expect_status 3 "$TASKGEN" targets --explain "${safe[@]}"
    one_line err
    grep -qi 'certificate' err || fail "$(cat err)"
    expect_status 0 "$TASKGEN" targets --explain "${safe[@]}" --cacert cert.pem
    expect_status 0 "$TASKGEN" targets --explain "${safe[@]}" -k
    expect_in out 'mcp fake 1'
    expect_status 3 "$TASKGEN" targets --explain "${safe[@]}" --cacert no-such-file.pem
    one_line err
fi
expect_nothing_left

# Requests that go otherwise than a client's: a server that keeps its duties has no finding, and one that does not has those that were
# planted, each where a lawful client could have sent what brought it out.
fuzz_fake() { # MODE COUNT
    "$TASKGEN" run --domain tools --count "$2" --seed 2 --workers 2 --target 'http://127.0.0.1:{port}/mcp' --set exec.step-timeout=2s --set exec.grace=200ms \
        --start "/usr/bin/python3 $SOURCE/tests/e2e/http_server.py $1 {port}" --db "$1.db" --json >"$1.jsonl" 2>err || [ $? = 1 ] || fail "$(cat err)"
    expect_status 0 "$TASKGEN" report --db "$1.db" --format json
}
fuzz_fake strict 20
[ "$(tr -d ' \n' <out)" = "[]" ] || fail "found in a server that keeps its duties: $(head -c 2000 out)"
grep -q '"executed":20,"passed":20' strict.jsonl || fail "$(tail -n 1 strict.jsonl)"
fuzz_fake careless 20
/usr/bin/python3 - out <<'P'
import json, sys
found = {(f["check"], f["detail"]): f for f in json.load(open(sys.argv[1])) if f["state"] == "confirmed"}
want = {("mcp-35", "a foreign Origin is served"), ("mcp-45", "an ended session gives HTTP 400"), ("mcp-45", "an unknown session gives HTTP 400"),
        ("duplicate-id-crossed", "another request's answer")}
maybe = {("one-call-breaks-rest", "plain calls fail after transport-error, tool echo")} # where a second client's call stands behind a DELETE
assert want <= set(found) <= want | maybe, (sorted(found), want)
assert [check for (check, _), f in found.items() if f["client_illegal"]] == ["duplicate-id-crossed"], found
P
expect_nothing_left

# A finding over HTTP without taskgen: the script starts the server that was fuzzed, or another one, and tells them apart.
echo '{"format":"taskgen/task/1","instruction":"x","steps":[{"id":"s1","op":"write","args":{"path":"a.txt","content":"Gr\u00fc\u00dfe\n"}},{"id":"s2","op":"read","args":{"path":"a.txt"}}]}' >lossy.jsonl
server="/usr/bin/python3 $SOURCE/tests/e2e/http_server.py"
expect_status 1 "$TASKGEN" run --quiet --db lossy.db --target 'http://127.0.0.1:{port}/mcp' --start "$server lossy {port}" lossy.jsonl
"$TASKGEN" report --db lossy.db --format script "$(sqlite3 lossy.db "SELECT signature FROM finding WHERE layer = 'sandbox'")" >lossy.py
expect_status 1 /usr/bin/python3 lossy.py
expect_in out "the fault shows"
expect_status 0 /usr/bin/python3 lossy.py 'http://127.0.0.1:{port}/mcp' $server files '{port}'
expect_status 2 /usr/bin/python3 lossy.py http://127.0.0.1:9/mcp
expect_in out "cannot tell: RuntimeError"
expect_nothing_left

[ -x "$SERVERS/mcp-server-everything" ] || skip "tests/servers/install.sh has not been run"
url='http://127.0.0.1:{port}/mcp'
start="$SERVERS/node $SERVERS/mcp-server-everything streamableHttp"

# The transport of 2024-11-05, which the same server has too.
old='http://127.0.0.1:{port}/sse'
expect_status 0 "$TASKGEN" targets --explain --target "$old" --start "$SERVERS/node $SERVERS/mcp-server-everything sse" --env 'PORT={port}'
grep -q '^mcp .*everything' out || fail "$(cat out err)"

expect_status 0 "$TASKGEN" targets --explain --target "$url" --start "$start" --env 'PORT={port}'
grep -q '^mcp .*everything' out || fail "$(cat out err)"
grep -q 'protocol 2025-11-25 (old era)' out || fail "$(cat out)"

# The tool echo, several calls at a time, in two sessions of one server.
/usr/bin/python3 - >tasks.jsonl <<'P'
import json
texts = ["plain", "Grüße, 日本語, 🚀", "quotes \" and \\ and \n newlines", "x" * 100000]
for number, text in enumerate(texts):
    def step(n, **more):
        return dict({"id": f"s{n}", "op": "call", "args": {"name": "echo", "arguments": {"message": text}}}, **more)
    steps = [step(1), step(2, group="g"), step(3, group="g"), step(4, group="g"), step(5, session="other")]
    print(json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": "w", "instruction": "x", "steps": steps,
                      "expect": [{"step": f"s{n}", "at": "/content", "contains": text} for n in range(1, 6)]}))
P
"$TASKGEN" run tasks.jsonl --target "$url" --start "$start" --env 'PORT={port}' --db http.db --json >events.jsonl ||
    { "$TASKGEN" report --db http.db; fail "echo over HTTP: $(tail -n 1 events.jsonl)"; }
tail -n 1 events.jsonl | grep -q '"passed":4' || fail "$(tail -n 1 events.jsonl)"

# What cannot be used: one clear line, status 3; wrong words: status 2.
expect_status 3 "$TASKGEN" targets --explain --target http://127.0.0.1:9/mcp
[ "$(grep -c . err)" = 1 ] || fail "$(cat err)"
expect_status 3 "$TASKGEN" targets --explain --target "https://127.0.0.1:{port}/mcp" --start "$start" --env 'PORT={port}'
expect_status 2 "$TASKGEN" targets --explain --target http://mcp.example.org/mcp
grep -q -e '--allow-remote' err || fail "$(cat err)"
expect_status 2 "$TASKGEN" targets --explain --target http://127.0.0.1/ --header 'Authorization: Bearer ${NO_SUCH_VARIABLE}'
grep -q 'NO_SUCH_VARIABLE is not set' err || fail "$(cat err)"
expect_nothing_left
