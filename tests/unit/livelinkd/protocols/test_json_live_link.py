"""JSONLiveLink: both forms, refusals that touch one subject only."""

import json
from typing import Any

import pytest

from saint_services.livelinkd.protocols import Frame, Outcome, Refused, make_decoder

REST = [0.0, 0.0, 0.0, 1.0]


def bone(name: str = "Root", parent: int = -1, **changes: Any) -> dict[str, Any]:
    made = {
        "Name": name, "Parent": parent, "Location": [0, 0, 0], "Rotation": REST,
        "Scale": [1, 1, 1],
    }  # fmt: skip
    return made | changes


def decode(body: Any) -> list[Outcome]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return make_decoder("json")(data, "10.0.0.1")


def one(body: Any) -> Frame:
    (frame,) = decode({"S": body})
    assert isinstance(frame, Frame), frame
    return frame


def refusal(body: Any) -> str:
    (outcome,) = decode({"S": body})
    assert isinstance(outcome, Refused)
    return outcome.reason


def test_bones_become_angles() -> None:
    turned = [0.0, 0.0, 0.25881905, 0.96592583]  # 30 degrees about Unreal's z: to the right
    frame = one([bone(Location=[100, 20, 30]), bone("Head", 0, Rotation=turned)])
    assert (frame.subject, frame.type, frame.rate) == ("S", "animation", (0, 1))
    values = dict(zip(frame.names, frame.values, strict=True))
    assert values["Head.yaw"] == values["Head"] == pytest.approx(-30, abs=1e-4)
    assert values["Head.pitch"] == pytest.approx(0, abs=1e-4)
    assert (values["Root.x"], values["Root.y"], values["Root.z"]) == pytest.approx((1, -0.2, 0.3))


def test_parameters_become_shapes_in_our_spelling() -> None:
    given = {"JawOpen": 0.5, "eyeBlink_L": 1, "MouthSmileRight": 0.25, "mine": -3}
    frame = one({"Parameter": [{"Name": n, "Value": v} for n, v in given.items()]})
    assert frame.type == "face"
    assert dict(zip(frame.names, frame.values, strict=True)) == {
        "jawOpen": 0.5, "eyeBlinkLeft": 1.0, "mouthSmileRight": 0.25, "mine": -3.0,
    }  # fmt: skip


def test_both_together_are_a_face_when_there_are_shapes() -> None:
    mine, jaw = {"Name": "mine", "Value": 1}, {"Name": "JawOpen", "Value": 1}
    assert one({"Bone": [bone()], "Parameter": [mine]}).type == "animation"
    both = one({"Bone": [bone("Head")], "Parameter": [jaw]})
    assert both.type == "face" and {"jawOpen", "Head.yaw"} < set(both.names)


def test_objects_and_cameras_have_a_place() -> None:
    where = {"Location": [100, 20, 30], "Rotation": [0, 0, 0.25881905, 0.96592583]}
    hand = one([{"Type": "TransformAnimation"}, where | {"Scale": [1, 1, 1]}])
    assert hand.type == "transform" and hand.transform is not None
    assert hand.names == ("x", "y", "z", "yaw", "pitch", "roll")
    assert hand.values == pytest.approx((1, -0.2, 0.3, -30, 0, 0), abs=1e-4)
    assert one([{"Type": "CameraAnimation"}, where | {"Values": [88.0]}]).type == "camera"


def test_frames_are_numbered_per_subject() -> None:
    decoder = make_decoder("json")
    data = json.dumps({"A": [bone()], "B": [bone()]}).encode()
    frames = [*decoder(data, ""), *decoder(data, ""), *decoder(b'{"A": [0]}', "")]
    numbers = [(f.subject, f.number) for f in frames if isinstance(f, Frame)]
    assert numbers == [("A", 0), ("B", 0), ("A", 1), ("B", 1)]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (5, "neither a list nor an object"),
        ({}, "neither Bone nor Parameter"),
        ({"Bone": {}}, "is not a list"),
        ([], "no bone and no parameter"),
        ({"Bone": [], "Parameter": []}, "no bone and no parameter"),
        ([{}], "lacks one of"),
        ([{"Type": "TransformSubject"}], "Type is of no use"),
        ([{"Type": ["Light"]}], "Type is of no use"),
        ([{"Type": "TransformAnimation"}, 5], "Type is of no use"),
        ([{"Type": "TransformAnimation"}, {"Location": [0, 0, 0]}], "lacks Location or Rotation"),
        ([{"Type": "TransformAnimation"}, {"Location": [0, 0], "Rotation": REST}], "have 3"),
        ([7], "lacks one of"),
        ([bone("")], "Name is not valid"),
        ([bone("x" * 101)], "Name is not valid"),
        ([bone("a\ud800")], "Name is not valid"),
        ([bone(), bone()], "given twice"),
        ([bone(Parent="x")], "not a whole number"),
        ([bone(Parent=True)], "not a whole number"),
        ([bone(Parent=1)], "does not exist"),
        ([bone(Parent=-2)], "does not exist"),
        ([bone(Parent=0)], "each other's Parent"),
        ([bone("A", 1), bone("B", 0)], "each other's Parent"),
        ([bone("R"), bone("A", 2), bone("B", 1)], "each other's Parent"),
        ([bone(Rotation=[0, 0, 0])], "Rotation does not have 4"),
        ([bone(Rotation=[0, 0, 0, 0])], "not a quaternion"),
        ([bone(Rotation=[0, 0, "0", 1])], "not numbers"),
        ([bone(Rotation=[0, 0, None, 1])], "not numbers"),
        ([bone(Location=[0, 0])], "Location does not have 3"),
        ([bone(Location=[0, 0, 1e300])], "not numbers in range"),
        ([bone(Location=[1, 10**400, 0.5])], "not numbers in range"),
        ([bone(Location=[1e308, 1e308, 1])], "not numbers in range"),
        ([bone(Scale="x")], "Scale does not have 3"),
        ([bone(f"b{i}") for i in range(300)], "too many bones"),
        ({"Parameter": [{"Name": "a"}]}, "no Name or no Value"),
        ({"Parameter": [{"Value": 1}]}, "no Name or no Value"),
        ({"Parameter": [{"Name": "a", "Value": True}]}, "not a number"),
        ({"Parameter": [{"Name": "a", "Value": "1"}]}, "not a number"),
        ({"Parameter": [{"Name": 5, "Value": 1}]}, "Name is not valid"),
        ({"Parameter": [{"Name": "a", "Value": 1}] * 2}, "given twice"),
        ({"Parameter": [{"Name": n, "Value": 1} for n in ("jawOpen", "JawOpen")]}, "given twice"),
        ({"Parameter": [{"Name": f"p{i}", "Value": 1} for i in range(300)]}, "too many parameters"),
    ],
)
def test_a_wrong_subject_is_refused_alone(body: Any, reason: str) -> None:
    assert reason in refusal(body)
    before, wrong, after = decode({"A": [bone()], "S": body, "B": [bone()]})
    assert isinstance(before, Frame) and isinstance(after, Frame)
    assert isinstance(wrong, Refused)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the datagram is empty"),
        (b"\xff\xfe", "the text is not UTF-8"),
        (b"{", "the text is not JSON"),
        (b"[" * 60_000, "the text is not JSON"),
        (b'{"S": ' + b"9" * 10_000 + b"}", "the text is not JSON"),
        (b"[]", "the datagram is not a JSON object"),
        (b"null", "the datagram is not a JSON object"),
        (b"{}", "the datagram names no subject"),
        (b'{"S": NaN}', "a subject is neither a list nor an object"),
        (b'{"S": {"Parameter": [{"Name": "a", "Value": -Infinity}]}}', "a value is not finite"),
        (
            json.dumps({f"s{i}": [] for i in range(17)}).encode(),
            "the datagram names too many subjects",
        ),
        (b'{"S": []}' + b" " * 65_507, "the datagram is too long"),
        (b'{"": [1]}', "a subject has no name"),
        (b'{"a\\u0000": [1]}', "a subject's name has control characters"),
        (b'{"\\ud800": [1]}', "a subject's name has control characters"),
        (json.dumps({"x" * 101: [1]}).encode(), "a subject's name is too long"),
    ],
)
def test_a_wrong_datagram_is_refused(data: bytes, reason: str) -> None:
    assert decode(data) == [Refused(reason)]


@pytest.mark.parametrize("value", [b"NaN", b"-Infinity", b"1e999"])
def test_what_is_not_finite_is_refused_alone(value: bytes) -> None:
    good = b'"B": {"Parameter": [{"Name": "a", "Value": 1}]}'
    wrong, right = decode(
        b'{"S": {"Parameter": [{"Name": "a", "Value": ' + value + b"}]}, " + good + b"}"
    )
    assert wrong == Refused("a value is not finite") and isinstance(right, Frame)
    turned = (
        b'{"Name": "R", "Parent": -1.0, "Location": [0, 0, 0], "Scale": [1, 1, 1], "Rotation": '
    )
    wrong, right = decode(b'{"S": [' + turned + b"[0, 0, " + value + b", 1]}], " + good + b"}")
    assert wrong == Refused("a value is not finite") and isinstance(right, Frame)
    (root,) = decode(b'{"S": [' + turned + b"[0, 0, 0, 1]}]}")
    assert isinstance(root, Frame)  # its parent is -1.0, which is -1


def test_every_cut_is_refused() -> None:
    whole = json.dumps({"S": [bone()], "T": {"Parameter": [{"Name": "a", "Value": 1}]}}).encode()
    for length in range(len(whole)):
        assert all(isinstance(outcome, Refused) for outcome in decode(whole[:length]))
    assert all(isinstance(outcome, Frame) for outcome in decode(whole))
