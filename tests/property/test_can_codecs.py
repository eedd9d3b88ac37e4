"""Codecs of the CAN bus, of the wagon's boards and of remote operation: what is decoded is encoded
to the same bytes, and any other bytes are refused in words.
"""

import json
import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saint_services.lib.binary_layout import BinaryLayout, FieldForm, LayoutError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.teleop.structs import COMMAND, STATE
from saint_services.lib.wagon import board_link
from saint_services.lib.wagon import can_frames as wagon
from saint_services.lib.wagon.board_link import BoardLinkParser
from saint_services.saintctl.board.decode import described as board_line
from saint_services.saintctl.can.lines import described, frame_of
from saint_services.saintctl.teleop.decode import described as teleop_line
from saint_services.saintctl.teleop.decode import hex_line

LAYOUTS: list[BinaryLayout[Any]] = [
    *(row.layout for row in vesc.TABLE),
    *(row.layout for row in wagon.TABLE),
    *(row.layout for row in board_link.TABLE),
    COMMAND,
    STATE,
]
WIDTHS = {"e": 16, "f": 32}


def carried(form: FieldForm) -> st.SearchStrategy[Any]:
    """Every value that a field can carry exactly."""
    if form.code == "s":
        return st.binary(min_size=form.count, max_size=form.count)
    if form.is_flag:
        one: st.SearchStrategy[Any] = st.booleans()
    elif form.is_float:
        width: Any = WIDTHS[form.code]
        one = st.floats(width=width, allow_nan=False, allow_infinity=False)
    elif form.among:
        one = st.sampled_from(form.among)
    else:
        least, most = form.limits
        one = st.integers(least, most)
        if form.scale != 1:
            one = one.map(lambda raw: raw / form.scale)
    if form.count == 1:
        return one
    return st.lists(one, min_size=form.count, max_size=form.count).map(tuple)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.kind.__name__)
@given(data=st.data())
def test_message_survives_its_bytes(layout: BinaryLayout[Any], data: st.DataObject) -> None:
    values = {name: data.draw(carried(form), name) for name, form in layout.forms.items()}
    message = layout.kind(**values)
    packed = layout.encode(message)
    assert len(packed) == layout.size
    assert layout.decode(packed) == message
    assert layout.of_values(json.loads(json.dumps(values, default=list)) if all(
        form.code != "s" for form in layout.forms.values()) else values) == message  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.kind.__name__)
@given(data=st.data())
def test_bytes_are_a_message_of_the_same_bytes_or_refused(
    layout: BinaryLayout[Any], data: st.DataObject
) -> None:
    given_bytes = data.draw(st.binary(min_size=layout.size, max_size=layout.size))
    try:
        message = layout.decode(given_bytes)
    except LayoutError as err:
        assert str(err)
        return
    end = layout.size - layout.reserved
    assert layout.encode(message) == given_bytes[:end] + bytes(layout.reserved)


frames = st.one_of(
    st.builds(CanFrame, st.integers(0, (1 << 29) - 1), st.binary(max_size=8), st.just(True)),
    st.builds(CanFrame, st.integers(0, (1 << 11) - 1), st.binary(max_size=8)),
    st.builds(
        lambda row, address, data: CanFrame(row.number << 8 | address, data, True),
        st.sampled_from(vesc.TABLE),
        st.integers(0, 255),
        st.binary(max_size=8),
    ),
    st.builds(
        lambda row, data: CanFrame(row.id, data),
        st.sampled_from(wagon.TABLE),
        st.binary(max_size=8),
    ),
)


@given(frames)
@example(CanFrame(0x303, b"\xe5"))
@example(CanFrame(0x303, b"\xe5", True))
def test_any_frame_is_a_line_that_is_encoded_again_or_refused(frame: CanFrame) -> None:
    line = json.loads(json.dumps(described(frame), allow_nan=False))
    if line["kind"] == "refused":
        assert line["id"] == frame.id and line["reason"]
        return
    again = frame_of(line)
    assert (again.id, again.is_extended) == (frame.id, frame.is_extended)
    assert described(again) == described(frame)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=13) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=15,
)
KEYS = ("message", "vesc_id", "to_id", "sender_id", "value", "speed", "steer", "mode", "flags",
        "arm", "kp", "ki", "kd", "kind", "vx", "vy", "vyaw", "gait_mode", "enable",
        "e_stop", "joint_pos")  # fmt: skip


@given(
    st.dictionaries(st.sampled_from(KEYS), json_values),
    st.sampled_from([*vesc.BY_NAME, *wagon.BY_NAME]),
    st.sampled_from(("command", "state")),
)
def test_any_line_is_encoded_or_refused(line: dict[str, Any], name: str, kind: str) -> None:
    for encode in (frame_of, hex_line):
        for full in (line, {"message": name, "kind": kind} | line, line | {"message": name}):
            try:
                encode(full)
            except LayoutError as err:
                json.dumps(str(err))


@given(st.lists(st.binary(max_size=80), max_size=12))
def test_every_byte_of_the_link_is_in_a_message_or_discarded(chunks: list[bytes]) -> None:
    parser = BoardLinkParser()
    found = [message for chunk in chunks for message in parser.feed(chunk)] + parser.flush()
    carried = b"".join(board_link.encode(message) for message in found)
    assert len(carried) + parser.discarded_bytes == sum(map(len, chunks))
    assert parser.frames == len(found) and parser.rejected <= parser.discarded_bytes
    for message in found:
        json.dumps(board_line(message), allow_nan=False)
    whole = BoardLinkParser()
    assert whole.feed(b"".join(chunks)) + whole.flush() == found
    assert whole.discarded_bytes == parser.discarded_bytes


@given(
    st.binary(max_size=40).filter(lambda noise: 0xAA not in noise),
    st.lists(st.integers(0, 0xFFFFFFFF), max_size=5),
)
def test_messages_between_noise_are_found(noise: bytes, times: list[int]) -> None:
    messages = [board_link.BoardHeartbeat(each) for each in times]
    data = noise + b"".join(board_link.encode(each) + noise for each in messages)
    parser = BoardLinkParser()
    assert parser.feed(data) + parser.flush() == messages
    assert parser.rejected == 0


@given(st.binary(min_size=16, max_size=16) | st.binary(min_size=144, max_size=144))
def test_any_struct_is_a_line_or_refused(data: bytes) -> None:
    for kind in ("command", "state"):
        line = teleop_line(kind, data)
        json.dumps(line, allow_nan=False)
        if line["kind"] != "refused":
            assert hex_line(line) == {"hex": data.hex()}


@given(st.floats(-1e5, 1e5))
def test_half_float_is_the_nearest(value: float) -> None:
    try:
        message = wagon.decode(wagon.encode(wagon.WagonGains(value, 0.0, 0.0)))
    except LayoutError:
        assert abs(value) >= 65504
        return
    bits: int = struct.unpack("<H", struct.pack("<e", message.kp))[0]
    near = [struct.unpack("<e", struct.pack("<H", bits + step))[0]
            for step in (-1, 1) if 0 <= (bits & 0x7FFF) + step < 0x7C00]  # fmt: skip
    assert all(abs(value - message.kp) <= abs(value - other) for other in near)
