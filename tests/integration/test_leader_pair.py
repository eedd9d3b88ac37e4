"""A leader and its follower (manifests/robots/so101_pair.yaml) in real processes: the clutch is
closed by squeezes of the gripper, the follower goes where its leader is, and a plug that is pulled
ends the lead.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.api import masters, routing, sequences
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.masters import MasterInfo
from saint_services.lib.api.routing import EStopClear
from saint_services.lib.api.sequences import PlaySequence, RecordSequence
from tests.integration.robot import Robot, running_robot
from tests.waiting import block_until
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file
from tools.sim.faults import Fault, Faults

NODE, TARGET = "arms", "parts.follower"
FOLLOWER, LEADER = "/dev/ttyACM0", "/dev/ttyACM1"
JOINTS = (1, 2, 3, 4, 5)  # both arms have the same positions for the same angles
LIMIT_S = 60.0
NEAR = 150  # positions: 13 degrees behind a hand that moves, on a busy machine


@pytest.fixture(scope="module")
def pair() -> Iterator[Robot]:
    with running_robot("--robot", "so101_pair", "--feed", "demo") as robot:
        seen = request(robot, routing.GET_STATUS, Nothing()).estop.generation
        request(robot, routing.CLEAR_ESTOP, EStopClear(source="test", generation=seen))
        yield robot


def request(robot: Robot, row: Endpoint[Any, Any], body: Any) -> Any:
    async def send() -> Any:
        async with robot.client("routerd") as client:
            return await client.request(row, body)

    return asyncio.run(send())


def positions(robot: Robot, port: str) -> list[int]:
    peer = ServoBusPeer(robot.hw(NODE) / servo_file(port))
    found = [peer.servo(joint).position for joint in JOINTS]
    peer.close()
    return found


def master(robot: Robot) -> MasterInfo:
    found: MasterInfo = request(robot, masters.LIST_MASTERS, Nothing()).masters[0]
    return found


def await_leader(robot: Robot) -> None:
    block_until(lambda: master(robot).holder == "leader:hand", LIMIT_S, robot.diagnosis)


def farthest(first: list[int], second: list[int]) -> int:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


def test_follower_follows_its_leader(pair: Robot) -> None:
    await_leader(pair)
    first = positions(pair, FOLLOWER)

    def follows() -> bool:
        leader, follower = positions(pair, LEADER), positions(pair, FOLLOWER)
        return farthest(first, follower) > 200 and farthest(leader, follower) < NEAR

    block_until(follows, LIMIT_S, pair.diagnosis)


def test_motion_is_recorded_and_played_with_the_lock(pair: Robot) -> None:
    await_leader(pair)
    record = RecordSequence(sequence_name="wave", target=TARGET)
    request(pair, sequences.RECORD_SEQUENCE, record)

    def has_frames() -> bool:
        listed = request(pair, sequences.LIST_SEQUENCES, Nothing())
        return listed.recording is not None and listed.recording.frames > 50

    block_until(has_frames, LIMIT_S, pair.diagnosis)
    info = request(pair, sequences.FINISH_RECORDING, Nothing())
    assert info.source == "recorded from leader:hand"
    play = PlaySequence(sequence_name="wave", target=TARGET, takeover=True)
    listed = request(pair, sequences.PLAY_SEQUENCE, play)
    assert [(each.target, each.name) for each in listed.playing] == [(TARGET, "wave")]
    assert master(pair).kind == "sequence"
    request(pair, sequences.STOP_SEQUENCE, sequences.StopSequence(target=TARGET))
    engage = masters.EngageLeader(target=TARGET, leader="hand")
    request(pair, masters.ENGAGE_LEADER, engage)
    assert master(pair).holder == "leader:hand"


def test_pulled_plug_of_the_leader_leaves_the_follower_where_it_is(pair: Robot) -> None:
    await_leader(pair)
    faults = Faults(pair.hw(NODE), "leader.hand")
    faults.set("elbow_flex", Fault.UNPLUG)
    block_until(lambda: master(pair).holder == "", LIMIT_S, pair.diagnosis)
    first = positions(pair, LEADER)
    place = positions(pair, FOLLOWER)
    block_until(lambda: farthest(first, positions(pair, LEADER)) > 300, LIMIT_S, pair.diagnosis)
    assert farthest(place, positions(pair, FOLLOWER)) <= 60
    faults.clear("elbow_flex")
    faults.close()
    await_leader(pair)  # the hand squeezes twice again
