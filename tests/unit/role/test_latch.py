"""The e-stop latch is followed without the router's heartbeat, and released by the same rules."""

from typing import Any

import pytest

from saint_services.lib.generated.saint_msgs import EStop, RouterCredential, RouterHeartbeat
from saint_services.lib.generated.topics import ESTOP, ROUTER_CREDENTIAL, ROUTER_HEARTBEAT
from saint_services.lib.role.gate import CommandGate
from saint_services.lib.role.latch import SILENT_MS, LatchFollower
from tests.unit.role.credentials import SERVER, credential
from tests.unit.role.role_rig import ROUTER, UNKNOWN, FakeClock, WireBus

SUCCESSOR = "0c" * 12
OWN = "0e" * 12


class Followed:
    """A follower on a bus of its own."""

    def __init__(self, origin: str = OWN) -> None:
        self.clock = FakeClock()
        self.bus = WireBus(self.clock, origin)
        self.gate = CommandGate(SILENT_MS)
        self.before: list[bool] = []
        bus: Any = self.bus
        self.follower = LatchFollower(bus, SERVER.public, self.gate, self.before.append)

    def prove(self, origin: str = ROUTER, term: int = 1) -> None:
        self.bus.send(ROUTER_CREDENTIAL, credential(origin, term), origin)

    def latch(self, active: bool, generation: int, origin: str = ROUTER) -> None:
        self.bus.send(ESTOP, EStop(active=active, generation=generation), origin)


@pytest.fixture
def followed() -> Followed:
    return Followed()


def test_follower_does_not_subscribe_to_the_heartbeat(followed: Followed) -> None:
    assert set(followed.bus._callbacks) == {ROUTER_CREDENTIAL.name, ESTOP.name}


@pytest.mark.parametrize("is_proven_first", [True, False])
def test_release_of_the_proven_router_releases(followed: Followed, is_proven_first: bool) -> None:
    if is_proven_first:
        followed.prove()
    followed.latch(True, 5)
    assert followed.gate.latched
    if not is_proven_first:
        followed.prove()
    assert followed.gate.is_press_known and followed.gate.generation == 5
    followed.latch(False, 6)
    assert not followed.gate.latched


def test_release_before_the_proof_counts_once_the_router_is_proven(followed: Followed) -> None:
    followed.prove()
    followed.latch(True, 5)
    followed.latch(True, 8, SUCCESSOR)
    followed.prove(SUCCESSOR, 2)
    followed.latch(False, 9, SUCCESSOR)
    assert not followed.gate.latched and followed.gate.controller == SUCCESSOR


def test_unproven_participant_stops_and_does_not_release(followed: Followed) -> None:
    followed.prove()
    followed.latch(False, 1)
    followed.latch(True, 7, UNKNOWN)
    assert followed.gate.latched
    followed.latch(False, 8, UNKNOWN)
    followed.latch(False, 2)
    assert followed.gate.latched  # the router has not reported that press
    followed.latch(True, 3)
    followed.latch(False, 4)
    assert not followed.gate.latched


def test_repeated_credential_does_not_release_a_press_that_came_since(followed: Followed) -> None:
    followed.prove()
    followed.latch(False, 1)
    followed.latch(True, 7, UNKNOWN)
    followed.clock.advance(2.0)
    followed.prove()
    assert followed.gate.latched and not followed.gate.is_press_known


def test_credential_of_another_server_proves_nothing(followed: Followed) -> None:
    forged = RouterCredential(ROUTER, "cd" * 32, 1, "00" * 64)
    followed.latch(False, 1)
    followed.bus.send(ROUTER_CREDENTIAL, forged, ROUTER)
    assert followed.gate.controller is None
    assert followed.follower.unproven_s == followed.clock.now


def test_older_router_does_not_release_after_its_successor_has_stopped(followed: Followed) -> None:
    followed.prove()
    followed.latch(False, 1)
    followed.latch(True, 2, SUCCESSOR)
    followed.prove(SUCCESSOR, 2)
    followed.latch(True, 3)
    followed.latch(False, 4)
    assert followed.gate.latched


def test_router_is_alive_between_two_credentials_and_gone_without_them(followed: Followed) -> None:
    followed.latch(False, 1)
    followed.prove()
    followed.clock.advance(4.9)
    assert followed.gate.is_alive(followed.clock.now)
    followed.prove()
    followed.clock.advance(5.1)
    assert not followed.gate.is_alive(followed.clock.now)


def test_flood_of_unknown_writers_does_not_displace_the_router(followed: Followed) -> None:
    followed.latch(False, 1)
    followed.prove()
    for number in range(40):
        followed.latch(False, 1, f"{number:024x}")
    followed.clock.advance(6.0)
    followed.prove()
    assert followed.gate.is_alive(followed.clock.now)


def test_every_sample_is_reported_with_the_latch_before(followed: Followed) -> None:
    followed.prove()
    followed.latch(True, 5)
    followed.latch(False, 6)
    assert followed.before == [False, False, True]


def test_closed_follower_keeps_the_latch_and_follows_no_more(followed: Followed) -> None:
    followed.prove()
    followed.latch(True, 5)
    followed.follower.close()
    followed.latch(False, 6)
    assert followed.gate.latched


def test_bus_without_names_is_followed_by_the_heartbeat_where_that_is_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SAINT_UNPROVEN_BUS", "accept")
    followed = Followed(origin="")
    beat = RouterHeartbeat(sequence=1, estop=True, estop_generation=4)
    followed.bus.send(ROUTER_HEARTBEAT, beat, "")
    assert followed.gate.latched
    followed.bus.send(ROUTER_HEARTBEAT, RouterHeartbeat(sequence=2, estop_generation=5), "")
    assert not followed.gate.latched
