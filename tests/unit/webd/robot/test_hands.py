"""A place of a hand becomes the angles of its arm, or a refusal in words."""

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api.webd.motion import HandMove
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.sensor_msgs import JointState
from saint_services.lib.kinematics.chain import Chain
from saint_services.lib.role.motion.body_room import states_of
from saint_services.webd.robot.hands import Hands
from saint_services.webd.robot.roles import Roles, load_roles
from tests.waiting import every

ROLES: Roles = load_roles(Path(__file__).resolve().parents[4], "saint")
LEFT = ROLES.by_target["arms.left"]
CHAIN = Chain(ROLES.body, "arms.left") if ROLES.body else None


async def found(states: dict[str, list[float]], **place: Any) -> dict[str, float]:
    """Return the angles for a place while these roles report their joints, in degrees."""
    domain = LocalDomain()
    roles, webd = domain.bus("roles"), domain.bus("webd")

    async def report() -> None:
        publishers = {target: roles.publisher(states_of(target)) for target in states}
        async for _ in every(0.02):
            for target, angles in states.items():
                assert ROLES.body
                prefix = target.replace(".", "_")
                names = tuple(f"{prefix}_{name}" for name in ROLES.body.roles[target].angles)
                publishers[target].publish(
                    JointState(name=names, position=tuple(map(math.radians, angles)))
                )

    reporting = asyncio.create_task(report())
    try:
        move = HandMove.model_validate({"arm": "left", **place})
        return await Hands(ROLES.body).angles(webd, LEFT, move)
    finally:
        reporting.cancel()


AT_REST = {"arms.left": [0.0] * 6, "arms.right": [0.0] * 6, "head": [0.0] * 5}


def hand(angles: dict[str, float]) -> tuple[float, ...]:
    assert CHAIN
    return CHAIN.hand([math.radians(angles[name]) for name in CHAIN.fields])[9:]


async def test_place_becomes_angles_that_bring_the_hand_there() -> None:
    angles = await found(AT_REST, x=0.4, y=0.35, z=0.6)
    assert hand(angles) == pytest.approx((0.4, 0.35, 0.6), abs=0.001)
    for name, angle in angles.items():
        low, high = LEFT.fields[name].limits
        assert low <= angle <= high


async def test_orientation_is_reached_too() -> None:
    angles = await found(AT_REST, x=0.4, y=0.35, z=0.7, pitch=30.0)
    assert CHAIN
    pose = CHAIN.hand([math.radians(angles[name]) for name in CHAIN.fields])
    assert (pose[0], pose[6]) == pytest.approx((math.cos(0.5236), -math.sin(0.5236)), abs=0.02)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ({"x": 2.0, "y": 0.2, "z": 0.65}, "1.40 m beyond its reach"),
        ({"x": 0.0, "y": 0.0, "z": 0.5}, "torso"),
        ({"x": 0.3, "y": -0.15, "z": 0.65}, "would be too close to"),
    ],
)
async def test_place_that_cannot_be_is_refused_with_the_reason(
    place: dict[str, float], says: str
) -> None:
    with pytest.raises(SaintError, match=says) as err:
        await found(AT_REST, **place)
    assert err.value.code is Code.REFUSED
    assert err.value.message.startswith("the left hand cannot go there: ")


async def test_arm_that_reports_nothing_is_refused() -> None:
    with pytest.raises(SaintError, match="does not report where its joints are"):
        await found({"head": [0.0] * 5}, x=0.4, y=0.35, z=0.6)


async def test_robot_without_a_model_has_no_hand() -> None:
    move = HandMove(arm="left", x=0.4, y=0.3, z=0.6)
    with pytest.raises(SaintError, match=r"names no hand of arms.left"):
        await Hands(None).angles(LocalDomain().bus("webd"), LEFT, move)
