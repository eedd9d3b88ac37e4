"""The role's side of its guard: leaves the will, beats while an output moves, and says whether an
output may be driven at all. Not here: the guard (guardd), who commands (gate.py).
"""

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic_ns
from typing import Protocol

from ..errors import Code, SaintError
from ..guard import wire
from ..guard.beat import FAST_NS, LIMIT_NS, Beat, new_memory
from ..guard.will import Will
from .timers import Clock, Handle

_ANSWER_S = 2.0  # for the guard to take the will; it may be starting


class Guard(Protocol):
    """What a session asks before it drives an output."""

    def may_drive(self) -> bool:
        """True while the outputs are guarded. Call it before every write that may move something:
        from then on the guard expects beats until `is_moving` says no."""
        ...


class NoGuard:
    """For outputs that nothing watches: parts of a role on their own, in tests."""

    def may_drive(self) -> bool:
        """Always true."""
        return True


class RoleGuard:
    """One role process under guard. `on_lost` is called once, with the reason, when the outputs are
    not guarded any more: the role has to stop and to open its drivers again.
    """

    def __init__(
        self,
        clock: Clock,
        is_moving: Callable[[], bool],
        on_lost: Callable[[str], None],
        now_ns: Callable[[], int] = monotonic_ns,
    ) -> None:
        self._clock = clock
        self._is_moving = is_moving
        self._on_lost = on_lost
        self._now_ns = now_ns
        self._connection: socket.socket | None = None
        self._beat: Beat | None = None
        self._timer: Handle | None = None
        self._beat_ns = 0
        self._is_beating = False

    async def open(self, path: Path, will: Will, lines: Sequence[int] = ()) -> None:
        """Leave the will with the guard. Raises SaintError when it does not answer."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._open(path, will, lines)
        except (OSError, TimeoutError, ValueError) as err:
            self.close()
            raise SaintError(
                Code.HARDWARE_FAULT,
                f"the guard of this machine does not take the will of {will.target} "
                f"({str(err) or 'no answer'}), so nothing may move",
                fix="Look at the log of saint-guardd.",
            ) from err

    def may_drive(self) -> bool:
        """As Guard.may_drive."""
        beat = self._beat
        if beat is None:
            return False
        now_ns = self._now_ns()
        if self._is_beating:
            silent_ns = now_ns - self._beat_ns
            if silent_ns > LIMIT_NS:  # what waited meanwhile is old, whatever it asks for
                self._lose(f"this process stood still for {silent_ns // 1_000_000} ms")
                return False
        return self._is_guarded(beat, now_ns) and (self._is_beating or self._begin(beat, now_ns))

    def close(self) -> None:
        """Give the outputs back; they must be at rest."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        beat, self._beat = self._beat, None
        connection, self._connection = self._connection, None
        if beat:
            beat.beat(self._now_ns(), self._is_moving())
            beat.close()
        if connection:
            self._loop().remove_reader(connection)
            with contextlib.suppress(OSError):
                wire.send(connection, {"do": "leave"})
            connection.close()
        self._is_beating = False

    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    async def _open(self, path: Path, will: Will, lines: Sequence[int]) -> None:
        loop = self._loop()
        connection = self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.setblocking(False)
        await loop.sock_connect(connection, str(path))
        memory = new_memory()
        try:
            beat = Beat(memory)
            wire.send(connection, {"do": "guard", "will": will.as_json()}, [memory, *lines])
        finally:
            os.close(memory)
        answer = wire.Lines().fed(await loop.sock_recv(connection, wire.LONGEST_BYTES))
        if not answer or answer[0].get("event") != "guarded":
            raise ValueError("it refuses it")
        self._trips = beat.trips
        self._beat = beat
        loop.add_reader(connection, self._receive)

    def _is_guarded(self, beat: Beat, now_ns: int) -> bool:
        if beat.trips != self._trips:
            self._lose("the guard has stopped the outputs")
            return False
        if now_ns - beat.guard_ns > LIMIT_NS:
            self._lose("the guard of this machine does not watch any more")
            return False
        return True

    def _begin(self, beat: Beat, now_ns: int) -> bool:
        """An output begins to move: from now on the guard wants beats."""
        self._is_beating = True
        self._beat_ns = now_ns
        beat.beat(now_ns, True)
        assert self._connection
        try:
            wire.send(self._connection, {"do": "move"})
        except OSError:
            self._lose("the guard of this machine does not answer")
            return False
        self._plan()
        return True

    def _plan(self) -> None:
        self._timer = self._clock.call_at(self._clock.time() + FAST_NS / 1e9, self._tick)

    def _tick(self) -> None:
        self._timer = None
        beat = self._beat
        if beat is None:
            return
        now_ns = self._now_ns()
        silent_ns = now_ns - self._beat_ns
        if silent_ns > LIMIT_NS:
            self._lose(f"this process stood still for {silent_ns // 1_000_000} ms")
            return
        if not self._is_guarded(beat, now_ns):
            return
        self._is_beating = self._is_moving()
        self._beat_ns = now_ns
        beat.beat(now_ns, self._is_beating)
        if self._is_beating:
            self._plan()

    def _receive(self) -> None:
        """The guard says nothing unasked: its end is all that can arrive."""
        assert self._connection
        try:
            if self._connection.recv(4096):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._loop().remove_reader(self._connection)
        self._connection.close()
        self._connection = None
        self._lose("the guard of this machine has ended")

    def _lose(self, why: str) -> None:
        """The outputs are not guarded any more: nothing is driven from now on."""
        if self._beat is None:
            return
        self._beat.beat(self._now_ns(), False)
        self._beat.close()
        self._beat = None
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._on_lost(why)
