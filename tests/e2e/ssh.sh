# OpenSSH on loopback: a server of our own, with fresh keys, that sees this machine's files; and one that does not, where each
# session gets a directory of its own.
. "$(dirname "$0")/lib.sh"
[ -x /usr/sbin/sshd ] || skip "no /usr/sbin/sshd (Debian: openssh-server)"
command -v ssh >/dev/null || skip "no ssh (Debian: openssh-client)"
[ "$(id -u)" = 0 ] || skip "sshd of our own needs root here (it makes /run/sshd)"

port=$(/usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f user
cp user.pub authorized
cat >sshd.conf <<C
Port $port
ListenAddress 127.0.0.1
HostKey $WORK/host
AuthorizedKeysFile $WORK/authorized
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
MaxStartups 100
C
/usr/sbin/sshd -f "$WORK/sshd.conf" -D -e 2>sshd.log &
server=$!
trap 'kill $server; wait $server 2>/dev/null || true; cd /; rm -rf "$WORK"' EXIT
for _ in $(seq 50); do
    /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null && break
    sleep 0.1
done
target="ssh:-p $port -i $WORK/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR root@127.0.0.1"

# The name of another machine needs leave; one that does not answer is one clear line.
expect_status 2 "$TASKGEN" targets --explain --target ssh:sandbox.example
grep -q 'is on another machine; --allow-remote' err || fail "remote: $(cat err)"
expect_status 3 "$TASKGEN" targets --explain --target "ssh:-p 1 root@127.0.0.1"
[ "$(grep -c . err)" -le 2 ] || fail "no server: $(cat err)"

# Words travel whole: quotes, blanks, newlines, variables of a call.
cat >words.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"run","args":{"argv":["printf","%s|","a b","it's","$HOME","*","","x\ny"]}},{"id":"s2","op":"run","args":{"language":"sh","script":"printf %s \"$GREETING\"","env":{"GREETING":"grüß 'dich'"}}},{"id":"s3","op":"run","args":{"language":"sh","script":"cat","stdin":{"$bytes":"AP8KDQ=="}}}],"expect":[{"step":"s1","at":"/stdout","equals":"a b|it's|$HOME|*||x\ny|"},{"step":"s2","at":"/stdout","equals":"grüß 'dich'"},{"step":"s3","at":"/stdout","equals":{"$bytes":"AP8KDQ=="}}]}
J
"$TASKGEN" run words.jsonl --target "$target" --db words.db >words.out 2>&1 || { cat words.out; "$TASKGEN" report --db words.db; fail "words were changed"; }

# Tasks that ask for no walls: there are none between the root and the rest of what the user may read.
tasks="--domain filesystem --workflow keep-notes --workflow change-settings --workflow read-a-log --workflow file-papers --mutate 0"
"$TASKGEN" run $tasks --count 4 --seed 3 --target "$target" --workers 2 --db ssh.db --json >events.jsonl ||
    { "$TASKGEN" report --db ssh.db; fail "tasks fail over ssh"; }
tail -n 1 events.jsonl | grep -q '"failed":0' || fail "$(tail -n 1 events.jsonl)"

# A disk that we mount shows in our view of the mounts, not in the server's: a task that needs one is left out.
cat >disk.jsonl <<'J'
{"format":"taskgen/task/1","domain":"d","workflow":"w","instruction":"x","steps":[{"id":"s1","op":"stage-small-disk","args":{"path":"disk","bytes":65536}},{"id":"s2","op":"write","args":{"path":"disk/x","content":"x"}}],"expect":[]}
J
"$TASKGEN" run disk.jsonl --target "$target" --db disk.db --json >events.jsonl || { "$TASKGEN" report --db disk.db; fail "a disk that the server does not see is staged"; }
tail -n 1 events.jsonl | grep -q '"skipped":1' || fail "disk: $(tail -n 1 events.jsonl)"

# Elsewhere: the same server as a user whose file system is another one, so {root} cannot be seen.
mkdir "$WORK/elsewhere"
printf 'command="exec unshare -m %s %s" %s\n' "$WORK/elsewhere.sh" "$WORK/elsewhere" "$(cat user.pub)" >authorized
cat >elsewhere.sh <<'S'
#!/bin/sh
mount --make-rprivate / && mount --bind "$1" /tmp || exit
cd /root && unset TMPDIR && exec sh -c "$SSH_ORIGINAL_COMMAND"
S
chmod +x elsewhere.sh
"$TASKGEN" targets --explain --target "$target" >explain.txt
grep -q 'a fresh directory for each session' explain.txt || fail "the root is seen: $(head -4 explain.txt)"
"$TASKGEN" run $tasks --count 3 --seed 4 --target "$target" --db far.db --json >events.jsonl ||
    { "$TASKGEN" report --db far.db; fail "tasks fail where the root is elsewhere"; }
left=$(ls "$WORK/elsewhere" | grep -c '^taskgen\.' || true)
[ "$left" = 0 ] || fail "$left directories of sessions are left behind"
