"""Command messages out of fields and back."""

import math

import pytest

from saint_services.lib.bus import cdr
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import ArmCommand, HeadCommand
from saint_services.routerd.fields import command_messages
from saint_services.routerd.fields.command_messages import CommandWriter
from tests.unit.routerd.rig import DIRECT, Rig


def writer(rig: Rig, topic: str) -> CommandWriter:
    command = next(each for each in rig.router.robot.commands if each.topic.topic == topic)
    return CommandWriter(command, rig.router.by_name)


def test_nothing_is_wanted_before_something_drives_it() -> None:
    rig = Rig(DIRECT)
    head, face = writer(rig, "/saint/head/cmd"), writer(rig, "/saint/head/expression/cmd")
    assert not head.is_wanted
    rig.send("websocket:1", "head", pan=3.0)
    assert head.is_wanted
    assert not face.is_wanted


def test_head_command_leaves_undriven_fields_as_they_are() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=3.0)
    sent = cdr.decode(HeadCommand, cdr.encode(writer(rig, "/saint/head/cmd").message()))
    assert (sent.pan, sent.speed) == (3.0, 1.0)
    assert math.isnan(sent.tilt)
    assert math.isnan(sent.roll)


def test_arm_command_has_all_joints() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "arms.left", joint_2=30.0, gripper=1.0)
    sent = cdr.decode(ArmCommand, cdr.encode(writer(rig, "/saint/arms/left/cmd").message()))
    assert len(sent.target_positions) == 6
    assert sent.target_positions[2] == 30.0
    assert [math.isnan(x) for x in sent.target_positions].count(True) == 5
    assert sent.speed_factor == 1.0


def test_twist_is_never_nan() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.01)
    sent = cdr.decode(Twist, cdr.encode(writer(rig, "/saint/tracks/cmd_vel").message()))
    assert (sent.linear.x, sent.angular.z) == (pytest.approx(0.01), 0.0)


def test_foreign_twist_is_read() -> None:
    command = writer(Rig(), "/saint/tracks/cmd_vel").command
    twist = Twist(linear=Vector3(x=0.5), angular=Vector3(z=-1.0))
    assert command_messages.read(command, twist) == (("linear", "angular"), (0.5, -1.0))


def test_foreign_nan_leaves_a_field_out() -> None:
    command = writer(Rig(), "/saint/head/cmd").command
    assert command_messages.read(command, HeadCommand(math.nan, 5.0, math.nan)) == (
        ("tilt",),
        (5.0,),
    )


@pytest.mark.parametrize("bad", [math.inf, -math.inf, 1e300])
def test_foreign_value_beyond_float_voids_the_message(bad: float) -> None:
    command = writer(Rig(), "/saint/tracks/cmd_vel").command
    assert command_messages.read(command, Twist(linear=Vector3(x=bad))) == ((), ())


def test_foreign_array_may_be_short() -> None:
    command = writer(Rig(), "/saint/arms/left/cmd").command
    assert command_messages.read(command, ArmCommand((1.0, 2.0))) == (
        ("joint_0", "joint_1"),
        (1.0, 2.0),
    )


def test_place_of_a_field() -> None:
    assert command_messages.place("target_positions[12]") == ("target_positions", 12)
    assert command_messages.place("linear.x") == ("linear", "x")
    with pytest.raises(SaintError, match="is not a place"):
        command_messages.place("a..b")
