"""The status is published in steps, and is consistent all the same."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.bus import cdr
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import FieldStatus, RouteStatus
from saint_services.routerd import report, status_publisher
from saint_services.routerd.status_publisher import StatusPublisher
from tests.unit.routerd.rig import Rig, route
from tests.waiting import turns

DRIVE = route("rc_drive", "rc", "tracks", [{"from": "stick", "to": "linear"}])


async def first_status(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> RouteStatus:
    monkeypatch.setattr(status_publisher, "PERIOD_S", 0.0)
    monkeypatch.setattr(status_publisher, "monotonic_s", lambda: rig.now)
    domain = LocalDomain()
    received: asyncio.Queue[RouteStatus] = asyncio.Queue()
    page = domain.bus("page")
    page.subscribe(topics.ROUTER_STATUS, lambda each: received.put_nowait(each.message))
    work = asyncio.create_task(StatusPublisher(domain.bus("routerd"), rig.router).work())
    async with asyncio.timeout(5):
        first = await received.get()
    work.cancel()
    return first


@pytest.fixture
def rig() -> Rig:
    """Made here, because it reads manifests and nothing may block in the loop."""
    made = Rig(DRIVE)
    made.send("rc", stick=0.02)
    return made


async def test_status_is_what_the_report_says(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    message = await first_status(rig, monkeypatch)
    assert message.stamp.sec > 0
    wanted = report.message(rig.router, rig.now)
    wanted.stamp = message.stamp
    assert cdr.encode(message) == cdr.encode(wanted)


async def test_stop_between_two_fields_is_reported_for_all(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def late_stop(router: Any, output: Any, now: float) -> FieldStatus:
        seen.append(output.field)
        if len(seen) == len(router.outputs):
            router.raise_estop("desk", "test", now)
        return field_status(router, output, now)

    field_status = report.field_status
    monkeypatch.setattr(report, "field_status", late_stop)
    message = await first_status(rig, monkeypatch)
    assert message.estop
    assert {field.policy for field in message.fields} == {"estop"}


class Page:
    """Counts the states that reach a reader, at times that the test sets."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.received: list[RouteStatus] = []
        domain = LocalDomain()
        reader = domain.bus("page")
        reader.subscribe(topics.ROUTER_STATUS, lambda each: self.received.append(each.message))
        self._publisher = StatusPublisher(domain.bus("routerd"), rig.router)

    async def after(self, seconds: float) -> list[RouteStatus]:
        """Look every 100 ms; returns what was published meanwhile."""
        self.received.clear()
        for _ in range(round(seconds / 0.1)):
            self.rig.now += 0.1
            await self._publisher.look()
            await turns(1)
        return list(self.received)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    rig = Rig(DRIVE)
    monkeypatch.setattr(status_publisher, "monotonic_s", lambda: rig.now)
    return Page(rig)


async def test_router_at_rest_reports_every_400_ms(page: Page) -> None:
    assert len(await page.after(0.1)) == 1
    assert len(await page.after(4.0)) == 10


async def test_stop_and_its_release_are_reported_within_100_ms(page: Page) -> None:
    await page.after(1.0)
    page.rig.router.raise_estop("desk", "test", page.rig.now)
    (stopped,) = await page.after(0.1)
    assert (stopped.state, stopped.estop, stopped.estop_source) == ("estop", True, "desk")
    assert await page.after(0.1) == []


async def test_driven_robot_is_reported_ten_times_a_second(page: Page) -> None:
    await page.after(1.0)
    for _ in range(5):
        page.rig.send("rc", stick=0.02)
        (status,) = await page.after(0.1)
        assert status.state == "routing"


async def test_end_of_an_input_is_reported_within_100_ms(page: Page) -> None:
    page.rig.send("rc", stick=0.02)
    assert [each.state for each in await page.after(0.2)] == ["routing", "idle"]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(status_publisher, "STEP", 1)
    monkeypatch.setattr(cdr, "STEP", 1)
    yield
