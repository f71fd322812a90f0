#!/usr/bin/python3
"""Runs the proof tasks of leakybox's faults, bench/leakybox/proofs/ID.json, with taskgen.

Of each is tested: with all faults off, every step reaches the target and no fault's code is run; with its fault alone, that one is
triggered; with all faults on, that one is triggered and no other. So each fault can be shown by a task, and none hides another.
The canary file of leakybox says what was triggered; no check of taskgen's has a say in that.

The same runs hold the checks to the list of faults: with all faults off there is no finding; with a fault alone whatever is found has the
layer of that fault; and where the fault is one of JUDGED, something is found, in a class's primitive as the list has it, under one signature.

usage: leakybox_proofs.py TASKGEN SOURCE_DIRECTORY LEAKYBOX [ID...]
"""
import concurrent.futures
import json
import os
import sqlite3
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
}

# Faults that a check finds on their proof. A line is added when a check finds one more, and none is ever taken away.
JUDGED = """
    append-unescapes
    background-cut-splits
    background-holds-call
    bad-arguments-poison
    bad-note-fatal
    big-frame-ends
    cancel-spares-reader
    chunk-splits-character
    crlf-normalised
    dash-name-stays
    delete-error-empty
    descriptor-leak
    double-reply
    download-cut-at-nul
    download-reencodes
    downloads-stay
    edit-drops-astral
    environment-leaks
    error-loses-id
    exit-code-lost
    fifo-blocks
    first-command-refused
    full-disk-hidden
    idle-kills-work
    ipv6-refused
    json-reserialised
    large-write-lost
    last-line-lost
    last-write-lost
    line-cuts-pair
    link-escapes
    list-ignores-path
    listing-follows-locale
    lost-update
    made-directory-closed
    mode-lost
    nul-path-truncates
    null-is-zero
    one-id-crossed
    orphan-child
    output-cut-silently
    phantom-running
    prefix-escapes
    second-bad-line-ends
    second-page-repeats
    signal-leaves-litter
    socketpair-refused
    stale-read
    stray-stdout
    tail-off-by-one
    temporary-not-mounted
    two-roots
    unknown-process-blank
    upload-decodes-twice
    wedge-after-nul-path
    zombies-stay
""".split()
# Sanitizers keep freed memory, so what a server's memory tells is theirs.
MEMORY = ["downloads-stay"]


def triggered(path):
    try:
        with open(path, encoding="utf-8") as file:
            words = [line.split() for line in file]
    except FileNotFoundError:
        words = []
    return {word[0] for word in words if word[1] == "triggered"}, bool(words)


def findings(path):
    """Layer, primitive and text of each signature that is not a note, as the fresh session saw it too."""
    database = sqlite3.connect(path)
    rows = database.execute("SELECT layer, primitive, text FROM finding WHERE state = 'confirmed' ORDER BY text").fetchall()
    database.close()
    return rows


class Proofs:
    def __init__(self, taskgen, source, leakybox):
        self.taskgen = taskgen
        self.folder = os.path.join(source, "bench/leakybox/proofs")
        self.environment = dict(os.environ, TASKGEN_DATA=source)
        self.leakybox = leakybox
        with open(leakybox, "rb") as file:
            program = file.read()
        self.unheld = MEMORY if b"__asan_init" in program or b"__tsan_init" in program else []
        with open(os.path.join(source, "bench/leakybox/faults-1.json"), encoding="utf-8") as file:
            self.listed = {row["id"]: row for row in json.load(file)["faults"]}

    def built(self):
        lines = subprocess.run([self.leakybox, "--list", "--json"], capture_output=True, text=True, check=True).stdout
        return [json.loads(line)["id"] for line in lines.splitlines()]

    def run(self, name, faults):
        """One task in one session. Returns what was triggered, whether anything was reached, what taskgen said, and what it found."""
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
            found = [] if name in self.unheld else findings(os.path.join(top, "db"))
            return marks, reached, done.returncode, done.stdout + done.stderr, found

    def hold(self, name, found):
        """What is wrong with what was found of a fault alone: lines."""
        row = self.listed[name]
        if name in self.unheld:
            return []
        wrong = [f"alone: the layer is {row['layer']}, and a check says {text}" for layer, _, text in found if layer != row["layer"]]
        if name not in JUDGED:
            print(f"        {name}: not in JUDGED, and found: {found}" if found else f"        {name}: no check finds it", flush=True)
            return wrong
        if len(found) != 1:
            wrong.append(f"alone: one finding is wanted, there are {[text for _, _, text in found]}")
        return wrong + [f"alone: the primitive is {row['primitive']}, and a check says {text}" for _, primitive, text in found if primitive != row["primitive"]]

    def prove(self, name):
        """What is wrong with a proof: lines."""
        wrong = []
        start = time.monotonic()
        marks, reached, status, said, found = self.run(name, "none")
        if reached:
            wrong.append(f"off: {marks or 'something'} was reached")
        if status not in (0, 1) or "every step reached the target in 1" not in said:
            wrong.append(f"off: exit status {status}, not every step was run: {said[-300:]}")
        wrong += [f"off: a check says {text}" for _, _, text in found]
        for faults in (name, "all"):
            marks, _, status, said, found = self.run(name, faults)
            wrong += self.hold(name, found) if faults == name else []
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
