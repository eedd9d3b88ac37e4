"""The serial line of the self-test against lines that echo, are silent, damage, or talk."""

import contextlib
import socket
from collections.abc import Callable

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.selftest import serial_loop
from saint_services.lib.selftest.serial_loop import PATTERN, PROBE, LineSetting

Damage = Callable[[bytes], bytes]


class ModelLine:
    """A line whose other end returns what `damage` makes of each write."""

    def __init__(self, damage: Damage, talks: bytes = b"") -> None:
        self.written = b""
        self.is_closed = False
        self._damage = damage
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.setblocking(False)
        if talks:
            self._theirs.send(talks)

    def fileno(self) -> int:
        return self._ours.fileno()

    def read(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return self._ours.recv(4096)
        return b""

    def write(self, data: bytes) -> int:
        self.written += data
        if answer := self._damage(data):
            self._theirs.send(answer)
        return len(data)

    def close(self) -> None:
        self.is_closed = True
        self._ours.close()
        self._theirs.close()


class ModelPort:
    """Opens a new line for each setting; keeps all of them."""

    def __init__(self, damage: Damage, talks: bytes = b"", parity_only: bool = False) -> None:
        self.lines: list[ModelLine] = []
        self.settings: list[LineSetting] = []
        self._damage = damage
        self._talks = talks
        self._parity_only = parity_only

    def open(self, setting: LineSetting) -> ModelLine:
        is_damaged = not self._parity_only or setting.parity != "none"
        self.settings.append(setting)
        self.lines.append(ModelLine(self._damage if is_damaged else bytes, self._talks))
        return self.lines[-1]


async def test_line_with_a_wire_passes_with_the_settings_of_receivers_and_motor_boards() -> None:
    port = ModelPort(bytes)
    found = await serial_loop.run(port.open)
    assert found.state == "passed", found
    assert [(each.baud, each.parity, each.stopbits) for each in port.settings] == [
        (115_200, "none", 1), (100_000, "even", 2), (420_000, "none", 1),
    ]  # fmt: skip
    assert port.lines[0].written == PROBE + PATTERN
    assert all(line.is_closed for line in port.lines)


async def test_line_without_an_echo_gets_one_byte_and_no_more() -> None:
    """A motor board may hang on it: one byte is no command of any."""
    port = ModelPort(lambda _: b"")
    found = await serial_loop.run(port.open)
    assert found.state == "not_connected"
    assert found.fix == (
        "Is the wire between pins 8 and 10, and is it whole? Or was one of these pins used as a "
        "plain pin since this node started? Then restart the node."
    )
    assert [line.written for line in port.lines] == [b"\x55"]
    assert port.lines[0].is_closed


async def test_line_on_which_a_device_talks_gets_no_byte() -> None:
    port = ModelPort(bytes, talks=b"\x0f\x00")
    found = await serial_loop.run(port.open)
    assert (found.state, "device sends" in found.text) == ("skipped", True)
    assert port.lines[0].written == b""


FAULTS: dict[str, tuple[ModelPort, str]] = {
    "first byte wrong": (ModelPort(lambda data: bytes(b ^ 1 for b in data)), "came back as"),
    "bytes lost": (ModelPort(lambda data: data if data == PROBE else data[1:]), "31 came back"),
    "one bit stuck": (ModelPort(lambda data: bytes(b & 0x7F for b in data)), "came back as"),
    "wrong with parity only": (
        ModelPort(lambda data: data[1:], parity_only=True), "100000 baud with parity"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("port", "said"), FAULTS.values(), ids=FAULTS)
async def test_damaged_echo_fails(port: ModelPort, said: str) -> None:
    found = await serial_loop.run(port.open)
    assert (found.state, said in found.text) == ("failed", True), found
    assert all(line.is_closed for line in port.lines)


@pytest.mark.parametrize(
    ("code", "state"), [(Code.HARDWARE_MISSING, "failed"), (Code.HARDWARE_FAULT, "skipped")]
)
async def test_line_that_cannot_be_opened_is_reported(code: Code, state: str) -> None:
    def refuse(_: LineSetting) -> ModelLine:
        raise SaintError(code, "serial line /dev/ttyAMA0: another program has it open")

    assert (await serial_loop.run(refuse)).state == state
