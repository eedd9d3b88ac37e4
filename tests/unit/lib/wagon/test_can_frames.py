"""The wagon's frames: vectors by hand, what is refused, and half floats over their whole range."""

import struct
from math import isfinite

import pytest

from saint_services.lib.binary_layout import LayoutError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.wagon import can_frames as wagon

VECTORS: list[tuple[int, str, object]] = [
    (0x300, "f4019cff02000000", wagon.WagonDrive(500, -100, 2, 0)),
    (0x300, "18fce80300ff0000", wagon.WagonDrive(-1000, 1000, 0, 255)),
    (0x301, "01", wagon.WagonArm(True)),
    (0x301, "00", wagon.WagonArm(False)),
    (0x302, "003e0038ff7b0000", wagon.WagonGains(1.5, 0.5, 65504.0)),
    (0x303, "e5", wagon.WagonEstop()),
    (0x400, "0040003c00b80105", wagon.WagonAttitude(2.0, 1.0, -0.5, 1, 5)),
    (0x401, "948e03c9", wagon.WagonPower(36500, 3, -55)),
]


@pytest.mark.parametrize(("identifier", "data", "message"), VECTORS)
def test_vector_is_decoded_and_encoded(identifier: int, data: str, message: object) -> None:
    frame = CanFrame(identifier, bytes.fromhex(data))
    assert wagon.decode(frame) == message
    assert wagon.encode(message) == frame


def test_table_has_the_reference_s_ids_and_lengths() -> None:
    assert [(row.id, row.layout.size) for row in wagon.TABLE] == [
        (0x300, 8), (0x301, 1), (0x302, 8), (0x303, 1), (0x400, 8), (0x401, 4),
    ]  # fmt: skip
    assert {type(message) for _, _, message in VECTORS} == {row.layout.kind for row in wagon.TABLE}
    assert [row.id for row in wagon.TABLE if row.is_telemetry] == [0x400, 0x401]


@pytest.mark.parametrize("identifier", [row.id for row in wagon.TABLE])
def test_every_other_length_is_refused(identifier: int) -> None:
    for size in set(range(9)) - {wagon.BY_ID[identifier].layout.size}:
        with pytest.raises(LayoutError, match="bytes where"):
            wagon.decode(CanFrame(identifier, b"\xe5" * size))


def test_reserved_bytes_are_ignored() -> None:
    for data in ("f4019cff0200beef", "f4019cff02000000"):
        assert wagon.decode(CanFrame(0x300, bytes.fromhex(data))).speed == 500
    assert wagon.decode(CanFrame(0x302, bytes.fromhex("000000000000ffff"))).kd == 0.0


@pytest.mark.parametrize("data", ["e90300000000 0000", "17fc000000000000", "0000e90300000000"])
def test_speed_and_steer_beyond_a_thousand_are_refused(data: str) -> None:
    with pytest.raises(LayoutError, match="it must be -1000 to 1000"):
        wagon.decode(CanFrame(0x300, bytes.fromhex(data)))


@pytest.mark.parametrize("byte", range(2, 256))
def test_arm_byte_is_0_or_1(byte: int) -> None:
    with pytest.raises(LayoutError, match="it must be 0 or 1"):
        wagon.decode(CanFrame(0x301, bytes((byte,))))


@pytest.mark.parametrize("byte", sorted(set(range(256)) - {0xE5}))
def test_estop_needs_its_magic_byte(byte: int) -> None:
    with pytest.raises(LayoutError, match="magic byte"):
        wagon.decode(CanFrame(0x303, bytes((byte,))))


@pytest.mark.parametrize("frame", [CanFrame(0x300, bytes(8), True), CanFrame(0x304, b"\xe5")])
def test_other_identifiers_are_none_of_the_wagon(frame: CanFrame) -> None:
    with pytest.raises(LayoutError, match="no frame of the wagon"):
        wagon.decode(frame)


def test_every_half_float_is_carried_exactly_or_refused() -> None:
    for bits in range(1 << 16):
        data = struct.pack("<H", bits)
        frame = CanFrame(0x302, data + bytes(6))
        if bits & 0x7C00 == 0x7C00:
            with pytest.raises(LayoutError, match="kp is not a finite number"):
                wagon.decode(frame)
            continue
        message = wagon.decode(frame)
        assert isfinite(message.kp) and message.kp == by_hand(bits)
        assert wagon.encode(message).data == frame.data


def by_hand(bits: int) -> float:
    """IEEE 754 binary16, by its definition."""
    sign = -1.0 if bits & 0x8000 else 1.0
    exponent, fraction = bits >> 10 & 0x1F, bits & 0x3FF
    if exponent == 0:
        return sign * fraction * 2.0**-24
    return sign * (1024 + fraction) * 2.0 ** (exponent - 25)


def test_speed_in_erpm_does_not_fit_a_half_float() -> None:
    gains = wagon.WagonGains(3001.0, 0.0, 0.0)
    assert wagon.decode(wagon.encode(gains)).kp == 3000.0


@pytest.mark.parametrize("value", [65520.0, 1e9, -65520.0, float("inf"), float("nan")])
def test_gain_beyond_the_half_floats_is_refused(value: float) -> None:
    with pytest.raises(LayoutError):
        wagon.encode(wagon.WagonGains(value, 0.0, 0.0))
