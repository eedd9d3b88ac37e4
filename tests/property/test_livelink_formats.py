"""Whatever arrives in whichever format: no decoder raises, every value is finite, every outcome
can be shown and sent on; angles are the rotation that they came from.
"""

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.bus import cdr
from saint_services.livelinkd.logic import Subject, SubjectRegistry
from saint_services.livelinkd.protocols import DECODERS, Frame, Refused, make_decoder
from saint_services.livelinkd.protocols.names import range_of
from saint_services.livelinkd.protocols.skeleton import (
    euler,
    from_unity,
    from_unreal,
    quaternion,
    relative,
    unit,
)
from saint_services.livelinkd.reports import description, detail, message
from saint_services.livelinkd.tuning import looking_straight
from saint_services.saintctl.livelink.decode import described
from tests.unit.livelinkd.osc_packets import APPLY, bone, bundle, shape
from tests.unit.livelinkd.osc_packets import message as osc

pytestmark = pytest.mark.slow

_BONE = {
    "Name": "Head", "Parent": -1, "Location": [1, 2, 3], "Rotation": [0, 0, 0.3, 0.9],
    "Scale": [1, 1, 1],
}  # fmt: skip
_JAW = {"Name": "JawOpen", "Value": 1}
_LINE = {
    "subject_name": "P", "subject_type": "transform", "frame_number": 7, "property_names": ["a"],
    "property_values": [1.5], "transform": {"translation": {"x": 1, "y": 2, "z": 3}},
}  # fmt: skip
SOUND: dict[str, list[bytes]] = {
    "json": [
        json.dumps({"S": [_BONE, _BONE | {"Name": "Neck", "Parent": 0}]}).encode(),
        json.dumps({"F": {"Bone": [_BONE], "Parameter": [_JAW]}}).encode(),
    ],
    "vmc": [
        bundle(bone("Head", y=0.3), shape("A", 0.5), APPLY, osc("/VMC/Ext/OK", 1)),
        osc("/VMC/Ext/Con/Pos", "Hand", 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0),
        osc("/VMC/Ext/Root/Pos", "root", 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    ],
    "ifacialmocap": [
        b"mouthSmile_R-12|jawOpen-100|=head#-21.4,-6.0,-6.6,-0.03,-0.1,-0.65|rightEye#6,2,0|",
        b"trackingStatus&1|jawOpen&5|=head#1,2,3,4,5,6|leftEye#1,2,3|",
    ],
    "lines": [json.dumps(_LINE).encode()],
    "capture": [
        b"\1\0\3\0abc" + struct.pack("<ifiiH52H6f", 7, 0.5, 60, 1, 52, *range(52), *range(6)),
        b"\1\0\1\0x" + struct.pack("<ifiiH3H6f", 7, 0.5, 60, 1, 3, 0, 1, 65535, *[0.5] * 6),
    ],
}  # fmt: skip


def check(format: str, *datagrams: bytes) -> None:
    decoder, registry = make_decoder(format), SubjectRegistry()
    for data in datagrams:
        outcomes = decoder(data, "10.0.0.1")
        assert isinstance(outcomes, list)
        for outcome in outcomes:
            json.dumps(described(outcome), allow_nan=False)
            if isinstance(outcome, Frame):
                check_frame(outcome, registry, format)


def check_frame(frame: Frame, registry: SubjectRegistry, format: str) -> None:
    assert len(frame.names) == len(frame.values) == len(set(frame.names))
    assert all(math.isfinite(value) for value in frame.values)
    subject = registry.take(frame, ("10.0.0.1", 1), 1.0, format)
    assert isinstance(subject, Subject | Refused)
    if isinstance(subject, Subject):
        for _ in range(2):
            values = subject.shaper.values(frame)
            assert len(values) <= 256
            for name, value in zip(subject.shaper.names, values, strict=bool(values)):
                low, high = range_of(name)
                assert low <= value <= high
            cdr.encode(message(subject, values, 1.0))
            cdr.encode(description(subject, 1.0))
            detail(subject, 1.0, 1.0).model_dump_json()
            registry.tune(frame.subject, looking_straight(frame, subject.shaper.tuning))


@st.composite
def damaged(draw: st.DrawFn, format: str) -> bytes:
    data = bytearray(draw(st.sampled_from(SOUND[format])))
    for _ in range(draw(st.integers(0, 6))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))])


def test_every_format_is_here() -> None:
    assert SOUND.keys() == DECODERS.keys() - {"llf"}  # test_livelink_datagrams.py


@pytest.mark.parametrize("format", SOUND)
def test_sound_datagrams_are_frames(format: str) -> None:
    for data in SOUND[format]:
        outcomes = make_decoder(format)(data, "10.0.0.1")
        assert all(isinstance(outcome, Frame) for outcome in outcomes)
    check(format, *SOUND[format])


@pytest.mark.parametrize("format", SOUND)
@given(data=st.data())
def test_damaged_datagrams_are_survived(format: str, data: st.DataObject) -> None:
    check(format, *data.draw(st.lists(damaged(format), min_size=1, max_size=5)))


@pytest.mark.parametrize("format", SOUND)
@given(datagrams=st.lists(st.binary(max_size=300), max_size=3))
def test_any_bytes_are_survived(format: str, datagrams: list[bytes]) -> None:
    check(format, *datagrams)


@pytest.mark.parametrize("format", SOUND)
def test_every_cut_is_survived(format: str) -> None:
    for whole in SOUND[format]:
        for length in range(len(whole)):
            check(format, whole[:length])


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["Bone", "Parameter", "Name", "Value", "Parent", "Rotation", "x"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(body=_json, field=st.sampled_from(sorted(_BONE)), value=_json)
def test_any_json_is_survived(body: Any, field: str, value: Any) -> None:
    check("json", json.dumps({"S": body}).encode())
    check("json", json.dumps({"S": [_BONE | {field: value}]}).encode())
    check("json", json.dumps({"S": {"Parameter": [{"Name": "a", "Value": value}]}}).encode())


@given(field=st.sampled_from(sorted(_LINE)), value=_json)
def test_any_line_is_survived(field: str, value: Any) -> None:
    check("lines", json.dumps(_LINE | {field: value}).encode())


_part = st.floats(-1, 1)
rotations = (
    st.tuples(_part, _part, _part, _part).map(lambda q: unit(*q)).filter(lambda q: q is not None)
)
angles = st.tuples(st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180))


def apart_deg(a: Any, b: Any) -> float:
    x, y, z, w = relative(a, b)
    return math.degrees(2 * math.atan2(math.hypot(x, y, z), abs(w)))


@given(rotations)
def test_angles_are_the_rotation(rotation: Any) -> None:
    yaw, pitch, roll = euler(rotation)
    assert -180 <= yaw <= 180 and -90 <= pitch <= 90 and -180 <= roll <= 180
    assert apart_deg(rotation, quaternion((yaw, pitch, roll))) < 0.01


@given(angles)
def test_rotation_is_the_angles(given_angles: tuple[float, float, float]) -> None:
    rotation = quaternion(given_angles)
    assert apart_deg(rotation, quaternion(euler(rotation))) < 0.01


@given(st.floats(-180, 180), st.floats(-180, 180), st.floats(-1e-3, 1e-3), st.booleans())
def test_gimbal_lock_keeps_the_rotation(yaw: float, roll: float, off: float, down: bool) -> None:
    rotation = quaternion((yaw, (90.0 if down else -90.0) + off, roll))
    assert apart_deg(rotation, quaternion(euler(rotation))) < 0.01


@given(rotations, rotations)
def test_axes_of_engines_keep_what_rotations_do_together(a: Any, b: Any) -> None:
    for convert in (from_unreal, from_unity):
        assert apart_deg(convert(relative(a, b)), relative(convert(a), convert(b))) < 1e-4
