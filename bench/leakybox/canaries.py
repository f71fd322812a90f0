"""What leakybox writes about itself: which faults were reached and which did harm, in every session below a directory."""
import os
import threading
import time

# In the session's home directory, which a target in the box may write to. It goes with the session: see Canaries.
CANARY = ".leakybox-canary"


class Canaries(threading.Thread):
    """Reads the canary files of all sessions below a directory as they grow. A file is held open until its session has gone, so that
    what was written last is read too."""

    def __init__(self, top, period=0.01):
        super().__init__(daemon=True)
        self.top = top
        self.period = period
        self.begun = time.monotonic()
        self.files = {}
        self.rest = {}
        self.first = {}  # (fault, "reached" or "triggered"): seconds since the beginning
        self.over = threading.Event()

    def look(self):
        there = set()
        for name in os.listdir(self.top):
            path = os.path.join(self.top, name, "home", CANARY)
            there.add(path)
            if path not in self.files:
                try:
                    self.files[path] = open(path, encoding="utf-8")
                except OSError:
                    pass
        for path in list(self.files):
            gone = path not in there
            self.read(path)
            if gone:
                self.files.pop(path).close()
                self.rest.pop(path, None)

    def read(self, path):
        lines = (self.rest.get(path, "") + self.files[path].read()).split("\n")
        self.rest[path] = lines.pop()
        for line in lines:
            name, _, what = line.partition(" ")
            self.first.setdefault((name, what), time.monotonic() - self.begun)

    def run(self):
        while not self.over.wait(self.period):
            self.look()

    def end(self):
        """What was seen first when; nothing is read any more."""
        self.over.set()
        self.join()
        self.look()
        for file in self.files.values():
            file.close()
        self.files = {}
        return self.first

    def triggered(self):
        return {name for name, what in self.end() if what == "triggered"}
