"""Joins a LiveKit room on an admin's request and connects it with remote operation: the room as a
viewer, the configured participant as the operator. A lost room is joined again after a growing
pause. Not here: which data counts (rules.py), media (media.py), control (../seats.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...lib import log
from ...lib.api.teleop import LiveKitRoom
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.health import Health
from ...lib.machine.root_access import fix_in_settings
from ..config import LiveKitSettings
from ..operation import Operation
from ..output import Spawn
from ..secret_file import SecretFile
from . import package

if TYPE_CHECKING:
    from .visit import RoomSources, RoomVisit

TOKEN_FILE = "livekit.token"  # in the state folder, for teleopd alone
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_SUBJECT = "livekit"
_log = log.get("teleopd")
Sources = Callable[[], Awaitable["RoomSources"]]


class RoomBridge:
    """The room of the settings. `is_wanted` keeps the daemon running."""

    def __init__(
        self, settings: LiveKitSettings | None, folder: Path, operation: Operation, health: Health,
        spawn: Spawn,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._stored = SecretFile(folder / TOKEN_FILE)
        self._operation = operation
        self._health = health
        self._spawn = spawn
        self._visit: RoomVisit | None = None
        self._task: asyncio.Task[None] | None = None
        self._problem = ""
        if settings is not None and not package.is_installed():
            self._note(package.MISSING)

    @property
    def is_wanted(self) -> bool:
        """Return whether an admin has had the robot join."""
        return self._task is not None and not self._task.done()

    @property
    def problem(self) -> str:
        """Why the room does not work; empty: it does, or none is configured."""
        return self._problem

    def report(self) -> LiveKitRoom:
        """Describe the room, without its token."""
        settings, visit = self._settings, self._visit
        if settings is None:
            return LiveKitRoom()
        state: Literal["left", "joining", "joined"] = "joining" if self.is_wanted else "left"
        if visit and visit.is_joined:
            state = "joined"
        return LiveKitRoom(
            state=state, url=settings.url, operator=settings.operator, problem=self._problem,
            participants=visit.participants if visit else 0,
            is_operator_here=bool(visit and visit.operator_session),
        )  # fmt: skip

    async def join(self, token: str, sources: Sources) -> LiveKitRoom:
        """Join the room and stay. A token replaces the stored one. Raises refused."""
        settings = self._settings
        if settings is None:
            fix = fix_in_settings("Set livekit: {url: wss://..., operator: ...} in", "teleopd")
            raise SaintError(Code.REFUSED, "no LiveKit room is configured", fix=fix)
        await self.leave("the room is joined again")
        try:
            rtc = await package.load()
        except SaintError as err:
            self._note(err.message)
            raise
        if token:
            await self._stored.write(token)
        token = token or await self._stored_token()
        await sources()  # loads the cameras, or raises: the task below must not
        self._note("")
        self._task = self._spawn(self._stay(rtc, settings, token, sources), "livekit")
        return self.report()

    async def leave(self, reason: str = "the robot left the room") -> LiveKitRoom:
        """Leave the room; what its operator drives ends at once."""
        task, self._task = self._task, None
        if task is not None:
            _log.info("livekit room is left", reason=reason)
            task.cancel()
            await asyncio.wait({task})
        self._visit = None
        return self.report()

    async def _stored_token(self) -> str:
        if token := await self._stored.read():
            return token
        text = "no access token of the LiveKit room is stored"
        fix = "Give one: SAINT_LIVEKIT_TOKEN=... saintctl teleop join"
        raise SaintError(Code.REFUSED, text, fix=fix)

    async def _stay(
        self, rtc: Any, settings: LiveKitSettings, token: str, sources: Sources
    ) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            given = await sources()
            from .visit import RoomVisit  # needs the codecs, which the line above has loaded

            began_s = monotonic_s()
            self._visit = visit = RoomVisit(
                rtc, settings, self._operation, given, lambda: self._note("")
            )
            ended = await package.outcome(visit.run(token), None)
            if monotonic_s() - began_s >= _LONGEST_PAUSE_S:
                pause_s = _FIRST_PAUSE_S
            if visit.was_kicked:
                self._note("an admin ended the LiveKit room's session")
                return
            self._note(f"the LiveKit room: {ended.replace(token, '(token)') or 'it ended'}")
            await asyncio.sleep(pause_s)
            pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)

    def _note(self, problem: str) -> None:
        if problem == self._problem:
            return
        self._problem = problem
        if problem:
            self._health.raise_issue(Code.REFUSED, problem, _SUBJECT)
        else:
            self._health.clear(Code.REFUSED, _SUBJECT)
