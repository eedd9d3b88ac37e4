"""What a robot's text may say of its walking controller."""

from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.role_config.resources import claims, conflict
from tests.unit.role.role_rig import load_role


def legs(**walker: Any) -> RoleConfig:
    data = load_role("legs").model_dump(mode="json", exclude_defaults=True)
    data["walker"] |= walker
    return RoleConfig.model_validate(data)


def test_ports_are_those_of_the_protocol_unless_named() -> None:
    assert legs().walker.ports == (8850, 8851)  # type: ignore[union-attr]
    old = legs(protocol="asimov_firmware", state_port=9000).walker
    assert old
    assert old.ports == (8888, 9000)


def test_joints_have_the_names_of_the_messages() -> None:
    few, many = legs().walker, legs(joints=25).walker
    assert few and many
    assert few.joint_names[:2] == ("left_hip_pitch", "left_hip_roll")
    assert (len(few.joint_names), len(many.joint_names)) == (12, 25)
    assert many.joint_names[-1] == "neck_pitch"


@pytest.mark.parametrize(
    "walker",
    [{"host": "robot.local"}, {"host": "300.1.1.1"}, {"protocol": "asimov_2"}, {"joints": 13},
     {"command_port": 70000}, {"stand_s": 0}],
)  # fmt: skip
def test_controller_that_cannot_be_is_refused(walker: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        legs(**walker)


def test_controller_is_for_legs_and_legs_need_one() -> None:
    with pytest.raises(ValidationError, match="for the role legs, which needs it"):
        RoleConfig.model_validate(legs().model_dump() | {"walker": None})
    tracks = load_role("tracks").model_dump(mode="json")
    with pytest.raises(ValidationError, match="for the role legs"):
        RoleConfig.model_validate(tracks | {"walker": legs().model_dump(mode="json")["walker"]})


def test_controller_is_commanded_by_one_program() -> None:
    assert "the walking controller at 192.168.10.2:8850" in claims(legs())
    other = legs().model_copy(update={"instance": "two"})
    assert "walking controller" in conflict([legs()], other)
