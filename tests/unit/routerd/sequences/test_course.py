"""What a sequence requests at which time, and which targets it fits."""

import pytest
from pydantic import ValidationError

from saint_services.lib.api.sequences import JointSequence
from saint_services.lib.errors import SaintError
from saint_services.routerd.sequences.course import SequenceCourse, check_fits
from tests.unit.routerd.rig import robot

WAVE = JointSequence(
    joints=["joint_0", "gripper"],
    units=["deg", "ratio"],
    frames=[[0.0, 0.0, 0.0], [1.0, 10.0, 1.0], [2.0, -10.0, 0.5]],
)


def begun(**more: object) -> SequenceCourse:
    course = SequenceCourse(WAVE, **more)  # type: ignore[arg-type]
    course.advance(100.0, True)
    course.advance(100.01, True)
    return course


def test_time_begins_when_the_joints_have_arrived() -> None:
    course = SequenceCourse(WAVE)
    for at_s in range(5):
        course.advance(100.0 + at_s, False)
    assert (course.at_s, course.pose()) == (0.0, (0.0, 0.0))


def test_way_between_frames_is_straight() -> None:
    course = begun()
    course.advance(100.51, True)
    assert course.pose() == pytest.approx((5.0, 0.5))
    course.advance(101.51, True)
    assert course.pose() == pytest.approx((0.0, 0.75))


def test_speed_counts_and_the_end_is_the_last_frame() -> None:
    course = begun(speed=2.0)
    course.advance(100.51, True)
    assert course.pose() == pytest.approx((10.0, 1.0))
    course.advance(109.0, True)
    assert (course.pose(), course.is_over, course.rounds) == ((-10.0, 0.5), True, 1)


def test_loop_begins_again_when_the_joints_are_back() -> None:
    course = begun(is_loop=True)
    course.advance(109.0, True)
    assert (course.pose(), course.is_over, course.is_there) == ((0.0, 0.0), False, False)
    course.advance(109.1, True)
    course.advance(109.6, True)
    assert course.pose() == pytest.approx((5.0, 0.5))


@pytest.mark.parametrize(
    ("joints", "units", "frames", "reason"),
    [
        (["a"], ["deg"], [[0, 1]], "at least 2"),
        (["a", "a"], ["deg", "deg"], [[0, 1, 1], [1, 1, 1]], "a joint twice"),
        (["a"], ["deg", "deg"], [[0, 1], [1, 1]], "units has 2 entries"),
        (["a"], ["deg"], [[0, 1], [1]], "frame 1 has 1 numbers"),
        (["a"], ["deg"], [[0, 1], [0, 1]], "frame 1 is at 0 s, not after"),
        (["a"], ["deg"], [[1, 1], [2, 1]], "first frame is at 1 s"),
        (["a"], ["deg"], [[0, 1], [9000, 1]], "lasts 9000 s"),
        (["a"], ["deg"], [[0, float("nan")], [1, 1]], "finite"),
        (["a"], ["turns"], [[0, 1], [1, 1]], "'deg' or 'ratio'"),
        (["../a"], ["deg"], [[0, 1], [1, 1]], "match"),
    ],
)
def test_file_that_is_no_sequence_is_refused_with_the_reason(
    joints: list[str], units: list[str], frames: list[list[float]], reason: str
) -> None:
    with pytest.raises(ValidationError, match=reason):
        JointSequence.model_validate({"joints": joints, "units": units, "frames": frames})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"joints": ["joint_0", "tail"]}, "arms.left has no joint tail; it has joint_0,"),
        ({"units": ["ratio", "ratio"]}, "joint_0 is in ratio, arms.left.joint_0 in deg"),
        ({"frames": [[0, 0, 0], [1.5, 900, 0]]}, "joint_0 goes to 900 deg at 1.5 s, beyond its"),
    ],
)
def test_sequence_for_another_target_is_refused(change: dict[str, object], reason: str) -> None:
    wave = JointSequence.model_validate(WAVE.model_dump() | change)
    with pytest.raises(SaintError, match=reason):
        check_fits("wave", wave, "arms.left", robot().fields["arms.left"])
