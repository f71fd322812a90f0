# A policy decides what a fact that depends on it is: a finding, nothing, or a note. It is stored with the run, and a finding is replayed
# with it.
. "$(dirname "$0")/lib.sh"
cat >task.jsonl <<'J'
{"format":"taskgen/task/1","instruction":"","steps":[{"id":"s1","op":"run","args":{"argv":["env"]}}],"mutations":[{"mutator":"env-canary","step":"s1","at":"/start/canary","detail":"key: a secret","before":{}}]}
J
printf '[environment]\nsecrets = no\n' >no.ini
printf '[environment]\nsecrets = yes\n' >yes.ini
printf '[environment]\n\nsecrets = perhaps\n' >bad.ini

# expect_run STATUS DETAIL OPTION…: the run ends so, and has the finding with this detail; "": none.
expect_run() {
    local status=$1 detail=$2
    shift 2
    rm -f run.db
    expect_status "$status" "$TASKGEN" run --target exec: --workers 1 --db run.db "$@" <task.jsonl
    [ "$(sqlite3 run.db 'SELECT detail FROM finding')" = "$detail" ] ||
        fail "run $*: $(sqlite3 run.db 'SELECT text FROM finding')"
}

fact="a program sees a secret of the target's environment"
expect_run 0 "contract: $fact"
expect_in out 'notes among them, on what is recommended or depends on a policy: 1'
expect_run 0 "" --policy yes.ini
expect_run 1 "$fact" --policy no.ini
[ "$(sqlite3 run.db "SELECT settings ->> '\$.policy' FROM run")" = '{"environment.secrets":"no"}' ] || fail "the stored policy"

expect_status 2 "$TASKGEN" replay --db run.db --all --policy bad.ini
one_line err
expect_in err "bad.ini:3: 'environment.secrets' is 'perhaps', expected yes or no"
expect_status 1 "$TASKGEN" replay --db run.db --all
expect_in out 'STILL FAILS'
expect_status 0 "$TASKGEN" replay --db run.db --all --policy yes.ini
expect_in out 'fixed'
