#!/usr/bin/python3
"""Checks contents that recipes made by means that share nothing with taskgen: Python's csv, json, codecs, zlib and the
readers of recipe_formats.py, or, with --tools, the public programs of recipe_tools.py.

usage: check_recipes.py [--tools] DIRECTORY

DIRECTORY/index.jsonl has one line a content: {"file": NAME, "recipe": COMPLETE OBJECT, "facts": {NAME: VALUE}}.
Every fact is computed anew from the bytes of DIRECTORY/NAME. Exit status 1 and a message at the first difference.
"""

import csv
import datetime
import decimal
import hashlib
import io
import json
import os
import struct
import sys
import zlib

sys.dont_write_bytecode = True
import recipe_formats as formats  # noqa: E402
import recipe_tools  # noqa: E402
from recipe_formats import CATEGORIES, Wrong, need  # noqa: E402

CODECS = {
    "utf-8": ("utf-8", b""), "utf-8-bom": ("utf-8", b"\xef\xbb\xbf"), "utf-16le": ("utf-16-le", b""),
    "utf-16be": ("utf-16-be", b""), "utf-16le-bom": ("utf-16-le", b"\xff\xfe"), "utf-16be-bom": ("utf-16-be", b"\xfe\xff"),
    "latin-1": ("latin-1", b""), "windows-1251": ("cp1251", b""), "shift-jis": ("shift_jis", b""),
}
NEWLINES = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


def decode(data, encoding):
    codec, mark = CODECS[encoding]
    need(data.startswith(mark), "no byte order mark")
    return data[len(mark):].decode(codec)


def money(text):
    need(text.count(".") == 1 and len(text.split(".")[1]) == 2, "not two decimals: " + text)
    return decimal.Decimal(text)


def check_text(recipe, data):
    text = decode(data, recipe["encoding"])
    newline = NEWLINES[recipe["newline"]]
    lines = text.split(newline)
    if recipe["final-newline"] and recipe["lines"]:
        need(lines.pop() == "", "no final newline")
    elif not recipe["lines"]:
        need(lines == [""], "text without lines")
        lines = []
    for other in set("\r\n") - set(newline):
        need(other not in text, "a foreign line end")
    words = sum(len(line.split(" ")) for line in lines)
    facts = {"lines": len(lines), "words": words, "characters": len(text)}
    if lines:
        facts.update({"first-line": lines[0], "last-line": lines[-1]})
    return facts


def check_lines(recipe, data):
    text = data.decode("utf-8")
    newline = NEWLINES[recipe["newline"]]
    expected = [recipe["prefix"] + str(i).zfill(recipe["width"]) for i in range(1, recipe["lines"] + 1)]
    need(text == newline.join(expected) + (newline if expected and recipe["final-newline"] else ""), "other lines")
    facts = {"lines": len(expected)}
    if expected:
        facts.update({"first-line": expected[0], "last-line": expected[-1]})
    return facts


def check_csv(recipe, data):
    text = data.decode("utf-8")
    delimiter = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}[recipe["delimiter"]]
    newline = NEWLINES[recipe["newline"]]
    need(not text or text.endswith(newline), "no final newline")
    table = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    header = ["id", "name", "price", "quantity", "category", "date"]
    if recipe["header"]:
        need(table.pop(0) == header, "other header")
    need(all(len(row) == 6 for row in table), "a row without six fields")
    need([row[0] for row in table] == [str(i + 1) for i in range(len(table))], "ids do not count")
    if recipe["quoting"] == "none":
        need('"' not in text, "a quote")
    elif len(table) > 50:
        need(any('"' in row[1] or delimiter in row[1] or "," in row[1] for row in table), "nothing is quoted")
    need(any("\n" in row[1] for row in table) == (recipe["quoting"] == "lines" and len(table) > 50), "names of two lines")
    for row in table:
        need(row[4] in CATEGORIES, "category " + row[4])
        datetime.date.fromisoformat(row[5])
    prices = [money(row[2]) for row in table]
    quantities = [int(row[3]) for row in table]
    facts = {"rows": len(table), "columns": 6, "header": delimiter.join(header),
             "sum.price": str(sum(prices, decimal.Decimal("0.00"))), "sum.quantity": sum(quantities),
             "sum.value": str(sum((p * q for p, q in zip(prices, quantities)), decimal.Decimal("0.00")))}
    for category in CATEGORIES:
        facts["count." + category] = sum(row[4] == category for row in table)
    if table:
        facts.update({"max.quantity": max(quantities), "min.quantity": min(quantities),
                      "max.price": str(max(prices)), "min.price": str(min(prices))})
    return facts


def check_labelled(recipe, data):
    table = list(csv.reader(io.StringIO(data.decode("ascii"), newline=""), strict=True))
    header = table.pop(0)
    k = recipe["features"]
    need(header == ["x%d" % (j + 1) for j in range(k)] + ["label"], "other header")
    labels = [int(row[-1]) for row in table]
    for j in range(k):  # by each feature alone the classes do not overlap
        ranges = {}
        for row, label in zip(table, labels):
            x = decimal.Decimal(row[j])
            low, high = ranges.get(label, (x, x))
            ranges[label] = (min(low, x), max(high, x))
        spans = sorted(ranges.values())
        need(all(a[1] < b[0] for a, b in zip(spans, spans[1:])), "classes overlap in x%d" % (j + 1))
    facts = {"rows": len(table), "columns": len(header), "features": k, "classes": recipe["classes"],
             "header": ",".join(header)}
    for label in range(recipe["classes"]):
        facts["count.%d" % label] = labels.count(label)
    if len(table) >= recipe["classes"]:
        need(set(labels) == set(range(recipe["classes"])), "a class without rows")
    return facts


def check_json(recipe, data):
    text = data.decode("utf-8")
    parse = lambda t: json.loads(t, parse_float=decimal.Decimal)
    if recipe["layout"] == "lines":
        records = [parse(line) for line in text.splitlines()]
    elif recipe["layout"] == "object":
        records = parse(text)["records"]
    else:
        records = parse(text)
    need([r["id"] for r in records] == [i + 1 for i in range(len(records))], "ids do not count")
    keys = ["id", "name", "amount", "active", "tags", "address", "note"]
    if recipe["big-integers"]:
        keys += ["serial", "checksum"]
        need(all(r["serial"] > 2 ** 53 and r["serial"] % 2 for r in records), "a serial that a double holds")
        need(all(len(str(r["checksum"])) == 30 for r in records), "a checksum without 30 digits")
    need(all(list(r) == keys for r in records), "other keys")
    need(all(isinstance(r["address"]["place"]["lat"], decimal.Decimal) for r in records), "no nested number")
    facts = {"records": len(records), "keys": keys, "count.active": sum(r["active"] for r in records),
             "sum.amount": str(sum((r["amount"] for r in records), decimal.Decimal("0.00")))}
    for tag in ("new", "paid", "late", "gift", "bulk"):
        facts["count." + tag] = sum(tag in r["tags"] for r in records)
    if records:
        amounts = [r["amount"] for r in records]
        facts.update({"max.amount": str(max(amounts)), "min.amount": str(min(amounts))})
    if records and recipe["big-integers"]:
        facts["max.serial"] = str(max(r["serial"] for r in records))
    return facts


def check_png(recipe, data):
    need(data.startswith(b"\x89PNG\r\n\x1a\n"), "no PNG signature")
    at, chunks = 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        need(zlib.crc32(kind + body) == crc, "wrong CRC")
        chunks.append((kind, body))
        at += 12 + length
    need([kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"], "other chunks")
    width, height, depth, colour, method, filters, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    need((depth, colour, method, filters, interlace) == (8, 2, 0, 0, 0), "other kind of picture")
    pixels = zlib.decompress(chunks[1][1])
    need(len(pixels) == height * (1 + 3 * width), "wrong number of pixels")
    need(all(pixels[y * (1 + 3 * width)] == 0 for y in range(height)), "an unknown filter")
    return {"width": width, "height": height}


def check_random(recipe, data):
    mask = 2 ** 64 - 1
    out = bytearray()
    for i in range((recipe["size"] + 7) // 8):  # splitmix64
        z = (recipe["seed"] + (i + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        out += struct.pack("<Q", z ^ z >> 31)
    need(data == bytes(out[:recipe["size"]]), "other bytes")
    return {}


def check_zeros(recipe, data):
    need(data == bytes(recipe["size"]), "other bytes")
    return {}


def check_pattern(recipe, data):
    unit = string(recipe["unit"])
    size = recipe["size"]
    if unit:
        expected = unit * (size // len(unit) + 1)
    else:
        expected = b"".join(b"%015x\n" % i for i in range(0, size + 16, 16))
    need(data == expected[:size], "other bytes")
    return {}


def string(value):
    """A string's bytes, or those of {"$bytes": …}."""
    if isinstance(value, dict):
        import base64
        return base64.b64decode(value["$bytes"], validate=True)
    return value.encode("utf-8")


def content(value, made):
    """The bytes of a content inside another one; recipes by the file that was made of the same recipe."""
    if isinstance(value, dict) and "$recipe" in value:
        return made[json.dumps(value, sort_keys=True)]
    return string(value)


def check_splice(recipe, data, made):
    base, insert = content(recipe["base"], made), content(recipe["insert"], made)
    at = min(recipe["at"], len(base))
    need(data == base[:at] + insert + base[at + recipe["remove"]:], "other bytes")
    return {}


def check_recode(recipe, data, made):
    text = content(recipe["base"], made).decode("utf-8")
    if recipe["newline"] != "keep":
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", NEWLINES[recipe["newline"]])
    codec, mark = CODECS[recipe["encoding"]]
    need(data == mark + text.encode(codec, errors="replace"), "other bytes")
    return {}


CHECKS = {"text": check_text, "lines": check_lines, "csv": check_csv, "labelled-csv": check_labelled, "json": check_json,
          "png": check_png, "random": check_random, "zeros": check_zeros, "pattern": check_pattern,
          "ndjson": formats.check_ndjson, "xml": formats.check_xml, "config": formats.check_config, "html": formats.check_html,
          "svg": formats.check_svg, "wav": formats.check_wav, "docx": formats.check_docx, "xlsx": formats.check_xlsx,
          "pptx": formats.check_pptx, "sqlite": formats.check_sqlite, "npy": formats.check_npy,
          "safetensors": formats.check_safetensors, "notebook": formats.check_notebook, "project": formats.check_project}
COMPOSED = {"splice": check_splice, "recode": check_recode}
WRAPPING = {"gzip": formats.check_gzip, "zip": formats.check_archive, "tar": formats.check_archive, "eml": formats.check_eml}
# Read by a public tool only, which --tools runs: Python's library has no reader.
BY_TOOL = {"pdf"}


def facts_of(recipe, data, made, trees):
    name = recipe["$recipe"]
    if name in COMPOSED:
        return COMPOSED[name](recipe, data, made)
    if name in WRAPPING:
        return WRAPPING[name](recipe, data, content(recipe["of"], made))
    if name == "source":
        return formats.check_source(recipe, data, trees)
    return CHECKS[name](recipe, data)


def compare(entry, facts, data):
    facts["size"] = len(data)
    facts["sha256"] = hashlib.sha256(data).hexdigest()
    for fact in sorted(set(facts) | set(entry["facts"])):
        need(facts.get(fact) == entry["facts"].get(fact),
             "%s is %r, taskgen says %r" % (fact, facts.get(fact), entry["facts"].get(fact)))


def check_entry(entry, data, made, trees):
    recipe = entry["recipe"]
    made[json.dumps(recipe, sort_keys=True)] = data
    if recipe["$recipe"] == "project":
        trees.append((recipe, data, entry["facts"]))
    if recipe["$recipe"] not in BY_TOOL:
        compare(entry, facts_of(recipe, data, made, trees), data)


def main(directory, tools):
    made, trees, seen = {}, [], set()
    with open(os.path.join(directory, "index.jsonl"), encoding="utf-8") as index:
        entries = [json.loads(line) for line in index]
    for entry in entries:
        seen.add(entry["recipe"]["$recipe"])
        path = os.path.join(directory, entry["file"])
        with open(path, "rb") as file:
            data = file.read()
        try:
            if tools:
                recipe_tools.check(entry, path)
            else:
                check_entry(entry, data, made, trees)
        except (Wrong, ValueError, KeyError, LookupError, csv.Error) as fault:
            print("%s: %s: %s" % (json.dumps(entry["recipe"], ensure_ascii=False), type(fault).__name__, fault))
            return 1
    missing = (set(CHECKS) | set(COMPOSED) | set(WRAPPING) | BY_TOOL | set(recipe_tools.TOOLS) | {"source"}) - seen
    if missing:
        print("nothing was made of " + ", ".join(sorted(missing)))
        return 1
    return 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) not in (1, 2) or (len(arguments) == 2 and arguments[0] != "--tools"):
        sys.exit(__doc__)
    sys.exit(main(arguments[-1], len(arguments) == 2))
