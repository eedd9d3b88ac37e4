"""The robot in force: the owner's file, its copy, or the template; what is refused, and where."""

from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.robot import manifest
from saint_services.lib.robot.source import (
    RobotPlaces,
    checked,
    load_robot,
    mark_of,
    template_text,
)
from saint_services.lib.state import last_good

MANIFESTS = Path(__file__).resolve().parents[4] / "manifests"
SAINT = template_text(MANIFESTS, "saint")
TILT = "tilt: {type: servo, pin: 13,"


@pytest.fixture
def places(tmp_path: Path) -> RobotPlaces:
    return RobotPlaces(MANIFESTS, tmp_path / "robot", "saint")


def own(places: RobotPlaces, text: str) -> None:
    places.own.mkdir()
    places.file.write_text(text)


def test_file_that_may_not_be_read_is_never_taken_for_the_template(
    places: RobotPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(SaintError, match=r"robot\.yaml cannot be read: Permission denied"):
        load_robot(places)


@pytest.mark.parametrize("name", RobotPlaces(MANIFESTS, Path(), "").shipped)
def test_template_with_its_roles_inside_is_the_shipped_robot(name: str) -> None:
    text = template_text(MANIFESTS, name)
    found = checked(MANIFESTS, text, name)
    assert found.roles == manifest.load(MANIFESTS, name).roles
    assert "config: roles/" not in text


def test_template_keeps_the_comments_of_its_roles() -> None:
    assert "# Not GPIO18: hardware PWM is on GPIO12 and GPIO13" in SAINT


def test_robot_without_a_file_of_the_owner_s_is_the_template(places: RobotPlaces) -> None:
    found = load_robot(places)
    assert not found.is_own
    assert found.description.manifest.name == "SAINT-01"


def test_file_of_the_owner_s_is_in_force(places: RobotPlaces) -> None:
    own(places, SAINT.replace("SAINT-01", "Robi"))
    found = load_robot(places)
    assert found.is_own
    assert found.description.manifest.name == "Robi"


def test_damaged_file_is_replaced_by_its_last_good_copy_and_the_problem_names_it(
    places: RobotPlaces,
) -> None:
    own(places, SAINT[: SAINT.index("{type:") + 6])
    last_good(places.file).write_text(SAINT.replace("SAINT-01", "Robi"))
    found = load_robot(places)
    assert found.description.manifest.name == "Robi"
    assert "robot.yaml" in found.problem
    assert "last good copy" in found.problem


def test_lost_file_is_replaced_by_its_last_good_copy(places: RobotPlaces) -> None:
    places.own.mkdir()
    last_good(places.file).write_text(SAINT.replace("SAINT-01", "Robi"))
    assert load_robot(places).description.manifest.name == "Robi"


def test_robot_whose_file_and_copy_are_damaged_is_never_taken_for_the_template(
    places: RobotPlaces,
) -> None:
    own(places, "name: [")
    last_good(places.file).write_text("name: [")
    with pytest.raises(SaintError) as caught:
        load_robot(places)
    assert caught.value.code is Code.CONFIG_INVALID


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (TILT, "tilt: {type: servo, pin: 12,", "GPIO12 is used by pan and by tilt of head"),
        ("channel: 1,", "channel: 0,", "channel 0 of face is used by jaw and by eye_pan of head"),
        ("address: 0x68", "address: 0x40", "0x40 on I2C bus 1 is used by face and by imu of head"),
        (TILT, "tilt: {type: servo, pin: 3,", "GPIO3 is used by tilt and by I2C1 (face) of head"),
        ("HeadExpression}", "HeadMood}", "'saint_msgs/msg/HeadMood', no message type"),
        ("max_rate: 360", "max_rate: 0", "line 20: roles[0].config.fields.pan.max_rate"),
        ("- role: console", "- role: tracks", "config.role is not 'tracks'"),
    ],
)
def test_fault_is_refused_and_named(before: str, after: str, words: str) -> None:
    assert before in SAINT
    with pytest.raises(SaintError) as caught:
        checked(MANIFESTS, SAINT.replace(before, after, 1), "robot.yaml")
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("before", "after", "line_of"),
    [
        (TILT, "tilt: {type: servo, pin: 12,", "tilt: {type: servo, pin: 12,"),
        ("channel: 1,", "channel: 0,", "eye_pan: {type: pca9685"),
        ("address: 0x68", "address: 0x40", "imu: {bus"),
        ("limits: [-45, 45]", "limits: [45, -45]", "roll: {command: cmd"),
    ],
)
def test_fault_of_two_parts_names_the_line_of_the_second(
    before: str, after: str, line_of: str
) -> None:
    text = SAINT.replace(before, after, 1)
    line = next(at for at, each in enumerate(text.splitlines(), 1) if line_of in each)
    with pytest.raises(SaintError) as caught:
        checked(MANIFESTS, text, "robot.yaml")
    assert f"robot.yaml, line {line}: " in caught.value.message


def test_roles_of_one_computer_are_checked_together() -> None:
    text = SAINT + "nodes:\n  one: [head, tracks]\n"
    line = next(at for at, each in enumerate(text.splitlines(), 1) if "left_motor: {type" in each)
    with pytest.raises(SaintError) as caught:
        checked(MANIFESTS, text, "robot.yaml")
    assert caught.value.message.startswith(
        f"robot.yaml, line {line}: tracks.gpio_mapping.left_motor.pin: GPIO12 is used by head (pan)"
    )


def test_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(SaintError, match="48 KiB"):
        checked(MANIFESTS, SAINT + "#" * 48 * 1024, "robot.yaml")


def test_mark_changes_with_outputs_and_not_with_pins() -> None:
    def mark(text: str) -> str:
        return mark_of(checked(MANIFESTS, text, "robot.yaml"))

    assert mark(SAINT.replace(TILT, "tilt: {type: servo, pin: 19,")) == mark(SAINT)
    assert mark(SAINT.replace("max_rate: 360", "max_rate: 300", 1)) != mark(SAINT)
    assert mark(SAINT.replace("SAINT-01", "Robi")) != mark(SAINT)
