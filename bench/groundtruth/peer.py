"""The peer: mcp-fuzzer from PyPI on the same leakybox for the same time. It judges differently, so it is scored by the faults that it
triggers, which leakybox says itself; whether it would notice is not asked."""
import os
import subprocess
import sys
import time

VERSION = "0.7.0"


def installed(out):
    """Its program, installed once below OUT."""
    venv = os.path.join(out, "mcp-fuzzer")
    program = os.path.join(venv, "bin", "mcp-fuzzer")
    if not os.path.exists(program):
        subprocess.run(["/usr/bin/python3", "-m", "venv", venv], check=True)
        subprocess.run([os.path.join(venv, "bin", "pip"), "install", "-q", f"mcp-fuzzer=={VERSION}"], check=True)
    return program


def server_line(options, place, faults):
    """leakybox in a box of its own: what a fuzzer writes into its shell must not meet this machine."""
    root = os.path.join(place, "root")
    leakybox = os.path.join(options.build, "bench", "leakybox", "leakybox")
    box = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", place, place,
           "--ro-bind", leakybox, leakybox, "--unshare-all", "--die-with-parent", "--chdir", root,
           "--setenv", "LEAKYBOX_CANARY", os.path.join(place, "canary")]
    server = os.path.join(place, "server")
    with open(server, "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\nexec " + " ".join([*box, leakybox, root, "--faults", faults]) + "\n")
    os.chmod(server, 0o755)
    return server


def read_marks(path, position, first, begun):
    """New lines of the canary file; returns where to go on."""
    try:
        with open(path, encoding="utf-8") as file:
            file.seek(position)
            for line in iter(file.readline, ""):
                if not line.endswith("\n"):
                    break
                position = file.tell()
                name, _, what = line.rstrip("\n").partition(" ")
                first.setdefault((name, what), time.monotonic() - begun)
    except FileNotFoundError:
        pass
    return position


def fuzz(options, seed, place, faults):
    """Started again with another seed whenever it ends, until the time is over."""
    program = installed(options.out)
    os.mkdir(os.path.join(place, "root"))
    server = server_line(options, place, faults)
    first, position, begun = {}, 0, time.monotonic()
    number = 0
    while (left := options.time - (time.monotonic() - begun)) > 1:
        # Everything that it has: both phases of both kinds, its learned sequences, its stacked mutations of what it kept.
        words = [program, "--mode", "all", "--phase", "both", "--protocol-phase", ("realistic", "aggressive")[number % 2], "--runs", "50",
                 "--runs-per-type", "20", "--stateful", "--stateful-runs", "20", "--havoc", "--corpus", "--protocol", "stdio",
                 "--endpoint", server, "--fs-root", os.path.join(place, "root"), "--seed", str(seed * 1000 + number),
                 "--output-dir", os.path.join(place, "reports")]
        with open(os.path.join(place, "log"), "a", encoding="utf-8") as log:
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=place,
                                     env=dict(os.environ, HOME=place), start_new_session=True)
        end = time.monotonic() + left
        while child.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
            position = read_marks(os.path.join(place, "canary"), position, first, begun)
        if child.poll() is None:
            os.killpg(child.pid, 9)
        child.wait()
        number += 1
        if number > 3 and not first and time.monotonic() - begun < 20:
            print(f"peer: it ends at once; see {place}/log", file=sys.stderr)
            return 3, first
    read_marks(os.path.join(place, "canary"), position, first, begun)
    return 0, first
