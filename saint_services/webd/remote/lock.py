"""The lock of one target for one remote master: requested with its first command, renewed by each,
released when it leaves. Not here: which source gets it (the router).
"""

import contextlib
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from ...lib.api import masters, routing
from ...lib.api.endpoint import Nothing
from ...lib.api.routing import ReleaseControl, TakeControl
from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ..actions.act import Caller
from ..robot.context import RobotContext

LOCK_MS = 5000  # without a sample; a master that leaves, or is silent, releases it before
RETRY_S = 0.5
_LOOK_S = 0.5
_REQUEST_S = 1.0

Values = Mapping[str, float]
Spawn = Callable[[Coroutine[Any, Any, None]], object]


class RemoteLock:
    """The lock. `on_granted` and `on_refused` are called with its changes."""

    def __init__(self, robot: RobotContext, caller: Caller, target: str, spawn: Spawn) -> None:
        self._robot = robot
        self._caller = caller
        self._target = target
        self._spawn = spawn
        self._until_s = 0.0
        self._again_s = 0.0
        self._looked_s = 0.0
        self._is_requested = False
        self._is_wanted = False
        self.holder = ""  # who else has it; empty: nobody is known to
        self.refusal = ""
        self.on_granted: Callable[[], None] = lambda: None
        self.on_refused: Callable[[str], None] = lambda _: None

    def is_held(self, now_s: float) -> bool:
        """Return whether the router holds the lock for this master."""
        return now_s < self._until_s

    def hold(self, now_s: float, *, takes_over: bool = False) -> bool:
        """Renew the lock, or request it; return whether samples count now."""
        self._is_wanted = True
        if self.is_held(now_s):
            self._until_s = now_s + LOCK_MS / 1000
            return True
        if not self._is_requested and (takes_over or now_s >= self._again_s):
            self._is_requested, self._again_s = True, now_s + RETRY_S
            self._spawn(self._take(takes_over))
        return False

    def forget(self) -> None:
        """Note that a stop has ended the lock."""
        self._until_s, self._is_wanted = 0.0, False

    def release(self) -> None:
        """Release the lock."""
        was_wanted = self._is_wanted or self._is_requested or self._until_s > 0.0
        self.forget()
        if was_wanted:
            self._spawn(self._release())

    def look(self, now_s: float) -> None:
        """See twice a second whether another source has taken the target."""
        if self.is_held(now_s) and now_s - self._looked_s >= _LOOK_S:
            self._looked_s = now_s
            self._spawn(self._look())

    async def _take(self, takes_over: bool) -> None:
        wanted = TakeControl(
            target=self._target, holder=self._caller.source, timeout_ms=LOCK_MS, takeover=takes_over
        )
        try:
            await self._forward(routing.TAKE_CONTROL, wanted)
        except SaintError as err:
            self.refusal = err.message
            self.on_refused(err.message)
            return
        finally:
            self._is_requested = False
        if not self._is_wanted:  # it has left, or was stopped, meanwhile
            await self._release()
            return
        self.refusal = ""
        self._until_s = monotonic_s() + LOCK_MS / 1000
        self._looked_s = monotonic_s()
        self.on_granted()

    async def _release(self) -> None:
        given = ReleaseControl(target=self._target, holder=self._caller.source)
        with contextlib.suppress(SaintError):  # another source holds it, or it ends by itself
            await self._forward(routing.RELEASE_CONTROL, given)

    async def _look(self) -> None:
        try:
            found = await self._robot.daemons.routerd.request(
                masters.LIST_MASTERS, Nothing(), timeout_s=_REQUEST_S
            )
        except SaintError:
            return
        for each in found.masters:
            if each.target != self._target or each.holder == self._caller.source:
                continue
            self._until_s = 0.0  # it has ended: the next command requests it again
            if each.holder:
                self.refusal = f"{each.holder} has {self._target} now"
                self.on_refused(self.refusal)

    async def _forward(self, row: Any, params: Any) -> None:
        person = self._caller.person
        await self._robot.daemons.forward(row, params, person, timeout_s=_REQUEST_S)
