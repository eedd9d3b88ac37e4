"""The console of a board in this terminal, or for a script: lines in, replies out."""

import os
import select
import sys
import time
from collections.abc import Iterable
from typing import Final, TextIO

from ...lib.hw.buses.serial import SerialPort, open_serial
from .boards import BAUD, REPLY_S

_QUIET_S: Final = 0.05  # a reply is complete when nothing more comes


def converse(device: str, lines: Iterable[str], out: TextIO) -> bool:
    """Send lines and write the replies; after an error, or none, nothing more is sent. Return
    whether all were carried out. Raises SaintError.
    """
    port = open_serial(device, BAUD)
    try:
        return all(_exchange(port, line, out) for line in lines)
    finally:
        port.close()


def _exchange(port: SerialPort, line: str, out: TextIO) -> bool:
    port.write(line.encode() + b"\n")
    reply = _reply(port)
    out.write(reply)
    out.flush()
    return bool(reply) and not reply.startswith("ERR")


def _reply(port: SerialPort) -> str:
    found, end_s = b"", time.monotonic() + REPLY_S
    while (left_s := end_s - time.monotonic()) > 0:
        wait_s = min(left_s, _QUIET_S) if found.endswith(b"\n") else left_s
        if not select.select([port.fileno()], [], [], wait_s)[0]:
            break
        found += port.read()
    return found.decode(errors="replace")


def attach(device: str) -> None:
    """Connect this terminal with the board until the end of input (Ctrl-D). Raises SaintError."""
    port = open_serial(device, BAUD)
    try:
        while True:
            ready = select.select([sys.stdin, port.fileno()], [], [])[0]
            if port.fileno() in ready:
                sys.stdout.write(port.read().decode(errors="replace"))
                sys.stdout.flush()
            if sys.stdin in ready:
                data = os.read(sys.stdin.fileno(), 1024)
                if not data:
                    return
                port.write(data)
    finally:
        port.close()
