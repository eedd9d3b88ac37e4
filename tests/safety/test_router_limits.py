"""The safety argument for every field of SAINT. The numbers are typed by hand: they must not change
with a manifest that is edited.
"""

from tests.safety.field_argument import PositionArgument, VelocityArgument
from tests.unit.routerd.rig import DIRECT, Rig, route


class TestHeadPan(PositionArgument):
    target, field, low, high, rate = "head", "pan", -180.0, 180.0, 360.0


class TestHeadTilt(PositionArgument):
    target, field, low, high, rate = "head", "tilt", -90.0, 90.0, 180.0


class TestHeadRoll(PositionArgument):
    target, field, low, high, rate = "head", "roll", -45.0, 45.0, 120.0


class TestHeadJaw(PositionArgument):
    target, field, low, high, rate = "head", "jaw", 0.0, 1.0, 10.0
    neutral = 0.0


class TestHeadEyePan(PositionArgument):
    target, field, low, high, rate = "head", "eye_pan", -35.0, 35.0, 700.0
    neutral = 0.0


class TestHeadEyeTilt(PositionArgument):
    target, field, low, high, rate = "head", "eye_tilt", -25.0, 25.0, 700.0
    neutral = 0.0


class TestLeftShoulder(PositionArgument):
    target, field, low, high, rate = "arms.left", "joint_0", -170.0, 170.0, 120.0


class TestLeftUpper(PositionArgument):
    target, field, low, high, rate = "arms.left", "joint_1", -90.0, 90.0, 120.0


class TestLeftElbow(PositionArgument):
    target, field, low, high, rate = "arms.left", "joint_2", -135.0, 135.0, 120.0


class TestLeftForearm(PositionArgument):
    target, field, low, high, rate = "arms.left", "joint_3", -170.0, 170.0, 180.0


class TestLeftWrist(PositionArgument):
    target, field, low, high, rate = "arms.left", "joint_4", -100.0, 100.0, 180.0


class TestLeftHand(PositionArgument):
    target, field, low, high, rate = "arms.left", "joint_5", -170.0, 170.0, 240.0


class TestLeftGripper(PositionArgument):
    target, field, low, high, rate = "arms.left", "gripper", 0.0, 1.0, 4.0


class TestRightShoulder(TestLeftShoulder):
    target = "arms.right"


class TestRightUpper(TestLeftUpper):
    target = "arms.right"


class TestRightElbow(TestLeftElbow):
    target = "arms.right"


class TestRightForearm(TestLeftForearm):
    target = "arms.right"


class TestRightWrist(TestLeftWrist):
    target = "arms.right"


class TestRightHand(TestLeftHand):
    target = "arms.right"


class TestRightGripper(TestLeftGripper):
    target = "arms.right"


class TestTracksLinear(VelocityArgument):
    target, field, low, high, rate = "tracks", "linear", -1.5, 1.5, 6.0


class TestTracksAngular(VelocityArgument):
    target, field, low, high, rate = "tracks", "angular", -3.0, 3.0, 24.0


def test_every_field_has_its_argument() -> None:
    classes = [each for each in globals().values() if isinstance(each, type)]
    argued = {f"{each.target}.{each.field}" for each in classes if hasattr(each, "target")}
    assert argued == {output.name for output in Rig().router.outputs}


def test_sum_of_mappings_cannot_widen_the_limit() -> None:
    several = [{"from": x, "to": "linear", "scale": 1.5} for x in "abc"]
    rig = Rig(route("sum", "rc", "tracks", several))
    rig.stream(1.0, "rc", a=1.0, b=1.0, c=1.0)
    assert rig.value("tracks.linear") == 1.5


def test_full_reversal_takes_half_a_second() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.5, "websocket:1", "tracks", linear=1.5)
    rig.stream(0.4, "websocket:1", "tracks", linear=-1.5)  # 3 m/s at 6 m/s2
    assert (rig.value("tracks.linear") or 0.0) > -1.0
    rig.stream(0.12, "websocket:1", "tracks", linear=-1.5)
    assert rig.value("tracks.linear") == -1.5
