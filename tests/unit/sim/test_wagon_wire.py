"""The simulated line between the wagon's boards is a serial line: it may lose, break and hold bytes
back, and never changes their order.
"""

import fcntl
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import block_until
from tools.sim.wagon_boards import WagonWire
from tools.sim.wagon_lines import PtyEnd, PtyLine
from tools.sim.wagon_world import WagonWorld


class Line:
    """A wire with a board at each end, and the world that breaks it."""

    def __init__(self, folder: Path) -> None:
        self.world = WagonWorld(folder)
        paths = folder / "balance", folder / "io"
        ends = PtyEnd(paths[0]), PtyEnd(paths[1])
        self._wire = WagonWire(self.world, ends)
        self._balance, self._io = PtyLine(paths[0]), PtyLine(paths[1])

    def carried(self, data: bytes, now_s: float, wanted: bytes = b"") -> bytes:
        """Send from the BALANCE board; return what the IO board has then, with as many bytes as are
        wanted. A pseudo terminal hands on what was written a moment later."""
        self._balance.write(data)
        block_until(lambda: waiting(self._wire.ends[0]) == len(data), pause_s=0.001)
        self._wire.step(now_s)
        block_until(lambda: waiting(self._io) >= len(wanted), pause_s=0.001)
        return self._io.read()

    def close(self) -> None:
        for each in (self._balance, self._io, *self._wire.ends):
            each.close()
        self.world.close()


def waiting(end: PtyEnd | PtyLine) -> int:
    """How many bytes can be read at an end."""
    size = fcntl.ioctl(end.fileno(), termios.FIONREAD, bytes(4))
    return int.from_bytes(size, sys.byteorder)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    line = Line(tmp_path)
    yield line
    line.close()


def test_bytes_wait_for_the_delay(line: Line) -> None:
    line.world["link_delay_ms"] = 2000.0
    assert line.carried(b"a", 10.0) == b""
    assert line.carried(b"", 11.9) == b""
    assert line.carried(b"", 12.0, b"a") == b"a"


def test_old_bytes_never_come_after_newer_ones(line: Line) -> None:
    line.world["link_delay_ms"] = 2000.0
    assert line.carried(b"old", 10.0) == b""
    line.world["link_delay_ms"] = 0.0
    assert line.carried(b"new", 10.5, b"oldnew") == b"oldnew"
    assert line.carried(b"", 12.5) == b""
