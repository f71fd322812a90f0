# Secrets: canaries that are planted as variables, headers, bearer tokens, in files and in a configuration are echoed by real
# servers in every form that a shell knows, and stand in nothing that taskgen writes: database, its log, reports, events, messages.
. "$(dirname "$0")/lib.sh"
[ -x "$SERVERS/mcp-server-commands" ] || skip "tests/servers/install.sh has not been run"

export CANARY_ENV='cAn~env/1+x="y z"&q' CANARY_PART=cAn-part-2-0xfeed
mkdir -m 700 given
printf 'CANARY_FILE=cAn:file?3=<tag>\n' >given/env
printf 'X-Canary: cAn-header-4-0123456789\n' >given/headers
printf 'cAn.bearer-5.abcdefghij\n' >given/bearer
printf '[state]\nbackground = perhaps\n' >given/policy.ini
cat >given/config.json <<J
{"mcpServers": {"commands": {"command": "$SERVERS/mcp-server-commands", "args": ["--label", "\${CANARY_PART}"],
  "env": {"CANARY_CONFIG": "cAn_config_6'quoted'"}}}}
J
chmod 600 given/*

# Looks for every canary in every form in all files but those that it was given in. Prints what it finds.
cat >search.py <<'P'
import base64, json, os, sys, urllib.parse, html
canaries = {"env": os.environ["CANARY_ENV"], "part": os.environ["CANARY_PART"], "file": "cAn:file?3=<tag>", "header": "cAn-header-4-0123456789",
            "bearer": "cAn.bearer-5.abcdefghij", "config": "cAn_config_6'quoted'", "task": "cAn-part-2-0xfeed"}
def forms(value):
    raw = value.encode()
    yield "raw", raw
    text = value
    for level in range(3):
        text = json.dumps(text)[1:-1]
        yield f"json{level}", text.encode()
    yield "url", urllib.parse.quote(value, safe="").encode()
    yield "form", urllib.parse.quote_plus(value).encode()
    yield "xml", html.escape(value).encode()
    yield "hex", raw.hex().encode()
    yield "HEX", raw.hex().upper().encode()
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + raw)
        part = coded[(before * 8 + 5) // 6:(before + len(raw)) * 8 // 6]
        yield f"base64-{before}", part
        yield f"base64url-{before}", part.replace(b"+", b"-").replace(b"/", b"_")
bad = 0
for top, _, names in os.walk("."):
    for name in names:
        path = os.path.join(top, name)
        if path.startswith("./given/") or name in ("search.py", "tasks.jsonl", "seen.txt"):
            continue
        data = open(path, "rb").read()
        plain = data.replace(b"\\n", b"").replace(b"\n", b"")  # lines joined
        for who, value in canaries.items():
            for how, form in forms(value):
                if form in data or form in plain:
                    bad += 1
                    print(f"{path}: the canary '{who}' as {how}")
sys.exit(bool(bad))
P
quick=(--workers 2 --set confirm.runs=1 --set confirm.need=1 --set confirm.per-signature=1 --set exec.step-timeout=3s)
clean() {
    /usr/bin/python3 search.py || fail "$1: a canary left"
}

# What the server is asked to show, and where: output, standard error, files, names of processes, a failure. Every task fails its
# expectation, so that evidence is written too.
/usr/bin/python3 - >tasks.jsonl <<'P'
import json
ways = ["env", "env >&2; exit 3", "env | base64", "env | base64 -w0", "printf %s \"$CANARY_ENV\" | base64", "printf x%s \"$CANARY_PART\" | base64",
        "env | od -An -tx1 | tr -d ' \\n'", "env | od -An -tx1", "printf %s \"$CANARY_PART$CANARY_CONFIG\" | od -An -tx1 -v | tr a-f A-F",
        "/usr/bin/python3 -c 'import os,json; print(json.dumps(json.dumps(dict(os.environ))))'",
        "/usr/bin/python3 -c 'import os,urllib.parse as u; print(u.urlencode(os.environ)); print(u.quote(str(os.environ)))'",
        "/usr/bin/python3 -c 'import os,html; print(html.escape(str(dict(os.environ))))'",
        "env > dump.txt; cat dump.txt; mkdir \"$CANARY_PART\"; ls", "exec -a \"$CANARY_PART\" sleep 30 >/dev/null 2>&1 &", "cat /proc/$PPID/cmdline",
        "no-such-command-$CANARY_PART", "env | fold -w 9"]
def task(steps, expect=()):
    return json.dumps({"format": "taskgen/task/1", "domain": "d", "workflow": "w", "instruction": "x", "steps": steps, "expect": list(expect)})
for some in (ways[:9], ways[9:]):
    print(task([{"id": f"s{i}", "op": "run", "args": {"language": "bash", "script": way}} for i, way in enumerate(some)],
               [{"step": f"s{i}", "at": "/stdout", "equals": "something else"} for i in range(len(some))]))
    print(task([{"id": f"s{i}", "op": "call", "args": {"name": "run_command", "arguments": {"command_line": way, "mode": "shell"}}}
                for i, way in enumerate(some)]))
# a task that has one in itself
print(task([{"id": "s1", "op": "run", "args": {"language": "sh", "script": "echo cAn-part-2-0xfeed >&2; exit 1"}}],
           [{"step": "s1", "at": "/stdout", "equals": "cAn-part-2-0xfeed"}]))
P

run_all() { # NAME, then the options of the target
    local name=$1 status
    shift
    status=0
    "$TASKGEN" run tasks.jsonl "${quick[@]}" --db "$name.db" --json "$@" >"$name.events" 2>"$name.err" || status=$?
    [ "$status" -le 1 ] || { cat "$name.err"; fail "run: status $status"; }
    cp "$name.db" "$name.copy" # while the log, if any is left, stands beside it
    status=0
    "$TASKGEN" fuzz --tools --time 1 "${quick[@]}" --db "$name.db" "$@" >"$name.out" 2>>"$name.err" || status=$?
    [ "$status" -le 1 ] || { cat "$name.err"; fail "fuzz: status $status"; }
    for format in text json csv markdown; do
        "$TASKGEN" report --db "$name.db" --all --format "$format" >"$name.$format"
    done
    "$TASKGEN" targets --explain "$@" >"$name.explain" 2>>"$name.err"
    "$TASKGEN" replay "$(sqlite3 "$name.db" 'SELECT signature FROM finding LIMIT 1')" --runs 1 --json "${quick[@]:2}" --db "$name.db" "$@" \
        >"$name.replay" 2>>"$name.err" || [ $? = 1 ] || fail "replay: $(cat "$name.err")"
}

run_all env --env CANARY_ENV --env 'MIXED=a-${CANARY_PART}-b' --env CANARY_PART --env-file given/env -- "$SERVERS/mcp-server-commands"
run_all config --mcp-config given/config.json --env CANARY_PART

# They were there to be seen, or nothing was tried: their places are marked.
for name in CANARY_ENV CANARY_PART CANARY_FILE; do
    sqlite3 env.db 'SELECT steps FROM trace UNION SELECT evidence FROM finding UNION SELECT json FROM task' >seen.txt
    expect_in seen.txt "[redacted $name]"
done
sqlite3 config.db 'SELECT steps FROM trace' >seen.txt
expect_in seen.txt '[redacted CANARY_CONFIG]'
[ "$(sqlite3 config.db "SELECT DISTINCT target FROM run LIMIT 1")" = "mcp:$SERVERS/mcp-server-commands --label '\${CANARY_PART}'" ] ||
    fail "the stored target: $(sqlite3 config.db 'SELECT target FROM run')"
# One after the run; the fuzz behind it may have made others of it.
[ "$(sqlite3 env.copy "SELECT count(*) FROM task WHERE json LIKE '%echo [redacted CANARY_PART]%'")" = 1 ] || fail "the task with a canary in it"
clean "over stdio"

# Variables that a server shows by a tool of its own.
if [ -x "$SERVERS/mcp-server-everything" ]; then
    status=0
    "$TASKGEN" run --tools --count 6 --tool '*nv*' --env CANARY_ENV "${quick[@]}" --db every.db -- "$SERVERS/mcp-server-everything" >every.out 2>&1 || status=$?
    [ "$status" -le 1 ] || { cat every.out; fail "everything: status $status"; }
    sqlite3 every.db 'SELECT steps FROM trace' >seen.txt
    expect_in seen.txt '[redacted CANARY_ENV]'
fi

# Headers: a server that answers with what it was sent, and one that refuses with it.
echo '{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"call","args":{"name":"run_command","arguments":{"command":"x"}}}],"expect":[{"step":"s1","at":"/content","equals":"x"}]}' >tasks.jsonl
fake="/usr/bin/python3 $SOURCE/tests/data/mcp/http_fake.py"
for how in --bearer-file=given/bearer --header=@given/headers '--header=Authorization: Token ${CANARY_ENV}' '--bearer=${CANARY_PART}'; do
    status=0
    "$TASKGEN" run tasks.jsonl --target 'http://127.0.0.1:{port}/mcp' --start "$fake echoes {port}" "$how" "${quick[@]}" --db http.db --json >>http.events 2>>http.err || status=$?
    [ "$status" -le 1 ] || { cat http.err; fail "$how: status $status"; }
    expect_status 3 "$TASKGEN" run tasks.jsonl --target 'http://127.0.0.1:{port}/mcp' --start "$fake shows {port}" "$how" --db http.db
    one_line err
    cat err >>http.err
done
"$TASKGEN" report --db http.db --all --format json >http.json
sqlite3 http.db 'SELECT steps FROM trace' >seen.txt
expect_in seen.txt '[redacted bearer]'
expect_in seen.txt '[redacted X-Canary]'
expect_in http.err '[redacted bearer]'
clean "over HTTP"

# Bad input: one line, exit status 2, no session.
unset CANARY_ABSENT
chmod 000 given/bearer
while IFS='|' read -r words said; do
    eval "expect_status 2 \"\$TASKGEN\" targets --explain $words"
    one_line err
    expect_in err "$said"
done <<'L'
--env CANARY_ABSENT -- true|--env: the variable CANARY_ABSENT is not set
--env-file given/none -- true|--env-file: cannot read 'given/none': No such file
--header 'no colon' -- true|--header: found no NAME: before a value
--mcp-config given/none|--mcp-config: cannot read 'given/none'
--mcp-config given/config.json --server other|given/config.json has no server 'other', expected one of: commands
--server other -- true|--server: found no --mcp-config FILE
--policy given/none -- true|cannot read 'given/none'
--policy given/policy.ini -- true|given/policy.ini:2: 'state.background' is 'perhaps', expected yes or no
--mcp-config given/config.json -- true|more than one target was given
L
clean "bad input"

# A file that others can read is told of, and used.
chmod 644 given/env
expect_status 3 "$TASKGEN" targets --explain --env-file given/env -- false
expect_in err 'warning: given/env can be read by everybody on this machine (mode 0644); chmod 600 keeps it to you'
expect_nothing_left
