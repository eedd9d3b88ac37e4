"""The benchmarks' wide robot is what their figures say that it is."""

import json
from pathlib import Path

import pytest

from saint_services.lib.api.routing import RouteFile
from saint_services.livelinkd.protocols.frames import Frame
from saint_services.livelinkd.protocols.json_live_link import JsonLiveLinkDecoder
from saint_services.routerd import adapters
from saint_services.routerd.fields.targets import RobotTargets
from saint_services.routerd.routes.checks import check_file
from tools.bench import wide


@pytest.fixture
def share(tmp_path: Path) -> Path:
    return wide.share(tmp_path / "share")


@pytest.fixture
def robot(share: Path) -> RobotTargets:
    return adapters.load_robot(share, "saint")


def test_robot_has_128_outputs_and_each_is_driven(share: Path, robot: RobotTargets) -> None:
    fields = {(target, field) for target, those in robot.fields.items() for field in those}
    routes: RouteFile = adapters.load_preset(share, "default")
    check_file(routes, robot)
    driven = {
        (route.output.target, arrow.to)
        for route in routes.routes
        for arrow in route.mapping
        if not isinstance(arrow, str) and arrow.to != "estop"
    }
    assert len(fields) == 128
    assert driven == fields


def test_subject_brings_48_values_that_all_move() -> None:
    decode = JsonLiveLinkDecoder()
    first, second = (decode(each, "127.0.0.1")[0] for each in wide.datagrams())
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert len(first.values) == 48
    assert all(a != b for a, b in zip(first.values, second.values, strict=True))


def test_poses_keep_outputs_within_their_speed(share: Path, robot: RobotTargets) -> None:
    """One that had to slow down would be written every 10 ms, not with the subject."""
    by_field = {
        (route.output.target, arrow.to): arrow.scale
        for route in adapters.load_preset(share, "default").routes
        for arrow in route.mapping
        if not isinstance(arrow, str) and route.input.source == "livelink"
    }
    first, second = (json.loads(each)[wide.SUBJECT] for each in wide.datagrams())
    step = second["Parameter"][0]["Value"] - first["Parameter"][0]["Value"]
    for (target, field), scale in by_field.items():
        assert step * scale * 60.0 <= robot.fields[target][field].max_rate


def test_added_topics_are_those_that_no_node_receives(robot: RobotTargets) -> None:
    all_topics = {command.topic.topic for command in robot.commands}
    added = {name for name, _ in wide.added_topics()}
    assert added < all_topics
    assert all("/bench_" in name for name in added)
    assert all("/bench_" not in name for name in all_topics - added)
