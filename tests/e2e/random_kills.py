#!/usr/bin/python3
"""Kills taskgen, what holds its sessions, and targets at random moments, with SIGKILL, until so many have been killed.

One database is used all the time. After each kill of taskgen: nothing of it runs on and nothing is mounted; the database is whole; every finding
that it had announced is in it, in the state that was announced or a later one; and the next one goes on, with its tasks executed no
second time. A taskgen whose targets or boxes are killed goes on, and blames nobody for it: a target that dies of our kills is no finding.

usage: random_kills.py TASKGEN KILLS [SEED]

Prints a line for each kill, and a summary. Exit status: 0; 1 something was lost, damaged or left; 77 when boxes cannot be made here.
"""
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

WORKERS = 3
PER_RUN = 3  # kills of others in the life of one taskgen: one is met, and the two left cannot confirm what needs three
ANNOUNCED = re.compile(r"^(confirmed|flaky|regressed) .*? ([0-9a-f]{8})  ")
# States that one may have been announced in, and those it may be in later.
LATER = {"confirmed": {"confirmed", "fixed", "regressed"}, "flaky": {"flaky", "confirmed", "regressed"}, "regressed": {"regressed", "confirmed", "fixed"}}
LEFT_AFTER = 8.0  # seconds that the kernel and the boxes get to end what hangs on a killed one


def processes():
    """pid: (parent, name, command line)."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                stat = file.read()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        name = stat[stat.index("(") + 1:stat.rindex(")")]
        fields = stat[stat.rindex(")") + 2:].split()
        found[int(pid)] = (int(fields[1]), name, line, fields[0])
    return found


def below(root):
    """All descendants of a process."""
    table = processes()
    children = {}
    for pid, (parent, *_) in table.items():
        children.setdefault(parent, []).append(pid)
    todo, found = [root], {}
    while todo:
        for pid in children.get(todo.pop(), []):
            found[pid] = table[pid]
            todo.append(pid)
    return found


class Kills:
    def __init__(self, taskgen, kills, seed, top):
        self.taskgen, self.kills, self.top = taskgen, kills, top
        self.random = random.Random(seed)
        self.database = os.path.join(top, "kill.db")
        self.tmp = os.path.join(top, "tmp")
        os.mkdir(self.tmp)
        self.done = {"taskgen": 0, "box": 0, "target": 0}
        self.announced = {}
        self.wrong = []
        self.log = None

    def start(self, target):
        self.log = os.path.join(self.top, f"log.{sum(self.done.values())}")
        with open(self.log, "w", encoding="utf-8") as out:
            return subprocess.Popen([self.taskgen, "fuzz", "--target", target, "--workers", str(WORKERS), "--time", "60", "--db", self.database,
                                     "--seed", "9", "--set", "shrink.share=0.05", "--set", "confirm.runs=3", "--set", "confirm.need=3", "--quiet"], stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, env=dict(os.environ, TMPDIR=self.tmp))

    def read_log(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = ANNOUNCED.match(line) if line.endswith("\n") else None
                if match:
                    self.announced[match[2]] = match[1]

    def victim(self, kind, root):
        """One of those that hang on taskgen; None: there is none now."""
        wanted = {"box": ("bwrap", "taskgen-agent"), "target": ("leakybox",)}[kind]
        pids = [pid for pid, (_, name, *_) in below(root).items() if name.startswith(wanted)]
        return self.random.choice(pids) if pids else None

    def kill(self, kind, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.done[kind] += 1
        print(f"{sum(self.done.values()):4} {kind}", flush=True)

    def left(self):
        return [f"{pid} {line or name}" for pid, (_, name, line, state) in processes().items()
                if self.tmp in line and state != "Z" and pid != os.getpid()]

    def check(self, executed_before):
        """After a kill of taskgen."""
        end = time.monotonic() + LEFT_AFTER
        while self.left() and time.monotonic() < end:
            time.sleep(0.05)
        self.wrong += [f"still running: {line}" for line in self.left()]
        with open("/proc/self/mounts", encoding="utf-8") as file:
            self.wrong += [f"still mounted: {line.strip()}" for line in file if self.top in line]
        self.read_log()
        base = sqlite3.connect(self.database)
        if base.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            self.wrong.append("the database is damaged")
        if base.execute("PRAGMA foreign_key_check").fetchall():
            self.wrong.append("the database has rows that lead nowhere")
        states = {signature[:8]: state for signature, state in base.execute("SELECT signature, state FROM finding")}
        executed = base.execute("SELECT count(*) FROM exec").fetchone()[0]
        # An index belongs to one run. Now and then tasks of two indexes are equal, one in a hundred; a resume that begins anew repeats nearly all.
        fresh, again = base.execute("SELECT count(*), total(runs > 1) FROM (SELECT count(DISTINCT run) AS runs FROM exec JOIN task ON task.id = exec.task "
                                    "WHERE parent IS NULL AND grammar <> '' GROUP BY task.id)").fetchone()
        base.close()
        for signature, state in self.announced.items():
            if states.get(signature) not in LATER[state]:
                self.wrong.append(f"finding {signature} was announced as {state} and is {states.get(signature, 'lost')}")
        if executed < executed_before:
            self.wrong.append(f"there were {executed_before} executions and are {executed}")
        if again > 2 + fresh / 20:
            self.wrong.append(f"{again:.0f} of {fresh} fresh tasks were executed by more than one run")
        return executed

    def life(self, executed):
        """One taskgen, from its start to its end by SIGKILL."""
        child = self.start("demo")
        for _ in range(PER_RUN):
            time.sleep(self.random.uniform(0.3, 1.3))
            if sum(self.done.values()) + 1 >= self.kills:
                break
            pid = self.victim(self.random.choice(("box", "target")), child.pid)
            if child.poll() is not None:
                with open(self.log, encoding="utf-8") as file:
                    self.wrong.append(f"taskgen ended by itself with status {child.returncode}: {file.read()[-500:]}")
                break
            if pid:
                name = processes().get(pid, (0, ""))[1]
                self.kill("target" if name.startswith("leakybox") else "box", pid)
        time.sleep(self.random.uniform(0, 1))
        self.kill("taskgen", child.pid)
        child.wait()
        return self.check(executed)

    def calm(self):
        """What our kills of targets have left behind must not be blamed on the target: the state of each finding that dies is looked at."""
        base = sqlite3.connect(self.database)
        rows = base.execute("SELECT text, n_failed, n_run FROM finding WHERE kind = 'target-died' AND state = 'confirmed'").fetchall()
        base.close()
        self.wrong += [f"a target that we have killed is confirmed as dead: {text} ({failed} of {run})" for text, failed, run in rows]

    def run(self):
        executed = 0
        while sum(self.done.values()) < self.kills and not self.wrong:
            executed = self.life(executed)
        self.calm()
        print(f"{self.done['taskgen']} of taskgen, {self.done['box']} of boxes and their agents, {self.done['target']} of targets; "
              f"{executed} executions and {len(self.announced)} announced findings, all there")


def main():
    taskgen, kills = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="taskgen-kills-") as top:
        trial = Kills(taskgen, kills, seed, top)
        trial.run()
    for line in trial.wrong:
        print("FAIL", line)
    return 1 if trial.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main())
