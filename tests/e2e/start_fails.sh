# No valid first reply: whatever the reason, each verb that opens a target says so in one line that names what was started, what came
# instead and, where there is something, what helps; exit status 3. The same later on is data.
. "$(dirname "$0")/lib.sh"
fake="/usr/bin/python3 $SOURCE/tests/data/mcp/http_fake.py"
url='http://127.0.0.1:{port}/mcp'

# A finding to replay.
"$TASKGEN" run --target demo --domain filesystem --count 12 --seed 3 --db demo.db >/dev/null 2>&1 || true
finding=$(sqlite3 demo.db 'SELECT signature FROM finding LIMIT 1')
[ "$finding" ] || fail "no finding to replay"

# one_clear_line WHAT TEXT…: ./err is one line of taskgen's that names what was asked for and holds the texts.
one_clear_line() {
    local what=$1 text
    shift
    [ "$(wc -l <err)" = 1 ] || fail "$what: $(wc -l <err) lines: $(cat err)"
    [ "$(wc -c <err)" -lt 600 ] || fail "$what: a line of $(wc -c <err) bytes"
    grep -q "^taskgen $what: cannot open a session of '" err || fail "$what: $(cat err)"
    for text in "$@"; do
        expect_in err "$text"
    done
}

# fails TEXT OPTION…: in every verb.
fails() {
    local text=$1
    shift
    local wait="--set exec.start-timeout=${WAIT:-5s} --set exec.grace=200ms"
    expect_status 3 "$TASKGEN" targets --explain $wait "$@"
    one_clear_line targets "$text"
    expect_status 3 "$TASKGEN" run --domain filesystem --count 2 --db new.db $wait "$@"
    one_clear_line run "$text"
    expect_status 3 "$TASKGEN" fuzz --time 5 --db new.db $wait "$@"
    one_clear_line fuzz "$text"
    expect_status 3 "$TASKGEN" replay --db demo.db $wait "$@" "$finding"
    one_clear_line replay "$text"
    rm -f new.db*
    expect_nothing_left
}

# MCP over stdio.
fails "'mcp:/no/such/server': cannot start '/no/such/server': No such file or directory" --target mcp:/no/such/server
fails "'mcp:no-such-server x': cannot start 'no-such-server': No such file or directory" --target 'mcp:no-such-server x'
fails "sh: ended with status 7 before it answered initialize; its last words: no licence" --target 'mcp:sh -c "echo no licence >&2; exit 7"'
fails "sh: was ended by signal 9 before it answered initialize" --target 'mcp:sh -c "kill -9 \$\$"'
fails "sh: ended with status 0 before it answered initialize; instead of a message it wrote: Welcome" --target 'mcp:sh -c "echo Welcome"'
WAIT=300ms fails " ms; instead of a message it wrote: garbage" --target 'mcp:sh -c "while echo garbage; do sleep 0.1; done"'
expect_in err "sh: no answer to initialize within " # what is left of the 300 ms
fails "head: ended with status 0 before it answered initialize; instead of a message it wrote: " --target 'mcp:head -c 300000 /dev/urandom'
WAIT=300ms fails " ms, nor anything else (exec.start-timeout is how long is waited)" --target 'mcp:sleep 30'
expect_in err "sleep: no answer to initialize within "

# HTTP.
fails "/mcp: no answer to initialize: HTTP 401: who are you? (--header 'Authorization: Bearer \${TOKEN}' sends a token)" \
    --target "$url" --start "$fake unauthorized {port}"
fails "/mcp: no answer to initialize: HTTP 404: nothing here (is the path of the URL right?)" --target "$url" --start "$fake missing {port}"
fails "/mcp: no answer to initialize: HTTP 500, without the answer" --target "$url" --start "$fake broken {port}"
fails "/mcp: no answer to initialize: HTTP 200: hello" --target "$url" --start "$fake chats {port}"
fails "/mcp: no answer to initialize: Maximum (5) redirects followed (name the URL that they lead to)" \
    --target "$url" --start "$fake circle {port}"
fails "wrong version number (does it speak http: there?)" --target 'https://127.0.0.1:{port}/mcp' --start "$fake plain {port}"
fails "'http://127.0.0.1:9/mcp': http://127.0.0.1:9/mcp: no answer to initialize: Failed to connect to 127.0.0.1 port 9" \
    --target http://127.0.0.1:9/mcp
expect_in err "(--start CMD starts it first)"
if command -v openssl >/dev/null && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout key.pem -out cert.pem 2>openssl.log; then
    chmod 644 key.pem
    chmod 755 "$WORK"
    fails "(--cacert FILE trusts one more)" --target 'https://localhost:{port}/mcp' \
        --start "openssl s_server -quiet -accept 127.0.0.1:{port} -cert $WORK/cert.pem -key $WORK/key.pem"
else
    echo "skip: a certificate that nobody trusts: no openssl"
fi

# What has to be started first.
fails "--start sh -c 'echo no port; exit 4': ended with status 4 before it was ready; its last words: no port" \
    --target "$url" --start "sh -c 'echo no port; exit 4'"
fails "--start no-such-thing: ended with status 127 before it was ready; its last words: " --target "$url" --start no-such-thing
WAIT=300ms fails "--start sleep 30: not ready within 300 ms" --target "$url" --start "sleep 30"

# Prefixes.
fails "'exec:no-such-prefix': cannot start 'no-such-prefix': No such file or directory" --target exec:no-such-prefix
fails "'false' does not run commands: it ended with status 1 and said nothing (in the box; --no-box leaves it out)" --target exec:false
fails "'sh' does not run commands: no daemon (in the box; --no-box leaves it out)" --target 'exec:sh -c "echo no daemon >&2; exit 1" sh'
fails "'false' does not run commands: it ended with status 1 and said nothing" --no-box --target exec:false
WAIT=300ms fails "'sh' did not run a first command within 300 ms" --target 'exec:sh -c "sleep 30" sh'
fails "--start sh -c 'echo bad bundle; exit 1': ended with status 1; its last words: bad bundle; so: 'sh' does not run commands: no container" \
    --target 'exec:sh -c "sleep 0.2; echo no container >&2; exit 1" sh' --start "sh -c 'echo bad bundle; exit 1'"
if command -v ssh >/dev/null; then
    fails "'ssh' does not run commands: ssh: connect to host 127.0.0.1 port 1: Connection refused" --target 'ssh:-p 1 nobody@127.0.0.1'
    fails "'ssh' does not run commands: ssh: Could not resolve hostname nowhere.invalid: " --allow-remote --target ssh:nowhere.invalid
fi

# Words over several lines are told in one.
fails "exec 2>&1; echo told; exit 3 ' sh': 'sh' does not run commands: " --target "exec:sh -c 'exec 2>&1; echo told; exit 3
' sh"

# Plug-ins.
fails "'plugin:no-such-driver': cannot start 'no-such-driver': No such file or directory" --target plugin:no-such-driver
fails "sh: ended with status 5 before it answered open; its last words: no module" --target 'plugin:sh -c "echo no module >&2; exit 5"'
WAIT=300ms fails "sleep: no answer to open within 300 ms" --target 'plugin:sleep 30'

# The same later on is data: the run goes on to its end, and what came stands in the outcomes.
# later TOOL ARGUMENTS OUTCOME TEXT OPTION…
later() {
    local tool=$1 arguments=$2 class=$3 text=$4 status=0
    shift 4
    printf '{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"call","args":{"name":"%s","arguments":%s}}],"expect":[]}\n' \
        "$tool" "$arguments" >later.jsonl
    "$TASKGEN" run later.jsonl --db later.db --set exec.step-timeout=1s --set confirm.runs=1 --json "$@" >out 2>err || status=$?
    [ "$status" -le 1 ] || fail "later: status $status: $(cat err)"
    expect_in out '"executions":1,'
    sqlite3 later.db 'SELECT steps FROM trace' >traces
    expect_in traces "\"outcome\":\"$class\""
    expect_in traces "$text"
    rm -f later.db*
    expect_nothing_left
}
odd="mcp:/usr/bin/python3 $SOURCE/tests/e2e/odd_server.py"
later label '{"text":"long enough to end it all"}' target-died "the server ended with status 3" --target "$odd"
later lookup '{"key":"d"}' timeout "no answer within" --target "$odd"
later run_command '{"command":"gone"}' transport-error "HTTP 404" --target "$url" --start "$fake plain {port}"
later run_command '{"command":"garbage"}' transport-error "HTTP 200" --target "$url" --start "$fake plain {port}"
later run_command '{"command":"ends"}' transport-error "" --target "$url" --start "$fake plain {port}"

cat >later.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"run","args":{"argv":["touch","gone"]}},{"id":"s2","op":"run","args":{"argv":["true"]}}],"expect":[{"step":"s2","at":"/stderr","equals":"gone away\n"}]}
J
expect_status 0 "$TASKGEN" run later.jsonl --db later.db --target 'exec:sh -c "[ ! -e gone ] || { echo gone away >&2; exit 1; }; exec \"\$@\"" sh'
expect_nothing_left
