"""Usual ROS 2 topics over DDS: a viewer finds every link of the robot from them. The whole robot is
read by a real ROS 2 in tests/ros.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from saint_services.adoptiond.config import Config
from saint_services.adoptiond.daemon import run
from saint_services.lib.bus import Bus, Topic
from saint_services.lib.daemon import running
from saint_services.lib.generated import topics
from saint_services.lib.generated.sensor_msgs import JointState
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.machine.service_manager import Directories
from tests.integration.bus_rig import WAIT_S, opened
from tests.waiting import until

ROOT = Path(__file__).parents[2]
URDF = ROOT / "manifests" / "robots" / "saint.urdf"


@pytest.fixture
async def viewer(tmp_path: Path) -> AsyncIterator[Bus]:
    """A program beside the server of a robot whose head is stated."""
    places = Directories(
        config=tmp_path / "etc", state=tmp_path / "state", runtime=tmp_path / "run", share=ROOT
    )
    async with (
        opened("adoptiond", "head", "viewer") as (server, head, bus),
        running("adoptiond", Config(), run, places, bus=server),
    ):
        states = head.publisher(topics.HEAD_JOINT_STATES)
        bus.subscribe(topics.JOINT_STATES, lambda _: states.publish(TILTED))
        yield bus


TILTED = JointState(Header(), ("head_tilt",), (0.25,), (), ())


async def first(bus: Bus, topic: Topic[Any], is_it: Any = lambda message: True) -> Any:
    """Return the first message that is wanted."""
    found: list[Any] = []
    reading = bus.subscribe(
        topic, lambda sample: found.append(sample.message) if is_it(sample.message) else None
    )
    await until(lambda: found, WAIT_S)
    reading.close()
    return found[0]


async def test_model_joints_and_transforms_place_every_link(viewer: Bus) -> None:
    text = (await first(viewer, topics.ROBOT_DESCRIPTION)).data
    assert text == URDF.read_text()
    model = ElementTree.fromstring(text)
    movable = {each.get("name") for each in model.findall("joint") if each.get("type") != "fixed"}
    fixed = await first(viewer, topics.TF_STATIC)
    moving = await first(viewer, topics.TF)
    joints = await first(
        viewer,
        topics.JOINT_STATES,
        lambda state: 0.25 in state.position,
    )
    assert set(joints.name) == movable
    assert dict(zip(joints.name, joints.position, strict=True))["head_tilt"] == 0.25
    parents = {
        each.child_frame_id: each.header.frame_id
        for message in (fixed, moving)
        for each in message.transforms
    }
    for link in (each.get("name") for each in model.findall("link")):
        path = [link]
        while path[-1] in parents:
            path.append(parents[path[-1]])
        assert path[-1] == "base_link"


async def test_diagnostics_of_the_server_are_read_by_a_late_program(viewer: Bus) -> None:
    found = await first(viewer, topics.DIAGNOSTICS)
    assert {"server", "e-stop"} <= {each.name for each in found.status}
