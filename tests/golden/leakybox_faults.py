#!/usr/bin/python3
"""Holds leakybox to its list of faults, which is frozen: bench/leakybox/faults-1.json.

The list itself: its classes and primitives are those of domains/classes.json, both layers and every primitive that needs
no browser are there, at least half of the faults need more than one plain call, and each has a report of its own. The
program: what `--list --json` says of a fault is its row. README.md: its table is made from the list (TASKGEN_UPDATE=1 does).

usage: leakybox_faults.py PATH_OF_LEAKYBOX SOURCE_DIRECTORY
"""
import json
import os
import re
import subprocess
import sys

KEYS = ["id", "class", "layer", "primitive", "needs", "demo", "summary", "report", "file"]
NEEDS = {"plain", "sequence", "concurrent", "threshold", "environment"}
PRIMITIVES = set("encoding null-byte protocol size path permission mount persistence storage memory time process syscall "
                 "network session environment concurrency".split())
REPORT = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+#[0-9]+|CVE-[0-9]+-[0-9]+")
BEGIN, END = "<!-- made from faults-1.json -->\n", "<!-- end -->\n"
wrong = []


def check(condition, *words):
    if not condition:
        wrong.append(" ".join(str(word) for word in words))


def check_row(row, primitive_of):
    name = row.get("id")
    check(list(row) == KEYS, name, "has the keys", list(row))
    check(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name), name, "is no name")
    check(row["file"] == f"faults/{name.replace('-', '_')}.c", name, "has the file", row["file"])
    check(row["layer"] in ("interface", "sandbox"), name, "has the layer", row["layer"])
    check(row["needs"] in NEEDS, name, "needs", row["needs"])
    check(row["class"] in primitive_of, name, "has the class", row["class"])
    check(row["primitive"] == primitive_of.get(row["class"]), name, "has another primitive than its class:", row["primitive"])
    check(row["summary"] and "|" not in row["summary"], name, "has no summary for a table")
    check(REPORT.fullmatch(row["report"]), name, "has the report", row["report"])


def check_whole(rows):
    check(len(rows) >= 65, len(rows), "faults")
    check(len({row["id"] for row in rows}) == len(rows), "a name is there twice")
    check(len({row["report"] for row in rows}) == len(rows), "a report is there twice")
    check({row["layer"] for row in rows} == {"interface", "sandbox"}, "a layer is missing")
    check({row["primitive"] for row in rows} == PRIMITIVES, "primitives:", {row["primitive"] for row in rows} ^ PRIMITIVES)
    check(2 * sum(row["needs"] != "plain" for row in rows) >= len(rows), "too many need one plain call only")
    check(len({row["class"] for row in rows}) >= 60, "too few classes")


def table(rows):
    lines = ["| fault | class | layer | primitive | needs | demo | what happens | after |", "|" + "---|" * 8]
    for row in rows:
        lines.append(f"| `{row['id']}` | {row['class']} | {row['layer']} | {row['primitive']} | {row['needs']} | "
                     f"{'yes' if row['demo'] else ''} | {row['summary']} | {row['report']} |")
    return "\n".join(lines) + "\n"


def check_readme(path, rows):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = before + BEGIN + table(rows) + END + after
    if os.environ.get("TASKGEN_UPDATE") and made != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        text = made
    check(made == text, path, "is not what the list says: run with TASKGEN_UPDATE=1")


def check_program(leakybox, rows):
    got = subprocess.run([leakybox, "--list", "--json"], capture_output=True, text=True, check=True).stdout
    listed = [json.loads(line) for line in got.splitlines()]
    of = {row["id"]: row for row in rows}
    check({row["id"] for row in listed} == set(of), "built and listed differ in", {row["id"] for row in listed} ^ set(of))
    check(len(listed) == len(of), "the program names a fault twice")
    for row in listed:
        check(row == of.get(row["id"]), "the program says", row, "the list says", of.get(row["id"]))


def main():
    leakybox, source = sys.argv[1:]
    with open(os.path.join(source, "bench/leakybox/faults-1.json"), encoding="utf-8") as file:
        document = json.load(file)
    with open(os.path.join(source, "domains/classes.json"), encoding="utf-8") as file:
        primitive_of = {c["id"]: c["primitive"] for c in json.load(file)["classes"]}
    check(document["format"] == "taskgen/faults/1" and document["version"] == 1, "format and version")
    rows = document["faults"]
    for row in rows:
        check_row(row, primitive_of)
    check_whole(rows)
    check_program(leakybox, rows)
    check_readme(os.path.join(source, "bench/leakybox/README.md"), rows)
    for line in wrong:
        print("FAIL", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
