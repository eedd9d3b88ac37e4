"""When the graph is scanned: after an announcement of another participant, and seldom without."""

import pytest

from saint_services.lib.bus import graph_scans
from saint_services.lib.bus.graph_scans import GraphScans
from saint_services.lib.bus.local import LocalBus, LocalDomain
from saint_services.lib.generated import topics
from tests.waiting import turns


class Clock:
    now_s = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(graph_scans, "monotonic_s", lambda: clock.now_s)
    return clock


@pytest.fixture
def domain() -> LocalDomain:
    return LocalDomain()


async def test_first_look_is_due_and_the_next_after_half_a_minute(
    domain: LocalDomain, clock: Clock
) -> None:
    scans = GraphScans(domain.bus("one"))
    assert scans.is_due() and not scans.is_due()
    clock.now_s = 1029.9
    assert not scans.is_due()
    clock.now_s = 1030.0
    assert scans.is_due() and not scans.is_due()


async def test_announcement_of_another_makes_it_due_for_five_seconds(
    domain: LocalDomain, clock: Clock
) -> None:
    one, two = domain.bus("one"), domain.bus("two")
    scans = GraphScans(one)
    assert scans.is_due()
    one.subscribe(topics.ESTOP, lambda _: None)
    await turns()
    assert not scans.is_due()  # its own
    two.publisher(topics.ESTOP)
    await turns()
    assert scans.is_due()
    clock.now_s = 1005.0
    assert scans.is_due()
    clock.now_s = 1005.1
    assert not scans.is_due()


async def test_closed_bus_is_not_called(domain: LocalDomain, clock: Clock) -> None:
    one, two = domain.bus("one"), domain.bus("two")
    scans = GraphScans(one)
    assert scans.is_due()
    await one.close()
    two.publisher(topics.ESTOP)
    await turns()
    assert not scans.is_due()


async def test_what_was_dropped_may_be_found_again(domain: LocalDomain, clock: Clock) -> None:
    scans = GraphScans(domain.bus("one"))
    assert scans.is_due() and not scans.is_due()
    scans.renew()
    assert scans.is_due()


async def test_backend_that_reports_no_changes_is_always_scanned(
    domain: LocalDomain, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalBus, "watch_graph", lambda *_: False)
    scans = GraphScans(domain.bus("one"))
    assert scans.is_due() and scans.is_due()
