"""The shipped routes on a robot that has only some of SAINT's roles."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import SaintError
from saint_services.routerd import adapters
from saint_services.routerd.routes.checks import check_file
from saint_services.routerd.routes.presets_api import PresetsApi
from tests.unit.routerd.rig import SHARE


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """Copy the shipped manifests, with a robot of tracks alone."""
    shutil.copytree(SHARE / "manifests", tmp_path / "manifests")
    (tmp_path / "manifests" / "robots" / "rover.yaml").write_text(
        "name: ROVER\nroles: [{role: tracks, config: roles/tracks.yaml}]\n"
    )
    return tmp_path


def test_saint_gets_the_whole_preset() -> None:
    saint = adapters.load_robot(SHARE, "saint")
    assert adapters.load_start(SHARE, "default", saint) == adapters.load_preset(SHARE, "default")


def test_robot_without_arms_and_head_gets_the_routes_of_its_tracks(share: Path) -> None:
    rover = adapters.load_robot(share, "rover")
    file = adapters.load_start(share, "default", rover)
    check_file(file, rover)
    routes = {route.id for route in file.routes}
    assert {"rc_drive", "rc_estop"} <= routes
    assert "rc_gripper" not in routes
    assert {route.output.target for route in file.routes} <= {"tracks", "*"}


def test_blending_of_what_is_not_there_is_left_out(share: Path) -> None:
    path = share / "manifests" / "routes" / "default.yaml"
    path.write_text(
        path.read_text() + "\nblending: {fields: {head.pan: blend, tracks.linear: blend}}\n"
    )
    rover = adapters.load_robot(share, "rover")
    file = adapters.load_start(share, "default", rover)
    assert set(file.blending.fields) == {"tracks.linear"}


def test_target_that_no_role_has_is_still_refused(share: Path) -> None:
    path = share / "manifests" / "routes" / "default.yaml"
    path.write_text(path.read_text().replace("{target: tracks}", "{target: trakcs}"))
    rover = adapters.load_robot(share, "rover")
    file = adapters.load_start(share, "default", rover)
    with pytest.raises(SaintError, match="did you mean 'tracks'"):
        check_file(file, rover)


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("asimov", {"manual_override", "walk"}),
        ("rover", {"default", "manual_override", "rc_manual"}),
    ],
)
def test_preset_of_other_robots_alone_is_not_listed(
    tmp_path: Path, name: str, listed: set[str]
) -> None:
    control: Any = None
    robot = adapters.load_robot(SHARE, name)
    api = PresetsApi(control, adapters.PresetStore(SHARE, tmp_path), robot)
    assert {info.name for info in api._infos()} == listed
