"""What waited while the router stood still: a stop is carried out, nothing else that may move."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from saint_services.lib.api import masters, routing, sequences, wagon
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.masters import EngageLeader
from saint_services.lib.api.routing import EStopClear, EStopRequest
from saint_services.lib.api.sequences import PlaySequence
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import ConsoleOverride
from saint_services.lib.machine.service_manager import Directories
from saint_services.lib.stall import SETTLE_S
from saint_services.routerd.config import Config
from saint_services.routerd.inputs.late_requests import LATE_S
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places, vouching
from tests.waiting import let_pass, stand_still, turns

pytestmark = pytest.mark.timed
ARM = "arms.left"
STOP = EStopRequest(source="web", reason="a child in front")


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    return places(tmp_path)


async def after_a_stall(
    directories: Directories, row: Endpoint[Any, Any], body: BaseModel
) -> dict[str, Any]:
    """Send a request, let the router stand still, and return its reply."""
    sent = row.content(body) or b""
    line = f"{row.method} {row.target(body)} HTTP/1.1"
    head = f"{line}\r\nHost: x\r\nContent-Length: {len(sent)}\r\n\r\n"
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(directories.runtime / "routerd.sock"))
        client.sendall(head.encode() + sent)
        stand_still(LATE_S + 0.1)
        reply = await asyncio.to_thread(client.recv, 1 << 16)
    found: dict[str, Any] = json.loads(reply.partition(b"\r\n\r\n")[2])
    return found


@pytest.mark.parametrize(
    ("row", "body", "robot"),
    [
        (sequences.PLAY_SEQUENCE, PlaySequence(sequence_name="wave", target=ARM), "saint"),
        (masters.ENGAGE_LEADER, EngageLeader(target=ARM, leader="hand"), "saint"),
        (wagon.ARM, Nothing(), "saul_tee"),
    ],
    ids=["play", "engage", "arm"],
)
async def test_request_that_may_move_is_refused(
    directories: Directories, row: Endpoint[Any, Any], body: BaseModel, robot: str
) -> None:
    async with alive(directories, Config(robot=robot)):
        await turns()
        reply = await after_a_stall(directories, row, body)
        assert reply["code"] == "refused"
        assert reply["message"].startswith("the router stood still for 1.")


async def test_clear_is_refused_and_the_next_one_counts(directories: Directories) -> None:
    async with alive(directories) as robot:
        seen = (await robot.client.request(routing.ESTOP, STOP)).generation
        clear = EStopClear(source="web", generation=seen)
        reply = await after_a_stall(directories, routing.CLEAR_ESTOP, clear)
        assert "so the e-stop stays active" in reply["message"]
        assert (await robot.latch()).active
        await let_pass(2 * SETTLE_S)
        await robot.clear()
        assert not (await robot.latch()).active


async def test_stop_is_carried_out(directories: Directories) -> None:
    async with alive(directories) as robot:
        assert (await after_a_stall(directories, routing.ESTOP, STOP))["active"]
        assert (await robot.latch()).active


async def press_and_stall(robot: RunningRouter, order: ConsoleOverride) -> None:
    robot.bus.publisher(topics.CONSOLE_OVERRIDE).publish(order)
    stand_still(LATE_S + 0.1)
    await turns()


async def test_consoles_home_moves_nothing_and_says_so(directories: Directories) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        robot.record(topics.HEAD_CMD, topics.CONSOLE_ALERTS)
        await press_and_stall(robot, ConsoleOverride(target="head", action="home"))
        assert robot.all_of(topics.HEAD_CMD) == []
        assert robot.all_of(topics.CONSOLE_ALERTS)[-1].text.endswith("Press it again.")


async def test_consoles_clear_leaves_the_robot_stopped(directories: Directories) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        seen = (await robot.client.request(routing.ESTOP, STOP)).generation
        await press_and_stall(robot, ConsoleOverride(action="clear", generation=seen))
        assert (await robot.latch()).active


async def test_consoles_stop_stops(directories: Directories) -> None:
    async with alive(directories) as robot, vouching(directories, robot):
        await press_and_stall(robot, ConsoleOverride(target="head", action="stop"))
        assert (await robot.latch()).active
