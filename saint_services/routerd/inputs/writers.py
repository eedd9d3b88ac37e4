"""Registers the participants that write inputs for this server, and decides under which source a
sample counts. A daemon is registered while its connection to the socket is open; every other
participant that writes is a program. Not here: what a source may do (intake.py, routes/plan.py).
"""

import asyncio
import re
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import get_args

from ...lib.access.person import check_daemon
from ...lib.api import routing
from ...lib.api.credentials import ORIGIN_PATTERN, WriterName, WriterReply, WriterRequest
from ...lib.errors import Code, SaintError
from ...lib.ipc import Api, Call

BEAT_S = 1.0
# When either side starts, samples of a daemon may arrive before its registration does.
GRACE_S = 2.0
_MOST_NEWCOMERS = 64
_NAMES: tuple[WriterName, ...] = get_args(WriterName)


@dataclass(frozen=True, slots=True)
class AdmittedSource:
    """The source that a sample counts for. `is_known` says that its writer is registered for it."""

    source: str
    is_known: bool


class InputWriters:
    """The registered participants. `is_unnamed_accepted` says that the bus names no writers and
    that the owner of the robot accepts that.
    """

    def __init__(self, *, is_unnamed_accepted: bool = False) -> None:
        # Whether a node of this robot has signed for the participant of a leader.
        self.is_role: Callable[[str, str, float], bool] = lambda *_: False
        self._origins: dict[WriterName, Counter[str]] = {name: Counter() for name in _NAMES}
        self._newcomers: OrderedDict[str, float] = OrderedDict()  # when each wrote first
        self._is_unnamed_accepted = is_unnamed_accepted

    def add(self, daemon: WriterName, origin: str) -> None:
        """Count a connection of this writer. Raises SaintError for an invalid participant."""
        if not re.fullmatch(ORIGIN_PATTERN, origin) and (origin or not self._is_unnamed_accepted):
            message = f"{daemon} registered {origin!r}, which is no bus participant"
            raise SaintError(Code.REQUEST_INVALID, message, fix="Set SAINT_BUS=dds.")
        self._origins[daemon][origin] += 1

    def remove(self, daemon: WriterName, origin: str) -> None:
        """Count a closed connection of this writer."""
        self._origins[daemon] -= Counter({origin: 1})

    def admit(
        self, daemon: WriterName, source: str, origin: str, now: float
    ) -> AdmittedSource | None:
        """Return the source of a sample on the topic of a daemon; None: drop the sample."""
        if origin in self._origins[daemon]:
            return AdmittedSource(source, is_known=True)
        return self._program(origin, now)

    def admit_program(self, source: str, origin: str, now: float) -> AdmittedSource | None:
        """Return the source of a sample on the topic of programs; None: drop the sample. An
        unregistered safety device keeps its name, because it may stop the robot.
        """
        kind = source.partition(":")[0]
        if kind == "leader":
            if self.is_role(origin, source.replace(":", "."), now):
                return AdmittedSource(source, is_known=True)
            return self.admit("leader", source, origin, now)
        if kind == "safety":
            return AdmittedSource(source, origin in self._origins["safety"])
        return AdmittedSource(source, is_known=False)

    def _program(self, origin: str, now: float) -> AdmittedSource | None:
        since = self._newcomers.setdefault(origin, now)
        if len(self._newcomers) > _MOST_NEWCOMERS:
            self._newcomers.popitem(last=False)
        if now - since < GRACE_S:
            return None
        return AdmittedSource(f"autonomous:{origin or 'unnamed'}", is_known=False)


class WriterRegistration:
    """Answers the request of daemons to register. `on_change` is called with each daemon and
    participant that registers or leaves.
    """

    def __init__(
        self,
        writers: InputWriters,
        on_change: Callable[[str, str, bool], None],
        origin: str = "",
    ) -> None:
        self._writers = writers
        self._on_change = on_change
        self._origin = origin  # of the router's own participant

    def add_to(self, api: Api) -> Api:
        api.bind_stream(routing.REGISTER_WRITER, self.register_writer)
        return api

    async def register_writer(self, call: Call[WriterRequest]) -> AsyncIterator[WriterReply]:
        daemon, origin = call.body.daemon, call.body.origin
        check_daemon(call.peer_uid, daemon)
        self._writers.add(daemon, origin)
        self._on_change(daemon, origin, True)
        try:
            while True:
                yield WriterReply(origin=self._origin)
                await asyncio.sleep(BEAT_S)
        finally:
            self._writers.remove(daemon, origin)
            self._on_change(daemon, origin, False)
