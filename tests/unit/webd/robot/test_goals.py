"""Moves that take longer than one sample lives."""

from pathlib import Path

import pytest
import yaml

from saint_services.lib.role_config.model import RoleConfig
from saint_services.webd.robot.goals import Goals, longest_s

ROLES = Path(__file__).resolve().parents[4] / "manifests" / "roles"
HEAD = RoleConfig.model_validate(yaml.safe_load((ROLES / "head.yaml").read_text()))
ME = "websocket:desk"


def due(goals: Goals, now_s: float) -> dict[str, dict[str, float]]:
    return {target: dict(values) for _, target, values in goals.due(now_s)}


def test_goal_lives_for_the_longest_way_and_no_longer() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"pan": 170.0}, 10.0)
    # 360 degrees at 360 degrees per second, and half a second more
    assert due(goals, 11.4) == {"head": {"pan": 170.0}}
    assert due(goals, 11.6) == {}
    assert not goals


def test_fields_end_by_themselves() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"pan": 170.0}, 10.0)
    goals.add(ME, HEAD, {"tilt": 5.0}, 11.0)
    assert due(goals, 11.4) == {"head": {"pan": 170.0, "tilt": 5.0}}
    assert due(goals, 11.6) == {"head": {"tilt": 5.0}}


def test_newest_goal_of_a_field_counts() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"pan": 170.0}, 10.0)
    goals.add(ME, HEAD, {"pan": -20.0}, 10.1)
    assert due(goals, 10.2) == {"head": {"pan": -20.0}}


def test_goal_goes_with_its_client_alone() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"pan": 1.0}, 10.0)
    goals.add("websocket:other", HEAD, {"tilt": 2.0}, 10.0)
    goals.drop(ME)
    assert [source for source, _, _ in goals.due(10.1)] == ["websocket:other"]


def test_estop_ends_all_goals() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"pan": 1.0}, 10.0)
    goals.clear()
    assert not goals


def test_unknown_names_alone_are_no_goal() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"speed": 1.0}, 10.0)
    assert not goals


@pytest.mark.parametrize("name", sorted(HEAD.fields))
def test_every_way_has_a_limit(name: str) -> None:
    assert 0.5 < longest_s(HEAD.fields[name]) <= 30.0


def test_goal_of_a_slow_move_lasts_longer() -> None:
    pan = HEAD.fields["pan"]  # 360 degrees at 360 degrees per second
    assert longest_s(pan) == pytest.approx(1.5)
    assert longest_s(pan, 0.25) == pytest.approx(4.5)
    assert longest_s(pan, 0.0) == 30.0
    goals = Goals()
    goals.add("websocket:a", HEAD, {"pan": 90.0, "speed": 0.25}, 0.0)
    assert list(goals.due(4.0)) == [("websocket:a", "head", {"pan": 90.0, "speed": 0.25})]
    assert list(goals.due(4.6)) == []


def test_speed_of_the_command_before_is_forgotten() -> None:
    goals = Goals()
    goals.add("websocket:a", HEAD, {"pan": 90.0, "speed": 0.25}, 0.0)
    goals.add("websocket:a", HEAD, {"pan": 10.0}, 0.1)
    assert list(goals.due(0.2)) == [("websocket:a", "head", {"pan": 10.0})]


def test_speed_lasts_as_long_as_the_longest_way() -> None:
    goals = Goals()
    # 360 degrees in a second, and 70 in a tenth; half a second more each.
    goals.add(ME, HEAD, {"pan": 90.0, "eye_pan": 5.0, "speed": 1.0}, 10.0)
    assert due(goals, 10.59) == {"head": {"pan": 90.0, "eye_pan": 5.0, "speed": 1.0}}
    assert due(goals, 10.61) == {"head": {"pan": 90.0, "speed": 1.0}}
    assert due(goals, 11.5) == {}


def test_speed_of_the_command_before_is_over() -> None:
    goals = Goals()
    goals.add(ME, HEAD, {"pan": 90.0, "speed": 0.5}, 10.0)
    goals.add(ME, HEAD, {"tilt": 5.0}, 10.1)
    assert due(goals, 10.2) == {"head": {"pan": 90.0, "tilt": 5.0}}
