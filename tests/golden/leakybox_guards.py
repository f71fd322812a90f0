#!/usr/bin/python3
"""Runs the proofs of leakybox's list 2: the proof of each fault in a session that has opened the fault's guard before, and in one that has not.

With steps that do the guard's deeds (bench/leakybox/guards.json) before it, the proof triggers that fault behind its guard, and what is found has the layer of
the fault, as in leakybox_proofs.py; without them nothing is triggered. The list itself is what the program says, and its rows are those of list 1
but for what the guard adds. All deeds but the last, or the same ones backwards, open nothing.

usage: leakybox_guards.py TASKGEN SOURCE_DIRECTORY LEAKYBOX [--every N | ID...]
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

import leakybox_proofs


class Guarded(leakybox_proofs.Proofs):
    def __init__(self, taskgen, source, leakybox, top):
        super().__init__(taskgen, source, leakybox)
        self.proofs, self.folder = self.folder, top
        with open(os.path.join(source, "bench/leakybox/faults-2.json"), encoding="utf-8") as file:
            self.rows = json.load(file)["faults"]
        with open(os.path.join(source, "bench/leakybox/guards.json"), encoding="utf-8") as file:
            self.deeds = json.load(file)

    def list_faults(self):
        """What is wrong with the list: lines."""
        said = subprocess.run([self.leakybox, "--list-2"], capture_output=True, text=True, check=True).stdout
        wrong = [] if [json.loads(line) for line in said.splitlines()] == self.rows else ["the program's list is another one than faults-2.json"]
        for row in self.rows:
            fault, _, guard = row["id"].partition("+")
            plain = self.listed.get(fault)
            if not guard or any(deed not in self.deeds for deed in row["after"]) or not plain or any(row[key] != plain[key] for key in ("class", "layer", "primitive", "report", "file")):
                wrong.append(f"{row['id']} is no row of list 1 behind a guard")
        return wrong

    def compose(self, name, deeds):
        """The proof, with these deeds before it."""
        fault = name.partition("+")[0]
        with open(os.path.join(self.proofs, f"{fault}.json"), encoding="utf-8") as file:
            task = json.load(file)
        task.pop("id", None)
        steps = [step for deed in deeds for step in self.deeds[deed]]
        task["steps"] = [dict(step, id=step.get("id", f"d{number}")) for number, step in enumerate(steps)] + task["steps"]
        with open(os.path.join(self.folder, f"{name}.json"), "w", encoding="utf-8") as out:
            json.dump(task, out)

    def prove(self, name):
        wrong = []
        start = time.monotonic()
        fault = name.partition("+")[0]
        self.listed[name] = self.listed[fault]
        after = next(row["after"] for row in self.rows if row["id"] == name)
        for deeds in (after, after[:-1], after[::-1]):
            self.compose(name, deeds)
            marks, _, status, said, found = self.run(name, name)
            if marks != ({name} if deeds == after else set()) or status not in (0, 1):
                wrong.append(f"after {', '.join(deeds)}: exit status {status}, triggered {sorted(marks)}: {said[-300:]}")
            if deeds == after:
                wrong += self.hold(name, found)
        print(f"{time.monotonic() - start:5.1f} s {name}", flush=True)
        return wrong


def main():
    with tempfile.TemporaryDirectory(prefix="leakybox-guards-") as top:
        proofs = Guarded(*sys.argv[1:4], top)
        words = sys.argv[4:]
        names = [row["id"] for row in proofs.rows]
        if words[:1] == ["--every"]:
            names = names[::int(words[1])]
        elif words:
            names = words
        leakybox_proofs.AROUND.update({name: leakybox_proofs.AROUND[name.partition("+")[0]] for name in names
                                       if name.partition("+")[0] in leakybox_proofs.AROUND})
        leakybox_proofs.JUDGED += [name for name in names if name.partition("+")[0] in leakybox_proofs.JUDGED]
        failed = proofs.list_faults()
        with concurrent.futures.ThreadPoolExecutor(leakybox_proofs.WORKERS) as pool:
            for name, wrong in zip(names, pool.map(proofs.prove, names)):
                failed += [f"{name}: {line}" for line in wrong]
    for line in failed:
        print("FAIL", line)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main())
