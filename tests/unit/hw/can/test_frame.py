"""Frames, and the lines of candump's logs."""

import pytest

from saint_services.lib.hw.can import log_line
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.log_line import CanLogLine


@pytest.mark.parametrize(
    ("identifier", "is_extended", "size"),
    [(0x800, False, 0), (-1, False, 0), (1 << 29, True, 0), (-1, True, 0), (1, False, 9)],
)
def test_frame_that_no_bus_carries_is_refused(
    identifier: int, is_extended: bool, size: int
) -> None:
    with pytest.raises(ValueError, match=r"identifier|data"):
        CanFrame(identifier, bytes(size), is_extended)


def test_identifiers_of_11_and_29_bits_are_different_frames() -> None:
    assert CanFrame(0x303, b"\xe5") != CanFrame(0x303, b"\xe5", True)
    assert CanFrame(1, t_ns=5) == CanFrame(1, t_ns=6)


def test_log_line_gives_time_bus_identifier_and_data() -> None:
    line = log_line.parse(b"(1436509053.650713) can0 0000090A#00003039FFCB036C\n")
    data = bytes.fromhex("00003039ffcb036c")
    assert line == CanLogLine(1_436_509_053_650_713, "can0", 0x90A, True, data)
    assert log_line.parse(b"(0.000001) vcan1 303#E5") == CanLogLine(
        1, "vcan1", 0x303, False, b"\xe5"
    )
    assert log_line.parse(b"(0.5)  can0  7FF#  T") == CanLogLine(500_000, "can0", 0x7FF, False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"(0.0) can0 123#R", "remote"),
        (b"(0.0) can0 00000123#R8", "remote"),
        (b"(0.0) can0 123##1AABB", "CAN FD"),
        (b"(0.0) can0 20000004#0004000000000000", "error of the bus"),
    ],
)
def test_line_that_is_no_data_frame_says_so(text: bytes, reason: str) -> None:
    line = log_line.parse(text)
    assert line is not None and reason in line.refused and line.data == b""


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"(0.0) can0 12#00",
        b"(0.0) can0 1234#00",
        b"(0.0) can0 123#0",
        b"(0.0) can0 123#zz",
        b"(0) can0 123#00",
        b"0.0 can0 123#00",
        b"(0.0) 123#00",
        b"(0.0) can0 123 00",
        b"(0.0) can0 123#00 00",
        b"(0.0) can0 123#\xff\xfe",
        b"(99999999999999999999.0) can0 123#00",
    ],
)
def test_text_of_another_form_is_no_log_line(text: bytes) -> None:
    assert log_line.parse(text) is None


def test_written_line_is_read_as_the_same_frame() -> None:
    for frame in (CanFrame(0x7F, b"\x01\x02"), CanFrame(0x7F, b"", True)):
        text = log_line.written(frame, 1_000_002, "can0")
        line = log_line.parse(text.encode())
        assert line is not None and line.t_us == 1_000_002
        assert CanFrame(line.id, line.data, line.is_extended) == frame
    assert log_line.written(CanFrame(5, b"\xab"), 2, "can0") == "(0.000002) can0 005#AB"
