"""Which configurations are those of a leader, with the reason for the others."""

from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.role_rig import load_role
from tests.unit.role_leaderd.leader_rig import leader


def test_leader_with_any_clutch_is_valid() -> None:
    for clutch in (
        {"type": "button", "button": "pedal", "toggle": True}, {"type": "squeeze"},
        {"type": "request"},
    ):  # fmt: skip
        assert leader(clutch=clutch).target == "leader.left"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"lead": None}, "lead is missing: which targets the leader leads"),
        ({"instance": ""}, "instance is ''"),
        ({"gpio_mapping": {}, "lead": {"targets": ["a"]}}, "has no bus_servo"),
        ({"lead": {"targets": ["a", "a"]}}, "names a target twice"),
        ({"lead": {"targets": ["a"], "rate_hz": 300}}, "less than or equal to 200"),
        (
            {"lead": {"targets": ["a"], "clutch": {"type": "button", "button": "gripper"}}},
            "which is no button",
        ),
        (
            {"lead": {"targets": ["a"], "clutch": {"type": "squeeze", "joint": "shoulder_pan"}}},
            "not among lead.shares",
        ),
    ],
)
def test_other_configurations_are_refused_with_the_reason(
    changes: dict[str, Any], reason: str
) -> None:
    data = leader().model_dump(mode="json", exclude_unset=True) | changes
    with pytest.raises(ValidationError, match=reason):
        RoleConfig.model_validate(data)


def test_lead_is_for_leaders_alone() -> None:
    data = load_role("head").model_dump(mode="json", exclude_unset=True)
    with pytest.raises(ValidationError, match="lead is for the role leader, not for head"):
        RoleConfig.model_validate(data | {"lead": {"targets": ["a"]}})
