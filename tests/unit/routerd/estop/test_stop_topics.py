"""Stops and faults that arrive on topics, with a running router."""

from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import (
    ArmState,
    RoleFault,
)
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.machine.service_manager import Directories
from tests.unit.routerd.daemon_rig import alive, places
from tests.waiting import turns

pytestmark = pytest.mark.timed


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def test_tracks_estop_topic_raises_it(directories: Directories) -> None:
    async with alive(directories) as robot:
        publisher = robot.bus.publisher(topics.TRACKS_ESTOP)
        publisher.publish(Bool(data=False))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert not status.estop.active
        publisher.publish(Bool(data=True))
        publisher.publish(Bool(data=False))
        await turns()
        status = await robot.client.request(routing.GET_STATUS, Nothing())
        assert status.estop.active
        assert status.state == "estop"


async def test_role_that_turns_faulty_stops_the_robot_once(directories: Directories) -> None:
    async with alive(directories) as robot:
        state_of_arm = robot.bus.publisher(topics.ARM_STATE.at(instance="left"))
        state_of_arm.publish(ArmState(error_state=False))
        await turns()
        assert not (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active
        faulty = ArmState(error_state=True, error_message="servos does not take what is written")
        state_of_arm.publish(faulty)
        await turns()
        latch = (await robot.client.request(routing.GET_STATUS, Nothing())).estop
        assert (latch.active, latch.source) == (True, "arms.left")
        assert "servos" in latch.reason
        await robot.clear()
        state_of_arm.publish(faulty)
        await turns()
        assert not (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active


async def test_fault_that_stops_the_robot_raises_the_estop(directories: Directories) -> None:
    async with alive(directories) as robot:
        faults = robot.bus.publisher(topics.ROLE_FAULTS)
        faults.publish(RoleFault(node_id="pi_3", target="head", text="face does not answer"))
        await turns()
        assert not (await robot.client.request(routing.GET_STATUS, Nothing())).estop.active
        faults.publish(RoleFault(node_id="pi_4", target="tracks", stops_robot=True, text="stalled"))
        await turns()
        latch = (await robot.client.request(routing.GET_STATUS, Nothing())).estop
        assert (latch.active, latch.source, latch.reason) == (True, "tracks", "stalled (pi_4)")


async def test_topic_that_repeats_itself_is_one_press_and_its_next_edge_another(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        publisher = robot.bus.publisher(topics.TRACKS_ESTOP)
        for data in (True, True, True):
            publisher.publish(Bool(data=data))
        await turns()
        assert len((await robot.latch()).presses) == 1
        for data in (False, True, True):
            publisher.publish(Bool(data=data))
        await turns()
        assert len((await robot.latch()).presses) == 2
