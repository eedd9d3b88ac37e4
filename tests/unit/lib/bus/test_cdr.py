"""The codec against an independent one (rosbags) and against bytes typed by hand."""

import math
import random
import struct
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.interfaces import Nodetype

from saint_services.lib.bus import cdr
from saint_services.lib.generated import geometry_msgs, saint_msgs, std_msgs
from saint_services.lib.generated.topics import BY_TYPE
from tools.gen.__main__ import ROOT
from tools.gen.definitions import read

STORE = read(ROOT / "manifests" / "saint_msgs").store
NUMBERS = {"B": 8, "H": 16, "I": 32, "Q": 64, "b": -8, "h": -16, "i": -32, "q": -64}


def random_value(kind: Any, rng: random.Random) -> Any:
    """Return a random value of a field's kind, for our classes."""
    if isinstance(kind, cdr.Array | cdr.Sequence):
        count = kind.length if isinstance(kind, cdr.Array) else rng.randrange(4)
        if kind.of == "uint8":
            return rng.randbytes(count)
        return tuple(random_value(kind.of, rng) for _ in range(count))
    if kind == "string":
        return "".join(rng.choice("aé/漢 ") for _ in range(rng.randrange(6)))
    if isinstance(kind, str):
        return random_number(cdr.PRIMITIVES[kind], rng)
    return kind(**{name: random_value(inner, rng) for name, inner in kind.FIELDS})


def random_number(code: str, rng: random.Random) -> Any:
    if code == "?":
        return rng.random() < 0.5
    if code in "fd":
        return struct.unpack("<f", struct.pack("<f", rng.uniform(-1e6, 1e6)))[0]
    bits = NUMBERS[code]
    return (
        rng.randrange(2**bits) if bits > 0 else rng.randrange(-(2 ** (-bits - 1)), 2 ** (-bits - 1))
    )


def as_rosbags(message: Any, name: str) -> Any:
    """Convert our message to the class that rosbags made of the same definition."""
    values = {}
    for field, kind in STORE.fielddefs[name][1]:
        values[field] = _as_rosbags_value(getattr(message, field), kind)
    return STORE.types[name](**values)


def _as_rosbags_value(value: Any, kind: Any) -> Any:
    node, rest = kind
    if node == Nodetype.NAME:
        return as_rosbags(value, rest)
    if node == Nodetype.BASE:
        is_signed = rest[0] == "byte"  # for rosbags, where rosidl has eight bits without a sign
        return value - 256 if is_signed and value > 127 else value
    inner = rest[0]
    if inner[0] == Nodetype.NAME:
        return [as_rosbags(item, inner[1]) for item in value]
    if inner[1][0] == "string":
        return list(value)
    return np.array(list(value), dtype={"char": "uint8"}.get(inner[1][0], inner[1][0]))


@pytest.mark.parametrize("name", sorted(BY_TYPE))
def test_every_type_encodes_as_rosbags_does_and_comes_back(name: str) -> None:
    rng = random.Random(name)
    cls = BY_TYPE[name]
    for _ in range(20):
        message = random_value(cls, rng)
        data = cdr.encode(message)
        if cls.FIELDS:  # rosbags writes nothing for an empty message, rosidl one byte
            expected = bytes(STORE.serialize_cdr(as_rosbags(message, name), name))
            assert data == expected + b"\0" * (-len(expected) & 3)
        assert cdr.decode(cls, data) == message


def test_twist_has_the_bytes_of_the_standard() -> None:
    twist = geometry_msgs.Twist(linear=geometry_msgs.Vector3(1.0, 0.0, 0.0))
    assert cdr.encode(twist) == b"\0\1\0\0" + struct.pack("<6d", 1, 0, 0, 0, 0, 0)


def test_string_carries_its_terminator_and_is_padded() -> None:
    assert cdr.encode(std_msgs.String("abc")) == b"\0\1\0\0\4\0\0\0abc\0"
    assert cdr.encode(std_msgs.String("")) == b"\0\1\0\0\1\0\0\0\0\0\0\0"


def test_empty_message_is_one_byte() -> None:
    assert cdr.encode(std_msgs.Empty()) == b"\0\1\0\0\0\0\0\0"
    assert cdr.decode(std_msgs.Empty, b"\0\1\0\0\0\0\0\0") == std_msgs.Empty()


def test_repeated_names_decode_to_the_same_object() -> None:
    names = tuple(f"channel_{i}" for i in range(1, 17))
    first = cdr.encode(
        saint_msgs.InputSample(source="rc", sequence=1, names=names, values=[0.0] * 16)
    )
    again = cdr.encode(
        saint_msgs.InputSample(source="rc", sequence=2, names=names, values=[1.0] * 16)
    )
    one = cdr.decode(saint_msgs.InputSample, first)
    two = cdr.decode(saint_msgs.InputSample, again)
    assert one.names is two.names
    assert two.values == (1.0,) * 16


@pytest.mark.parametrize("header", [b"\0\0\0\0", b"\0\7\0\0", b"\0\3\0\0", b"", b"\2"])
def test_foreign_encoding_is_refused(header: bytes) -> None:
    with pytest.raises(cdr.CdrError, match="not supported"):
        cdr.decode(std_msgs.Bool, header + b"\1\0\0\0")


@pytest.mark.parametrize(
    "data",
    [
        b"\0\1\0\0",  # nothing
        b"\0\1\0\0\xff\xff\xff\xffab",  # a length that passes the end
        b"\0\1\0\0\4\0\0\0ab\xff\0",  # not UTF-8
        b"\0\1\0\0\4\0\0\0a\0b\0",  # a NUL inside: could not be encoded again
        b"\0\1\0\0\4\0\0\0abcd",  # no NUL at the end
        b"\0\1\0\0\4\0\0\0abc\0" + b"x" * 8,  # a longer type of the same name
    ],
)
def test_malformed_string_is_refused(data: bytes) -> None:
    with pytest.raises(cdr.CdrError):
        cdr.decode(std_msgs.String, data)


def test_huge_count_allocates_nothing() -> None:
    data = cdr.encode(saint_msgs.ArmCommand())
    with pytest.raises(cdr.CdrError, match="pass the end"):
        cdr.decode(saint_msgs.ArmCommand, data[:4] + b"\xff\xff\xff\x7f" + data[8:])


def test_value_that_does_not_fit_names_the_type() -> None:
    with pytest.raises(cdr.CdrError, match="GPIOPin"):
        cdr.encode(saint_msgs.GPIOPin(pin_number=300))


@given(st.sampled_from(sorted(BY_TYPE)), st.binary(max_size=300))
def test_random_bytes_raise_nothing_else(name: str, data: bytes) -> None:
    with suppress(cdr.CdrError):
        cdr.decode(BY_TYPE[name], b"\0\1\0\0" + data)


@given(st.sampled_from(sorted(BY_TYPE)), st.randoms(use_true_random=False), st.data())
def test_damaged_messages_raise_nothing_else(name: str, rng: random.Random, data: Any) -> None:
    whole = bytearray(cdr.encode(random_value(BY_TYPE[name], rng)))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[rng.randrange(len(whole))] = rng.randrange(256)
    cut = data.draw(st.integers(0, len(whole)))
    with suppress(cdr.CdrError):
        cdr.decode(BY_TYPE[name], bytes(whole[:cut]))


def test_not_a_number_travels() -> None:
    again = cdr.decode(std_msgs.String, cdr.encode(std_msgs.String("x")))
    assert again.data == "x"
    sample = saint_msgs.HeadSensors(proximity=math.nan)
    assert math.isnan(cdr.decode(saint_msgs.HeadSensors, cdr.encode(sample)).proximity)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 17])
def test_encoding_in_steps_gives_the_same_bytes(count: int) -> None:
    contenders = (saint_msgs.RivalStatus("b", "web", 0.5, 7, "lower priority"),)
    fields = tuple(
        saint_msgs.FieldStatus("head", "x" * n, "deg", n / 2, rivals=contenders)
        for n in range(count)
    )
    message = saint_msgs.RouteStatus(state="routing", estop_reason="why", fields=fields)
    buffer = bytearray()
    rests = sum(1 for _ in cdr.encode_into(buffer, message))
    assert bytes(buffer) == cdr.encode(message)
    assert rests == -(-count // 8)


@pytest.mark.parametrize(
    "message",
    [
        std_msgs.Empty(),
        std_msgs.Bool(data=True),
        saint_msgs.InputSample(source="rc", names=("a",), values=(1.0,)),
    ],
    ids=lambda message: message.TYPE,
)
def test_message_without_long_last_field_is_one_step(message: Any) -> None:
    buffer = bytearray()
    assert list(cdr.encode_into(buffer, message)) == []
    assert bytes(buffer) == cdr.encode(message)


def test_wrong_element_in_steps_is_refused() -> None:
    message = saint_msgs.RouteStatus(fields=(saint_msgs.FieldStatus(age_ms=-1),))
    with pytest.raises(cdr.CdrError, match="RouteStatus cannot be encoded"):
        list(cdr.encode_into(bytearray(), message))
