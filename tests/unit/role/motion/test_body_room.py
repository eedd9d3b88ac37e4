"""An arm whose configuration has the robot's body: where it stops, what it says, how it goes on."""

import math
from pathlib import Path

import pytest

from saint_services.adoptiond.adapters import load_catalog
from saint_services.adoptiond.registry import RoleKey
from saint_services.lib.generated.saint_msgs import ArmCommand, HeadCommand
from saint_services.lib.generated.sensor_msgs import JointState
from saint_services.lib.generated.topics import ARM_CMD, ARM_JOINT_STATES, HEAD_CMD
from saint_services.lib.role.motion.positions import PositionSession
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.parsing import parse_role_config
from tests.unit.role.role_rig import Rig

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
CATALOG = load_catalog(MANIFESTS, "saint")
LEFT = CATALOG.roles[RoleKey("arms", "left")].config
CMD, RIGHT = ARM_CMD.at(instance="left"), ARM_JOINT_STATES.at(instance="right")
STATE = "/saint/arms/left/state"
INTO_TORSO = [-80.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path, "arms_left", LEFT)


def right_arm(rig: Rig, angles: list[float]) -> None:
    names = tuple(f"arms_right_joint_{number}" for number in range(len(angles)))
    position = tuple(math.radians(angle) for angle in angles)
    rig.send(RIGHT, JointState(name=names, position=position))


def drive(rig: Rig, seconds: float, targets: list[float], right: list[float] | None = None) -> None:
    """Command the left arm while the right one reports where it is."""

    def say() -> None:
        right_arm(rig, right or [0.0] * 6)
        rig.send(CMD, ArmCommand(targets, 1.0))

    rig.live(seconds, say)


def angles(rig: Rig) -> list[float]:
    session = rig.session
    assert isinstance(session, PositionSession)
    return [session.joints.by_name[f"joint_{number}"].axis.applied for number in range(6)]


def pulse(rig: Rig, angle: float) -> float:
    return 1500.0 + angle / 170.0 * 1000.0


def test_arm_stops_before_the_torso_and_the_state_names_the_pair(rig: Rig) -> None:
    drive(rig, 1.5, INTO_TORSO)
    assert -12.0 < angles(rig)[0] < -1.0
    assert rig.channels()[0] == pytest.approx(pulse(rig, angles(rig)[0]), abs=4.88)
    state = rig.bus.sent[STATE][-1]
    assert not state.error_state
    assert not state.in_motion
    wanted = "joint_0: left arm upper would come closer than 10 mm to torso"
    assert state.error_message == wanted


def test_arm_that_waits_costs_no_slices(rig: Rig) -> None:
    drive(rig, 1.5, INTO_TORSO)
    assert rig.session.is_safe
    before = angles(rig)
    rig.beat()
    calls = rig.clock.calls
    rig.clock.advance(0.04)
    assert rig.clock.calls - calls <= 4  # the periodic ones; no motion
    assert angles(rig) == before


def test_arm_leaves_the_torso_at_its_full_speed(rig: Rig) -> None:
    drive(rig, 1.5, INTO_TORSO)
    drive(rig, 0.7, [60.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert angles(rig)[0] == pytest.approx(60.0)
    assert rig.bus.sent[STATE][-1].error_message == ""


def test_free_arm_moves_as_without_a_body(tmp_path: Path) -> None:
    plain = LEFT.model_copy(update={"body": None})
    command = ArmCommand([50.0, 20.0, -10.0, 30.0, 0.0, 90.0], 1.0)
    moves = []
    for number, config in enumerate((LEFT, plain)):
        folder = tmp_path / str(number)
        folder.mkdir()
        rig = Rig(folder, "arms_left", config)
        seen: list[list[float]] = []
        for _ in range(40):
            rig.beat()
            rig.send(CMD, command)
            rig.clock.advance(0.02)
            seen.append(angles(rig))
        moves.append(seen)
        rig.close()
    assert moves[0] == moves[1]


def test_stop_holds_an_arm_that_waits(rig: Rig) -> None:
    drive(rig, 1.5, INTO_TORSO)
    before = angles(rig)
    rig.estop(True, 1)
    rig.live(0.3, lambda: rig.send(CMD, ArmCommand([60.0], 1.0)))
    assert angles(rig) == before
    assert rig.bus.sent[STATE][-1].error_message == ""  # nothing is wanted any more


REACH = [-5.0, 0.0, 0.0, 90.0, 97.0, 0.0]  # the hand bends to the right
MIRRORED = [5.0, 0.0, 0.0, 90.0, -97.0, 0.0]


def test_arm_of_which_the_other_knows_nothing_stays_on_its_side(rig: Rig) -> None:
    rig.live(3.0, lambda: rig.send(CMD, ArmCommand(REACH, 1.0)))
    assert "the side of arms.right" in rig.bus.sent[STATE][-1].error_message


def test_arm_slows_down_before_the_other_and_goes_on_when_that_has_left(rig: Rig) -> None:
    drive(rig, 2.0, REACH, MIRRORED)
    stopped = angles(rig)
    assert stopped[3] < 80.0  # at 180 degrees per second it would be there after half a second
    drive(rig, 1.5, REACH, [-60.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert angles(rig) == pytest.approx(REACH, abs=0.5)


def test_state_of_the_other_arm_that_is_broken_does_not_count(rig: Rig) -> None:
    def say() -> None:
        rig.send(RIGHT, JointState(name=("arms_right_joint_0",), position=(math.nan,)))
        rig.send(RIGHT, JointState(name=("a", "b"), position=()))
        rig.send(CMD, ArmCommand(REACH, 1.0))

    rig.live(3.0, say)
    assert "the side of arms.right" in rig.bus.sent[STATE][-1].error_message


def test_arm_whose_states_come_from_two_participants_counts_as_silent(rig: Rig) -> None:
    """As with a second robot on the network."""
    room = rig.session.joints.room  # type: ignore[attr-defined]
    state = JointState(
        name=tuple(f"arms_right_joint_{number}" for number in range(6)), position=(0.0,) * 6
    )
    assert room.see("arms.right", state, 10.0, "ours")
    assert not room.see("arms.right", state, 10.02, "theirs")
    assert not room.see("arms.right", state, 10.05, "ours")
    assert room.see("arms.right", state, 11.03, "ours")  # the other has been silent for a second


def test_state_counts_as_old_as_the_reading_before_it_and_wakes_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = rig.session
    assert isinstance(session, PositionSession)
    room = session.joints.room
    assert room
    seen: list[float] = []
    monkeypatch.setattr(room, "see", lambda *arguments: seen.append(arguments[2]))
    room.read()
    read_s = rig.clock.now
    rig.clock.now += 0.02
    right_arm(rig, [0.0] * 6)
    assert seen == []
    room.read()
    assert seen == [read_s]


def test_head_stops_before_an_arm_beside_it(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "head", CATALOG.roles[RoleKey("head", "")].config)
    left = [-150.0, 70.0, 0.0, 0.0, 0.0, 0.0]  # raised beside the head

    def say() -> None:
        names = tuple(f"arms_left_joint_{number}" for number in range(6))
        position = tuple(math.radians(angle) for angle in left)
        rig.send(ARM_JOINT_STATES.at(instance="left"), JointState(name=names, position=position))
        rig.send(HEAD_CMD, HeadCommand(90.0, 0.0, 0.0, 1.0))

    rig.live(3.0, say)
    session = rig.session
    assert isinstance(session, PositionSession)
    assert session.joints.by_name["pan"].axis.applied < 90.0
    assert "head would come closer than 10 mm to left arm upper" in session.waiting
    rig.close()


def test_configuration_with_a_body_is_the_same_after_its_way_as_text() -> None:
    text = CATALOG.roles[RoleKey("arms", "left")].text
    assert parse_role_config(text, "x").config == LEFT
    assert RoleConfig.model_validate_json(LEFT.model_dump_json()) == LEFT


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('{"margin_m": 0.01, "links": [{"name": "a"}]}', "body.roles has no arms.left"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "Expecting property name"),
        ('{"margin_m": 0, "links": []}', "margin_m"),
    ],
)
def test_body_that_is_none_is_refused(body: str, says: str) -> None:
    data = LEFT.model_dump(mode="json") | {"body": body}
    with pytest.raises(ValueError, match=says):
        RoleConfig.model_validate(data)
