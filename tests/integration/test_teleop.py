"""Remote operation of a simulated rover by a plain aiortc program: the whole way from the data
channel to the motor pins, and what happens with two operators, a kick and a silent input loop.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.integration.robot import Robot, running_robot
from tests.integration.teleop_requests import teleop_requests
from tests.integration.tracks import Tracks
from tests.teleop_peer import Request, teleop_peer
from tests.waiting import stays, until

SAFE_S = 0.30 + 0.06 + 0.25  # time-out of the router, ramp, and what a busy computer adds
MOVE = {"linear": 0.5, "angular": 0.0}


@pytest.fixture(scope="module")
def rover() -> Iterator[Robot]:
    with running_robot("--robot", "rover") as running:
        yield running


@pytest.fixture
def tracks(rover: Robot) -> Iterator[Tracks]:
    watch = Tracks(rover)
    yield watch
    watch.close()


@pytest.fixture
async def request_(rover: Robot) -> AsyncIterator[Request]:
    async with teleop_requests(rover) as send:
        yield send


async def test_packets_of_the_document_drive_the_rover_and_silence_stops_it(
    rover: Robot, request_: Request, tracks: Tracks
) -> None:
    assert not rover.pid("teleopd")  # it costs nothing while nobody is connected
    async with teleop_peer(request_) as peer:
        await peer.report(lambda report: report["seat"] == "operator")
        peer.command(0.0)  # a new operator releases the control first
        peer.command(0.5)  # once: it is held while the input loop beats
        async with peer.beating():
            await until(tracks.is_driving, 5.0)
            await stays(tracks.is_driving, 1.0)
            peer.command(0.0)
            await until(lambda: tracks.duties() == (0.0, 0.0), 5.0)
            peer.command(0.5)
            await until(tracks.is_driving, 5.0)
        assert tracks.seconds_until_stopped(5.0) <= SAFE_S  # the input loop stands still
        first = len(peer.states)
        await until(lambda: len(peer.states) > first + 20, 5.0)
        assert {len(each) for each in peer.states} == {144}


async def test_named_form_drives_and_a_closed_link_stops(request_: Request, tracks: Tracks) -> None:
    async with teleop_peer(request_) as peer:
        await peer.release()
        async with peer.beating(tracks=MOVE):
            await until(tracks.is_driving, 5.0)
    assert tracks.seconds_until_stopped(5.0) <= SAFE_S


async def test_two_operators_viewer_takeover_and_kick(request_: Request, tracks: Tracks) -> None:
    async with teleop_peer(request_) as first, teleop_peer(request_) as second:
        async with first.beating():
            await second.report(lambda report: report["seat"] == "viewer")
            async with second.beating(tracks=MOVE):
                report = await second.report(lambda report: report["refused"] > 3)
                assert report["why"] == "You watch. Request control to move the robot."
                await stays(lambda: tracks.duties() == (0.0, 0.0), 0.5)
            reply = await request_("request_control", session=second.session)
            assert not reply["is_granted"]
            pending = await first.report(lambda report: report["requests"])
            assert pending["requests"][0][0] == second.session
            reply = await request_("grant_control", session=second.session)
            assert reply["operator"] == second.session
        await second.release()
        async with second.beating(tracks=MOVE):
            await until(tracks.is_driving, 5.0)
            first.command(-0.5)  # an operator no more
            await first.report(lambda report: report["refused"] > 0)
            await request_("kick", session=second.session)
            assert tracks.seconds_until_stopped(5.0) <= SAFE_S
    listed = await request_("list_sessions")
    assert second.session not in {each["session"] for each in listed["sessions"]}
