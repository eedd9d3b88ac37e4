"""A line that is held open: read by the loop, released by its last user, opened after pauses."""

import os

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.held_line import HeldLine
from tests.waiting import until


class Pipe:
    """A port that is a pipe."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.is_closed = False

    def fileno(self) -> int:
        return self.reading

    def close(self) -> None:
        self.is_closed = True
        raise SaintError(Code.HARDWARE_MISSING, "it was unplugged")


async def test_attached_port_is_read_until_it_is_released() -> None:
    port, read = Pipe(), list[bytes]()
    line = HeldLine(port, lambda: read.append(os.read(port.reading, 8)))
    assert line.attach()
    os.write(port.writing, b"1")
    await until(lambda: read == [b"1"])
    line.release()
    assert port.is_closed and line.port is None
    line.release()  # again, as after a loss
    other = Pipe()
    line.hold(other)
    line.attach()
    line.detach()
    assert line.port is other and not other.is_closed
    for each in (port.reading, port.writing, other.reading, other.writing):
        os.close(each)


def test_line_without_a_loop_is_not_read() -> None:
    line: HeldLine[Pipe] = HeldLine(None, lambda: None)
    assert not line.attach()
    assert line.loop is None


def test_last_user_is_known() -> None:
    line: HeldLine[Pipe] = HeldLine(None, lambda: None)
    line.use()
    line.use()
    assert [line.is_unused(), line.is_unused()] == [False, True]


def test_pauses_grow_until_the_line_works() -> None:
    line: HeldLine[Pipe] = HeldLine(None, lambda: None)
    pauses = []
    for _ in range(6):
        pauses.append(line.pause_s)
        line.failed()
    assert pauses == pytest.approx([0.1, 0.2, 0.5, 1.0, 2.0, 2.0])
    line.works()
    assert line.pause_s == pytest.approx(0.1)
