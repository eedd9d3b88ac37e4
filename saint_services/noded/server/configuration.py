"""Requests role configurations from the server that the node belongs to, checks them, and keeps
those in force current. The server signs each answer for this very request.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from ...lib.api.orders import config_parts
from ...lib.bus import Bus, Sample
from ...lib.crypto import signing
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import (
    GetRoleConfig_Request,
    GetRoleConfig_Response,
    SystemStatus,
)
from ...lib.generated.topics import NODES_CONFIG, SYSTEM_STATUS
from ..lifecycle import model
from ..lifecycle.model import Assignment, RoleId
from ..lifecycle.node import NodeLifecycle
from ..state import checked_assignment

_LONGEST_NAME = 64
_MOST_ROLES = 8
_MOST_READS = 4  # of all roles, until two in a row agree
_Checked = dict[int, model.ConfigChecked]  # by slot
_AWAY_S = 3.0  # three statuses of the server


@dataclass(frozen=True, slots=True)
class ServedConfig:
    """A response of the server. `assignment` is None when ours is current."""

    assignment: Assignment | None
    display_name: str


class ConfigServer:
    """The configuration service of one node's server."""

    def __init__(
        self,
        bus: Bus,
        node_id: str,
        timeout_s: float,
        attempts: int,
        server_key: Callable[[], str] = str,
    ) -> None:
        self._bus = bus
        self._node_id = node_id
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._server_key = server_key  # of the server that the node belongs to; empty: none

    @property
    def is_known(self) -> bool:
        """True while the node belongs to a server."""
        return bool(self._server_key())

    async def fetch(self, wanted: RoleId, known: Assignment | None = None) -> ServedConfig:
        """Request a role's configuration. Raises SaintError for a time-out, a refusal, or a
        configuration that is invalid."""
        request = GetRoleConfig_Request(
            node_id=self._node_id,
            role=wanted.role,
            instance=wanted.instance,
            known_version=known.config.version if known else "",
            known_checksum=checksum(known.text) if known else "",
        )
        answer = await self._repeated(request)
        if not answer.success:
            raise SaintError(Code.REFUSED, f"the server refused: {answer.message[:200]}")
        name = answer.display_name[:_LONGEST_NAME]
        name = name if name.isprintable() else ""
        if known and not answer.changed:
            return ServedConfig(_renamed(known, answer.server[:_LONGEST_NAME]), name)
        if checksum(answer.config_yaml) != answer.checksum:
            message = f"the configuration for {wanted} does not match its checksum"
            raise SaintError(Code.MESSAGE_MALFORMED, message)
        server, address = answer.server[:_LONGEST_NAME], answer.server_address[:_LONGEST_NAME]
        return ServedConfig(checked_assignment(wanted, answer.config_yaml, server, address), name)

    async def roles(self) -> tuple[RoleId, ...]:
        """Request the roles of this node. Raises SaintError for a time-out, a refusal, or a
        response of another server."""
        answer = await self._request(GetRoleConfig_Request(node_id=self._node_id))
        if not answer.success:
            raise SaintError(Code.REFUSED, f"the server refused: {answer.message[:200]}")
        names = (held[:_LONGEST_NAME].partition(" ") for held in answer.held_roles[:_MOST_ROLES])
        return tuple(RoleId(role, instance) for role, _, instance in names)

    async def _repeated(self, request: GetRoleConfig_Request) -> GetRoleConfig_Response:
        for _ in range(self._attempts - 1):
            try:
                return await self._request(request)
            except SaintError as err:
                if err.code is not Code.BUS_TIMEOUT:
                    raise
        return await self._request(request)

    async def _request(self, request: GetRoleConfig_Request) -> GetRoleConfig_Response:
        if not (key := self._server_key()):
            raise SaintError(Code.REFUSED, "this node belongs to no server")
        request.challenge = signing.nonce()
        answer = await self._bus.call(NODES_CONFIG, request, self._timeout_s)
        if not signing.is_signed(key, answer.signature, *config_parts(request, answer)):
            whose = answer.server[:_LONGEST_NAME]
            message = (
                f"{whose if whose.isprintable() else 'a server'} answered, which is not the server "
                "that this node belongs to"
            )
            raise SaintError(Code.REFUSED, message)
        return answer


def _renamed(known: Assignment, robot: str) -> Assignment | None:
    """Return the assignment with the robot's new name; None when it has the one that is known."""
    if robot in ("", known.server) or not robot.isprintable():
        return None
    return replace(known, server=robot)


def checksum(text: str) -> str:
    """Return the SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


class RefreshedNode(Protocol):
    """The node whose configurations are kept current."""

    @property
    def life(self) -> NodeLifecycle: ...

    server: ConfigServer

    def handle(self, event: model.Event, slot: int = 0) -> None: ...

    async def rename(self, display_name: str) -> None: ...

    async def server_answers(self) -> None: ...


class ConfigRefresh:
    """Requests newer configurations when the server comes back, and every `interval_s`. A server
    that is away changes nothing."""

    def __init__(self, node: RefreshedNode, bus: Bus, interval_s: float) -> None:
        self._node = node
        self._interval_s = interval_s
        self._server_s = float("-inf")  # its newest status
        self._origin = ""
        self._is_due = asyncio.Event()
        bus.subscribe(SYSTEM_STATUS, self._on_server)

    async def run(self) -> None:
        """Refresh until cancelled."""
        while True:
            try:
                async with asyncio.timeout(self._interval_s):
                    await self._is_due.wait()
            except TimeoutError:
                pass
            self._is_due.clear()
            await self._check()

    def wake(self) -> None:
        """Refresh now."""
        self._is_due.set()

    def _on_server(self, sample: Sample[SystemStatus]) -> None:
        is_new = sample.origin != self._origin or sample.received_s - self._server_s > _AWAY_S
        self._server_s, self._origin = sample.received_s, sample.origin
        if is_new:
            self._is_due.set()

    async def _check(self) -> None:
        await self._node.server_answers()
        if not self._node.server.is_known:
            return  # its key was lost; the server exchanges keys again
        held = {slot: life.held for slot, life in self._node.life.lives.items() if life.held}
        found = await self._of_one_robot(held)
        if found:
            self._node.handle(model.ConfigsChecked(tuple(found.items())))

    async def _of_one_robot(self, held: Mapping[int, Assignment]) -> _Checked:
        """Return what the server has for every role; empty while it is away. What is newer is read
        again until nothing changes any more, so that no two roles are of different robots."""
        newest, found = dict(held), _Checked()
        for _ in range(_MOST_READS):
            changed = False
            for slot, known in list(newest.items()):
                try:
                    served = await self._node.server.fetch(known.wanted, known=known)
                except SaintError as err:
                    if err.code is Code.BUS_TIMEOUT:
                        return {}  # the server is away for the other roles too
                    found[slot] = model.ConfigChecked(notice=err.message)
                    continue
                await self._node.rename(served.display_name)
                if served.assignment:
                    newest[slot], changed = served.assignment, True
                is_newer = newest[slot] is not held[slot]
                found[slot] = model.ConfigChecked(newer=newest[slot] if is_newer else None)
            if not changed:
                return found
        self._is_due.set()  # the robot is being changed again and again
        return {}
