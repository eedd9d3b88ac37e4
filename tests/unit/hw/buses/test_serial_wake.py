"""A serial line that becomes readable with so many bytes, on a pseudo terminal."""

import os
import select
import tty
from collections.abc import Iterator

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.buses.serial import SerialPort, open_serial


@pytest.fixture
def ends() -> Iterator[tuple[int, SerialPort]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    port = open_serial(os.ttyname(slave), 1_000_000)
    os.close(slave)
    yield master, port
    port.close()


def is_readable(port: SerialPort) -> bool:
    return bool(select.select([port], [], [], 0.05)[0])


def test_line_is_readable_with_as_many_bytes_as_are_awaited(ends: tuple[int, SerialPort]) -> None:
    master, port = ends
    port.wake_at(84)
    os.write(master, bytes(83))
    assert not is_readable(port)
    os.write(master, b"\1")
    assert is_readable(port)
    assert port.read() == bytes(83) + b"\1"  # in one read, though the kernel gives 64 at a time
    assert port.read() == b""
    port.wake_at(1)
    os.write(master, b"\2")
    assert is_readable(port)
    os.close(master)


def test_fewer_bytes_are_there_for_a_read(ends: tuple[int, SerialPort]) -> None:
    master, port = ends
    port.wake_at(1000)  # 255 is the most
    os.write(master, bytes(20))
    assert not is_readable(port)
    assert port.read() == bytes(20)
    os.write(master, bytes(255))
    assert is_readable(port)
    assert len(port.read()) == 255
    os.close(master)


def test_line_that_is_unplugged_wakes_whatever_is_awaited(ends: tuple[int, SerialPort]) -> None:
    master, port = ends
    port.wake_at(84)
    os.close(master)
    assert is_readable(port)
    with pytest.raises(SaintError, match="unplugged"):
        port.read()
    port.wake_at(6)  # never raises


def test_bytes_that_came_before_they_were_awaited_wake(ends: tuple[int, SerialPort]) -> None:
    """As the loop waits: by epoll, which looks again only when the terminal says so."""
    master, port = ends
    port.wake_at(84)
    with select.epoll() as poller:
        poller.register(port, select.EPOLLIN)
        os.write(master, bytes(6))
        assert poller.poll(0.05) == []
        port.wake_at(6)
        assert poller.poll(0.05)
    assert port.read() == bytes(6)
    os.close(master)
