"""A watch: when its replies come, what its client notices, and how it connects again. Over a real
socket; numbers are typed by hand.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from saint_services.lib.api import Reply
from saint_services.lib.api.endpoint import Endpoint, Rows, WatchRequest
from saint_services.lib.clock import monotonic_s
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, ApiServer, Call, ChangeSignal, Client, Watch, updates, watch
from tests.unit.lib.ipc.ipc_rig import listening
from tests.waiting import stays, turns, until


class State(Reply):
    number: int


ROW: Endpoint[WatchRequest, State] = Rows("test", "stated").row(
    "watch", "GET", "/watch", WatchRequest, State, "Stream the number.", is_stream=True, limit_s=1.0
)
SOON = WatchRequest(hold_s=0.5)
SELDOM = WatchRequest(hold_s=30.0)


class Daemon:
    """Serves one number, and counts the requests."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "stated.sock"
        self.number = 0
        self.changed = ChangeSignal()
        self.requests: list[WatchRequest] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._server: ApiServer | None = None

    async def start(self) -> None:
        api = Api()
        api.bind_stream(ROW, self._watch)
        self._server = await api.serve([listening(self.path)])

    async def stop(self) -> None:
        if self._server:
            await self._server.close()
        self._server = None
        self.path.unlink(missing_ok=True)

    def set(self, number: int) -> None:
        self.number = number
        self.changed.notify()

    async def _watch(self, call: Call[WatchRequest]) -> AsyncIterator[State]:
        self.requests.append(call.body)
        async for state in updates(lambda: State(number=self.number), self.changed, call.body):
            await self.may_answer.wait()
            yield state


class Reader:
    """A client that keeps what it receives."""

    def __init__(self, daemon: Daemon) -> None:
        self.client = Client(daemon.path)
        self.numbers: list[int] = []
        self.problems: list[SaintError] = []
        self.watch = Watch(
            self.client, ROW, lambda state: self.numbers.append(state.number), self.problems.append
        )


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Daemon]:
    daemon = Daemon(tmp_path)
    await daemon.start()
    yield daemon
    await daemon.stop()


@pytest.fixture
async def reader(daemon: Daemon) -> AsyncIterator[Reader]:
    reader = Reader(daemon)
    work = asyncio.create_task(reader.watch.run())
    yield reader
    work.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await work


async def test_state_comes_at_once_and_with_each_change(daemon: Daemon, reader: Reader) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    daemon.set(1)
    await until(lambda: reader.numbers == [0, 1])
    assert len(daemon.requests) == 1 and not reader.problems


async def test_state_that_does_not_change_is_repeated_after_the_hold_time(
    daemon: Daemon, reader: Reader
) -> None:
    began_s = monotonic_s()
    reader.watch.begin(SOON)
    await until(lambda: reader.numbers == [0, 0])
    assert monotonic_s() - began_s >= 0.5
    assert len(daemon.requests) == 1


async def test_nothing_is_sent_while_nothing_changes(daemon: Daemon, reader: Reader) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    await stays(lambda: reader.numbers == [0], 0.3)


async def test_flood_of_changes_becomes_one_every_100_ms(daemon: Daemon, reader: Reader) -> None:
    assert watch.LEAST_S == 0.1
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    began_s = monotonic_s()
    while monotonic_s() - began_s < 0.35:
        daemon.set(daemon.number + 1)
        await turns(5)
    await until(lambda: reader.numbers[-1] == daemon.number)
    assert len(reader.numbers) <= 6


async def test_daemon_that_ends_is_noticed_at_once(daemon: Daemon, reader: Reader) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    await daemon.stop()
    await until(lambda: reader.problems, 2.0)
    assert reader.problems[0].code is Code.DAEMON_UNREACHABLE


async def test_daemon_that_stands_still_is_noticed(daemon: Daemon, reader: Reader) -> None:
    """With a hold time of half a second after 1.75 s: one and a half times and one second."""
    reader.watch.begin(SOON)
    await until(lambda: reader.numbers == [0])
    began_s = monotonic_s()
    daemon.may_answer.clear()
    await until(lambda: reader.problems, 5.0)
    assert 1.7 <= monotonic_s() - began_s <= 4.0
    assert reader.problems[0].code is Code.DAEMON_UNREACHABLE


async def test_daemon_that_returns_is_watched_again(daemon: Daemon, reader: Reader) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    await daemon.stop()
    await until(lambda: len(reader.problems) >= 2)  # nobody listens
    daemon.number = 7
    await daemon.start()
    await until(lambda: reader.numbers == [0, 7])


async def test_another_request_replaces_the_first(daemon: Daemon, reader: Reader) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    reader.watch.begin(SOON)
    await until(lambda: len(reader.numbers) >= 2)
    assert daemon.requests == [SELDOM, SOON] and not reader.problems


async def test_ended_watch_requests_nothing_until_it_begins_again(
    daemon: Daemon, reader: Reader
) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    reader.watch.end()
    reader.watch.end()
    await turns()
    daemon.set(1)
    await stays(lambda: reader.numbers == [0], 0.2)
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0, 1])
    assert not reader.problems


async def test_watch_may_end_before_it_is_connected(daemon: Daemon, reader: Reader) -> None:
    reader.watch.begin(SELDOM)
    reader.watch.end()
    await stays(lambda: not reader.numbers and not reader.problems, 0.1)


async def test_waiting_clients_are_forgotten_when_they_leave(
    daemon: Daemon, reader: Reader
) -> None:
    reader.watch.begin(SELDOM)
    await until(lambda: reader.numbers == [0])
    reader.watch.end()
    await until(lambda: not daemon.changed._waiting)


@pytest.mark.parametrize("hold_s", [0.0, 0.4, 31.0, float("nan"), float("inf")])
def test_hold_time_has_limits(hold_s: float) -> None:
    with pytest.raises(ValidationError):
        WatchRequest(hold_s=hold_s)
