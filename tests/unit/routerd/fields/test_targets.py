"""What the manifests of the roles make of a robot: its targets, commands, outputs and buttons."""

import pytest
import yaml

from saint_services.lib.role_config.model import RoleConfig
from saint_services.routerd.fields.output_fields import output_fields
from saint_services.routerd.fields.targets import RobotTargets
from tests.unit.routerd.rig import SHARE, robot


def role(name: str, **changes: object) -> RoleConfig:
    path = SHARE / "manifests" / "roles" / f"{name}.yaml"
    return RoleConfig.model_validate(yaml.safe_load(path.read_text())).model_copy(update=changes)


def test_targets_and_buttons_of_the_shipped_robot() -> None:
    found = robot()
    assert sorted(found.fields) == ["arms.left", "arms.right", "head", "tracks"]  # no console
    assert found.stop_buttons == ("console:button_b",)


def test_only_buttons_that_stop_are_listed() -> None:
    does = {"button_a": "home", "button_b": "stop", "button_c": "release"}
    assert RobotTargets.of([role("head", overrides=does)]).stop_buttons == ("head:button_b",)


def test_command_without_a_field_is_none() -> None:
    tracks = role("tracks")
    (topic,) = tracks.commands.values()
    more = tracks.model_copy(update={"commands": {**tracks.commands, "other": topic}})
    (command,) = RobotTargets.of([more]).commands
    assert (command.target, command.fields) == (
        "tracks", (("linear", "linear.x"), ("angular", "angular.z")),
    )  # fmt: skip


@pytest.mark.parametrize(("park", "parked"), [(None, 5.0), (12.0, 12.0)])
def test_field_parks_at_its_place_or_else_at_neutral(park: float | None, parked: float) -> None:
    head = role("head")
    pan = head.fields["pan"].model_copy(update={"neutral": 5.0, "park": park})
    made = RobotTargets.of([head.model_copy(update={"fields": {**head.fields, "pan": pan}})])
    output = output_fields(made)["head", "pan"]
    assert (output.neutral, output.park) == (5.0, parked)


def test_outputs_have_the_limits_of_their_manifest() -> None:
    outputs = output_fields(robot())
    pan, linear = outputs["head", "pan"], outputs["tracks", "linear"]
    assert (pan.low, pan.high, pan.max_rate, pan.is_velocity) == (-180.0, 180.0, 360.0, False)
    assert (linear.low, linear.high, linear.is_velocity) == (-1.5, 1.5, True)
    assert (linear.unit, linear.on_loss) == ("m/s", "ramp_to_zero")
    commands = robot().commands
    assert {commands[each.command].target for each in outputs.values()} == {*robot().fields}
    assert commands[linear.command].target == "tracks"
