"""A stock ROS 2 on the same network sees the robot and drives it.

The ROS 2 side is bus_peer.py: an independent Cyclone DDS participant with types and conventions
typed in by hand; nothing of saint_services runs in it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from tests.integration.bus_rig import PeerProcess, independent_peer
from tests.integration.clearing import clear_estop
from tests.integration.robot import Robot
from tests.integration.senders import stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import every, let_pass, until
from tools.sim.observe import PinWatch

pytest.importorskip("cyclonedds", reason="the official binding exists for x86_64 only")

CMD_VEL, STATE = "rt/saint/tracks/cmd_vel", "rt/saint/tracks/state"
FORWARD: dict[str, Any] = {"linear": {"x": 0.75, "y": 0.0, "z": 0.0}, "angular": {"z": 0.0}}
PAN = 12  # manifests/roles/head.yaml
PERIOD_S = 0.05
STOPS_S = 2.0  # how soon is measured by test_estop_latency.py and tests/faults


@pytest.fixture
async def ros(robot: Robot) -> AsyncIterator[PeerProcess]:
    async with independent_peer(robot.domain) as peer:
        yield peer


@pytest.fixture
def tracks(robot: Robot) -> Iterator[Tracks]:
    watch = Tracks(robot)
    yield watch
    watch.close()


async def test_nodes_of_the_robot_are_in_the_graph(ros: PeerProcess) -> None:
    expected = {"routerd", "rcd", "adoptiond", "role_tracksd_sim_tracks", "role_headd_sim_head"}
    expected |= {"noded_sim_tracks", "noded_sim_spare"}

    def names() -> set[str]:
        nodes = [node for event in ros.events for node in event.get("nodes", [])]
        return {node["name"] for node in nodes}

    await until(lambda: expected <= names())


async def test_topics_carry_their_ros_types_and_hashes(ros: PeerProcess) -> None:
    types: dict[str, tuple[str, str]] = {}

    async def look() -> None:
        await ros.do("endpoints")
        for event in ros.events:
            for topic, type_name, user_data in event.get("endpoints", []):
                types[topic] = (type_name, user_data)

    async with asyncio.timeout(10.0):
        while not {"rt/saint/tracks/odom", "rr/saint/nodes/adoptReply"} <= set(types):
            await look()
    assert types["rt/saint/tracks/odom"][0] == "nav_msgs::msg::dds_::Odometry_"
    assert types["rt/saint/head/state"][0] == "saint_msgs::msg::dds_::HeadState_"
    assert types["rr/saint/nodes/adoptReply"][0] == "saint_msgs::srv::dds_::AdoptNode_Response_"
    assert types["rt/saint/tracks/odom"][1].startswith("typehash=RIHS01_")


async def test_twist_on_cmd_vel_drives_the_tracks(
    robot: Robot, ros: PeerProcess, tracks: Tracks
) -> None:
    await ros.do("subscribe", topic=STATE, type="TrackState")
    await _drive(ros, until_true=lambda: min(tracks.duties()) > 0.4)
    await until(lambda: any(s["left_velocity"] > 0.3 for s in ros.values(STATE)))
    assert tracks.seconds_until_stopped(STOPS_S) < STOPS_S  # the program is gone
    async with robot.client("routerd") as client:
        status = await client.request(routing.GET_STATUS, Nothing())
    assert any(source.source == "autonomous:ros" for source in status.sources)


async def test_rc_wins_over_a_ros_program(robot: Robot, ros: PeerProcess, tracks: Tracks) -> None:
    with transmitter(robot, [stick(turn=1.0)]):
        await until(tracks.is_driving)
        ended_s = time.monotonic() + 1.0
        await _drive(ros, until_true=lambda: time.monotonic() > ended_s, twist=FORWARD)
        left, right = tracks.directions()
        assert left != right  # still turning on the spot, as the stick says


@pytest.fixture
def head(robot: Robot) -> Iterator[PinWatch]:
    watch = PinWatch(robot.hw("head"))
    yield watch
    watch.close()


async def test_head_command_moves_the_head(ros: PeerProcess, head: PinWatch) -> None:
    command = {"pan": 45.0, "tilt": 0.0, "roll": 0.0, "speed": 1.0}
    async for _ in every(PERIOD_S, until=lambda: head.read(PAN).value >= 1700):
        await ros.do("publish", topic="rt/saint/head/cmd", type="HeadCommand", value=command)


async def test_estop_topic_stops_a_driven_robot(
    robot: Robot, ros: PeerProcess, tracks: Tracks
) -> None:
    with transmitter(robot, [stick(forward=1.0)]):
        await until(tracks.is_driving)
        await ros.do("publish", topic="rt/saint/tracks/estop", type="Bool", value={"data": True})
        assert tracks.seconds_until_stopped(STOPS_S) < STOPS_S
        assert tracks.seconds_until_stopped(0.1) == pytest.approx(0.0, abs=0.05)  # and stays
    async with robot.client("routerd") as client, asyncio.timeout(5.0):
        await let_pass(0.5)  # until the transmitter's last frame counts no more
        await clear_estop(client)


async def _drive(ros: PeerProcess, until_true: Any, twist: dict[str, Any] = FORWARD) -> None:
    """Twist at 20 Hz, as teleop_twist_keyboard or Nav2 would send it."""
    async for _ in every(PERIOD_S, until=until_true):
        await ros.do("publish", topic=CMD_VEL, type="Twist", value=twist)
