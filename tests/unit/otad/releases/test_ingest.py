"""Taking in and removing at the same time, and giving up in the middle."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.otad.adapters.alerts import Alerts
from saint_services.otad.config import Config
from saint_services.otad.releases.incoming import IMAGE, IncomingBundle
from saint_services.otad.releases.ingest import ReleaseIngest
from saint_services.otad.releases.repository import Repository
from tests.unit.otad.ota_rig import FakeInstaller, Robot
from tests.waiting import turns, until


class LocalMachine:
    """A taker without a daemon around it."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.needed: set[str] = set()
        self.repository = Repository(robot.directories.state, 0)
        self.ingest = ReleaseIngest(
            Config(reserve_bytes=0), self.repository, FakeInstaller(), lambda: self.needed,
            Alerts(LocalDomain().bus("otad")), Health("otad"),
        )  # fmt: skip

    async def add(self, version: str, waits_for: asyncio.Event | None = None) -> None:
        path = await asyncio.to_thread(self.robot.bundle, version)
        data = await asyncio.to_thread(path.read_bytes)

        async def chunks() -> AsyncIterator[bytes]:
            if waits_for:
                await waits_for.wait()
            yield data

        await self.ingest.add(chunks(), len(data))


@pytest.fixture
async def place(robot: Robot) -> LocalMachine:
    found = LocalMachine(robot)
    await asyncio.to_thread(found.repository.open)
    await found.add("1.1.0")
    return found


async def refused(work: asyncio.Future[None]) -> Code:
    with pytest.raises(SaintError) as caught:
        await work
    return caught.value.code


async def test_release_that_two_remove_at_once_is_gone_and_one_is_refused(place: LocalMachine):
    first = asyncio.create_task(place.ingest.remove("1.1.0"))
    second = asyncio.create_task(place.ingest.remove("1.1.0"))
    await first
    assert await refused(second) is Code.NOT_FOUND
    assert not place.repository.stored


async def test_release_that_is_rolled_out_while_its_removal_waits_stays(place: LocalMachine):
    gate = asyncio.Event()
    taking = asyncio.create_task(place.add("1.2.0", gate))
    await until(place.ingest._busy.locked)
    removing = asyncio.create_task(place.ingest.remove("1.1.0"))
    await turns(1)
    place.needed.add("1.1.0")
    gate.set()
    await taking
    assert await refused(removing) is Code.REFUSED
    assert set(place.repository.stored) == {"1.1.0", "1.2.0"}


@pytest.mark.parametrize(("what", "name"), [(IncomingBundle, "write"), (Repository, "store")])
async def test_one_who_gives_up_takes_nothing_away_under_what_still_writes(
    place: LocalMachine, monkeypatch: pytest.MonkeyPatch, what: type, name: str
):
    entered, leave, ended = threading.Event(), threading.Event(), threading.Event()
    whole = getattr(what, name)
    failures: list[Exception] = []

    def slow(*arguments: object) -> object:
        entered.set()
        leave.wait(10.0)
        try:
            return whole(*arguments)
        except Exception as err:
            failures.append(err)
            raise
        finally:
            ended.set()

    monkeypatch.setattr(what, name, slow)
    taking = asyncio.create_task(place.add("1.2.0"))
    await asyncio.to_thread(entered.wait, 10.0)
    taking.cancel()
    await asyncio.wait({taking}, timeout=0.2)
    leave.set()
    with pytest.raises(asyncio.CancelledError):
        await taking
    await asyncio.to_thread(ended.wait, 10.0)
    assert failures == []
    assert not (place.robot.directories.state / "incoming").exists()
    for version in place.repository.stored:
        path = place.repository.file(version, IMAGE)
        assert path
        assert path.is_file(), f"{version} is offered, but its bundle is not there"


async def test_list_that_is_being_read_does_not_change(place: LocalMachine):
    before = place.repository.stored
    await place.add("1.2.0")
    await place.ingest.remove("1.1.0")
    assert set(before) == {"1.1.0"}
