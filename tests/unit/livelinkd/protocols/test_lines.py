"""Our own lines of JSON: LiveLinkFrame's fields, each checked."""

import json
from typing import Any

import pytest

from saint_services.livelinkd.protocols import Frame, Refused, make_decoder

HEAD = {"translation": {"x": 1, "y": 2, "z": 3}, "rotation": {"x": 0, "y": 0, "z": 1, "w": 0}}


def outcome(line: Any) -> Frame | Refused:
    data = line if isinstance(line, bytes) else json.dumps({"subject_name": "P"} | line).encode()
    (found,) = make_decoder("lines")(data, "10.0.0.1")
    return found


def test_names_and_values_are_taken_as_sent() -> None:
    line = {"property_names": ["LeftArm.shoulder", "JawOpen"], "property_values": [12.5, 1]}
    frame = outcome(line | {"subject_type": "animation", "frame_number": 7, "timestamp": 1.5})
    assert isinstance(frame, Frame)
    assert (frame.subject, frame.type, frame.number) == ("P", "animation", 7)
    assert (frame.names, frame.values) == (("LeftArm.shoulder", "jawOpen"), (12.5, 1.0))


def test_a_transform_adds_its_values() -> None:
    frame = outcome({"subject_type": "transform", "transform": HEAD})
    assert isinstance(frame, Frame) and frame.transform is not None
    assert frame.names == ("x", "y", "z", "yaw", "pitch", "roll")
    assert frame.values == pytest.approx((1, 2, 3, 180, 0, 0))


def test_a_line_without_values_is_alive_but_not_tracked() -> None:
    frame = outcome({})
    assert isinstance(frame, Frame) and not frame.is_tracked


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "the text is not JSON"),
        (b"\xff", "the text is not UTF-8"),
        (b"[]", "the line is not a JSON object"),
        (b"{}", "a subject has no name"),
        (b"[" * 60_000, "the text is not JSON"),
        (b"x" * 70_000, "the line is too long"),
        ({"subject_name": 5}, "a subject has no name"),
        ({"subject_name": "x" * 101}, "a subject's name is too long"),
        ({"subject_name": "\n"}, "a subject's name has control characters"),
        ({"speed": 5}, "the line has a field that LiveLinkFrame does not have"),
        ({"subject_type": "dog"}, "the subject_type is not known"),
        ({"subject_type": ["face"]}, "the subject_type is not known"),
        ({"frame_number": "1"}, "the frame_number is not a whole number"),
        ({"frame_number": -1}, "the frame_number is out of range"),
        ({"frame_number": 1 << 64}, "the frame_number is out of range"),
        ({"property_names": "x"}, "property_names or property_values is not a list"),
        ({"property_names": ["a"]}, "names and values differ in number"),
        ({"property_names": [5], "property_values": [5]}, "a name is not valid"),
        ({"property_names": ["a", "a"], "property_values": [1, 2]}, "a name is given twice"),
        ({"property_names": ["a"], "property_values": ["1"]}, "a value is not a number in range"),
        ({"property_names": ["a"], "property_values": [1e30]}, "a value is not a number in range"),
        ({"property_names": ["a"], "property_values": [float("nan")]}, "a value is not finite"),
        ({"transform": []}, "the transform is not valid"),
        ({"transform": {"translation": {"x": 1}}}, "the transform is not valid"),
        ({"transform": {"rotation": dict.fromkeys("xyzw", 0)}}, "the transform is not valid"),
    ],
)
def test_what_is_not_exact_is_refused(line: Any, reason: str) -> None:
    assert outcome(line) == Refused(reason)
