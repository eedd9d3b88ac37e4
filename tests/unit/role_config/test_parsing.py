"""Configurations from a newer release are read as far as they are understood."""

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.role_config.parsing import parse_role_config
from tests.unit.role.role_rig import ROLES

ARM = (ROLES / "arms_left.yaml").read_text()
NEWER = ARM.replace("max_rate: 120,", "max_rate: 120, max_jerk: 9,", 1) + "\ndance: {tempo: 120}\n"


def test_configuration_of_this_release_is_understood_whole() -> None:
    found = parse_role_config(ARM, "role_config.yaml")
    assert found.config.target == "arms.left"
    assert (found.left_out, found.notice) == ((), "")


def test_unknown_keys_are_left_out_and_named() -> None:
    found = parse_role_config(NEWER, "role_config.yaml")
    assert found.config == parse_role_config(ARM, "x").config
    assert set(found.left_out) == {"fields.joint_0.max_jerk", "dance"}
    assert "for a newer release; without" in found.notice
    assert "dance" in found.notice


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (NEWER.replace("limits: [-90, 90]", "limits: [90, -90]"), "limits must rise"),
        (NEWER.replace("role: arms", "role: legs"), "role"),
        (ARM.replace("driver: pca9685", "driver: pca9999"), "pca9999"),
        ("- 1\n", "key: value"),
        ("", "empty"),
        ("a: [", "line 1"),
    ],
)
def test_what_is_wrong_in_another_way_is_refused(text: str, says: str) -> None:
    with pytest.raises(SaintError, match=says):
        parse_role_config(text, "role_config.yaml")
