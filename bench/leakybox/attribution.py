"""Which of leakybox's planted faults a finding belongs to: what `score` and bench/groundtruth share.

A signature belongs to the faults of which each alone still shows it: its smallest task is run with one fault on at a time, and the
very same signature is looked for. Which faults to try first the canaries tell that the task triggers with all faults on; when none of
these shows it, no fault at all (then it is a false alarm) and the other faults are tried, by halves.
"""
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import campaign  # noqa: E402
from canaries import CANARY, Canaries  # noqa: E402

ONCE = ["--set", "confirm.runs=1", "--set", "confirm.need=1", "--set", "confirm.per-signature=1"]


class Trials:
    """Runs of one task with some faults on."""

    def __init__(self, options, everything="all"):
        self.everything = everything  # the word for all faults of the list
        self.taskgen = os.path.join(options.build, "taskgen")
        self.words = options.word
        self.timeout = options.timeout

    def once(self, task, faults):
        """The signatures that show, and what was triggered. A run that takes too long shows nothing."""
        with tempfile.TemporaryDirectory(prefix="leakybox-score-") as top:
            base, file, database = (os.path.join(top, name) for name in ("tmp", "task.json", "db"))
            os.mkdir(base)
            with open(file, "w", encoding="utf-8") as out:
                json.dump(task, out)
            canaries = Canaries(base)
            canaries.start()
            try:
                campaign.call(self.taskgen, ["run", "--quiet", "--workers", "1", "--db", database, *ONCE, "--env",
                                             f"LEAKYBOX_CANARY={{home}}/{CANARY}", *self.words, "--target", f"demo:{faults}", file],
                              self.timeout, TMPDIR=base)
                shown = {finding["signature"] for finding in campaign.report(self.taskgen, database)}
            except subprocess.TimeoutExpired:
                shown = set()
            return shown, canaries.triggered()

    def shows(self, finding, faults, tries):
        """Does the finding's own signature show in one of so many runs? And what was triggered in them."""
        marks = set()
        for _ in range(tries):
            shown, triggered = self.once(finding["task"], faults)
            marks |= triggered
            if finding["signature"] in shown:
                return True, marks
        return False, marks


class Known:
    """What was found out before: a JSON file, rewritten after each finding."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        try:
            with open(path, encoding="utf-8") as file:
                self.rows = json.load(file)
        except FileNotFoundError:
            self.rows = {}

    @staticmethod
    def key(finding):
        task = json.dumps(finding["task"], sort_keys=True).encode()
        return finding["signature"] + ":" + hashlib.sha256(task).hexdigest()[:32]

    def get(self, finding):
        """Of the finding's own task, or else what another task has shown of the same signature, one with a fault before others."""
        row = self.rows.get(self.key(finding))
        same = [other for key, other in sorted(self.rows.items()) if key.startswith(finding["signature"] + ":")]
        same.sort(key=lambda other: not other["faults"])
        return row if row and (row["faults"] or not same[0]["faults"]) else next(iter(same), None)

    def put(self, finding, row):
        with self.lock:
            self.rows[self.key(finding)] = row
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.rows, file, indent=1, sort_keys=True)
            os.replace(self.path + ".new", self.path)


def alone_of(trials, finding, faults, tries):
    """Which of the faults show the finding's signature alone. Halves that do not show it together are not looked into any
    further: leakybox's faults do not hide each other."""
    if not faults or not trials.shows(finding, ",".join(faults), tries)[0]:
        return []
    if len(faults) == 1:
        return faults
    half = len(faults) // 2
    return alone_of(trials, finding, faults[:half], tries) + alone_of(trials, finding, faults[half:], tries)


def attribute(trials, finding, faults):
    """Which faults show the finding's signature alone, and what its task triggers with all on."""
    sure = finding["n_failed"] == finding["n_run"]
    again, marks = trials.shows(finding, trials.everything, 2 if sure else 3)
    row = {"text": finding["text"], "triggered": sorted(marks), "shows": again, "alarm": False,
           "faults": [fault for fault in sorted(marks) if trials.shows(finding, fault, 3)[0]]}
    if not row["faults"]:
        row["alarm"] = trials.shows(finding, "none", 2 if sure else 3)[0]
        others = [] if row["alarm"] else [fault for fault in faults if fault not in marks]
        row["faults"] = alone_of(trials, finding, others, 2 if sure else 3)
    return row


def weight(finding):
    """Of several tasks that show a signature, the one with the least weight is used."""
    return finding["state"] != "confirmed", finding["task_steps"], len(json.dumps(finding["task"]))


def gather(trials, databases):
    """The findings to attribute, one a signature, with the seconds to their first sight in each campaign and the other campaigns' findings
    that show the same."""
    pool = {}
    for number, database in enumerate(databases):
        sights = campaign.first_sights(database)
        for finding in campaign.report(trials.taskgen, database):
            if finding["state"] not in ("confirmed", "flaky") or not finding["task"] or finding["suppressed"]:
                continue
            old = pool.get(finding["signature"])
            seconds, others = (old.pop("seconds"), old.pop("others")) if old else ({}, [])
            seconds[number] = sights.get(finding["signature"])
            best, rest = (finding, old) if not old or weight(finding) < weight(old) else (old, finding)
            pool[finding["signature"]] = best | {"seconds": seconds, "others": others + [rest] if rest else others}
    return list(pool.values())


def work(options, trials, known, findings, faults):
    """Attributes what is not known yet."""
    order = [fault["id"] for fault in faults]
    todo = [finding for finding in findings if not known.get(finding)]

    def one(finding):
        begun = time.monotonic()
        # A task may show it only because two faults meet in it: then another one is asked.
        for task in [finding, *sorted(finding.get("others", []), key=weight)]:
            row = attribute(trials, task, order)
            known.put(task, row)
            if row["faults"] or row["alarm"]:
                break
        print(f"{time.monotonic() - begun:6.1f} s {finding['signature'][:8]} {', '.join(row['faults']) or 'no fault'}: {finding['text']}",
              file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(one, finding) for finding in todo]
        try:
            for job in waiting:
                job.result()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def score(findings, known, faults, campaigns):
    """The figures: a dictionary as --json prints it."""
    seconds = {finding["signature"]: finding["seconds"] for finding in findings}
    signatures = []
    for finding in findings:
        row = known.get(finding)
        signatures.append({name: finding[name] for name in ("signature", "text", "layer", "check", "state", "client_illegal")}
                          | {"note": campaign.is_note(finding)} | {name: row[name] for name in ("faults", "triggered", "alarm")})
    counted = [signature for signature in signatures if not signature["note"]]
    rows = []
    for fault in faults:
        own = [signature for signature in counted if fault["id"] in signature["faults"]]
        firsts = []
        for number in range(campaigns):
            times = [seconds[one["signature"]].get(number) for one in own]
            firsts.append(min((at for at in times if at is not None), default=None))
        layers = {one["layer"] for one in own}
        rows.append({"fault": fault["id"], "class": fault["class"], "layer": fault["layer"], "primitive": fault["primitive"],
                     "signatures": [one["signature"] for one in own], "seconds": firsts,
                     "layers": sorted(layers), "layer_right": layers == {fault["layer"]} if own else None})
    found = [row for row in rows if row["signatures"]]
    owned = [signature for signature in counted if signature["faults"]]
    return {"campaigns": campaigns, "planted": len(rows), "found": len(found), "signatures": len(counted), "owned": len(owned),
            "per_fault": len(owned) / len(found) if found else None,
            "shared": [s["signature"] for s in owned if len(s["faults"]) > 1],
            "unowned": [s["signature"] for s in counted if not s["faults"] and not s["alarm"]],
            "alarms": [s["signature"] for s in counted if s["alarm"]],
            "layer_right": sum(row["layer_right"] for row in found), "faults": rows, "all_signatures": signatures}
