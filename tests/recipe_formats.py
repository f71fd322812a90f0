"""Readers of what recipes make in formats of documents, archives and programs, with Python's own modules. Each takes the
recipe and the bytes, needs the format to be right, and returns the facts that the bytes show."""

import base64
import configparser
import datetime
import decimal
import email
import email.policy
import gzip
import hashlib
import html.parser
import io
import json
import os
import re
import sqlite3
import struct
import tarfile
import tempfile
import tomllib
import wave
import xml.etree.ElementTree as tree
import zipfile

CATEGORIES = ["books", "food", "garden", "paper", "tools", "toys"]
COLUMNS = ["id", "name", "price", "quantity", "category", "date"]
DAY_ZERO = datetime.date(1899, 12, 30)  # of a spreadsheet


class Wrong(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Wrong(message)


def articles(rows):
    """Facts of rows of texts (id, name, price, quantity, category, date)."""
    need([row[0] for row in rows] == [str(i + 1) for i in range(len(rows))], "ids do not count")
    for row in rows:
        need(len(row) == 6 and row[4] in CATEGORIES, "a strange row: %r" % (row,))
        datetime.date.fromisoformat(row[5])
        need(re.fullmatch(r"\d+\.\d\d", row[2]), "a price without two decimals: " + row[2])
    prices = [decimal.Decimal(row[2]) for row in rows]
    quantities = [int(row[3]) for row in rows]
    zero = decimal.Decimal("0.00")
    facts = {"rows": len(rows), "columns": 6, "sum.price": str(sum(prices, zero)), "sum.quantity": sum(quantities),
             "sum.value": str(sum((p * q for p, q in zip(prices, quantities)), zero))}
    for category in CATEGORIES:
        facts["count." + category] = sum(row[4] == category for row in rows)
    if rows:
        facts.update({"max.quantity": max(quantities), "min.quantity": min(quantities), "max.price": str(max(prices)),
                      "min.price": str(min(prices))})
    return facts


def words_of(lines):
    return sum(len(line.split(" ")) for line in lines)


def title_of(recipe, found, name="title"):
    need(found, "no title")
    need(not recipe[name] or recipe[name] == found, "another title than the one given: %r" % found)
    return found


def check_ndjson(recipe, data):
    newline = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}[recipe["newline"]]
    lines = data.decode("utf-8").split(newline)
    need(lines.pop() == "", "no final newline")
    rows = []
    for line in lines:
        row = json.loads(line, parse_float=str, parse_int=str)
        need(list(row) == COLUMNS, "other keys")
        rows.append(list(row.values()))
    return articles(rows)


def check_xml(recipe, data):
    root = tree.fromstring(data)
    prefix = "{urn:example:records}" if recipe["namespace"] else ""
    need(root.tag == prefix + "records", "another root")
    records = root.findall(prefix + "record")
    need(len(records) == len(root), "something else between the records")
    need([r.get("id") for r in records] == [str(i + 1) for i in range(len(records))], "ids do not count")
    amounts = [decimal.Decimal(r.find(prefix + "amount").text) for r in records]
    for r in records:
        need(r.find(prefix + "amount").get("currency") in ("EUR", "USD", "JPY"), "a strange currency")
        need(r.find(prefix + "city").text and r.find(prefix + "name").text == "record " + r.get("id"), "a strange record")
    facts = {"records": len(records), "root": "records", "sum.amount": str(sum(amounts, decimal.Decimal("0.00"))),
             "count.paid": sum(r.get("paid") == "true" for r in records),
             "count.note": sum(r.find(prefix + "note") is not None for r in records)}
    if records:
        facts.update({"max.amount": str(max(amounts)), "min.amount": str(min(amounts))})
    return facts


def read_flat(text, joint):
    """Lines NAME(joint)KEY=VALUE."""
    sections = {}
    for line in text.splitlines():
        name, value = line.split("=", 1)
        section, key = name.rsplit(joint, 1)
        sections.setdefault(section, {})[key] = value
    return sections


def read_yaml(text):
    """The little of YAML that is used: two levels of plain scalars."""
    sections, at = {}, None
    for line in text.splitlines():
        if not line.startswith("  "):
            need(line.endswith(":"), "a strange line")
            at = sections.setdefault(line[:-1], {})
        else:
            key, value = line[2:].split(": ", 1)
            at[key] = value
    return sections


def check_config(recipe, data):
    text, form = data.decode("ascii"), recipe["format"]
    if form == "ini":
        parser = configparser.ConfigParser()
        parser.read_string(text)
        sections = {name: dict(parser[name]) for name in parser.sections()}
    elif form == "toml":
        sections = tomllib.loads(text)
        for section in sections.values():
            need(isinstance(section["port"], int) and isinstance(section["enabled"], bool), "a value of another type")
            section["enabled"] = str(section["enabled"]).lower()
    elif form == "yaml":
        sections = read_yaml(text)
    elif form == "env":
        sections = read_flat(text, "_")
        need(text.replace("example.org", "").split("=")[0].isupper(), "a name in small letters")
        sections = {name.lower().replace("_", "-"): {k.lower(): v for k, v in keys.items()} for name, keys in sections.items()}
    else:
        sections = read_flat(text, ".")
    for name, keys in sections.items():
        need(list(keys) == ["host", "port", "timeout", "enabled"], "other keys")
        need(keys["host"] == name + ".example.org", "another host")
    values = list(sections.values())
    return {"sections": len(sections), "keys": sum(map(len, values)), "first-section": list(sections)[0],
            "first-port": int(values[0]["port"]), "max.port": max(int(v["port"]) for v in values),
            "sum.timeout": sum(int(v["timeout"]) for v in values), "count.enabled": sum(v["enabled"] == "true" for v in values)}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts, self.links, self.rows, self.declared = [], {}, [], [], None

    def handle_starttag(self, tag, attributes):
        if tag == "meta":
            self.declared = dict(attributes)["charset"]
            return
        self.open.append(tag)
        if tag in ("p", "title", "h1"):
            self.texts.setdefault(tag, []).append("")
        elif tag == "a":
            self.links.append(dict(attributes)["href"])
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        need(self.open and self.open.pop() == tag, "a tag is not closed")

    def handle_data(self, text):
        if self.open and self.open[-1] in ("p", "title", "h1"):
            self.texts[self.open[-1]][-1] += text
        elif self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += text


def check_html(recipe, data):
    codec = {"utf-8": "utf-8", "latin-1": "latin-1", "shift-jis": "shift_jis", "windows-1251": "cp1251", "none": "utf-8"}
    page = Page()
    page.feed(data.decode(codec[recipe["charset"]]))
    page.close()
    need(not page.open, "a tag is not closed")
    declared = {"utf-8": "utf-8", "latin-1": "iso-8859-1", "shift-jis": "shift_jis", "none": None}
    need(page.declared == declared.get(recipe["charset"], recipe["charset"]), "another charset is declared")
    need(not page.rows or page.rows.pop(0) == COLUMNS, "another header")
    need(page.texts["h1"] == page.texts["title"], "the heading is not the title")
    paragraphs = page.texts.get("p", [])
    facts = articles(page.rows)
    facts.update({"title": title_of(recipe, page.texts["title"][0]), "paragraphs": len(paragraphs),
                  "words": words_of(paragraphs), "links": len(page.links)})
    if paragraphs:
        facts["first-line"] = paragraphs[0]
    if page.links:
        facts["last-link"] = page.links[-1]
    return facts


def check_svg(recipe, data):
    name = "{http://www.w3.org/2000/svg}"
    root = tree.fromstring(data)
    bars = root.findall(name + "rect")
    values = [int(bar.get("data-value")) for bar in bars]
    height = int(root.get("height"))
    for bar, value in zip(bars, values):
        need(int(bar.get("y")) + int(bar.get("height")) == height, "a bar that does not stand on the ground")
        need(int(bar.get("height")) == (height - 40) * value // 1000, "a bar of another height than its value")
    return {"bars": len(bars), "width": int(root.get("width")), "height": height, "max": max(values), "min": min(values),
            "sum": sum(values), "title": title_of(recipe, root.find(name + "title").text)}


def check_wav(recipe, data):
    with wave.open(io.BytesIO(data)) as sound:
        rate, channels, width, frames = sound.getframerate(), sound.getnchannels(), sound.getsampwidth(), sound.getnframes()
        body = sound.readframes(frames)
    need(struct.unpack("<I", data[4:8])[0] == len(data) - 8, "another size in the RIFF header")
    samples = [b - 128 for b in body] if width == 1 else list(struct.unpack("<%dh" % (len(body) // 2), body))
    need(len(samples) == frames * channels, "samples are missing")
    if recipe["milliseconds"] >= 300:  # a tone: as often above as below, and it passes zero again and again
        need(abs(sum(samples)) < max(samples) * len(samples) / 50, "no tone")
        need(sum(a < 0 <= b for a, b in zip(samples[::channels], samples[channels::channels])) > 20, "no tone")
    return {"rate": rate, "channels": channels, "bits": 8 * width, "frames": frames, "milliseconds": recipe["milliseconds"],
            "seconds": "%d.%03d" % divmod(recipe["milliseconds"], 1000), "peak": max(map(abs, samples), default=0)}


def parts_of(data):
    """An Office package: its parts, after all that the package says about itself was looked up."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        need(archive.testzip() is None, "a damaged part")
        need(archive.namelist()[0] == "[Content_Types].xml", "the types are not first")
        parts = {name: archive.read(name) for name in archive.namelist()}
    types = tree.fromstring(parts["[Content_Types].xml"])
    for override in types:
        if override.get("PartName"):
            need(override.get("PartName")[1:] in parts, "a type of a part that is not there: " + override.get("PartName"))
    for name, text in parts.items():
        tree.fromstring(text)
        if name.endswith(".rels"):
            base = os.path.dirname(os.path.dirname(name))
            for relation in tree.fromstring(text):
                target = os.path.normpath(os.path.join(base, relation.get("Target")))
                need(target in parts, "a relation to a part that is not there: " + target)
    return parts


def property_of(parts, name):
    return tree.fromstring(parts["docProps/core.xml"]).find("{http://purl.org/dc/elements/1.1/}" + name).text


def check_docx(recipe, data):
    w = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    parts = parts_of(data)
    body = tree.fromstring(parts["word/document.xml"]).find(w + "body")
    lines = ["".join(t.text for t in p.iter(w + "t")) for p in body.findall(w + "p")]
    facts = {"paragraphs": len(lines), "words": words_of(lines), "title": title_of(recipe, property_of(parts, "title"))}
    if lines:
        facts.update({"first-line": lines[0], "last-line": lines[-1]})
    return facts


def cell_of(cell, formats):
    s = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    if cell.get("t") == "inlineStr":
        return cell.find(s + "is").find(s + "t").text
    value = cell.find(s + "v").text
    if formats[int(cell.get("s", "0"))] == "14":
        return str(DAY_ZERO + datetime.timedelta(int(value)))
    return value


def check_xlsx(recipe, data):
    s = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    parts = parts_of(data)
    sheet = tree.fromstring(parts["xl/workbook.xml"]).find(s + "sheets").find(s + "sheet").get("name")
    formats = [xf.get("numFmtId") for xf in tree.fromstring(parts["xl/styles.xml"]).find(s + "cellXfs")]
    rows = []
    for i, row in enumerate(tree.fromstring(parts["xl/worksheets/sheet1.xml"]).iter(s + "row")):
        need(row.get("r") == str(i + 1), "rows do not count")
        need(all(cell.get("r")[1:] == str(i + 1) for cell in row), "a cell of another row")
        rows.append({cell.get("r")[0]: (cell_of(cell, formats), cell.findtext(s + "f")) for cell in row})
    header = [value for value, _ in rows.pop(0).values()]
    need(header == COLUMNS, "another header")
    total = rows.pop() if recipe["sums"] and rows else None
    facts = articles([[row[column][0] for column in "ABCDEF"] for row in rows])
    if total:
        end = len(rows) + 1
        need(total["A"][0] == "total" and total["C"] == (facts["sum.price"], "SUM(C2:C%d)" % end) and
             total["D"] == (str(facts["sum.quantity"]), "SUM(D2:D%d)" % end), "other totals: %r" % (total,))
    facts.update({"header": ",".join(header), "sheet": sheet})
    return facts


def check_pptx(recipe, data):
    a = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    p = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
    parts = parts_of(data)
    count = len(tree.fromstring(parts["ppt/presentation.xml"]).find(p + "sldIdLst"))
    titles, lines = [], []
    for i in range(count):
        slide = tree.fromstring(parts["ppt/slides/slide%d.xml" % (i + 1)])
        for shape in slide.iter(p + "sp"):
            texts = [t.text for t in shape.iter(a + "t")]
            (titles if next(shape.iter(p + "ph")).get("type") == "title" else lines).extend(texts)
    need(len(titles) == count, "a slide without a title")
    need(titles[0] == property_of(parts, "title"), "the first slide's title is not the property")
    facts = {"slides": count, "lines": len(lines), "words": words_of(lines), "title": title_of(recipe, titles[0]),
             "last-title": titles[-1]}
    if lines:
        facts["first-line"] = lines[0]
    return facts


def check_eml(recipe, data, inner):
    need(b"\n" not in data.replace(b"\r\n", b""), "a line end that is not CR LF")
    need(data.isascii() and max(map(len, data.split(b"\r\n"))) <= 998, "a line that mail cannot carry")
    mail = email.message_from_bytes(data, policy=email.policy.default)
    need(not any(part.defects for part in mail.walk()), "defects")
    files = list(mail.iter_attachments())
    text = mail.get_body(("plain",)).get_content()
    lines = text.replace("\r\n", "\n").split("\n")
    need(lines.pop() == "", "no final newline")
    raw = email.message_from_bytes(data)["Subject"]
    decoded = "".join(piece.decode(codec or "ascii") if isinstance(piece, bytes) else piece
                      for piece, codec in email.header.decode_header(raw))
    facts = {"subject": title_of(recipe, decoded, "subject"), "from": mail["From"].addresses[0].addr_spec,
             "to": mail["To"].addresses[0].addr_spec, "lines": len(lines), "words": words_of(lines), "attachments": len(files)}
    if lines:
        facts["first-line"] = lines[0]
    for part in files:
        body = part.get_content()
        need(body == inner, "another attachment")
        facts.update({"attachment-name": part.get_filename(), "attachment-size": len(body),
                      "attachment-sha256": hashlib.sha256(body).hexdigest()})
    return facts


def check_sqlite(recipe, data):
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(data)
        file.flush()
        base = sqlite3.connect("file:%s?mode=ro&immutable=1" % file.name, uri=True)
        need(base.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the database is damaged")
        need(base.execute("PRAGMA page_size").fetchone()[0] == recipe["page-size"], "another page size")
        need(len(data) == recipe["page-size"] * base.execute("PRAGMA page_count").fetchone()[0], "another page count")
        tables = [name for name, in base.execute("SELECT name FROM sqlite_schema ORDER BY rowid")]
        rows = base.execute("SELECT * FROM %s ORDER BY rowid" % tables[0]).fetchall()
        for i in range(1, len(rows) + 1, 97):  # by key, down the tree
            need(base.execute("SELECT name FROM articles WHERE id = ?", (i,)).fetchone()[0] == rows[i - 1][1], "another row")
        kinds = set(base.execute("SELECT typeof(id), typeof(name), typeof(price), typeof(cents) FROM articles"))
        need(kinds <= {("integer", "text", "real", "integer")}, "columns of other types")
        counts = dict(base.execute("SELECT name, articles FROM categories"))
        base.close()
    need(all(round(price * 100) == cents for _, _, price, cents, *_ in rows), "a price that is not its cents")
    facts = articles([[str(i), name, "%d.%02d" % divmod(cents, 100), str(quantity), category, day]
                      for i, name, _, cents, quantity, category, day in rows])
    need(counts == {c: facts["count." + c] for c in CATEGORIES}, "other counts in categories")
    facts.update({"columns": 7, "tables": len(tables), "table": tables[0], "sum.cents": sum(row[3] for row in rows)})
    return facts


def quarters(values, dtype):
    if dtype[0] == "i":
        return {"sum": sum(values)} | ({"max": max(values), "min": min(values)} if values else {})
    exact = [decimal.Decimal(value) for value in values]
    text = lambda value: str(value.quantize(decimal.Decimal("0.01")))
    return {"sum": text(sum(exact, decimal.Decimal(0)))} | ({"max": text(max(exact)), "min": text(min(exact))} if values else {})


def check_npy(recipe, data):
    need(data[:8] == b"\x93NUMPY\x01\x00", "another magic number")
    (length,) = struct.unpack("<H", data[8:10])
    need((10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n", "a header that is not aligned")
    header = eval(data[10:10 + length].decode("ascii"), {"__builtins__": {}})  # it is a Python dictionary
    need(set(header) == {"descr", "fortran_order", "shape"} and header["fortran_order"] is False, "another header")
    dtype, shape = header["descr"][1:], header["shape"]
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    values = list(struct.unpack("<%d%s" % (count, {"f4": "f", "f8": "d", "i4": "i", "i8": "q"}[dtype]), data[10 + length:]))
    return quarters(values, dtype) | {"rows": shape[0], "columns": shape[1] if len(shape) > 1 else 0, "elements": count,
                                      "dtype": dtype}


def check_safetensors(recipe, data):
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    need(header.pop("__metadata__") == {"format": "pt"}, "other metadata")
    body, at, count = data[8 + length:], 0, 0
    for name, tensor in header.items():
        elements = 1
        for side in tensor["shape"]:
            elements *= side
        need(tensor["dtype"] == "F32" and tensor["data_offsets"] == [at, at + 4 * elements], "a tensor out of place: " + name)
        at, count = at + 4 * elements, count + elements
    need(at == len(body), "bytes behind the last tensor")
    values = struct.unpack("<%df" % count, body)
    return {"tensors": len(header), "parameters": count, "first-tensor": list(header)[0], "sum": quarters(values, "f4")["sum"]}


def check_notebook(recipe, data):
    book = json.loads(data)
    need((book["nbformat"], book["nbformat_minor"]) == (4, 5), "another version")
    cells = book["cells"]
    need(len({cell["id"] for cell in cells}) == len(cells), "an id twice")
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    printed = []
    names = {"print": lambda value: printed.append(value)}
    for cell in code:
        exec("".join(cell["source"]), names)
    need(cells[-1]["cell_type"] == "code" and len(printed) == 1, "the last cell prints nothing")
    outputs = [output for cell in code for output in cell["outputs"]]
    expected = [{"name": "stdout", "output_type": "stream", "text": ["%d\n" % printed[0]]}] if recipe["outputs"] else []
    need(outputs == expected, "other outputs")
    return {"cells": len(cells), "code-cells": len(code), "markdown-cells": sum(c["cell_type"] == "markdown" for c in cells),
            "kernel": book["metadata"]["kernelspec"]["name"], "answer": printed[0]}


def members_of(data):
    """(name, bytes, mode, target of a link) of a tar, gzipped or not, or a ZIP archive."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            need(archive.testzip() is None, "a damaged member")
            need(all(info.date_time == (1980, 1, 1, 0, 0, 0) for info in archive.infolist()), "another date")
            return [(info.filename, archive.read(info), info.external_attr >> 16 & 0o7777, "") for info in archive.infolist()]
    members = []
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for info in archive:
            need((info.uid, info.gid, info.mtime) == (0, 0, 1577836800), "another owner or time")
            body = archive.extractfile(info).read() if info.isfile() else b""
            members.append((info.name, body, info.mode, info.linkname))
    return members


def member_facts(members):
    need(len({name for name, *_ in members}) == len(members), "a name twice")
    facts = {"entries": len(members), "total": sum(len(body) for _, body, *_ in members),
             "names": [name for name, *_ in members],
             "executables": sum(bool(mode & 0o111) and not target for _, _, mode, target in members)}
    if members:
        facts.update({"first-name": members[0][0], "last-name": members[-1][0], "first-size": len(members[0][1]),
                      "first-sha256": hashlib.sha256(members[0][1]).hexdigest()})
    return facts


def check_archive(recipe, data, inner):
    need((data[:2] == b"\x1f\x8b") == (recipe.get("compress") == "gzip"), "compressed or not")
    members = members_of(data)
    files = members[1:] if recipe["file-name"] else members
    if recipe["file-name"]:
        need(members[0][:2] == (recipe["file-name"], inner), "another first member")
    for name, body, mode, target in files[:recipe["files"]]:
        need(mode == 0o644 and not target and body.count(b"\n") == recipe["lines"], "a strange member: " + name)
    if recipe["names"] == "mixed" and recipe["files"] >= 5:
        need(any(len(name) > 100 for name, *_ in members) and any(not name.isascii() for name, *_ in members), "plain names")
    if recipe.get("symlink"):
        need(members[-1][3] in [name for name, *_ in members], "a link to nothing")
    return member_facts(members)


def check_gzip(recipe, data, inner):
    need(data[4:8] == bytes(4), "a time")
    need(gzip.decompress(data) == inner, "another content")
    if recipe["file-name"]:
        need(data[10:].startswith(recipe["file-name"].encode() + b"\0"), "another name")
    return {"plain-size": len(inner), "plain-sha256": hashlib.sha256(inner).hexdigest()}


# Of each language: how modules look, and where.
TREES = {"python": (r"app/(?!__init__)\w+\.py", "main.py", "tests/test_modules.py", "assertEqual"),
         "c": (r"src/(?!main)\w+\.c", "src/main.c", "tests/test_modules.c", "    check("),
         "java": (r"src/app/(?!Main|ModulesTest)\w+\.java", "src/app/Main.java", "src/app/ModulesTest.java", "        check("),
         "rust": (r"src/(?!main|tests)\w+\.rs", "src/main.rs", "src/tests.rs", "assert_eq!"),
         "node": (r"src/\w+\.js", "main.js", "test/modules.test.js", "strictEqual")}
COMMANDS = {"python": (None, "python3 main.py", "python3 -m unittest"), "c": ("make", "./app", "make test"),
            "java": ("sh build.sh", "java -cp out app.Main", "java -cp out app.ModulesTest"),
            "rust": ("cargo build --offline", "cargo run --offline --quiet", "cargo test --offline --quiet"),
            "node": (None, "node main.js", "node --test")}


def tree_facts(language, files):
    """What the texts of a tree compute and expect, read with regular expressions."""
    pattern, entry, test, assertion = TREES[language]
    steps = {}
    for path, text in files.items():
        if re.fullmatch(pattern, path):
            a, b, m = map(int, re.search(r"\(x \* (\d+) \+ (\d+)\) % (\d+)", text).groups())
            steps[os.path.basename(path).split(".")[0].lower()] = (path, a, b, m)
    tests = {}
    for line in files[test].splitlines():
        numbers = re.search(r"(\w+?)(?:\.|::|_)value\((\d+)\), (\d+)", line)
        if numbers and assertion.strip() in line:
            tests[numbers.group(1).lower()] = (int(numbers.group(2)), int(numbers.group(3)))
    need(set(tests) == set(steps), "a module without a test, or the other way round")
    wrong = [name for name, (x, expected) in tests.items()
             if (x * steps[name][1] + steps[name][2]) % steps[name][3] != expected]
    order = re.findall(r"x = (\w+?)(?:\.|::|_)value\(x\)", files[entry])
    start = int(re.search(r"(?:run\(|x = |i64 = )(\d+)", files[entry]).group(1))

    def run(repair):
        x = start
        for name in order:
            _, a, b, m = steps[name.lower()]
            x = (x * a + b - (repair and name.lower() in wrong)) % m
        return x

    need(sorted(name.lower() for name in order) == sorted(steps), "the program leaves out a module")
    build, command, check = COMMANDS[language]
    facts = {"language": language, "tests": len(tests), "failing": len(wrong), "printed": run(False), "answer": run(True),
             "entry": entry, "run": command, "test": check}
    if build:
        facts["build"] = build
    if wrong:
        facts["buggy"] = steps[wrong[0]][0]
    return facts


def check_project(recipe, data):
    members = members_of(data)
    folder = recipe["folder"] + "/" if recipe["folder"] else ""
    need(all(name.startswith(folder) for name, *_ in members), "a file outside the folder")
    facts = tree_facts(recipe["language"], {name[len(folder):]: body.decode("ascii") for name, body, *_ in members})
    need(facts["failing"] == recipe["bug"], "a bug or none")
    facts.update({"files": len(members), "folder": recipe["folder"], "names": [name for name, *_ in members],
                  "total": sum(len(body) for _, body, *_ in members)})
    return facts


def check_source(recipe, data, trees):
    """The file of the same tree that project packed; trees is a list of (recipe, bytes, facts)."""
    same = ("language", "modules", "bug", "seed")
    for project, packed, facts in trees:
        if all(project[name] == recipe[name] for name in same):
            break
    else:
        raise Wrong("there is no project of the same tree to compare with")
    files = {name[len(project["folder"]):].lstrip("/"): body for name, body, *_ in members_of(packed)}
    paths = [path for path, body in files.items() if body == data]
    need(len(paths) == 1, "no file of the tree")
    mains = [path for path in files if re.fullmatch(TREES[recipe["language"]][0], path)]
    stem = lambda path: os.path.basename(path).split(".")[0].lower()
    expected = {name: facts[name] for name in facts if name in check_project(project, packed) and name not in
                ("files", "folder", "names", "total")}
    order = [stem(path) for path in mains]
    if recipe["file"] in ("module", "header"):
        need(stem(paths[0]) == order[recipe["module"]], "another module")
    return expected | {"path": paths[0], "module": order[recipe["module"]]}
