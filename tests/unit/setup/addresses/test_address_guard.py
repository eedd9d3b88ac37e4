"""When a server gives addresses, on networks made by hand: every second passes in a loop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.lib.machine import address_status
from saint_services.lib.machine.address_status import AddressStatus
from saint_services.setup import logic
from saint_services.setup.addresses import text
from saint_services.setup.addresses.dhcp import DhcpServer
from saint_services.setup.addresses.logic import AddressGuard, AddressState, Pace

ROUTER = DhcpServer("192.168.1.1", "00:11:22:33:44:55")
LOW, HIGH = "saint-server-000000000001", "saint-server-000000000002"
SERVING, REFUSED, UNSURE = AddressState.SERVING, AddressState.REFUSED, AddressState.UNSURE
STEP_S = 0.5


def ours(mark: str) -> DhcpServer:
    return DhcpServer("192.168.10.1", mark[-12:], mark)


@dataclass
class Network:
    """Servers of ours on one cable, and a router that may answer a search after a delay."""

    guards: list[AddressGuard]
    router: Callable[[float], bool] = lambda now_s: False
    delay_s: float = 0.0
    fault: str = ""
    now_s: float = 0.0
    searches: list[float] = field(default_factory=list)
    _waiting: list[tuple[float, AddressGuard, DhcpServer]] = field(default_factory=list)

    def plug(self, *, is_up: bool = True) -> "Network":
        for guard in self.guards:
            guard.link(is_up=is_up, now_s=self.now_s)
        return self

    def run(self, seconds: float) -> "Network":
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self._turn()
            self.now_s += STEP_S
        return self

    def _turn(self) -> None:
        for due in [each for each in self._waiting if each[0] <= self.now_s]:
            self._waiting.remove(due)
            due[1].received(due[2], self.now_s)
        for guard in self.guards:
            if guard.is_due(self.now_s):
                self.searches.append(self.now_s)
                guard.sent(self.now_s, self.fault)
                if not self.fault:
                    self._answer(guard)

    def _answer(self, sender: AddressGuard) -> None:
        if self.router(self.now_s):
            self._waiting.append((self.now_s + self.delay_s, sender, ROUTER))
        for other in self.guards:
            if other is not sender and other.state is SERVING:
                sender.received(ours(other.own), self.now_s)

    @property
    def states(self) -> list[AddressState]:
        return [guard.state for guard in self.guards]


def alone(**options: object) -> Network:
    return Network([AddressGuard(HIGH)], **options)  # type: ignore[arg-type]  # by name


def always(_: float) -> bool:
    return True


def test_nothing_is_searched_or_served_without_a_link() -> None:
    network = alone().run(600)
    assert network.states == [AddressState.NO_LINK]
    assert network.searches == []
    assert network.guards[0].lease(600) == ""


def test_quiet_network_is_served_after_three_searches() -> None:
    network = alone().plug().run(7)
    assert network.states == [AddressState.LOOKING]
    assert network.run(2).states == [SERVING]
    assert len(network.searches) == 3


@pytest.mark.parametrize("delay_s", [0.0, 3.0])
def test_router_that_answers_late_is_not_disturbed(delay_s: float) -> None:
    network = alone(router=always, delay_s=delay_s).plug()
    for _ in range(600):
        assert network.run(1).guards[0].lease(network.now_s) == ""
    assert network.states == [REFUSED]
    assert network.guards[0].other == ROUTER


def test_router_that_is_plugged_in_later_is_found_within_a_minute() -> None:
    network = alone(router=lambda now_s: now_s >= 1000).plug().run(1000)
    assert network.states == [SERVING]
    assert network.run(66).states == [REFUSED]


def test_router_that_answers_another_client_ends_the_service_at_once() -> None:
    network = alone().plug().run(100)
    network.guards[0].received(ROUTER, network.now_s)
    assert network.guards[0].lease(network.now_s) == ""


def test_server_is_silent_for_five_minutes_after_the_router_was_last_seen() -> None:
    network = alone(router=lambda now_s: now_s < 100).plug().run(100)
    assert network.run(280).states == [REFUSED]  # a router that restarts is silent too
    assert network.run(80).states == [SERVING]


def test_new_link_begins_with_a_search_at_once() -> None:
    network = alone(router=lambda now_s: now_s < 100).plug().run(100)
    network.plug(is_up=False).run(5)
    assert network.plug().run(4).states == [AddressState.LOOKING]
    assert network.run(5).states == [SERVING]
    assert network.plug(is_up=False).states == [AddressState.NO_LINK]
    assert network.plug().guards[0].lease(network.now_s) == ""


def test_search_that_cannot_be_sent_is_no_permission_to_serve() -> None:
    network = alone(fault="Operation not permitted").plug().run(120)
    assert network.states == [UNSURE]
    assert len(network.searches) > 6, "it is tried again"
    network.fault = ""
    assert network.run(60).states == [SERVING]
    network.fault = "Network is down"
    assert network.run(120).states == [UNSURE]


def test_one_search_that_is_sent_counts() -> None:
    network = alone(fault="No buffer space available").plug().run(1)
    network.fault = ""
    assert network.run(9).states == [SERVING]


def test_turn_that_comes_late_still_listens_after_its_last_search() -> None:
    guard = AddressGuard(HIGH)
    guard.link(is_up=True, now_s=0.0)
    for _ in range(3):
        assert guard.is_due(60.0) or guard.is_due(60.0 + 4.0)
        guard.sent(64.0)
    assert not guard.is_due(64.0)
    assert guard.state is AddressState.LOOKING


def test_first_leases_are_short() -> None:
    """At home a Pi starts sooner than the router: a client that got one of ours by mistake requests
    another after two minutes.
    """
    network = alone().plug().run(20)
    assert network.guards[0].lease(network.now_s) == "2m"
    assert network.run(280).guards[0].lease(network.now_s) == "2m"
    assert network.run(20).guards[0].lease(network.now_s) == "1h"


def test_quiet_network_is_searched_once_a_minute() -> None:
    network = alone().plug().run(3600)
    assert 3 * 50 <= len(network.searches) <= 3 * 65


def test_due_time_is_never_missed() -> None:
    """The service sleeps until `due_s`: with turns at these times alone, all is as above."""
    guard, now_s, sends = AddressGuard(HIGH), 0.0, 0
    guard.link(is_up=True, now_s=0.0)
    while now_s < 100.0:
        if guard.is_due(now_s):
            guard.sent(now_s)
            sends += 1
        assert guard.due_s(now_s) > now_s or guard.is_due(now_s)
        now_s = max(now_s, guard.due_s(now_s))
    assert guard.state is SERVING
    assert sends >= 9


@pytest.mark.parametrize("marks", [(LOW, HIGH), (HIGH, LOW)])
@pytest.mark.parametrize("apart_s", [0.0, 1.0, 3.0, 20.0, 400.0])
def test_of_two_servers_of_ours_one_serves(marks: tuple[str, str], apart_s: float) -> None:
    network = Network([AddressGuard(mark) for mark in marks])
    network.guards[0].link(is_up=True, now_s=0.0)
    network.run(apart_s)
    network.guards[1].link(is_up=True, now_s=network.now_s)
    network.run(40)
    for _ in range(3600):
        assert sorted(network.run(1).states) == [REFUSED, SERVING]
    first = network.guards[network.states.index(SERVING)]
    assert apart_s < 8 or first is network.guards[0], "who serves goes on"


def test_second_server_of_ours_takes_over_when_the_first_is_gone() -> None:
    network = Network([AddressGuard(LOW), AddressGuard(HIGH)]).plug().run(60)
    assert network.states == [SERVING, REFUSED]
    network.guards[0].link(is_up=False, now_s=network.now_s)
    assert network.run(400).states == [AddressState.NO_LINK, SERVING]


def test_two_servers_of_ours_beside_a_router_are_both_silent_and_one_returns() -> None:
    guards = [AddressGuard(LOW), AddressGuard(HIGH)]
    network = Network(guards, router=lambda now_s: now_s < 500).plug().run(500)
    assert network.states == [REFUSED, REFUSED]
    network.run(500)
    assert sorted(network.states) == [REFUSED, SERVING]


def test_own_offer_that_comes_back_over_a_loop_of_cables_is_ignored() -> None:
    network = alone().plug().run(20)
    network.guards[0].received(ours(HIGH), network.now_s)
    assert network.states == [SERVING]


def test_sentences_name_the_other_server_and_what_to_do() -> None:
    guard = AddressGuard(LOW)
    guard.link(is_up=True, now_s=0.0)
    assert text.status(guard, "eth0") == AddressStatus("looking")
    guard.received(ROUTER, 0.0)
    said = text.status(guard, "eth0")
    assert said.state == "refused"
    assert "192.168.1.1 (00:11:22:33:44:55)" in said.text and "eth0" in said.text
    assert "cable" in said.fix
    guard.received(ours(HIGH), 1.0)
    assert "Another SAINT.OS server" in text.status(guard, "eth0").text
    broken = alone(fault="Operation not permitted").plug().run(20)
    assert "Operation not permitted" in text.status(broken.guards[0], "eth0").text


def test_router_with_the_servers_own_address_is_said_to_share_it() -> None:
    guard = AddressGuard(LOW)
    guard.link(is_up=True, now_s=0.0)
    guard.received(DhcpServer(logic.SERVER_ADDRESS, "00:11:22:33:44:55"), 0.0)
    said = text.status(guard, "eth0")
    assert "192.168.10.1 (00:11:22:33:44:55)" in said.text
    assert "the same address as this server" in said.text and "internet" in said.text
    assert said.fix.startswith("Take the cable")


def test_second_network_adapter_is_not_proposed() -> None:
    """The kernel names adapters in the order in which their drivers load: it could become eth0."""
    guard = AddressGuard(LOW)
    guard.link(is_up=True, now_s=0.0)
    guard.received(ROUTER, 0.0)
    assert "Wi-Fi" in text.status(guard, "eth0").fix
    assert "adapter" not in text.status(guard, "eth0").fix


def test_pace_leaves_a_router_time_to_try_the_address() -> None:
    """Numbers by hand: dnsmasq tries an address for 3 s before it offers it."""
    assert Pace().listen_s > 3.0
    assert Pace().longest_pause_s <= 60.0


def test_status_is_read_as_written_and_rubbish_as_none(tmp_path: Path) -> None:
    file = tmp_path / "status.json"
    assert address_status.read(file) == AddressStatus()
    status = AddressStatus("refused", "why", "what to do")
    address_status.write(file, status)
    assert address_status.read(file) == status
    for rubbish in (b"", b"[]", b"{}", b'"x"', b"\xff\x00", b'{"state": 1}'):
        file.write_bytes(rubbish)
        assert address_status.read(file) == AddressStatus()
