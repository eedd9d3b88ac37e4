"""CAN adapters on a serial line: their text, and the port on a pseudo terminal, alone and with the
adapter driver of python-can at the other end.
"""

import os
from collections.abc import Iterator
from contextlib import closing

import can
import pytest
from can.interfaces.slcan import slcanBus
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.buses.serial import open_serial
from saint_services.lib.hw.can import slcan
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.slcan import SlcanParser, SlcanPort
from tests.waiting import block_until

EXTENDED = CanFrame(0x117, bytes.fromhex("0000c738"), True)
STANDARD = CanFrame(0x303, b"\xe5")


def test_text_is_as_the_manual_says() -> None:
    assert slcan.written(STANDARD) == b"t3031E5\r"
    assert slcan.written(EXTENDED) == b"T0000011740000C738\r"
    assert slcan.written(CanFrame(0)) == b"t0000\r"


@given(st.integers(0, (1 << 29) - 1), st.binary(max_size=8), st.booleans())
def test_frame_survives_its_text(number: int, data: bytes, is_extended: bool) -> None:
    frame = CanFrame(number if is_extended else number & 0x7FF, data, is_extended)
    parser = SlcanParser()
    assert parser.feed(slcan.written(frame)) == [frame] and parser.errors == 0


def test_time_stamp_behind_a_frame_is_passed_over() -> None:
    assert slcan.frame_of(b"t3031E51A2B") == STANDARD
    assert slcan.frame_of(b"t30301A2B") == CanFrame(0x303)


@pytest.mark.parametrize(
    "line",
    [b"", b"t", b"t30", b"t303", b"t3031", b"t3031E", b"t3039" + b"00" * 9, b"t303AE5", b"t8001E5",
     b"T000001174", b"T200000000", b"r3030", b"R000003030", b"t3 31E5", b"t+031E5", b"t\xff031E5",
     b"x3031E5"],
)  # fmt: skip
def test_line_that_is_no_data_frame_is_none(line: bytes) -> None:
    assert slcan.frame_of(line) is None


def test_replies_are_no_frames_and_refusals_are_counted() -> None:
    parser = SlcanParser()
    assert parser.feed(b"\r\rz\rZ\rV1013\rN123\r") == [] and parser.errors == 0
    assert parser.feed(b"\at3031E5\r\a") == [STANDARD] and parser.errors == 2
    assert parser.feed(b"junk\r") == [] and parser.errors == 3


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_are_taken_and_little_is_held(chunks: list[bytes]) -> None:
    parser = SlcanParser()
    for chunk in chunks:
        parser.feed(chunk)
        assert len(parser._held) <= 32
    parser.feed(b"\r")
    assert parser.feed(slcan.written(EXTENDED)) == [EXTENDED]


class Adapter:
    """The adapter's end of a pseudo terminal."""

    def __init__(self) -> None:
        self.ours, self._theirs = os.openpty()
        os.set_blocking(self.ours, False)
        self.path = os.ttyname(self._theirs)

    def received(self) -> bytes:
        found = b""
        try:
            while data := os.read(self.ours, 4096):
                found += data
        except BlockingIOError:
            pass
        return found

    def close(self) -> None:
        os.close(self.ours)
        os.close(self._theirs)


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    with closing(Adapter()) as made:
        yield made


def opened(adapter: Adapter, bit_rate: int = 500_000) -> SlcanPort:
    return SlcanPort(open_serial(adapter.path, slcan.BAUD), adapter.path, bit_rate)


def test_port_sets_the_bit_rate_and_joins_the_bus(adapter: Adapter) -> None:
    port = opened(adapter)
    assert adapter.received() == b"\rC\rS6\rO\r"
    assert port.send(STANDARD) and port.send(EXTENDED)
    assert adapter.received() == b"t3031E5\rT0000011740000C738\r"
    os.write(adapter.ours, b"\r\at4014948E03C9\r")
    assert port.receive() == [CanFrame(0x401, bytes.fromhex("948e03c9"))]
    state = port.state()
    assert (state.sent, state.received, state.errors) == (2, 1, 1)
    port.close()
    assert adapter.received() == b"C\r"


def test_bit_rate_that_the_adapter_has_not_is_refused(adapter: Adapter) -> None:
    with pytest.raises(SaintError, match="no bit rate of 33,333 bit/s") as caught:
        opened(adapter, 33_333)
    assert caught.value.code is Code.CONFIG_INVALID
    opened(adapter).close()  # the line is free again


def test_unplugged_adapter_is_a_fault() -> None:
    adapter = Adapter()
    port = opened(adapter)
    adapter.close()
    with pytest.raises(SaintError, match="unplugged"):
        port.receive()


class NarrowLine:
    """A serial line with room for three bytes at a time."""

    def __init__(self) -> None:
        self.written = b""

    def fileno(self) -> int:
        return -1

    def wake_at(self, count: int) -> None: ...

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes) -> int:
        self.written += data[:3]
        return len(data[:3])

    def close(self) -> None: ...


def test_line_without_room_gets_whole_texts_in_order() -> None:
    line = NarrowLine()
    port = SlcanPort(line, "narrow", 500_000)
    assert not port.send(EXTENDED)
    for _ in range(20):
        port.receive()
    assert line.written == b"\rC\rS6\rO\r"
    assert port.send(EXTENDED)
    for _ in range(20):
        port.receive()
    assert line.written.endswith(b"\rT0000011740000C738\r") and port.send(STANDARD)


def test_driver_of_python_can_understands_us_and_we_it(adapter: Adapter) -> None:
    theirs = slcanBus(adapter.path, bitrate=500_000, sleep_after_open=0)
    with closing(SerialPortOn(adapter.ours)) as stream:
        block_until(lambda: b"O\r" in stream.seen())
        port = SlcanPort(stream, "peer", 500_000)
        port.receive()
        port.send(EXTENDED)
        message = theirs.recv(timeout=5)
        while message is not None and message.arbitration_id != EXTENDED.id:
            message = theirs.recv(timeout=5)
        assert message is not None and message.is_extended_id
        assert bytes(message.data) == EXTENDED.data
        theirs.send(can.Message(arbitration_id=0x303, data=b"\xe5", is_extended_id=False))
        assert block_until(port.receive) == [STANDARD]
    theirs.shutdown()


class SerialPortOn:
    """The other end of the pseudo terminal as a ByteStream."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen = b""

    def fileno(self) -> int:
        return self._descriptor

    def wake_at(self, count: int) -> None: ...

    def seen(self) -> bytes:
        self._seen += self.read()
        return self._seen

    def read(self) -> bytes:
        try:
            return os.read(self._descriptor, 4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> int:
        return os.write(self._descriptor, data)

    def close(self) -> None: ...
