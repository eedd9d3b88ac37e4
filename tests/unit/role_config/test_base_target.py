"""Which role of a robot drives it over the ground."""

import pytest

from saint_services.lib.role_config.base import base_target, is_base
from tests.unit.role.role_rig import load_role


@pytest.mark.parametrize("role", ["tracks", "wagon"])
def test_tracks_and_wagon_are_bases(role: str) -> None:
    assert is_base(load_role(role))


@pytest.mark.parametrize("role", ["head", "legs", "console"])
def test_others_are_none(role: str) -> None:
    assert not is_base(load_role(role))


def test_first_base_is_the_robots() -> None:
    roles = {name: load_role(name) for name in ("head", "wagon", "tracks")}
    assert base_target(roles) == "wagon"
    assert base_target({"head": load_role("head")}) == ""


def test_role_with_other_paths_is_none() -> None:
    fields = load_role("wagon").fields
    swapped = {"linear": fields["angular"], "angular": fields["linear"]}
    assert not is_base(load_role("wagon").model_copy(update={"fields": swapped}))
