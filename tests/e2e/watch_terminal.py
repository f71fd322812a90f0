"""The live view as a terminal shows it: watch_terminal.py TASKGEN, in a directory with many.jsonl and own.ini. A pseudo-terminal runs
taskgen, pyte shows what would be seen."""
import fcntl, os, pty, re, select, signal, struct, sys, termios, time
import pyte

COMMAND = [sys.argv[1], "run", "--target", "exec:", "-w", "1", "--db", "terminal.db", "--set", "status.interval=200", "--set",
           "confirm.runs=1", "--set", "confirm.need=1", "--checks", "own.ini", "many.jsonl"]


class Terminal:
    def __init__(self, columns, rows):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(COMMAND[0], COMMAND)
        self.size(columns, rows)

    def size(self, columns, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def read(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    return False
                self.raw += data
                self.stream.feed(data)
        return True

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def wait_for(self, what, seconds=20):
        end = time.time() + seconds
        while not what(self.lines()):
            if time.time() > end or not self.read(0.1):
                sys.exit("not seen: %s\n%s" % (what.__doc__, "\n".join(self.lines())))


def views(lines):
    return [i for i, line in enumerate(lines) if re.fullmatch(r"taskgen r.*  \d+:\d\d:\d\d", line)]


def is_up(lines):
    "one view, below the finding, that counts tasks and the finding"
    return (len(views(lines)) == 1 and any(l.startswith("confirmed ") for l in lines[:views(lines)[0]])
            and any(l.startswith("findings   1 confirmed") for l in lines) and any(l.startswith("tasks      2") for l in lines))


def is_once(lines):
    "one view after the size has changed, cut to it"
    return len(views(lines)) == 1


t = Terminal(80, 24)
t.wait_for(is_up)
first = t.lines()[views(t.lines())[0]]
assert len(first) == 79 and first[-7:].startswith("0:00:"), first
assert t.screen.cursor.x == 0 and t.lines()[t.screen.cursor.y] == "" and t.lines()[t.screen.cursor.y - 1], "the cursor stands elsewhere"
t.read(0.4)
assert is_up(t.lines()) or len(views(t.lines())) == 1, "\n".join(t.lines())

# narrower, lower, and wider again: one view, nothing wrapped
for columns, rows in ((40, 12), (20, 8), (100, 30)):
    t.size(columns, rows)
    t.screen.reset()  # terminals differ in what they do to old lines; what is drawn from now on counts
    t.stream.feed(b"\r\n" * (rows // 3))
    t.read(0.3)
    t.wait_for(is_once)
    assert all(len(line) < columns for line in t.lines()), "\n".join(t.lines())

# ^S stops the output and nothing else; ^Q gives it back
os.write(t.fd, b"\x13")
t.read(0.3)
before = len(t.raw)
tasks = t.lines()
t.read(0.6)
assert len(t.raw) == before, "drawn on a terminal that is stopped"
os.write(t.fd, b"\x11")
t.wait_for(is_once)
t.read(0.5)
assert t.lines() != tasks, "the campaign has stopped too"

# stopped, the shell writes, it goes on: what the shell wrote is not wiped
os.kill(t.pid, signal.SIGTSTP)
t.read(0.3)
t.screen.reset()
t.stream.feed(b"[1]+  Stopped\r\n$ fg\r\n")
os.kill(t.pid, signal.SIGCONT)
t.read(0.4)
t.wait_for(is_once)
assert "$ fg" in t.lines(), "\n".join(t.lines())

# ended by a signal: the view is gone, the summary stands below the finding, no mode of the terminal was changed
os.kill(t.pid, signal.SIGTERM)
while t.read(0.2):
    pass
status = os.waitstatus_to_exitcode(os.waitpid(t.pid, 0)[1])
assert status == 143, status
lines = t.lines()
assert not views(lines) and any(", stopped: " in line for line in lines), "\n".join(lines)
assert b"\x1b[?" not in t.raw and b"\x1b[r" not in t.raw and b"\x1bc" not in t.raw
