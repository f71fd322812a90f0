#!/usr/bin/python3
"""Runs bench/leakybox/score on a small database: two proof tasks with all of leakybox's faults on.

Each finding must be given to the fault that its task proves, though all are on, with the right layer; the others are without a
signature. A second run takes every answer from the file of the first one and starts no target.

usage: leakybox_score.py BUILD SOURCE_DIRECTORY
"""
import json
import os
import subprocess
import sys
import tempfile

PROOFS = ["download-cut-at-nul", "upload-decodes-twice"]


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    environment = dict(os.environ, TASKGEN_DATA=source)
    with tempfile.TemporaryDirectory(prefix="leakybox-score-test-") as top:
        database, state = os.path.join(top, "db"), os.path.join(top, "state.json")
        proofs = [os.path.join(source, f"bench/leakybox/proofs/{name}.json") for name in PROOFS]
        ran = subprocess.run([os.path.join(build, "taskgen"), "run", "--quiet", "--db", database, "--target", "demo:all", *proofs],
                             env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert ran.returncode == 1, ran.stderr
        words = [os.path.join(source, "bench/leakybox/score"), build, database, "--state", state, "--json"]
        first = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=240, check=True)
        figures = json.loads(first.stdout)
        found = {row["fault"]: row for row in figures["faults"] if row["signatures"]}
        assert sorted(found) == PROOFS, (sorted(found), first.stderr)
        assert all(row["layer_right"] and row["seconds"][0] is not None for row in found.values()), found
        assert figures["planted"] == 67 and figures["shared"] == figures["unowned"] == figures["alarms"] == [], figures
        assert first.stderr.count("\n") == len(figures["all_signatures"]), first.stderr
        again = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=True)
        assert again.stderr == "" and again.stdout == first.stdout, again.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
