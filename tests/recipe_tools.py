"""What public tools say about contents: pngcheck, pdftotext, unzip, sqlite3, compilers. A tool that is not there is a fault;
scripts/packages-test.txt names the Debian packages."""

import os
import shutil
import subprocess
import tempfile

from recipe_formats import Wrong, need, title_of


def run(*command, cwd=None, status=0):
    """Output and errors of a command, which must end with that status (None: any but 0)."""
    if not command[0].startswith("./") and not shutil.which(command[0]):
        raise Wrong("%s is not installed; scripts/packages-test.txt lists what the tests need" % command[0])
    environment = dict(os.environ, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, timeout=50)
    text = done.stdout.decode("utf-8", "replace")
    need(done.returncode == status if status is not None else done.returncode != 0,
         "%s: status %d: %s" % (" ".join(command), done.returncode, text[-2000:]))
    return text


def kind(path, expected):
    found = run("file", "--brief", path)
    need(expected in found, "file says %r, not %r" % (found, expected))


def check_png(entry, path):
    with tempfile.TemporaryDirectory() as folder:  # the name is looked at
        shutil.copy(path, os.path.join(folder, "a.png"))
        need("OK" in run("pngcheck", os.path.join(folder, "a.png")), "pngcheck finds faults")
    kind(path, "PNG image data, %d x %d" % (entry["facts"]["width"], entry["facts"]["height"]))


def check_wav(entry, path):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.wav")
        shutil.copy(path, name)
        shown = [run("soxi", flag, name).strip() for flag in ("-s", "-r", "-c", "-b")]
    need(shown == [str(entry["facts"][fact]) for fact in ("frames", "rate", "channels", "bits")], "soxi says %r" % shown)
    kind(path, "WAVE audio")


def check_pdf(entry, path):
    """All facts of a PDF, for which Python has no reader; the text comes out whole and in its order."""
    shown = run("pdfinfo", path)
    need("rror" not in shown, "pdfinfo: " + shown)
    values = dict(line.split(":", 1) for line in shown.splitlines() if ":" in line)
    text = run("pdftotext", path, "-")
    need("rror" not in text, "pdftotext: " + text[:200])
    lines = [line for page in text.split("\f") for line in page.splitlines() if line]
    need(len(lines) == entry["recipe"]["pages"] * entry["recipe"]["lines"], "%d lines" % len(lines))
    facts = {"pages": int(values["Pages"]), "title": title_of(entry["recipe"], values["Title"].strip()), "lines": len(lines),
             "words": sum(len(line.split()) for line in lines), "first-line": lines[0], "last-line": lines[-1]}
    facts["size"] = os.path.getsize(path)
    facts["sha256"] = run("sha256sum", path).split()[0]
    need(facts == entry["facts"], "%r, taskgen says %r" % (facts, entry["facts"]))
    with open(path, "rb") as file:  # every entry of the table leads to its object
        data = file.read()
    table = data[int(data.split(b"startxref\n")[1].split(b"\n")[0]):].split(b"trailer")[0].splitlines()
    for number, line in enumerate(table[3:], 1):
        offset, _, use = line.split()
        need(use == b"f" or data[int(offset):].startswith(b"%d 0 obj\n" % number), "object %d is elsewhere" % number)


def check_zip(entry, path):
    if entry["facts"].get("entries", 1):  # unzip calls an empty archive a warning
        run("unzip", "-tq", path)
        with tempfile.TemporaryDirectory() as folder:  # zip goes by the name
            shutil.copy(path, os.path.join(folder, "a.zip"))
            run("zip", "-T", os.path.join(folder, "a.zip"))
    kind(path, "Zip archive data")


def check_office(word):
    def check(entry, path):
        run("unzip", "-tq", path)
        kind(path, word)
    return check


def check_tar(entry, path):
    names = run("tar", "--quoting-style=literal", "-tf", path).splitlines()
    need(names == entry["facts"]["names"], "tar lists %r" % names)
    if names:
        kind(path, "gzip" if entry["recipe"]["compress"] == "gzip" else "tar archive")


def check_gzip(entry, path):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.gz")
        shutil.copy(path, name)
        run("gzip", "-t", name)
        run("gzip", "-d", name)
        need(run("sha256sum", name[:-3]).split()[0] == entry["facts"]["plain-sha256"], "gzip -d makes other bytes")


def check_sqlite(entry, path):
    query = "PRAGMA integrity_check; SELECT count(*), coalesce(sum(cents), 0), printf('%.2f', sum(price)) FROM articles;"
    facts = entry["facts"]
    expected = "ok\n%d|%d|%s\n" % (facts["rows"], facts["sum.cents"], facts["sum.price"])
    with tempfile.TemporaryDirectory() as folder:  # a copy: sqlite3 may write beside it
        shutil.copy(path, os.path.join(folder, "a.db"))
        shown = run("sqlite3", os.path.join(folder, "a.db"), query)
    need(shown == expected, "sqlite3 says %r, not %r" % (shown, expected))
    kind(path, "SQLite 3.x database")


def check_xml(entry, path):
    run("xmllint", "--noout", path)


def check_json(entry, path):
    kind(path, "JSON")


def unpack(entry, path, folder):
    if entry["recipe"]["container"] == "zip":
        run("unzip", "-q", path, "-d", folder)
    else:
        run("tar", "-xf", path, "-C", folder)
    return os.path.join(folder, entry["recipe"]["folder"])


def check_project(entry, path):
    """Builds, runs and tests the tree with the commands that the facts name."""
    facts = entry["facts"]
    bug = entry["recipe"]["bug"]
    with tempfile.TemporaryDirectory() as folder:
        tree = unpack(entry, path, folder)
        if "build" in facts:
            run(*facts["build"].split(), cwd=tree)
        need(run(*facts["run"].split(), cwd=tree).strip() == str(facts["printed"]), "the program prints something else")
        tested = run(*facts["test"].split(), cwd=tree, status=None if bug else 0)
    if bug:
        module = os.path.basename(facts["buggy"]).split(".")[0].lower()
        need(module in tested, "the test does not name the module with the bug")
    else:
        need(facts["failing"] == 0 and facts["printed"] == facts["answer"], "no bug, but something fails")


def check_source(entry, path):
    commands = {".py": ("python3", "-m", "py_compile"), ".js": ("node", "--check")}
    file_name = os.path.basename(entry["facts"]["path"])
    command = commands.get(os.path.splitext(file_name)[1])
    if command:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(path, os.path.join(folder, file_name))
            run(*command, os.path.join(folder, file_name))


TOOLS = {"png": check_png, "wav": check_wav, "pdf": check_pdf, "zip": check_zip, "tar": check_tar, "gzip": check_gzip,
         "docx": check_office("Microsoft Word 2007+"), "xlsx": check_office("Microsoft Excel 2007+"),
         "pptx": check_office("Microsoft PowerPoint 2007+"), "sqlite": check_sqlite, "xml": check_xml, "svg": check_xml,
         "notebook": check_json, "project": check_project, "source": check_source}


def check(entry, path):
    tool = TOOLS.get(entry["recipe"]["$recipe"])
    if tool:
        tool(entry, path)
