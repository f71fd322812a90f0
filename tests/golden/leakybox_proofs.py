#!/usr/bin/python3
"""Runs the proof tasks of leakybox's faults, bench/leakybox/proofs/ID.json, with taskgen.

Of each is tested: with all faults off, every step reaches the target and no fault's code is run; with its fault alone, that one is
triggered; with all faults on, that one is triggered and no other. So each fault can be shown by a task, and none hides another.
The canary file of leakybox says what was triggered; no check of taskgen's has a say here.

usage: leakybox_proofs.py TASKGEN SOURCE_DIRECTORY LEAKYBOX [ID...]
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

WORKERS = 4  # most of a proof's time is waiting
# A server that answers nothing any more is not waited for as long as usual.
WEDGED = ["--set", "exec.step-timeout=1500ms", "--set", "exec.probe-timeout=1500ms", "--set", "exec.grace=500ms"]
# What vanished is looked for in /tmp and elsewhere, which may hold much where there is no box: a search that is given up is a cancelled call.
SEARCHED = ["--set", "exec.probe-timeout=30s"]
# What is arranged around the server, where a fault needs that.
AROUND = {
    "environment-leaks": ["--env", "AROUND_SECRET=canary-of-the-parent"],
    "two-roots": SEARCHED,
    "large-write-lost": SEARCHED,
    "fifo-blocks": WEDGED,
    "wedge-after-nul-path": WEDGED,
    "listing-follows-locale": ["--env", "LC_ALL=C"],
}


def triggered(path):
    try:
        with open(path, encoding="utf-8") as file:
            words = [line.split() for line in file]
    except FileNotFoundError:
        words = []
    return {word[0] for word in words if word[1] == "triggered"}, bool(words)


class Proofs:
    def __init__(self, taskgen, source, leakybox):
        self.taskgen = taskgen
        self.folder = os.path.join(source, "bench/leakybox/proofs")
        self.environment = dict(os.environ, TASKGEN_DATA=source)
        self.leakybox = leakybox
        with open(os.path.join(source, "bench/leakybox/faults-1.json"), encoding="utf-8") as file:
            self.listed = [row["id"] for row in json.load(file)["faults"]]

    def built(self):
        lines = subprocess.run([self.leakybox, "--list", "--json"], capture_output=True, text=True, check=True).stdout
        return [json.loads(line)["id"] for line in lines.splitlines()]

    def run(self, name, faults):
        """One task in one session. Returns what was triggered, whether anything was reached, and what taskgen said."""
        with tempfile.TemporaryDirectory(prefix="leakybox-proof-") as top:
            canary = os.path.join(top, "canary")
            os.mkdir(os.path.join(top, "tmp"))
            words = [self.taskgen, "run", "--quiet", "--no-box", "--allow-destructive", "--workers", "1",
                     "--db", os.path.join(top, "db"), "--set", "confirm.runs=1", "--set", "confirm.need=1",
                     "--set", "confirm.per-signature=1", "--env", f"LEAKYBOX_CANARY={canary}", *AROUND.get(name, []),
                     "--target", f"demo:{faults}", os.path.join(self.folder, f"{name}.json")]
            done = subprocess.run(words, capture_output=True, text=True, env=dict(self.environment, TMPDIR=top + "/tmp"),
                                  timeout=120, check=False)
            marks, reached = triggered(canary)
            return marks, reached, done.returncode, done.stdout + done.stderr

    def prove(self, name):
        """What is wrong with a proof: lines."""
        wrong = []
        start = time.monotonic()
        marks, reached, status, said = self.run(name, "none")
        if reached:
            wrong.append(f"off: {marks or 'something'} was reached")
        if status not in (0, 1) or "every step reached the target in 1" not in said:
            wrong.append(f"off: exit status {status}, not every step was run: {said[-300:]}")
        for faults in (name, "all"):
            marks, _, status, said = self.run(name, faults)
            if marks != {name} or status not in (0, 1):
                wrong.append(f"{'alone' if faults == name else 'all'}: exit status {status}, triggered {sorted(marks)}: {said[-300:]}")
        print(f"{time.monotonic() - start:5.1f} s {name}", flush=True)
        return wrong


def main():
    proofs = Proofs(*sys.argv[1:4])
    names = sys.argv[4:] or proofs.built()
    have = {name[:-5] for name in os.listdir(proofs.folder) if name.endswith(".json")}
    failed = [f"no proof of {name}" for name in sorted(set(names) - have)]
    failed += [f"a proof of {name}, which is no fault" for name in sorted(have - set(proofs.listed))]
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for name, wrong in zip(names, pool.map(proofs.prove, names) if not failed else []):
            failed += [f"{name}: {line}" for line in wrong]
    for line in failed:
        print("FAIL", line)
    print(f"{len(names)} proofs in {time.monotonic() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main())
