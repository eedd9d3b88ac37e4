#!/usr/bin/env python3
"""Does at the wire what mpremote does: ends the program with Ctrl-C, enters the raw REPL, runs code
there. For tests; only what saintctl needs, with Python's own library.
"""

import os
import select
import sys
import termios
import time
import tty
from pathlib import Path

PROMPT = b"raw REPL; CTRL-B to exit\r\n>"


class Wire:
    def __init__(self, device: str) -> None:
        self.descriptor = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.descriptor)
        termios.tcflush(self.descriptor, termios.TCIOFLUSH)

    def until(self, end: bytes, limit_s: float = 1.0) -> bytes:
        found, stop = b"", time.monotonic() + limit_s
        while not found.endswith(end) and time.monotonic() < stop:
            if select.select([self.descriptor], [], [], 0.05)[0]:
                found += os.read(self.descriptor, 4096)
        return found

    def send(self, data: bytes) -> None:
        while data:
            select.select([], [self.descriptor], [], 1.0)
            data = data[os.write(self.descriptor, data[:256]) :]

    def enter(self) -> None:
        self.send(b"\r\x03\x03")
        self.until(b">>> ", 0.3)
        self.send(b"\r\x01")
        if not self.until(PROMPT).endswith(PROMPT):
            sys.exit("mpremote: could not enter raw repl")

    def run(self, code: str) -> None:
        self.send(code.encode() + b"\x04")
        reply = self.until(b"\x04>", 3.0)
        if not reply.startswith(b"OK") or reply.count(b"\x04") < 2 or reply[2:].split(b"\x04")[1]:
            sys.exit(f"mpremote: the board said {reply!r}")


def put(wire: Wire, source: Path, name: str) -> None:
    wire.run(f"f = open({name!r}, 'wb')")
    data = source.read_bytes()
    for at in range(0, len(data), 512):
        wire.run(f"f.write({data[at : at + 512]!r})")
    wire.run("f.close()")


def main() -> None:
    connect, device, verb, *rest = sys.argv[1:]
    assert connect == "connect"
    wire = Wire(device)
    wire.enter()
    if verb == "exec":
        wire.run(rest[0])
    elif rest[:2] == ["cp", "-r"]:
        folder = Path(rest[2])
        for path in (folder, *sorted(folder.rglob("*"))):
            name = str(path.relative_to(folder.parent))
            if path.is_dir():
                wire.run(f"import os; os.path_exists({name!r}) or os.mkdir({name!r})")
            else:
                put(wire, path, name)
    else:
        put(wire, Path(rest[1]), rest[2].removeprefix(":"))
        if rest[3:] == ["+", "reset"]:
            wire.send(b"import machine; machine.reset()\x04")


main()
