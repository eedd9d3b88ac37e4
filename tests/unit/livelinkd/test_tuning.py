"""Zero, scale, sign and the range that nothing leaves."""

import math

import pytest

from saint_services.livelinkd.protocols import Frame
from saint_services.livelinkd.protocols.names import FACE
from saint_services.livelinkd.protocols.skeleton import Pose, layout, quaternion
from saint_services.livelinkd.tuning import MAX_NAMES, Tuning, TuningFilter, looking_straight


def face(**values: float) -> Frame:
    given = [values.get(name, 0.5 if name in FACE[:52] else 0.0) for name in FACE]
    return Frame("Face", "phone", "face", 1, 0.0, (60, 1), FACE, tuple(given))


def skeleton(*turns: tuple[float, float, float]) -> Frame:
    pose = Pose(layout(tuple(f"b{i}" for i in range(len(turns)))), [quaternion(t) for t in turns])
    return Frame("S", "", "animation", 1, 0.0, (0, 1), pose.layout.names, pose.values(), pose)


def shaped(frame: Frame, tuning: Tuning | None = None) -> dict[str, float]:
    shaper = TuningFilter(tuning)
    values = shaper.values(frame)
    return dict(zip(shaper.names, values, strict=True))


def test_shapes_stay_within_0_and_1_and_angles_within_half_a_turn() -> None:
    found = shaped(face(jawOpen=7.0, tongueOut=-1.0, headYaw=100.0, headPitch=-100.0))
    assert (found["jawOpen"], found["tongueOut"]) == (1.0, 0.0)
    assert (found["headYaw"], found["headPitch"]) == pytest.approx((math.pi, -math.pi))


def test_what_is_in_range_passes_as_it_is() -> None:
    frame = face(headYaw=0.25)
    assert TuningFilter().values(frame) is frame.values


def test_zero_makes_this_the_middle() -> None:
    tuning = looking_straight(face(headYaw=0.3, leftEyePitch=-0.1, jawOpen=0.4), Tuning())
    found = shaped(face(headYaw=0.5, leftEyePitch=-0.1, jawOpen=0.4), tuning)
    assert found["headYaw"] == pytest.approx(0.2)
    assert found["leftEyePitch"] == 0.0
    assert found["jawOpen"] == 0.4  # a mouth that is open is open


def test_scale_and_sign_come_after_zero() -> None:
    tuning = Tuning({"headYaw": 0.1}, {}, {"headYaw": -2.0, "jawOpen": 3.0})
    found = shaped(face(headYaw=0.3, jawOpen=0.5), tuning)
    assert found["headYaw"] == pytest.approx(-0.4)
    assert found["jawOpen"] == 1.0  # still in range


def test_zero_of_a_skeleton_is_a_rotation() -> None:
    tuning = looking_straight(skeleton((90, 0, 0), (10, 20, 30)), Tuning())
    found = shaped(skeleton((90, 0, 0), (10, 20, 30)), tuning)
    assert all(value == pytest.approx(0, abs=1e-6) for value in found.values())
    # Turned by 90, then nodding: as angles nod would have come out as roll.
    found = shaped(skeleton((90, 25, 0), (10, 20, 30)), tuning)
    assert (found["b0.yaw"], found["b0.pitch"]) == pytest.approx((0, 25), abs=1e-6)


def test_zero_of_sent_values() -> None:
    frame = Frame("P", "", "animation", 1, 0.0, (0, 1), ("a", "jawOpen"), (5.0, 0.5))
    tuning = looking_straight(frame, Tuning(scale={"a": 2.0}))
    frame.values = (7.0, 0.5)
    assert shaped(frame, tuning) == {"a": 4.0, "jawOpen": 0.5}


def test_the_router_gets_no_more_names_than_it_takes() -> None:
    names = tuple(f"n{i}" for i in range(300))
    frame = Frame("P", "", "animation", 1, 0.0, (0, 1), names, tuple(map(float, range(300))))
    shaper = TuningFilter()
    assert len(shaper.values(frame)) == len(shaper.names) == MAX_NAMES == 256


def test_names_may_change_from_frame_to_frame() -> None:
    shaper = TuningFilter(Tuning(zero={"b": 1.0}))
    for names, values in ((("a",), (5.0,)), (("b", "a"), (5.0, 6.0)), (("a",), (7.0,))):
        frame = Frame("P", "", "animation", 1, 0.0, (0, 1), names, values)
        expected = tuple(v - (name == "b") for name, v in zip(names, values, strict=True))
        assert shaper.values(frame) == expected
        assert shaper.names == names
