"""What the programs below bench/ ask of taskgen and of the database of a campaign."""
import json
import os
import sqlite3
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NOTES = ("should:", "contract:")  # what the details of notes begin with


def call(taskgen, words, timeout=None, **more):
    """One command of taskgen, with the data of this source tree; more variables may be given."""
    return subprocess.run([taskgen, *words], capture_output=True, env=dict(os.environ, TASKGEN_DATA=SOURCE, **more),
                          timeout=timeout, check=False)


def report(taskgen, database):
    """All findings, as objects."""
    done = call(taskgen, ["report", "--db", database, "--all", "--format", "json"])
    if done.returncode > 1:
        sys.exit(f"{database}: {done.stderr.decode(errors='replace').strip()}")
    return json.loads(done.stdout)


def is_note(finding):
    """A recommendation, or what depends on an unstated policy."""
    return finding["detail"].startswith(NOTES)


def first_sights(database):
    """Seconds of fuzzing before the first sight of each signature, pauses between the runs of one campaign left out."""
    base = sqlite3.connect(f"file:{os.path.abspath(database)}?mode=ro", uri=True)
    runs = base.execute("SELECT begun_ms, coalesce(ended_ms, (SELECT max(at_ms) FROM stat WHERE run = id), begun_ms) FROM run "
                        "WHERE verb IN ('fuzz', 'run') ORDER BY begun_ms").fetchall()
    seen = base.execute("SELECT signature, first_ms FROM finding").fetchall()
    base.close()
    sights = {}
    for signature, at in seen:
        begun = [run for run in runs if run[0] <= at]
        if begun:
            before = sum(max(0, end - begin) for begin, end in begun[:-1])
            sights[signature] = (before + at - begun[-1][0]) / 1000
    return sights
