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


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(status_publisher, "STEP", 1)
    monkeypatch.setattr(cdr, "STEP", 1)
    yield
