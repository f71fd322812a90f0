"""Values drawn from JSON Schemas, judged by python3-jsonschema: what says it is valid has to validate, what says it is
invalid must not, and bounds are reached by boundary values. Arguments: PROGRAM SCHEMAS [COUNT]."""
import collections
import json
import pathlib
import subprocess
import sys

import jsonschema

program, path = sys.argv[1:3]
count = sys.argv[3] if len(sys.argv) > 3 else "40"
tests = {}
for line in open(path, encoding="utf-8"):
    test = json.loads(line)
    cls = jsonschema.validators.validator_for(test["schema"], default=jsonschema.Draft202012Validator)
    test["validator"] = cls(test["schema"], format_checker=jsonschema.FormatChecker())
    tests[test["name"]] = test

# What the unit tests hold our judge to is what jsonschema says.
judged = pathlib.Path(path).with_name("judge.jsonl")
for number, line in enumerate(open(judged, encoding="utf-8"), 1):
    case = json.loads(line)
    for value, valid in case["values"]:
        if jsonschema.Draft202012Validator(case["schema"]).is_valid(value) != valid:
            sys.exit(f"{judged}:{number}: jsonschema does not agree about {json.dumps(value)}")

# Formats are annotations to our own judge; the independent one checks those of valid values too.
faults, seen, kinds, violations = [], collections.Counter(), collections.Counter(), collections.Counter()
reached = collections.defaultdict(set)
output = subprocess.run([program, path, count], stdout=subprocess.PIPE, check=True).stdout
for line in filter(None, output.decode("utf-8", "surrogatepass").split("\n")):
    row = json.loads(line)
    test, kind = tests[row["name"]], row["kind"]
    errors = next(test["validator"].iter_errors(row["value"]), None)
    seen[row["name"], kind] += 1
    kinds[kind] += 1
    what = f"{row['name']} {kind} {row.get('violation', '')} {row.get('at', '')}: {json.dumps(row['value'])[:300]}"
    if kind == "invalid":
        violations[row["violation"]] += 1
        if errors is None:
            faults.append(f"accepted although invalid: {what}")
        if not row.get("violation"):
            faults.append(f"no violation is named: {what}")
    elif test.get("contradictory"):
        if row["judged"]:
            faults.append(f"judged although nothing can be valid: {what}")
    elif errors is not None and not (test.get("hard") and not row["judged"]):
        faults.append(f"rejected: {what}: {errors.message[:200]}")
    elif not row["judged"] and not test.get("hard"):
        faults.append(f"valid, but not known to be: {what}")
    if kind == "boundary" and isinstance(row["value"], dict):
        for name, value in row["value"].items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                reached[row["name"], name].add(value)
            elif isinstance(value, (str, list)):
                reached[row["name"], name].add(len(value))

for name, test in tests.items():
    for kind in ("valid", "boundary", "invalid"):
        if not seen[name, kind] and not (kind == "invalid" and (test.get("open") or test.get("contradictory") or test.get("hard") or name == "string")):
            faults.append(f"{name}: no {kind} value")
for key, low, high in [(("lengths", "a"), 3, 5), (("long", "a"), 1000, 2000), (("integer-bounds", "n"), -5, 17),
                       (("exclusive", "n"), 1, 3), (("multiples", "n"), 7, 98), (("multiples", "x"), -3, 3), (("cents", "x"), 0, 100),
                       (("arrays", "l"), 2, 5), (("number-narrow", "x"), 0.001, 0.002)]:
    if low not in reached[key] or high not in reached[key]:
        faults.append(f"{key}: boundary values {sorted(reached[key])[:10]} do not reach {low} and {high}")
for name in ("missing-required", "wrong-type", "null", "not-in-enum", "extra-property", "too-long", "too-short", "below-minimum",
             "above-maximum", "not-a-multiple", "not-an-integer", "not-the-pattern", "too-few-items", "too-many-items", "repeated-item"):
    if not violations[name]:
        faults.append(f"no value breaks the rule {name}")

print(f"{sum(kinds.values())} values of {len(tests)} schemas: {dict(kinds)}; violations: {dict(violations)}")
for fault in faults[:40]:
    print(fault)
print(f"{len(faults)} faults")
sys.exit(bool(faults))
