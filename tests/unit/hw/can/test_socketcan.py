"""SocketCAN on a fake socket of the kernel's form; on a real one where the kernel has vcan."""

import errno
import socket
import struct
import time
from collections import deque
from typing import Any

import can
import pytest
from can.interfaces.socketcan import socketcan as peer

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import MOST_AT_ONCE, BusState, CanFilter, CanState
from saint_services.lib.hw.can.socketcan import SocketCan, packed

Note = tuple[int, int, bytes]


class FakeKernel:
    """A socket as the kernel's: frames and errors in, frames out."""

    def __init__(self) -> None:
        self.options: list[tuple[int, int, Any]] = []
        self.bound: Any = None
        self.sent: list[bytes] = []
        self.waiting: deque[tuple[bytes, list[Note]] | OSError] = deque()
        self.refusal: OSError | None = None
        self.pending_error = 0
        self.is_closed = False
        self.unknown_options: set[int] = set()

    def setblocking(self, _: bool) -> None: ...

    def setsockopt(self, level: int, option: int, value: Any) -> None:
        if option in self.unknown_options:
            raise OSError(errno.ENOPROTOOPT, "unknown")
        self.options.append((level, option, value))

    def getsockopt(self, *_: int) -> int:
        return self.pending_error

    def bind(self, address: Any) -> None:
        if self.refusal:
            raise self.refusal
        self.bound = address

    def send(self, data: bytes) -> int:
        if self.refusal:
            raise self.refusal
        self.sent.append(data)
        return len(data)

    def recvmsg(self, *_: int) -> tuple[bytes, list[Note], int, Any]:
        if not self.waiting:
            raise BlockingIOError(errno.EAGAIN, "nothing")
        found = self.waiting.popleft()
        if isinstance(found, OSError):
            raise found
        return *found, 0, None

    def fileno(self) -> int:
        return 99

    def close(self) -> None:
        self.is_closed = True

    def arrive(self, identifier: int, data: bytes = b"", *notes: Note) -> None:
        raw = struct.pack("=IB3x8s", identifier, len(data), data)
        self.waiting.append((raw, list(notes)))


@pytest.fixture
def kernel() -> FakeKernel:
    return FakeKernel()


def opened(kernel: FakeKernel, *filters: CanFilter) -> SocketCan:
    return SocketCan("can0", filters, lambda: kernel)


def test_frames_are_sent_in_the_form_of_an_independent_writing(kernel: FakeKernel) -> None:
    port = opened(kernel)
    for frame in (
        CanFrame(0x300, bytes.fromhex("f4019cff02000000")),
        CanFrame(0x117, bytes.fromhex("0000c738"), True),
        CanFrame(0x1FFFFFFF, b"", True),
    ):
        assert port.send(frame)
        theirs = can.Message(
            arbitration_id=frame.id, data=frame.data, is_extended_id=frame.is_extended
        )
        # Theirs repeats a length of 8 in the place of a raw DLC above 8, which means nothing.
        expected = bytearray(peer.build_can_frame(theirs))
        expected[7] = 0
        assert kernel.sent[-1] == bytes(expected) == packed(frame)
    assert port.state().sent == 3


def test_frames_of_both_widths_arrive(kernel: FakeKernel) -> None:
    port = opened(kernel)
    kernel.arrive(0x401, b"\1\2\3\4")
    kernel.arrive(0x8000_0401, b"\1\2\3\4")
    kernel.arrive(0x4000_0401)  # remote
    found = port.receive()
    assert found == [CanFrame(0x401, b"\1\2\3\4"), CanFrame(0x401, b"\1\2\3\4", True)]
    assert port.receive() == [] and port.state().received == 2


def test_one_call_reads_a_limited_number_of_frames(kernel: FakeKernel) -> None:
    port = opened(kernel)
    for number in range(MOST_AT_ONCE + 5):
        kernel.arrive(number)
    assert len(port.receive()) == MOST_AT_ONCE and len(port.receive()) == 5


def test_filters_hold_the_width_and_let_no_remote_frame_pass(kernel: FakeKernel) -> None:
    opened(kernel, CanFilter(0x400, 0x7FE, False), CanFilter(0x944, 0x1FFFFFFF, True))
    (packed_filters,) = [
        value for level, option, value in kernel.options if (level, option) == (101, 1)
    ]
    assert struct.unpack("=4I", packed_filters) == (
        0x400, 0xC000_07FE, 0x8000_0944, 0xDFFF_FFFF,
    )  # fmt: skip


def test_all_errors_and_time_stamps_are_requested(kernel: FakeKernel) -> None:
    opened(kernel)
    assert (101, 2, struct.pack("=I", 0x1FFFFFFF)) in kernel.options
    assert (socket.SOL_SOCKET, 35, 1) in kernel.options
    assert kernel.bound == ("can0",)


def test_kernel_without_time_stamps_gives_the_time_of_reading(kernel: FakeKernel) -> None:
    kernel.unknown_options = {35, 40}
    port = opened(kernel)
    before_ns = time.monotonic_ns()
    kernel.arrive(1)
    assert before_ns <= port.receive()[0].t_ns <= time.monotonic_ns()


def stamp(age_s: float) -> Note:
    seconds, rest = divmod(time.time_ns() - int(age_s * 1e9), 1_000_000_000)
    return socket.SOL_SOCKET, 35, struct.pack("@ll", seconds, rest)


def test_time_of_a_frame_is_when_the_kernel_received_it(kernel: FakeKernel) -> None:
    port = opened(kernel)
    kernel.arrive(1, b"", stamp(0.25))
    age_s = (time.monotonic_ns() - port.receive()[0].t_ns) / 1e9
    assert 0.2 < age_s < 10


@pytest.mark.parametrize("age_s", [-3600.0, 3600.0])
def test_wall_clock_that_was_set_meanwhile_moves_no_frame(kernel: FakeKernel, age_s: float) -> None:
    port = opened(kernel)
    kernel.arrive(1, b"", stamp(age_s))
    assert abs(time.monotonic_ns() - port.receive()[0].t_ns) < 10e9


def test_frames_that_the_kernel_dropped_are_counted(kernel: FakeKernel) -> None:
    port = opened(kernel)
    for total in (3, 3, 5):
        kernel.arrive(1, b"", (socket.SOL_SOCKET, 40, struct.pack("=I", total)))
    port.receive()
    assert port.state().lost == 5


ERROR = 0x2000_0000


def reported(*frames: tuple[int, int]) -> CanState:
    kernel = FakeKernel()
    port = opened(kernel)
    for kind, detail in frames:
        kernel.arrive(ERROR | kind, bytes((0, detail, 0, 0, 0, 0, 0, 0)))
    assert port.receive() == []
    return port.state()


def test_error_frames_change_the_state_and_are_counted() -> None:
    assert reported((0x4, 0x08)).bus is BusState.WARNING
    assert reported((0x4, 0x20)).bus is BusState.PASSIVE
    assert reported((0x4, 0x20), (0x4, 0x40)).bus is BusState.ACTIVE
    assert reported((0x4, 0x01)).lost == 1
    assert reported((0x20, 0), (0x80, 0)).errors == 2  # no acknowledgement, bus error


def test_bus_off_is_seen_once_and_ends_with_the_restart(kernel: FakeKernel) -> None:
    port = opened(kernel)
    kernel.arrive(ERROR | 0x40, bytes(8))
    kernel.arrive(ERROR | 0x40, bytes(8))
    port.receive()
    assert (port.state().bus, port.state().bus_offs) == (BusState.OFF, 1)
    assert not port.send(CanFrame(1)) and kernel.sent == []
    kernel.arrive(ERROR | 0x100, bytes(8))
    port.receive()
    assert port.state().bus is BusState.ACTIVE and port.send(CanFrame(1))


@pytest.mark.parametrize("number", [errno.ENOBUFS, errno.EAGAIN])
def test_full_queue_is_no_fault(kernel: FakeKernel, number: int) -> None:
    port = opened(kernel)
    kernel.refusal = OSError(number, "full")
    assert not port.send(CanFrame(1)) and port.state().sent == 0


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENODEV, "the adapter was unplugged"),
        (errno.ENXIO, "the adapter was unplugged"),
        (errno.ENETDOWN, "the interface is not up"),
        (errno.EIO, "no good"),
    ],
)
def test_lost_bus_is_a_fault_when_sending_and_receiving(
    kernel: FakeKernel, number: int, words: str
) -> None:
    port = opened(kernel)
    kernel.waiting.append(OSError(number, "no good"))
    with pytest.raises(SaintError, match=f"CAN bus can0: {words}"):
        port.receive()
    kernel.refusal = OSError(number, "no good")
    with pytest.raises(SaintError, match=words):
        port.send(CanFrame(1))


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENODEV, Code.HARDWARE_MISSING), (errno.EPERM, Code.HARDWARE_FAULT)],
)
def test_interface_that_does_not_open_says_why(kernel: FakeKernel, number: int, code: Code) -> None:
    kernel.refusal = OSError(number, "not permitted")
    with pytest.raises(SaintError) as caught:
        opened(kernel)
    assert caught.value.code is code and kernel.is_closed


def test_interface_that_is_down_is_found_when_it_is_opened(kernel: FakeKernel) -> None:
    kernel.pending_error = errno.ENETDOWN
    with pytest.raises(SaintError, match="is not up"):
        opened(kernel)
    assert kernel.is_closed


def test_kernel_without_can_is_named() -> None:
    def refuse() -> socket.socket:
        raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")

    with pytest.raises(SaintError, match="this kernel has no CAN") as caught:
        SocketCan("can0", (), refuse)
    assert caught.value.code is Code.HARDWARE_MISSING


def test_short_read_is_counted_as_an_error(kernel: FakeKernel) -> None:
    port = opened(kernel)
    kernel.waiting.append((b"\0" * 7, []))
    kernel.arrive(5)
    assert port.receive() == [CanFrame(5)] and port.state().errors == 1


def test_real_interface_carries_frames_between_two_sockets() -> None:
    try:
        ours, theirs = SocketCan("vcan0"), SocketCan("vcan0")
    except SaintError as err:
        pytest.skip(f"needs `ip link add vcan0 type vcan`: {err.message}")
    frame = CanFrame(0x117, bytes.fromhex("0000c738"), True)
    assert ours.send(frame) and theirs.receive() == [frame]
