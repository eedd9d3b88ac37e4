"""Layouts: what they carry, what they refuse, and in which words."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from saint_services.lib.binary_layout import (
    F16,
    F32,
    U8,
    BinaryLayout,
    FieldForm,
    Flag,
    LayoutError,
)


@dataclass(frozen=True, slots=True)
class Sample:
    share: Annotated[int, FieldForm("h", least=-1000, most=1000)]
    volts: Annotated[float, FieldForm("h", scale=10)]
    mode: Annotated[int, FieldForm("B", among=(1, 3))]
    on: Flag
    half: F16
    pair: Annotated[tuple[int, ...], FieldForm("B", count=2)]
    name: Annotated[bytes, FieldForm("s", count=3)]


SAMPLE = BinaryLayout(Sample, "<", constant=b"\x7e", reserved=2, optional=2)
GOOD: dict[str, Any] = {
    "share": -2,
    "volts": 36.5,
    "mode": 3,
    "on": True,
    "half": 1.0,
    "pair": [1, 2],
    "name": b"abc",
}
BYTES = bytes.fromhex("7e feff 6d01 03 01 003c 0102 616263 0000")


def test_message_has_the_bytes_of_its_fields_in_order() -> None:
    message = SAMPLE.of_values(GOOD)
    assert message == Sample(-2, 36.5, 3, True, 1.0, (1, 2), b"abc")
    assert SAMPLE.encode(message) == BYTES
    assert SAMPLE.decode(BYTES) == message
    assert list(SAMPLE.values(message)) == list(GOOD)


def test_reserved_bytes_are_ignored_and_may_be_missing_as_a_whole() -> None:
    assert SAMPLE.decode(BYTES[:-2] + b"\xff\xff") == SAMPLE.decode(BYTES[:-2])
    for wrong in (BYTES[:-1], BYTES[:-3], BYTES + b"\0", b""):
        with pytest.raises(LayoutError, match="bytes where 14 or 16 are needed"):
            SAMPLE.decode(wrong)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("share", 1001, "share is 1001; it must be -1000 to 1000"),
        ("share", -1001, "-1000 to 1000"),
        ("share", 1.5, "share is 1.5; it must be a whole number"),
        ("share", "1", "share is 1; it must be a number"),
        ("share", None, "it must be a number"),
        ("share", True, "it must be a number"),
        ("share", 10**400, "share is a number of more than 64 bits; it must be -1000 to 1000"),
        ("share", 1e300, "it must be -1000 to 1000"),
        ("volts", 3276.8, "volts is 3276.8; it must be -3276.8 to 3276.7"),
        ("volts", 1.7e308, "it must be -3276.8 to 3276.7"),
        ("volts", float("nan"), "volts is not a finite number"),
        ("volts", float("inf"), "volts is not a finite number"),
        ("mode", 2, "mode is 2; it must be one of 1, 3"),
        ("on", 1, "on is 1; it must be true or false"),
        ("half", float("-inf"), "half is not a finite number"),
        ("half", 65520, "too large"),
        ("half", 10**400, "too large"),
        ("pair", [1], "pair must be a list of 2 numbers"),
        ("pair", "12", "pair must be a list of 2 numbers"),
        ("pair", [1, 256], "pair is 256; it must be 0 to 255"),
        ("name", b"ab", "name must be 3 bytes"),
        ("name", "abc", "name must be 3 bytes"),
    ],
)
def test_value_that_cannot_be_carried_is_refused_by_its_name(
    name: str, value: object, reason: str
) -> None:
    with pytest.raises(LayoutError) as caught:
        SAMPLE.of_values(GOOD | {name: value})
    assert reason in str(caught.value) and len(str(caught.value)) < 200


def test_missing_fields_are_named_and_others_ignored() -> None:
    with pytest.raises(LayoutError, match="share, on: missing"):
        SAMPLE.of_values({name: GOOD[name] for name in GOOD if name not in ("share", "on")})
    assert SAMPLE.of_values(GOOD | {"kind": "x"}) == SAMPLE.of_values(GOOD)


@pytest.mark.parametrize(
    ("place", "content", "reason"),
    [
        (0, "7d", "the magic byte is 0x7d, not 0x7e"),
        (1, "e903", "share is 1001"),
        (5, "00", "mode is 0; it must be one of 1, 3"),
        (6, "02", "on is 2; it must be 0 or 1"),
        (7, "007c", "half is not a finite number"),
        (7, "017e", "half is not a finite number"),
    ],
)
def test_bytes_of_no_message_are_refused(place: int, content: str, reason: str) -> None:
    wrong = bytes.fromhex(content)
    with pytest.raises(LayoutError, match=reason):
        SAMPLE.decode(BYTES[:place] + wrong + BYTES[place + len(wrong) :])


def test_scaled_number_is_rounded_to_the_nearest_step() -> None:
    assert SAMPLE.of_values(GOOD | {"volts": 0.26}).volts == 0.3
    assert SAMPLE.of_values(GOOD | {"volts": -0.29}).volts == -0.3


def test_field_without_a_form_is_a_mistake() -> None:
    @dataclass(frozen=True, slots=True)
    class Bare:
        number: int

    with pytest.raises(TypeError, match="number needs one FieldForm"):
        BinaryLayout(Bare, "<")


def test_long_refused_value_is_cut() -> None:
    @dataclass(frozen=True, slots=True)
    class One:
        number: U8
        real: F32

    with pytest.raises(LayoutError, match=r"number is x{40}\.\.\.; it must be a number"):
        BinaryLayout(One, "<").of_values({"number": "x" * 1000, "real": 0})
