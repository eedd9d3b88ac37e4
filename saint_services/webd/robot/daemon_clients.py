"""Clients of the other daemons' sockets."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from ...lib.access.person import Person
from ...lib.api.endpoint import Endpoint
from ...lib.api.teleop import LEASE_S
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.ipc import Client

P = TypeVar("P", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)

NAMES = ("adoptiond", "routerd", "rcd", "livelinkd", "otad", "teleopd")
_ENDING = ("teleopd",)
_ROOM_S = 90.0  # between two scrapes at most


class AnsweredError(SaintError):
    """A daemon refused a forwarded request and has written the audit entry itself."""


@dataclass(slots=True)
class DaemonClients:
    """One client for each daemon of the server."""

    adoptiond: Client
    routerd: Client
    rcd: Client
    livelinkd: Client
    otad: Client
    teleopd: Client  # ends by itself when nobody operates the robot from afar
    _used_s: dict[str, float] = field(default_factory=dict, init=False)

    @classmethod
    def at(cls, runtime: Path) -> "DaemonClients":
        """Name the sockets in the runtime directory; nothing is connected yet."""
        return cls(**{name: Client(runtime / f"{name}.sock") for name in NAMES})

    def of(self, name: str) -> Client:
        client: Client = getattr(self, name)
        return client

    def may_query(self, name: str) -> bool:
        """Return whether to request a daemon's numbers or health: one that ends by itself is not
        started for them. Its sessions renew their leases by this process.
        """
        used_s = self._used_s.get(name)
        is_used = used_s is not None and monotonic_s() - used_s <= LEASE_S
        return name not in _ENDING or is_used

    def note_room(self) -> None:
        """Keep on requesting teleopd's numbers while it is in a LiveKit room, which keeps it
        running without a session that is renewed here.
        """
        self._used_s["teleopd"] = monotonic_s() + _ROOM_S - LEASE_S

    async def forward(
        self, row: Endpoint[P, R], params: P, person: Person, *, timeout_s: float | None = None
    ) -> R:
        """Forward a request of a person. Raises AnsweredError when the daemon refuses it, and
        SaintError when the daemon does not answer.
        """
        self._used_s[row.daemon] = monotonic_s()
        try:
            return await self.of(row.daemon).request(row, params, person, timeout_s=timeout_s)
        except SaintError as err:
            if err.code is Code.DAEMON_UNREACHABLE:
                raise
            raise AnsweredError(err.code, err.message, fix=err.fix, names=err.names) from err

    async def close(self) -> None:
        """End all connections."""
        for name in NAMES:
            await self.of(name).close()
