"""report_tui.py B RECORDING - the terminal UI, seen and used through a pseudoterminal"""
import base64
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

B, RECORDING = sys.argv[1], sys.argv[2]
LEFT = b"\x1b[?1049l"			# the screen as it was before


class Terminal:
    """A program on a terminal of its own; all that it wrote is in seen."""

    def __init__(self, command, rows=30, columns=120, stdin=None):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            if stdin is not None:
                os.dup2(stdin, 0)
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execv(command[0], command)
        self.modes = termios.tcgetattr(self.fd)

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += more
        return bool(more)

    def until(self, text, since=0, seconds=60):
        """True once text was written, after since bytes."""
        end = time.monotonic() + seconds
        while text not in self.seen[since:]:
            if time.monotonic() > end or (not self.read(0.2) and self.ended()):
                return text in self.seen[since:]
        return True

    def until_keys(self, seconds=60):
        """Until it takes keys one by one, and throws away no earlier ones."""
        self.until(b"\x1b[?1049h")
        end = time.monotonic() + seconds
        while termios.tcgetattr(self.fd)[3] & termios.ICANON and time.monotonic() < end:
            self.read(0.05)
        self.read(0.2)

    def ended(self):
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def press(self, keys):
        """Where the answer begins."""
        mark = len(self.seen)
        os.write(self.fd, keys)
        return mark

    def status(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < end:
            self.read(0.2)
        while self.read(0.2):
            pass
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            return "no end"
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def case(name, good, *why):
    print("%s - %s" % ("ok" if good else "not ok", name))
    if not good:
        print("    " + ascii(why)[:1500])


def report(*options, **size):
    return Terminal([B + "/iotap-report", "--tui", *options, RECORDING], **size)


t = report()
case("shows what it read, and that it has ended", t.until(b"q ends") and b"curl" in t.seen, t.seen[-500:])
mark = t.press(b"2")
case("another tab", t.until(b"tcp", mark), t.seen[mark:])
mark = t.press(b"\x1bOB")
case("Down selects", t.until(b">", mark), t.seen[mark:])
mark = t.press(b"y")
case("y copies the address", t.until(b"\x1b]52;c;", mark) and t.until(b"\a", mark), t.seen[mark:])
copied = t.seen[mark:].split(b"\x1b]52;c;")[-1].split(b"\a")[0]
case("y copies the address: as base64", b":" in base64.b64decode(copied), copied)
# situation: 136
for name, keys in ("Ctrl-A", b"\x01"), ("Alt-q", b"\x1bq"), ("Ctrl-Q", b"\x11"):
    t.press(keys)
    time.sleep(0.2)
    case("%s does nothing" % name, not t.ended())
mark = t.press(b"q")
case("q ends: status", t.status() == 0)
case("q ends: the terminal is as it was, and the summary follows",
     LEFT in t.seen[mark:] and b"iotap summary" in t.seen[mark:].split(LEFT)[-1], t.seen[mark:])

# situation: 142
t = report()
t.until(b"q ends")
os.kill(t.pid, signal.SIGTERM)
case("SIGTERM: status", t.status() == 0)
case("SIGTERM: the terminal is as it was, and the summary follows", b"iotap summary" in t.seen.split(LEFT)[-1], t.seen[-500:])

t = report()
t.until(b"q ends")
t.press(b"\x03")
case("Ctrl-C ends", t.status() == 0)

for rows, columns in (1, 1), (2, 5), (12, 20):
    t = report(rows=rows, columns=columns)
    t.until_keys()
    t.press(b"\x1bOB\r\t\tq")
    case("a screen of %d by %d" % (columns, rows), t.status() == 0)

t = report("-q")
case("-q: no events", t.until(b"q ends") and b"3 Events" not in t.seen)
t.press(b"q")
t.status()

# Live: a part of a stream, then nothing for a while.
whole = open(RECORDING, "rb").read()
reader, writer = os.pipe()
t = Terminal([B + "/iotap-report", "--tui", "-"], stdin=reader)
os.close(reader)
os.write(writer, whole[:-1])
case("live: shown while it comes", t.until(b"Files (") and b"q ends" not in t.seen, t.seen[-300:])
mark = t.press(b"2")
case("live: keys are obeyed while nothing comes", t.until(b"tcp", mark), t.seen[mark:])
os.close(writer)
case("live: its end is said", t.until(b"q ends", mark))
t.press(b"q")
case("live: cut off: status 4", t.status() == 4)

reader, writer = os.pipe()
t = Terminal([B + "/iotap-report", "--tui", "-"], stdin=reader)
os.close(reader)
os.write(writer, whole[:-1])
t.until(b"Files (")
t.press(b"q")
case("live: q does not wait for the rest", t.status(20) in (0, 4))
os.close(writer)

t = Terminal([B + "/iotap", "--tui", "--replay", RECORDING])
case("iotap --tui --replay", t.until(b"q ends"), t.seen[-300:])
t.press(b"q")
case("iotap --tui --replay: status", t.status() == 0)

t = Terminal([B + "/iotap-report", "--tui", "/dev/null"])
case("no recording: said after the terminal is given back", t.status() == 1 and b"is empty" in t.seen.split(LEFT)[-1], t.seen[-300:])
