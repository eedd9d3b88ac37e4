"""Connects a role to the guard of its machine: leaves the will, beats while an output moves, and
decides whether an output may be driven. Not here: the guard (guardd), who commands (gate.py).
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

_ANSWER_S = 2.0  # for the guard to accept the will; it may be starting


class OutputGuard(Protocol):
    """Decides whether a session may drive an output."""

    def may_drive(self) -> bool:
        """Return True while the outputs are guarded. Call it before every write that may move
        something: from then on the guard expects beats until `is_moving` is false."""
        ...


class Unguarded:
    """For outputs without a guard: parts of a role on their own, in tests."""

    def may_drive(self) -> bool:
        """Return True, always."""
        return True


class GuardClient:
    """One role process under guard. `on_lost` is called once, with the reason, when the outputs are
    not guarded any more: the role must stop and open its drivers again.
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
        """Leave the will with the guard. Raises SaintError when it does not answer, or cannot reach
        an output."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._open(path, will, lines)
        except asyncio.CancelledError:
            self.close()
            raise
        except (OSError, TimeoutError, ValueError) as err:
            self.close()
            raise SaintError(
                Code.HARDWARE_FAULT,
                f"the guard of this machine did not accept the will of {will.target} "
                f"({str(err) or 'no answer'}), so nothing may move",
                fix="Restart this machine if a device was plugged in since it started; else look "
                "at the log of saint-guardd.",
            ) from err

    def may_drive(self) -> bool:
        """Return True while the outputs are guarded, as OutputGuard.may_drive."""
        beat = self._beat
        if beat is None:
            return False
        now_ns = self._now_ns()
        if self._is_beating:
            silent_ns = now_ns - self._beat_ns
            if silent_ns > LIMIT_NS:  # what waited meanwhile is old, whatever it commands
                self._lose(f"this process stood still for {silent_ns // 1_000_000} ms")
                return False
        return self._is_guarded(beat, now_ns) and (self._is_beating or self._begin(beat, now_ns))

    def close(self) -> None:
        """End the guarding; the outputs must be at rest."""
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
        answer = wire.MessageSplitter().fed(await loop.sock_recv(connection, wire.LONGEST_BYTES))
        if not answer or answer[0].get("event") != "guarded":
            why = answer[0].get("why") if answer else ""
            raise ValueError(str(why or "the guard refused"))
        self._trips = beat.trips
        self._beat = beat
        loop.add_reader(connection, self._receive)

    def _is_guarded(self, beat: Beat, now_ns: int) -> bool:
        if beat.trips != self._trips:
            self._lose("the guard has stopped the outputs")
            return False
        if now_ns - beat.guard_ns > LIMIT_NS:
            self._lose("the guard of this machine does not answer any more")
            return False
        return True

    def _begin(self, beat: Beat, now_ns: int) -> bool:
        """Notify the guard that an output begins to move: from now on it expects beats."""
        self._is_beating = True
        self._beat_ns = now_ns
        beat.beat(now_ns, True)
        assert self._connection
        try:
            wire.send(self._connection, {"do": "move"})
        except OSError:
            self._lose("the guard of this machine does not answer")
            return False
        self._schedule()
        return True

    def _schedule(self) -> None:
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
            self._schedule()

    def _receive(self) -> None:
        """Notice the end of the guard, which sends nothing without a request."""
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
        """Drive nothing from now on: the outputs are not guarded any more."""
        beat, self._beat = self._beat, None
        if beat is None:
            return
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._on_lost(why)
        beat.beat(self._now_ns(), self._is_moving())  # an output that does not stop is the guard's
        beat.close()
