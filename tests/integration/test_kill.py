"""Kill any one process during motion: safe within 250 ms, whole again within 3 s, without help."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import pytest
from pydantic import BaseModel

from saint_services.lib.api.adoption import NodeList
from saint_services.lib.api.livelink import SubjectList
from tests import pace
from tests.integration.robot import Robot
from tests.integration.senders import RECORDED_FACE, Player, phone, stick, transmitter
from tests.integration.tracks import Tracks
from tests.waiting import block_until

SAFE_S = 0.250
WHOLE_S = 3.0
LATE_S = 0.07  # so long without a frame, and the robot is right to stop
TRIES = 4
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Driving:
    """The stick is held forward by a user who notices nothing."""

    robot: Robot
    tracks: Tracks
    player: Player

    def goes_on_through(self, harm: Callable[[], T]) -> T:
        """The tracks never stop. Once more where the transmitter was late on a busy computer."""
        for _ in range(TRIES):
            self.player.longest_pause_s = 0.0
            done = harm()
            if self.tracks.seconds_until_stopped(0.5) == 0.5:
                return done
            assert self.player.longest_pause_s >= LATE_S, self.robot.diagnosis()
            block_until(self.tracks.is_driving, 8.0, self.robot.diagnosis)
        raise AssertionError(
            f"the transmitter was late {TRIES} times: {self.player.longest_pause_s}"
        )


@pytest.fixture(scope="module")
def whole_s() -> float:
    return WHOLE_S * pace.slower()


@pytest.fixture
def driving(robot: Robot) -> Iterator[Driving]:
    tracks = Tracks(robot)
    with transmitter(robot, [stick(forward=1.0)]) as player:
        block_until(tracks.is_driving, 8.0, robot.diagnosis)
        yield Driving(robot, tracks, player)
    tracks.close()


@pytest.mark.parametrize(
    ("machine", "daemon"),
    [("server", "rcd"), ("server", "routerd"), ("tracks", "role-tracksd")],
)
def test_killed_link_of_the_chain_stops_the_tracks_and_comes_back(
    robot: Robot, driving: Driving, machine: str, daemon: str, whole_s: float
) -> None:
    robot.kill(daemon, machine)
    killed_s = time.monotonic()
    assert driving.tracks.seconds_until_stopped(1.0) <= SAFE_S, robot.diagnosis()
    block_until(driving.tracks.is_driving, killed_s + whole_s - time.monotonic(), robot.diagnosis)


def test_killed_noded_stops_its_role_and_both_come_back(
    robot: Robot, driving: Driving, whole_s: float
) -> None:
    robot.kill("noded", "tracks")
    killed_s = time.monotonic()
    assert driving.tracks.seconds_until_stopped(1.0) <= SAFE_S, robot.diagnosis()
    block_until(driving.tracks.is_driving, killed_s + whole_s - time.monotonic(), robot.diagnosis)


@pytest.mark.parametrize(
    ("daemon", "path", "reply"),
    [("adoptiond", "/nodes", NodeList), ("livelinkd", "/subjects", SubjectList)],
)
async def test_killed_bystander_disturbs_nothing_and_comes_back(
    robot: Robot,
    driving: Driving,
    whole_s: float,
    daemon: str,
    path: str,
    reply: type[BaseModel],
) -> None:
    with phone(robot, RECORDED_FACE):
        killed = driving.goes_on_through(lambda: _kill(robot, daemon))
        block_until(lambda: robot.pid(daemon) not in (0, killed), whole_s, robot.diagnosis)
        async with robot.client(daemon) as client:
            await client.get(path, reply, timeout_s=whole_s)
    assert driving.tracks.is_driving()


def test_killed_webd_disturbs_nothing_and_answers_again(
    robot: Robot, driving: Driving, whole_s: float
) -> None:
    killed = driving.goes_on_through(lambda: _kill(robot, "webd"))
    _get(robot.http_url, limit_s=whole_s)
    assert robot.pid("webd") not in (0, killed)
    assert driving.tracks.is_driving()


@pytest.mark.parametrize(
    ("machine", "daemon"),
    [
        ("head", "role-headd"),
        ("arm_left", "role-armsd"),
        ("console", "role-consoled"),
        ("head", "noded"),
        ("spare", "noded"),
    ],
)
def test_killed_process_of_another_node_keeps_the_tracks_and_comes_back(
    robot: Robot, driving: Driving, machine: str, daemon: str, whole_s: float
) -> None:
    killed = driving.goes_on_through(lambda: _kill(robot, daemon, machine))
    block_until(lambda: robot.pid(daemon, machine) not in (0, killed), whole_s, robot.diagnosis)


def _kill(robot: Robot, daemon: str, machine: str = "server") -> int:
    """As soon as it runs."""
    block_until(lambda: robot.pid(daemon, machine), 5.0, robot.diagnosis)
    return robot.kill(daemon, machine)


def _get(url: str, limit_s: float) -> bytes:
    from urllib.request import urlopen

    with urlopen(url, timeout=limit_s) as answer:
        body: bytes = answer.read()
        return body
