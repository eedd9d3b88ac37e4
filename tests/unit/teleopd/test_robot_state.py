"""What TeleopState_S and the report say of a robot with legs. The bytes are read with struct."""

import struct
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import EStop, LegsState
from saint_services.teleopd.robot_state import RobotState

_MODE, _ENABLED, _STOPPED, _JOINTS, _SPEEDS, _TURNING, _GRAVITY = 12, 13, 14, 15, 63, 111, 123
LEGS = LegsState(
    mode="move",
    requested="move",
    gravity=[0.1, 0.0, -0.9],
    gait_phase=0.5,
    positions=[0.5] * 12,
    velocities=[-0.25] * 12,
    angular_velocity=[0.1, 0.2, 0.3],
)


class Subscriptions:
    """A bus that keeps what was subscribed."""

    def __init__(self) -> None:
        self.by_topic: dict[str, Any] = {}

    def subscribe(self, topic: Any, callback: Any) -> Any:
        self.by_topic[topic.name] = callback
        return SimpleNamespace(close=lambda: None)

    def say(self, topic: Any, message: Any) -> None:
        self.by_topic[topic.name](SimpleNamespace(message=message))


def packed(legs: LegsState | None) -> tuple[RobotState, bytes]:
    bus: Any = Subscriptions()
    state = RobotState(bus)
    state.open()
    bus.say(topics.ESTOP, EStop(active=False))
    if legs:
        bus.say(topics.LEGS_STATE, legs)
    return state, state.packed(is_driven=False)


@pytest.mark.parametrize(
    ("mode", "number", "is_enabled"),
    [("damp", 0, 0), ("stand", 1, 1), ("balance", 1, 1), ("move", 2, 1), ("fault", 5, 0)],
)
def test_state_of_legs_is_theirs(mode: str, number: int, is_enabled: int) -> None:
    _, data = packed(replace(LEGS, mode=mode))
    assert (data[_MODE], data[_ENABLED], data[_STOPPED]) == (number, is_enabled, 0)
    assert struct.unpack_from("<12f", data, _JOINTS) == (0.5,) * 12
    assert struct.unpack_from("<12f", data, _SPEEDS) == (-0.25,) * 12
    assert struct.unpack_from("<3f", data, _TURNING) == pytest.approx((0.1, 0.2, 0.3))
    assert struct.unpack_from("<3f", data, _GRAVITY) == pytest.approx((0.1, 0.0, -0.9))


def test_stop_counts_before_what_the_legs_reported_last() -> None:
    bus: Any = Subscriptions()
    state = RobotState(bus)
    state.open()
    bus.say(topics.LEGS_STATE, LEGS)
    data = state.packed(is_driven=True)  # whether the robot is stopped is not known
    assert (data[_MODE], data[_ENABLED], data[_STOPPED]) == (0, 0, 1)


def test_robot_without_legs_stands() -> None:
    state, data = packed(None)
    assert data[_MODE] == 1
    assert state.refusal == ""


def test_reason_of_a_refused_mode_is_said() -> None:
    state, _ = packed(replace(LEGS, mode="damp", reason="request stand before move"))
    assert state.refusal == "The robot does not move: request stand before move."
    assert packed(replace(LEGS, reason="old"))[0].refusal == ""
