"""The role's connection to its guard, turn by turn, on a clock of the test and with a guard that
the test plays. All limits are typed by hand.
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard import wire
from saint_services.lib.guard.beat import Beat
from saint_services.lib.guard.will import Will
from saint_services.lib.role import guard_client
from saint_services.lib.role.guard_client import GuardClient, Unguarded
from tests import waiting

MS = 1_000_000
WILL = Will("role-x", "x")
START_NS = 5_000 * MS


class Timer:
    """One callback and its time."""

    def __init__(self, due_s: float, callback: Callable[[], None]) -> None:
        self.due_s, self.callback, self.is_cancelled = due_s, callback, False

    def cancel(self) -> None:
        self.is_cancelled = True


class Turns:
    """A role process, its clock, and the guard at the other end of its connection."""

    def __init__(self, root: Path) -> None:
        self.path = root / "guardd.sock"
        self.now_ns = START_NS
        self.is_moving = False
        self.lost: list[str] = []
        self.timers: list[Timer] = []
        self.can_stop = True
        self.guard = GuardClient(self, lambda: self.is_moving, self._lose, lambda: self.now_ns)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.listener.settimeout(5.0)
        self.received: list[int] = []

    def _lose(self, why: str) -> None:
        """Stop, as a role does."""
        self.lost.append(why)
        self.is_moving = self.is_moving and not self.can_stop

    def time(self) -> float:
        return 7.0

    def call_at(self, when: float, callback: Callable[..., Any], /, *args: Any) -> Timer:
        self.timers.append(Timer(when, callback))
        return self.timers[-1]

    def call_soon_threadsafe(self, callback: Callable[..., Any], /, *args: Any) -> object:
        raise NotImplementedError

    @property
    def pending(self) -> list[float]:
        return [timer.due_s for timer in self.timers if not timer.is_cancelled]

    def tick(self, after_ns: int) -> None:
        """Fire the scheduled timer."""
        self.now_ns += after_ns
        timer = self.timers.pop()
        assert not timer.is_cancelled
        timer.callback()

    async def open(self, answer: bytes, lines: list[int] | None = None) -> None:
        """Leave the will with a guard that gives these answers."""
        playing = asyncio.create_task(asyncio.to_thread(self._take, answer))
        try:
            await self.guard.open(self.path, WILL, lines or [])
        finally:
            await playing

    def _take(self, answer: bytes) -> None:
        self.peer, _ = self.listener.accept()
        self.peer.settimeout(5.0)
        self.greeting, self.received = wire.receive(self.peer)
        self.memory = Beat(self.received[0])
        self.memory.watch(self.now_ns)
        self.peer.sendall(answer)
        if not answer:
            self.peer.shutdown(socket.SHUT_WR)

    def messages(self) -> bytes:
        """Return what the guard received since the last call."""
        self.peer.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            return self.peer.recv(4096)
        return b""

    def close(self) -> None:
        self.guard.close()
        self.listener.close()
        if self.received:
            self.memory.close()
            self.peer.close()
        for descriptor in self.received:
            os.close(descriptor)


GUARDED = b'{"event": "guarded"}\n'


@pytest.fixture
async def turns(tmp_path: Path) -> AsyncIterator[Turns]:
    """Return a role whose guard has its will."""
    found = Turns(tmp_path)
    await found.open(GUARDED)
    yield found
    found.close()


@pytest.fixture
async def alone(tmp_path: Path) -> AsyncIterator[Turns]:
    """Return a role that has not left its will yet."""
    found = Turns(tmp_path)
    yield found
    found.close()


def descriptors() -> int:
    """Count the descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_parts_without_a_guard_may_drive() -> None:
    assert Unguarded().may_drive()


async def test_will_is_left_with_the_memory_and_a_descriptor_for_each_line(alone: Turns) -> None:
    line = os.open(os.devnull, os.O_RDWR)
    before = descriptors()
    await alone.open(GUARDED, [line, line])
    assert alone.greeting == wire.encoded({"do": "guard", "will": WILL.as_json()})
    assert len(alone.received) == 3
    # The peer's connection, its three, its mapping; the role's connection and mapping.
    assert descriptors() == before + 7
    os.close(line)
    assert alone.guard.may_drive()


@pytest.mark.parametrize("answer", [b"", b'{"event": "refused"}\n', b'{"event"', b"[]\n"])
async def test_guard_that_does_not_take_the_will_is_a_fault(alone: Turns, answer: bytes) -> None:
    with pytest.raises(SaintError, match="did not accept the will of x") as raised:
        await alone.open(answer)
    assert raised.value.code is Code.HARDWARE_FAULT
    assert not alone.guard.may_drive()
    assert alone.lost == []
    assert alone.peer.recv(100) == b'{"do": "leave"}\n'
    assert alone.peer.recv(100) == b""


async def test_reason_of_the_guard_is_passed_on(alone: Turns) -> None:
    answer = b'{"event": "refused", "why": "/dev/ttyACM0: Operation not permitted"}\n'
    with pytest.raises(SaintError, match=r"\(/dev/ttyACM0: Operation not permitted\)") as raised:
        await alone.open(answer)
    assert "Restart this machine" in raised.value.fix


async def test_guard_has_two_seconds_to_answer(
    alone: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert guard_client._ANSWER_S == 2.0
    monkeypatch.setattr(guard_client, "_ANSWER_S", 0.01)
    with pytest.raises(SaintError, match="no answer"):
        await alone.guard.open(alone.path, WILL)
    assert not alone.guard.may_drive()


async def test_first_motion_beats_notifies_the_guard_and_plans_the_next_beat(turns: Turns) -> None:
    turns.now_ns += 3 * MS
    assert turns.guard.may_drive()
    assert (turns.memory.role_ns, turns.memory.is_moving) == (START_NS + 3 * MS, True)
    assert turns.messages() == b'{"do": "move"}\n'
    assert turns.pending == [7.02]
    assert turns.guard.may_drive()
    assert (turns.messages(), turns.pending) == (b"", [7.02])


async def test_loop_beats_every_20_ms_until_nothing_moves(turns: Turns) -> None:
    turns.is_moving = True
    assert turns.guard.may_drive()
    turns.tick(20 * MS)
    assert (turns.memory.role_ns, turns.memory.is_moving) == (START_NS + 20 * MS, True)
    assert turns.pending == [7.02]
    turns.is_moving = False
    turns.tick(20 * MS)
    assert (turns.memory.role_ns, turns.memory.is_moving) == (START_NS + 40 * MS, False)
    assert (turns.pending, turns.lost) == ([], [])
    turns.messages()
    assert turns.guard.may_drive()  # and begins again
    assert turns.messages() == b'{"do": "move"}\n'


async def test_rest_of_any_length_before_a_motion_is_no_standstill(turns: Turns) -> None:
    assert turns.guard.may_drive()
    turns.tick(20 * MS)
    turns.now_ns += 9_000 * MS
    turns.memory.watch(turns.now_ns)
    assert turns.guard.may_drive()
    assert turns.lost == []


@pytest.mark.parametrize(
    ("silent_ns", "lost"),
    [(150 * MS, []), (150 * MS + 1, ["this process stood still for 150 ms"])],
)
async def test_standstill_of_150_ms_is_the_longest(
    turns: Turns, silent_ns: int, lost: list[str]
) -> None:
    assert turns.guard.may_drive()
    turns.now_ns += silent_ns
    turns.memory.watch(turns.now_ns)
    assert turns.guard.may_drive() is (not lost)
    assert turns.lost == lost


@pytest.mark.parametrize(
    ("silent_ns", "lost"),
    [(150 * MS, []), (150 * MS + 1, ["this process stood still for 150 ms"])],
)
async def test_standstill_that_a_beat_notices_is_judged_the_same(
    turns: Turns, silent_ns: int, lost: list[str]
) -> None:
    turns.is_moving = True
    assert turns.guard.may_drive()
    turns.memory.watch(START_NS + silent_ns)
    turns.tick(silent_ns)
    assert turns.lost == lost
    assert turns.pending == ([] if lost else [7.02])
    assert turns.memory.is_moving is (not lost)


@pytest.mark.parametrize(("old_ns", "may_drive"), [(150 * MS, True), (150 * MS + 1, False)])
async def test_guard_that_has_not_looked_for_150_ms_guards_nothing(
    turns: Turns, old_ns: int, may_drive: bool
) -> None:
    turns.now_ns += old_ns
    assert turns.guard.may_drive() is may_drive
    assert turns.lost == (
        [] if may_drive else ["the guard of this machine does not answer any more"]
    )


async def test_beat_gives_up_when_the_guard_stopped_the_outputs_or_stands_still(
    turns: Turns,
) -> None:
    turns.is_moving = True
    assert turns.guard.may_drive()
    turns.memory.trip()
    turns.tick(20 * MS)
    assert turns.lost == ["the guard has stopped the outputs"]
    assert (turns.pending, turns.memory.is_moving) == ([], False)
    assert not turns.guard.may_drive()
    assert len(turns.lost) == 1


async def test_beat_gives_up_when_the_guard_stands_still(turns: Turns) -> None:
    turns.is_moving = True
    assert turns.guard.may_drive()
    turns.tick(100 * MS)
    turns.tick(51 * MS)
    assert turns.lost == ["the guard of this machine does not answer any more"]
    assert not turns.guard.may_drive()


async def test_trips_of_before_the_will_are_not_its_own(alone: Turns) -> None:
    await alone.open(GUARDED)
    alone.memory.trip()
    assert not alone.guard.may_drive()
    assert alone.lost == ["the guard has stopped the outputs"]


async def test_loss_ends_the_beats_and_is_reported_once(turns: Turns) -> None:
    assert turns.guard.may_drive()
    turns.memory.trip()
    assert not turns.guard.may_drive()
    assert not turns.guard.may_drive()
    assert turns.lost == ["the guard has stopped the outputs"]
    assert (turns.pending, turns.memory.is_moving) == ([], False)


async def test_beat_that_was_due_after_the_loss_does_nothing(turns: Turns) -> None:
    assert turns.guard.may_drive()
    (timer,) = turns.timers
    turns.memory.trip()
    assert not turns.guard.may_drive()
    timer.callback()
    assert len(turns.lost) == 1
    assert turns.pending == []


async def test_closed_guard_leaves_at_rest_and_reports_nothing(turns: Turns) -> None:
    before = descriptors()
    assert turns.guard.may_drive()
    turns.messages()
    turns.now_ns += 5 * MS
    turns.guard.close()
    assert turns.messages() == b'{"do": "leave"}\n'
    assert turns.messages() == b""
    assert (turns.memory.role_ns, turns.memory.is_moving) == (START_NS + 5 * MS, False)
    assert (turns.pending, turns.lost) == ([], [])
    assert descriptors() == before - 2
    assert not turns.guard.may_drive()
    turns.guard.close()  # again: nothing
    await waiting.turns(3)
    assert turns.lost == []


async def test_role_that_cannot_stop_when_it_loses_its_guard_says_that_it_moves(
    turns: Turns,
) -> None:
    turns.is_moving, turns.can_stop = True, False
    assert turns.guard.may_drive()
    turns.memory.trip()
    turns.tick(20 * MS)
    assert turns.lost == ["the guard has stopped the outputs"]
    assert turns.memory.is_moving


async def test_closed_guard_of_a_moving_role_says_that_it_moves(turns: Turns) -> None:
    turns.is_moving = True
    assert turns.guard.may_drive()
    turns.guard.close()
    assert turns.memory.is_moving


async def test_guard_can_be_opened_and_driven_again_after_it_was_closed(turns: Turns) -> None:
    assert turns.guard.may_drive()
    turns.guard.close()
    for descriptor in turns.received:
        os.close(descriptor)
    turns.memory.close()
    turns.peer.close()
    turns.now_ns += 9_000 * MS
    await turns.open(GUARDED)
    assert turns.guard.may_drive()
    assert turns.messages() == b'{"do": "move"}\n'


async def test_guard_that_ends_is_a_loss(turns: Turns) -> None:
    assert turns.guard.may_drive()
    turns.messages()
    before = descriptors()
    assert turns.guard._connection
    number = turns.guard._connection.fileno()
    turns.peer.shutdown(socket.SHUT_RDWR)
    await waiting.until(lambda: turns.lost)
    assert turns.lost == ["the guard of this machine has ended"]
    assert not turns.guard._loop().remove_reader(number)  # it is not read any more
    assert descriptors() == before - 2
    assert not turns.memory.is_moving
    assert not turns.guard.may_drive()
    turns.guard.close()


async def test_guard_that_ends_after_the_loss_is_no_second_one(turns: Turns) -> None:
    turns.memory.trip()
    assert not turns.guard.may_drive()
    turns.peer.shutdown(socket.SHUT_RDWR)
    turns.guard._receive()
    assert turns.lost == ["the guard has stopped the outputs"]
    assert not turns.guard.may_drive()


async def test_message_of_the_guard_is_no_end_of_it(turns: Turns) -> None:
    turns.peer.sendall(b'{"event": "left"}\n')
    assert turns.guard._connection
    await waiting.until(lambda: turns.guard._connection and _is_empty(turns.guard._connection))
    assert turns.lost == []
    assert turns.guard.may_drive()
    turns.guard._receive()  # a wake-up for nothing
    assert turns.lost == []


async def test_connection_that_breaks_is_a_loss(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []

    class Broken:
        def recv(self, size: int) -> bytes:
            raise ConnectionResetError(104, "reset")

        def close(self) -> None:
            closed.append(True)

    real = turns.guard._connection
    assert real
    monkeypatch.setattr(turns.guard._loop(), "remove_reader", lambda _: None)
    turns.guard._connection = Broken()  # type: ignore[assignment]
    turns.guard._receive()
    assert turns.lost == ["the guard of this machine has ended"]
    assert closed == [True]
    monkeypatch.undo()
    turns.guard._loop().remove_reader(real)
    real.close()


async def test_guard_that_cannot_be_sent_the_motion_is_a_loss(turns: Turns) -> None:
    turns.peer.close()
    assert not turns.guard.may_drive()
    assert turns.lost == ["the guard of this machine does not answer"]
    assert (turns.pending, turns.memory.is_moving) == ([], False)


def _is_empty(connection: socket.socket) -> bool:
    try:
        connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    return False
