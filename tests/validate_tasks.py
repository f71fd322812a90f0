#!/usr/bin/python3
"""Validates task records with a public validator (python3-jsonschema), and the schema itself.

usage: validate_tasks.py SCHEMA [FILE]

Each line of FILE (standard input when absent) is one task. Prints one line for each fault, at most 20, and how many tasks
were valid. Exit status: 0 when there was a task and all are valid, 1 otherwise, 2 when an input cannot be read.
"""

import json
import sys

import jsonschema


def faults_of(validator, line):
    try:
        record = json.loads(line)
    except ValueError as fault:
        yield "not JSON: %s" % fault
        return
    for error in validator.iter_errors(record):
        leaf = jsonschema.exceptions.best_match([error])
        yield "%s: %s" % (leaf.json_path, leaf.message[:300])


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    try:
        with open(arguments[0], encoding="utf-8") as file:
            schema = json.load(file)
        lines = open(arguments[1], "rb") if len(arguments) == 2 else sys.stdin.buffer
    except (OSError, ValueError) as fault:
        print(fault, file=sys.stderr)
        return 2
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    valid = printed = number = 0
    with lines:
        for number, line in enumerate(lines, 1):
            faults = list(faults_of(validator, line))
            valid += not faults
            for fault in faults:
                if printed < 20:
                    print("line %d: %s" % (number, fault))
                printed += 1
    print("%d of %d tasks are valid" % (valid, number))
    return 0 if number and valid == number else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
