"""How far and how fast head and arms move. All numbers are typed by hand."""

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import (
    ArmCommand,
    GripperCommand,
    HeadCommand,
    HeadExpression,
)
from saint_services.lib.generated.topics import (
    ARM_CMD,
    GRIPPER_CMD,
    HEAD_CMD,
    HEAD_EXPRESSION_CMD,
)
from saint_services.lib.role.motion.positions import PositionSession
from saint_services.lib.role_config.model import CollisionLimit
from tests.unit.role.role_rig import UNKNOWN, Rig, load_role

NAN, INF = math.nan, math.inf
LEFT_CMD, LEFT_GRIPPER = ARM_CMD.at(instance="left"), GRIPPER_CMD.at(instance="left")
# name: lower limit, upper limit, pulses at both, top rate per second
HEAD = {
    "pan": (-180.0, 180.0, 500.0, 2500.0, 360.0),
    "tilt": (-90.0, 90.0, 500.0, 2500.0, 180.0),
    "roll": (-45.0, 45.0, 1000.0, 2000.0, 120.0),
    "jaw": (0.0, 1.0, 1000.0, 2000.0, 10.0),
    "eye_pan": (-35.0, 35.0, 1000.0, 2000.0, 700.0),
    "eye_tilt": (-25.0, 25.0, 1000.0, 2000.0, 700.0),
}
HEAD_PINS = {"pan": 12, "tilt": 13}
HEAD_CHANNELS = {"jaw": 0, "eye_pan": 1, "eye_tilt": 2, "roll": 3}
ARM = {
    "joint_0": (-170.0, 170.0, 500.0, 2500.0, 120.0),
    "joint_1": (-90.0, 90.0, 1000.0, 2000.0, 120.0),
    "joint_2": (-135.0, 135.0, 500.0, 2500.0, 120.0),
    "joint_3": (-170.0, 170.0, 500.0, 2500.0, 180.0),
    "joint_4": (-100.0, 100.0, 500.0, 2500.0, 180.0),
    "joint_5": (-170.0, 170.0, 500.0, 2500.0, 240.0),
    "gripper": (0.0, 1.0, 1000.0, 2000.0, 4.0),
}
CHIP_STEP_US = 4.88  # of a PCA9685 at 50 Hz


@pytest.fixture
def head(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "head")
    yield rig
    rig.close()


@pytest.fixture(params=["left", "right"])
def arm(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Rig]:
    rig = Rig(tmp_path, f"arms_{request.param}")
    yield rig
    rig.close()


@pytest.fixture
def left(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "arms_left")
    yield rig
    rig.close()


def head_pulse(rig: Rig, name: str) -> float:
    if name in HEAD_PINS:
        return rig.pin(HEAD_PINS[name]).value
    return rig.channels()[HEAD_CHANNELS[name]]


def applied(rig: Rig, name: str) -> float:
    session = rig.session
    assert isinstance(session, PositionSession)
    return session.joints.by_name[name].axis.applied


def move_head(rig: Rig, value: float) -> None:
    rig.send(HEAD_CMD, HeadCommand(value, value, value, speed=1.0))
    rig.send(HEAD_EXPRESSION_CMD, HeadExpression(value, value, value))


@pytest.mark.parametrize("value", [1e6, -1e6])
def test_head_stops_at_its_limits(head: Rig, value: float) -> None:
    head.live(1.5, lambda: move_head(head, value))
    for name, (low, high, first_us, last_us, _) in HEAD.items():
        assert applied(head, name) == (high if value > 0 else low)
        wanted_us = last_us if value > 0 else first_us
        assert head_pulse(head, name) == pytest.approx(wanted_us, abs=CHIP_STEP_US)


@pytest.mark.parametrize("value", [1e6, -1e6])
def test_arm_stops_at_its_limits(arm: Rig, value: float) -> None:
    cmd, gripper = (
        ARM_CMD.at(instance=arm.config.instance),
        GRIPPER_CMD.at(instance=arm.config.instance),
    )

    def say() -> None:
        arm.send(cmd, ArmCommand([value] * 6, 1.0))
        arm.send(gripper, GripperCommand(value))

    arm.live(3.5, say)  # joint_1 waits until the elbow is out of its way
    pulses = arm.channels()
    for channel, (name, (low, high, first_us, last_us, _)) in enumerate(ARM.items()):
        assert applied(arm, name) == (high if value > 0 else low)
        wanted_us = last_us if value > 0 else first_us
        assert pulses[channel] == pytest.approx(wanted_us, abs=CHIP_STEP_US)


def test_head_never_moves_faster_than_its_rates(head: Rig) -> None:
    seen: list[dict[str, float]] = [{name: applied(head, name) for name in HEAD}]
    for step in range(120):
        head.beat()
        move_head(head, 1e6 if step % 70 < 35 else -1e6)
        seen.append({name: applied(head, name) for name in HEAD})
        head.clock.advance(0.01)
    for name, (_, _, _, _, rate) in HEAD.items():
        for first in range(len(seen)):
            for last in range(first + 1, len(seen)):
                # and 20 ms that an axis saves up while it rests
                allowed = rate * ((last - first) * 0.01 + 0.02) + 1e-9
                assert abs(seen[last][name] - seen[first][name]) <= allowed


def test_long_motion_takes_as_long_as_the_rate_says(left: Rig) -> None:
    left.live(0.5, lambda: left.send(LEFT_CMD, ArmCommand([170.0], 1.0)))
    # 120 degrees per second for half a second and the 10 ms that are taken at once, less the half
    # of the 0.1 s that 1200 degrees per second squared need to get there
    assert applied(left, "joint_0") == pytest.approx(120.0 * (0.5 + 0.01 - 0.05), abs=1.3)


def test_arm_keeps_its_accelerations(left: Rig) -> None:
    accelerations = [1200.0, 1200.0, 1200.0, 2400.0, 2400.0, 3600.0]
    seen: list[list[float]] = []
    for step in range(150):
        left.beat()
        left.send(LEFT_CMD, ArmCommand([1e6 if step % 60 < 25 else -1e6] * 6, 1.0))
        seen.append([applied(left, f"joint_{index}") for index in range(6)])
        left.clock.advance(0.01)
    for index, allowed in enumerate(accelerations):
        places = [row[index] for row in seen]
        speeds = [(after - before) / 0.01 for before, after in pairwise(places)]
        changes = [abs(after - before) / 0.01 for before, after in pairwise(speeds)]
        assert max(changes) <= allowed * 1.001
        assert max(map(abs, speeds)) > 60.0  # it does move


def test_estop_stops_an_arm_at_once_whatever_its_speed(left: Rig) -> None:
    left.live(0.4, lambda: left.send(LEFT_CMD, ArmCommand([170.0] * 6, 1.0)))
    left.estop(True, 1)
    place = left.channels()
    left.live(0.5, lambda: left.send(LEFT_CMD, ArmCommand([-170.0] * 6, 1.0)))
    assert left.channels() == place
    assert left.session.report().safe


def test_arm_at_speed_stands_250_ms_after_the_last_command(left: Rig) -> None:
    left.live(0.4, lambda: left.send(LEFT_CMD, ArmCommand([170.0] * 6, 1.0)))
    for _ in range(24):
        left.clock.advance(0.01)
        left.beat()
    place = applied(left, "joint_0")
    left.live(0.5, lambda: None)
    assert 0.0 < place < 170.0
    assert applied(left, "joint_0") == place


def test_arm_stays_out_of_what_its_manifest_forbids(tmp_path: Path) -> None:
    limit = CollisionLimit(when={"joint_1": (60.0, 90.0)}, then={"joint_2": (-45.0, 45.0)})
    rig = Rig(tmp_path, "arms_left", load_role("arms_left", collision_limits=[limit]))
    rig.live(1.5, lambda: rig.send(LEFT_CMD, ArmCommand([NAN, 90.0, 120.0], 1.0)))
    assert 59.0 < applied(rig, "joint_1") < 60.0
    assert applied(rig, "joint_2") == 120.0
    assert rig.session.report().safe  # it waits, and nothing runs
    rig.live(1.5, lambda: rig.send(LEFT_CMD, ArmCommand([NAN, 90.0, 0.0], 1.0)))
    assert (applied(rig, "joint_1"), applied(rig, "joint_2")) == (90.0, 0.0)
    rig.live(1.5, lambda: rig.send(LEFT_CMD, ArmCommand([NAN, 90.0, -120.0], 1.0)))
    assert (applied(rig, "joint_1"), applied(rig, "joint_2")) == (90.0, -45.0)
    rig.close()


def test_small_step_is_written_inside_the_callback(head: Rig) -> None:
    head.beat()
    head.send(HEAD_CMD, HeadCommand(7.0, 0.0, 0.0, 1.0))  # 360 deg/s allow 7.2 deg in 20 ms
    assert head.pin(12).value == pytest.approx(1500.0 + 7.0 * 2000.0 / 360.0)


def test_motion_goes_on_between_commands(head: Rig) -> None:
    head.beat()
    head.send(HEAD_CMD, HeadCommand(30.0, 0.0, 0.0, 1.0))
    writes = head.pin(12).writes
    head.clock.advance(0.1)
    assert applied(head, "pan") == 30.0
    assert head.pin(12).writes - writes >= 6  # smooth: in slices of 10 ms
    writes = head.pin(12).writes
    head.clock.advance(0.1)
    assert head.pin(12).writes == writes  # and then nothing runs any more


def test_speed_factor_slows_the_motion(head: Rig) -> None:
    head.live(0.5, lambda: head.send(HEAD_CMD, HeadCommand(180.0, NAN, NAN, 0.25)))
    assert applied(head, "pan") == pytest.approx(0.25 * 360.0 * 0.51, abs=1.0)


def test_speed_factor_above_one_is_one(head: Rig) -> None:
    head.live(0.2, lambda: head.send(HEAD_CMD, HeadCommand(180.0, NAN, NAN, 100.0)))
    assert applied(head, "pan") <= 360.0 * 0.22 * 1.001


def test_speed_factor_zero_moves_nothing(left: Rig) -> None:
    left.live(0.2, lambda: left.send(LEFT_CMD, ArmCommand([90.0], 0.0)))
    assert applied(left, "joint_0") == 0.0


def test_nan_leaves_a_joint_where_it_is(left: Rig) -> None:
    left.live(0.5, lambda: left.send(LEFT_CMD, ArmCommand([20.0, 20.0], 1.0)))
    left.live(0.5, lambda: left.send(LEFT_CMD, ArmCommand([NAN, 10.0, NAN], 1.0)))
    assert applied(left, "joint_0") == 20.0
    assert applied(left, "joint_1") == 10.0
    assert left.channels()[2] == 0.0  # never commanded: no pulse


@pytest.mark.parametrize(
    "message",
    [
        ArmCommand([10.0, INF], 1.0),
        ArmCommand([10.0, -INF], 1.0),
        ArmCommand([10.0], NAN),
        ArmCommand([10.0], INF),
        ArmCommand([10.0] * 7, 1.0),
        ArmCommand([10.0] * 1000, 1.0),
    ],
)
def test_arm_refuses_what_is_no_command_as_a_whole(left: Rig, message: ArmCommand) -> None:
    left.beat()
    left.send(LEFT_CMD, message)
    left.clock.advance(0.1)
    assert applied(left, "joint_0") == 0.0
    assert left.channels() == [0.0] * 16
    assert left.session.report().refused == 1


@pytest.mark.parametrize("message", [GripperCommand(INF), GripperCommand(0.5, NAN)])
def test_gripper_refuses_what_is_not_finite(left: Rig, message: GripperCommand) -> None:
    left.beat()
    left.send(LEFT_GRIPPER, message)
    assert left.session.report().refused == 1
    assert left.channels() == [0.0] * 16


def test_head_refuses_infinite_positions(head: Rig) -> None:
    head.beat()
    head.send(HEAD_CMD, HeadCommand(1.0, INF, 0.0, 1.0))
    head.send(HEAD_EXPRESSION_CMD, HeadExpression(0.5, -INF, 0.0))
    assert head.session.report().refused == 2
    assert head.pin(12).writes == 0


def test_positions_hold_at_once_on_estop(head: Rig) -> None:
    head.live(0.1, lambda: head.send(HEAD_CMD, HeadCommand(180.0, 90.0, 45.0, 1.0)))
    head.estop(True, 1)
    place = [head.pin(pin).value for pin in HEAD_PINS.values()]
    head.live(0.5, lambda: head.send(HEAD_CMD, HeadCommand(-180.0, -90.0, -45.0, 1.0)))
    assert [head.pin(pin).value for pin in HEAD_PINS.values()] == place
    assert min(place) > 500.0  # the pulses are still there: the head does not fall


def test_positions_hold_250_ms_after_the_last_heartbeat(head: Rig) -> None:
    head.beat()
    head.send(HEAD_CMD, HeadCommand(180.0, 90.0, 45.0, 1.0))
    head.clock.advance(0.2501)
    place = applied(head, "pan")
    assert 0.0 < place < 180.0
    head.clock.advance(1.0)
    assert applied(head, "pan") == place
    assert head.session.report().safe


def test_command_of_an_unknown_participant_is_refused(head: Rig) -> None:
    head.beat()
    head.bus.send(HEAD_CMD, HeadCommand(5.0, 5.0, 5.0, 1.0), UNKNOWN)
    assert head.pin(12).writes == 0
    assert head.session.report().refused == 1


def test_end_of_the_assignment_holds_the_pulses(left: Rig) -> None:
    left.live(0.3, lambda: left.send(LEFT_CMD, ArmCommand([20.0] * 6, 1.0)))
    place = left.channels()
    left.session.close()
    assert left.channels() == place
    assert place[0] > 500.0


def test_new_process_goes_on_from_where_the_servos_are(tmp_path: Path) -> None:
    first = Rig(tmp_path, "arms_left")
    first.live(1.0, lambda: first.send(LEFT_CMD, ArmCommand([60.0, -40.0], 1.0)))
    second = Rig(tmp_path, "arms_left")  # the first died without closing anything
    assert applied(second, "joint_0") == pytest.approx(60.0, abs=1.0)
    second.live(0.1, lambda: second.send(LEFT_CMD, ArmCommand([-170.0], 1.0)))
    assert applied(second, "joint_0") > 60.0 - 120.0 * 0.13
    assert second.channels()[1] == first.channels()[1]
    second.close()
    first.board.close()


def test_joints_that_change_together_are_one_transfer(left: Rig) -> None:
    left.beat()
    chip = left.servo_chip
    transfers: list[bytes] = []
    write = chip.write
    chip.write = lambda data: (transfers.append(data), write(data))[1]  # type: ignore[method-assign]
    left.send(LEFT_CMD, ArmCommand([1.0] * 6, 1.0))
    assert len(transfers) == 1
    left.beat()
    left.send(LEFT_CMD, ArmCommand([1.0] * 6, 1.0))
    assert len(transfers) == 1  # nothing changed: nothing is sent


def test_disturbed_transfer_is_repeated(left: Rig) -> None:
    left.beat()
    left.servo_chip.set_answers(False)
    left.send(LEFT_CMD, ArmCommand([1.0], 1.0))
    left.clock.advance(0.025)
    assert left.session.report().ready
    left.servo_chip.set_answers(True)
    left.clock.advance(0.01)
    assert left.channels()[0] > 1500.0
    assert left.session.report().reason == ""


def test_dead_chip_becomes_a_fault_of_the_role(left: Rig) -> None:
    left.beat()
    left.servo_chip.set_answers(False)
    left.send(LEFT_CMD, ArmCommand([1.0], 1.0))
    left.clock.advance(0.1)
    report = left.session.report()
    assert not report.ready
    assert "servos" in report.reason
