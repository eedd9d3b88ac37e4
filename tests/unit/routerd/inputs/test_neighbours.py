"""Two robots on one bus: nothing of one moves the other, in whatever order they start."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.bus import Bus, Sample
from saint_services.lib.generated import topics
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import EStop, RouterHeartbeat, RouterWriters
from saint_services.lib.machine.service_manager import Directories
from saint_services.routerd.inputs import neighbours
from saint_services.routerd.inputs.neighbours import Neighbours, WriterAnnouncements
from tests.unit.routerd.daemon_rig import RunningRouter, alive, places
from tests.waiting import turns

OWN, OTHER, PROGRAM = "0a" * 12, "0b" * 12, "0c" * 12


def test_program_is_one_only_after_a_while() -> None:
    found = Neighbours(OWN)
    assert not found.is_program(PROGRAM, 10.0)
    assert not found.is_program(PROGRAM, 10.49)
    assert found.is_program(PROGRAM, 10.5)


def test_participant_of_another_robot_is_never_a_program() -> None:
    found = Neighbours(OWN)
    found.is_program(OTHER, 10.0)
    found.add([OTHER])
    assert not found.is_program(OTHER, 20.0)
    assert OTHER in found


def test_our_own_participant_is_never_another_robots() -> None:
    found = Neighbours(OWN)
    found.add([OWN])
    assert OWN not in found


def test_flood_of_claims_is_bounded() -> None:
    found = Neighbours(OWN)
    for number in range(10_000):
        found.add([f"{number:024x}"])
        found.is_program(f"{number:024x}", 1.0)
    assert len(found._foreign) <= 256
    assert len(found._first_s) <= 256


def test_256_claims_are_remembered_and_the_one_claimed_longest_ago_is_forgotten() -> None:
    found = Neighbours(OWN)
    names = [f"{number:024x}" for number in range(257)]
    found.add(names[:256])
    assert names[0] in found
    found.add([names[0]])  # again: it is the newest now
    found.add([names[256]])
    assert [name in found for name in (names[0], names[1], names[2], names[256])] == [
        True, False, True, True
    ]  # fmt: skip


def test_256_participants_that_command_are_watched_at_once() -> None:
    found = Neighbours(OWN)
    names = [f"{number:024x}" for number in range(257)]
    for name in names[:256]:
        assert not found.is_program(name, 10.0)
    assert found.is_program(names[0], 10.5)
    assert not found.is_program(names[256], 10.5)
    assert found.is_program(names[1], 10.5)
    assert not found.is_program(names[0], 10.5)  # it was forgotten, and waits again


@pytest.mark.parametrize(("origin", "counts"), [("", False), (OTHER, True), (OTHER + "0", False)])
def test_claim_names_a_participant_of_the_length_of_ours(origin: str, counts: bool) -> None:
    found = Neighbours(OWN)
    found.add(["", OWN, origin])
    assert (origin in found) is counts


class PlayedBus:
    """Records what is subscribed and published."""

    def __init__(self) -> None:
        self.topics: dict[str, tuple[Callable[[Any], None], bool]] = {}
        self.published: list[tuple[str, ...]] = []

    def publisher(self, topic: Any) -> Any:
        return SimpleNamespace(publish=lambda message: self.published.append(message.origins))

    def subscribe(self, topic: Any, callback: Callable[[Any], None], *, own: bool = True) -> None:
        self.topics[topic.name] = (callback, own)

    def receive(self, topic: Any, origin: str, message: Any = None) -> None:
        self.topics[topic.name][0](Sample(message, 0.0, 0.0, origin))


def announcing() -> tuple[PlayedBus, Neighbours, WriterAnnouncements]:
    bus, found = PlayedBus(), Neighbours(OWN)
    return bus, found, WriterAnnouncements(cast(Bus, bus), found)


@pytest.mark.parametrize("topic", [topics.ROUTER_HEARTBEAT, topics.ROUTER_CREDENTIAL])
def test_sender_of_what_only_routers_send_belongs_to_another_robot(topic: Any) -> None:
    bus, found, _ = announcing()
    bus.receive(topic, OTHER)
    bus.receive(topic, OTHER)
    assert OTHER in found


def test_router_that_names_its_writers_makes_them_and_itself_another_robots() -> None:
    bus, found, _ = announcing()
    names = tuple(f"{number:024x}" for number in range(300))
    bus.receive(topics.ROUTER_WRITERS, OTHER, RouterWriters(names[:2]))
    assert all(each in found for each in (OTHER, *names[:2]))
    bus.receive(topics.ROUTER_WRITERS, OTHER, RouterWriters(names))
    assert names[255] in found and names[256] not in found


def test_what_this_process_sends_itself_is_not_received() -> None:
    bus, _, _ = announcing()
    assert {own for _, own in bus.topics.values()} == {False}
    assert len(bus.topics) == 3


def test_heartbeats_of_one_that_is_known_do_not_make_it_the_newest() -> None:
    bus, found, _ = announcing()
    names = [f"{number:024x}" for number in range(257)]
    found.add(names[:256])
    bus.receive(topics.ROUTER_HEARTBEAT, names[0])
    found.add([names[256]])
    assert names[0] not in found


def test_writers_of_this_robot_are_published_when_one_comes_and_stay() -> None:
    bus, _, announced = announcing()
    for origin, is_there in ((PROGRAM, True), (PROGRAM, True), (PROGRAM, False), (OTHER, True)):
        announced.changed(origin, is_there)
    announced.changed("0d" * 12, False)
    assert bus.published == [(PROGRAM,), (OTHER, PROGRAM)]


def test_256_writers_of_this_robot_are_published_at_most() -> None:
    bus, _, announced = announcing()
    names = tuple(f"{number:024x}" for number in range(257))
    for name in names:
        announced.changed(name, True)
    assert bus.published[254:] == [names[:255], names[:256], names[1:]]


async def refused(robot: RunningRouter) -> dict[str, int]:
    return (await robot.client.request(routing.GET_STATUS, Nothing())).refused


@pytest.fixture
def directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Directories:
    monkeypatch.setattr(neighbours, "GRACE_S", 0.0)
    return places(tmp_path)


async def test_command_of_another_robots_router_moves_nothing(directories: Directories) -> None:
    async with alive(directories) as robot:
        robot.unknown.publisher(topics.ROUTER_HEARTBEAT).publish(RouterHeartbeat(sequence=1))
        await turns()
        robot.unknown.publisher(topics.TRACKS_CMD_VEL).publish(Twist(Vector3(x=0.5)))
        await turns()
        assert (await refused(robot))["command of another robot"]


async def test_claimed_participant_moves_nothing(directories: Directories) -> None:
    async with alive(directories) as robot:
        said = RouterWriters((robot.unknown.origin,))
        robot.unknown.publisher(topics.ROUTER_WRITERS).publish(said)
        await turns()
        robot.unknown.publisher(topics.TRACKS_CMD_VEL).publish(Twist(Vector3(x=0.5)))
        await turns()
        assert (await refused(robot))["command of another robot"]


async def test_two_routers_do_not_answer_each_others_stops_without_end(
    directories: Directories,
) -> None:
    async with alive(directories) as robot:
        robot.unknown.publisher(topics.ROUTER_HEARTBEAT).publish(RouterHeartbeat(sequence=1))
        await turns()
        publisher = robot.unknown.publisher(topics.ESTOP)
        for generation in range(5):
            publisher.publish(EStop(active=True, reason=f"{generation}", generation=generation))
            await turns()
        # Each has a reason of its own; only the first is an edge.
        assert len((await robot.latch()).presses) == 1
