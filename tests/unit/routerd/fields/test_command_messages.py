"""Command messages of fields, with speed and force beside them, and fields of foreign messages."""

import math

import pytest

from saint_services.lib.bus import cdr
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import (
    ArmCommand,
    HeadCommand,
    InputSample,
    PartCommand,
)
from saint_services.lib.role_config.model import RoleConfig
from saint_services.routerd.fields import command_messages
from saint_services.routerd.fields.command_messages import CommandWriter
from saint_services.routerd.fields.targets import RobotTargets
from saint_services.routerd.logic import Router
from tests.unit.routerd.rig import DIRECT, FACE, Rig, route


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


def sent(rig: Rig, topic: str) -> object:
    return writer(rig, topic).message()


def test_speed_paces_the_field_and_is_no_unknown_one() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=0.0, speed=0.1)
    rig.wait(0.01)
    for _ in range(10):
        rig.send("websocket:1", "head", pan=100.0, speed=0.1)
        rig.wait(0.01)
    assert rig.value("head.pan") == pytest.approx(3.6, abs=0.4)  # a tenth of 360 deg/s
    assert rig.router.refused == {}


def test_speed_may_change_without_the_goal() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.1, "websocket:1", "head", pan=0.0, speed=1.0)
    rig.stream(0.1, "websocket:1", "head", pan=100.0, speed=0.1)
    slow = rig.value("head.pan") or 0.0
    rig.stream(0.1, "websocket:1", "head", pan=100.0, speed=0.5)
    assert (rig.value("head.pan") or 0.0) - slow == pytest.approx(18.0, abs=2.0)


@pytest.mark.parametrize(("speed", "moved"), [(5.0, 36.0), (-1.0, 0.0), (0.0, 0.0)])
def test_speed_is_a_share_from_0_to_1(speed: float, moved: float) -> None:
    rig = Rig(DIRECT)
    rig.stream(0.1, "websocket:1", "head", pan=0.0, speed=1.0)
    rig.stream(0.1, "websocket:1", "head", pan=100.0, speed=speed)
    assert rig.value("head.pan") == pytest.approx(moved, abs=4.0)


def test_lost_client_leaves_the_joint_on_its_way() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.1, "websocket:1", "head", pan=0.0, speed=0.1)
    rig.stream(0.1, "websocket:1", "head", pan=100.0, speed=0.1)
    rig.wait(5.0)
    assert (rig.value("head.pan") or 0.0) < 20.0
    assert rig.output("head.pan").policy == "hold"


def test_next_in_control_moves_at_its_own_pace() -> None:
    rig = Rig(DIRECT, FACE, blend_time_ms=0)
    rig.stream(0.1, "websocket:1", "head", pan=0.0, speed=0.1)
    rig.wait(0.4)
    rig.stream(0.1, "livelink:a", headYaw=1.0)
    assert rig.value("head.pan") == pytest.approx(36.0, abs=4.0)


def test_loss_policy_has_the_full_rate() -> None:
    rig = Rig(route("jaw", "websocket", "head"))
    output = rig.router.by_name["head", "pan"]
    output.on_loss = "neutral"
    rig.send("websocket:1", "head", pan=36.0, speed=0.1)
    rig.wait(0.3 + 0.11)
    assert rig.value("head.pan") == 0.0


def test_of_a_mix_nobody_sets_the_pace() -> None:
    rig = Rig(DIRECT, mode="blend", blend_time_ms=0)
    rig.stream(0.1, "websocket:1", "head", pan=0.0, speed=0.1)
    rig.stream(0.1, "websocket:1", "head", pan=100.0, speed=0.1)
    assert rig.value("head.pan") == pytest.approx(36.0, abs=4.0)


def test_command_has_the_smallest_speed_of_those_in_control() -> None:
    rig = Rig(DIRECT)
    assert sent(rig, "/saint/head/cmd").speed == 1.0  # type: ignore[attr-defined]
    rig.send("websocket:1", "head", pan=1.0, speed=0.5)
    rig.send("websocket:2", "head", tilt=1.0, speed=0.25)
    rig.send("websocket:3", "head", roll=1.0)
    assert sent(rig, "/saint/head/cmd").speed == 0.25  # type: ignore[attr-defined]
    rig.wait(0.31)
    assert sent(rig, "/saint/head/cmd").speed == 1.0  # type: ignore[attr-defined]


def test_arm_and_gripper_have_modifiers_of_their_own() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "arms.left", joint_0=1.0, speed=0.5)
    rig.send("websocket:1", "arms.left", gripper=1.0, force=3.0)
    rig.send("websocket:2", "arms.right", gripper=1.0, force=-3.0)
    assert sent(rig, "/saint/arms/left/cmd").speed_factor == 0.5  # type: ignore[attr-defined]
    assert sent(rig, "/saint/arms/left/gripper/cmd").force == 3.0  # type: ignore[attr-defined]
    assert sent(rig, "/saint/arms/right/cmd").speed_factor == 1.0  # type: ignore[attr-defined]
    assert sent(rig, "/saint/arms/right/gripper/cmd").force == 0.0  # type: ignore[attr-defined]
    assert rig.router.refused == {}


def test_modifier_where_there_is_none_is_an_unknown_field() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.01, speed=0.5)
    rig.send("websocket:1", "head", pan=0.0, force=0.5)
    assert rig.router.refused["unknown field"] == 2


def test_modifier_alone_drives_nothing() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", speed=0.5)
    assert rig.output("head.pan").winner == ""


def test_force_is_no_pace() -> None:
    rig = Rig(DIRECT)
    rig.stream(0.1, "websocket:1", "arms.left", gripper=0.0, force=0.1)
    rig.stream(0.1, "websocket:1", "arms.left", gripper=1.0, force=0.1)
    assert rig.value("arms.left.gripper") == pytest.approx(0.4, abs=0.05)  # 4 a second


def test_one_sample_sets_the_pace() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=0.0)
    rig.wait(0.01)
    rig.send("websocket:1", "head", pan=100.0, speed=0.1)
    rig.wait(0.1)
    assert rig.value("head.pan") == pytest.approx(3.6, abs=0.4)


def test_who_is_not_in_control_sets_no_pace() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "head", pan=0.0)
    for tick in range(10):
        rig.send("websocket:2", "head", pan=50.0, speed=0.1 + tick / 100)
        rig.send("websocket:1", "head", pan=100.0)
        rig.wait(0.01)
    assert rig.value("head.pan") == pytest.approx(36.0, abs=4.0)


FACE_PARTS = {
    "role": "parts",
    "instance": "face",
    "version": "1",
    "topic_prefix": "/saint/parts/face",
    "commands": {"cmd": {"topic": "/saint/parts/face/cmd", "type": "saint_msgs/msg/PartCommand"}},
    "fields": {
        "brow_left": {
            "command": "cmd", "kind": "position", "unit": "deg", "limits": [-30, 30],
            "max_rate": 300, "on_loss": "neutral",
        },
        "siren": {"command": "cmd", "kind": "switch"},
        "cheek": {"command": "cmd", "kind": "light"},
    },
    "gpio_mapping": {
        "brow_left": {"type": "servo", "pin": 12},
        "siren": {"type": "switch", "pin": 5},
        "cheek": {"type": "dimmer", "pin": 13},
    },
}  # fmt: skip


def parts_writer() -> tuple[Router, CommandWriter]:
    robot = RobotTargets.of([RoleConfig.model_validate(FACE_PARTS)])
    router = Router(robot, [DIRECT])
    return router, CommandWriter(robot.commands[0], router.by_name)


def test_part_command_has_its_names_and_leaves_what_nobody_drives() -> None:
    router, parts = parts_writer()
    sample = InputSample(
        source="websocket:1", sequence=1, target="parts.face", names=("cheek",), values=(0.5,)
    )
    router.sample(sample, "p", 1000.0)
    sent = cdr.decode(PartCommand, cdr.encode(parts.message()))
    assert list(sent.names) == ["brow_left", "siren", "cheek"]
    assert math.isnan(sent.values[0])
    assert list(sent.values[1:]) == [0.0, 0.5]  # a switch is off, never left as it is


def test_foreign_part_command_is_read_by_name() -> None:
    command = parts_writer()[1].command
    message = PartCommand(names=("siren", "unknown", "brow_left"), values=(1.0, 7.0, -4.5))
    assert command_messages.read(command, message) == (("siren", "brow_left"), (1.0, -4.5))


@pytest.mark.parametrize(
    "message",
    [
        PartCommand(names=("siren",), values=()),
        PartCommand(names=("siren",), values=(math.inf,)),
        PartCommand(names=("siren", "cheek"), values=(1.0, 1e39)),
        PartCommand(names=("siren",), values=(math.nan,)),
    ],
)
def test_foreign_part_command_that_is_malformed_sets_nothing(message: PartCommand) -> None:
    assert command_messages.read(parts_writer()[1].command, message) == ((), ())


def test_part_that_a_foreign_command_names_twice_counts_once() -> None:
    message = PartCommand(names=("cheek", "cheek"), values=(0.25, 0.75))
    assert command_messages.read(parts_writer()[1].command, message) == (("cheek",), (0.25,))
