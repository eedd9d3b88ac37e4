"""VESC messages: vectors of the firmware's documents, a second writing with other means, and the
frame form of python-can.
"""

from typing import Any

import can
import pytest

from saint_services.lib.binary_layout import LayoutError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.hw.vesc.messages import VescMessage


def frame(identifier: int, data: str) -> CanFrame:
    return CanFrame(identifier, bytes.fromhex(data), is_extended=True)


# Identifier and data written by hand from bldc's comm_can.md.
VECTORS: list[tuple[int, str, VescMessage]] = [
    (0x00000117, "0000c738", VescMessage(23, vesc.SetCurrent(51.0))),  # the document's example
    (0x0000000A, "0000c350", VescMessage(10, vesc.SetDuty(0.5))),
    (0x0000000A, "fffe7960", VescMessage(10, vesc.SetDuty(-1.0))),
    (0x00000244, "00002710", VescMessage(68, vesc.SetCurrentBrake(10.0))),
    (0x00000338, "fffff448", VescMessage(56, vesc.SetRpm(-3000))),
    (0x00000401, "055d4a80", VescMessage(1, vesc.SetPos(90.0))),
    (0x00000A01, "ffff3cb0", VescMessage(1, vesc.SetCurrentRel(-0.5))),
    (0x00000B01, "000186a0", VescMessage(1, vesc.SetCurrentBrakeRel(1.0))),
    (0x00000C01, "000009c4", VescMessage(1, vesc.SetCurrentHandbrake(2.5))),
    (0x00000DFF, "00002710", VescMessage(255, vesc.SetCurrentHandbrakeRel(0.1))),
    (0x0000090A, "00003039ffcb036c", VescMessage(10, vesc.Status1(12345, -5.3, 0.876))),
    (0x00000E0A, "0000303900000001", VescMessage(10, vesc.Status2(1.2345, 0.0001))),
    (0x00000F0A, "0001e240ffffffff", VescMessage(10, vesc.Status3(12.3456, -0.0001))),
    (0x0000100A, "0163fce3007b4650", VescMessage(10, vesc.Status4(35.5, -79.7, 12.3, 360.0))),
    (0x00001B0A, "fffffffa016d0000", VescMessage(10, vesc.Status5(-6, 36.5))),
    (0x00003A0A, "0ce405dc0001fc18", VescMessage(10, vesc.Status6(3.3, 1.5, 0.001, -1.0))),
    (0x00001144, "0b", VescMessage(68, vesc.Ping(11))),
    (0x0000120B, "4400", VescMessage(11, vesc.Pong(68))),
]


@pytest.mark.parametrize(("identifier", "data", "message"), VECTORS)
def test_vector_is_decoded_and_encoded(identifier: int, data: str, message: VescMessage) -> None:
    assert vesc.decode(frame(identifier, data)) == message
    assert vesc.encode(message) == frame(identifier, data)


def test_vectors_hold_every_row() -> None:
    assert {type(message.content) for _, _, message in VECTORS} == {
        row.layout.kind for row in vesc.TABLE
    }


# The second writing: field names with their width and divisor, read with int.from_bytes.
SECOND: dict[int, list[tuple[str, int, int]]] = {
    0: [("value", 4, 100_000)],
    1: [("value", 4, 1000)],
    2: [("value", 4, 1000)],
    3: [("value", 4, 1)],
    4: [("value", 4, 1_000_000)],
    9: [("erpm", 4, 1), ("current_a", 2, 10), ("duty", 2, 1000)],
    10: [("value", 4, 100_000)],
    11: [("value", 4, 100_000)],
    12: [("value", 4, 1000)],
    13: [("value", 4, 100_000)],
    14: [("amp_hours", 4, 10_000), ("amp_hours_charged", 4, 10_000)],
    15: [("watt_hours", 4, 10_000), ("watt_hours_charged", 4, 10_000)],
    16: [("temp_fet_c", 2, 10), ("temp_motor_c", 2, 10), ("current_in_a", 2, 10),
         ("pid_pos_deg", 2, 50)],
    27: [("tachometer_raw", 4, 1), ("v_in_v", 2, 10)],
    58: [("adc1_v", 2, 1000), ("adc2_v", 2, 1000), ("adc3_v", 2, 1000), ("ppm", 2, 1000)],
}  # fmt: skip
PATTERNS = ("0000000000000000", "7fff7fff7fff7fff", "8000800080008000", "fffefdfcfbfaf9f8",
            "0102030405060708", "ffffffffffffffff")  # fmt: skip


@pytest.mark.parametrize("number", SECOND)
def test_second_writing_reads_the_same_values(number: int) -> None:
    size = 8 if number == 27 else sum(width for _, width, _ in SECOND[number])
    for pattern in PATTERNS:
        data, at, expected = bytes.fromhex(pattern)[:size], 0, {}
        for name, width, divisor in SECOND[number]:
            raw = int.from_bytes(data[at : at + width], "big", signed=True)
            expected[name] = raw if divisor == 1 else raw / divisor
            at += width
        content = vesc.decode(CanFrame(number << 8 | 7, data, True)).content
        assert vesc.row_of(content).layout.values(content) == expected


def test_commands_have_four_bytes_and_nothing_else() -> None:
    for number in (0, 1, 2, 3, 4, 10, 11, 12, 13):
        for size in (0, 1, 3, 5, 6, 8):
            with pytest.raises(LayoutError, match="4 are needed"):
                vesc.decode(CanFrame(number << 8 | 1, bytes(size), True))


def test_status_5_has_6_or_8_bytes_and_its_reserved_ones_are_ignored() -> None:
    expected = VescMessage(10, vesc.Status5(1, 36.5))
    for data in ("00000001016d", "00000001016d0000", "00000001016dbeef"):
        assert vesc.decode(frame(0x1B0A, data)) == expected
    for data in ("00000001016d00", "0000000101", ""):
        with pytest.raises(LayoutError, match="6 or 8 are needed"):
            vesc.decode(frame(0x1B0A, data))


@pytest.mark.parametrize("number", [9, 14, 15, 16, 58])
def test_other_status_frames_have_eight_bytes(number: int) -> None:
    for size in (0, 4, 6, 7):
        with pytest.raises(LayoutError, match="8 are needed"):
            vesc.decode(CanFrame(number << 8, bytes(size), True))


@pytest.mark.parametrize("number", [5, 6, 7, 8, 19, 28, 57, 59, 63, 0x1FFFFF])
def test_unknown_command_is_refused(number: int) -> None:
    with pytest.raises(LayoutError, match=f"command {number} of a VESC is not known"):
        vesc.decode(CanFrame(number << 8 | 10, bytes(8), True))


def test_frame_with_11_bits_is_no_vesc() -> None:
    with pytest.raises(LayoutError, match="29-bit"):
        vesc.decode(CanFrame(0x10A, bytes(4)))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (vesc.SetDuty(21474.9), "-21474.83648 to 21474.83647"),
        (vesc.SetCurrent(float("nan")), "not a finite number"),
        (vesc.SetRpm(1 << 31), "it must be -2147483648 to 2147483647"),
        (vesc.Status1(0, 3276.8, 0.0), "current_a is 3276.8"),
    ],
)
def test_value_out_of_range_is_refused_and_not_clamped(content: Any, reason: str) -> None:
    with pytest.raises(LayoutError, match=reason):
        vesc.encode(VescMessage(1, content))


@pytest.mark.parametrize("number", [-1, 256])
def test_id_out_of_range_is_refused(number: int) -> None:
    with pytest.raises(LayoutError, match="0 to 255"):
        vesc.encode(VescMessage(number, vesc.SetRpm(0)))


def test_frame_has_the_form_that_python_can_gives_it() -> None:
    ours = vesc.encode(VescMessage(23, vesc.SetCurrent(51.0)))
    theirs = can.Message(
        arbitration_id=ours.id, data=ours.data, is_extended_id=ours.is_extended, check=True
    )
    assert theirs.dlc == 4 and not theirs.is_remote_frame and not theirs.is_fd
    assert str(theirs).split() == [
        *("Timestamp:", "0.000000", "ID:", "00000117", "X", "Rx", "DL:", "4"),
        *("00", "00", "c7", "38"),
    ]
