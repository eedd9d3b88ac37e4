"""Requests the configuration of a role from the server that the node belongs to, and checks the
answer: that server signs it for this very request.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from ...lib.api.orders import config_parts
from ...lib.bus import Bus
from ...lib.crypto import signing
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import GetRoleConfig_Request, GetRoleConfig_Response
from ...lib.generated.topics import NODES_CONFIG
from ..lifecycle.model import Assignment, Wanted
from ..state import checked_assignment

_LONGEST_NAME = 64
_MOST_ROLES = 8


@dataclass(frozen=True, slots=True)
class ServerWord:
    """What the server says. `assignment` is None when ours is current."""

    assignment: Assignment | None
    display_name: str


class ConfigServer:
    """The server's configuration service as one node uses it."""

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
        """Whether the node belongs to a server."""
        return bool(self._server_key())

    async def fetch(self, wanted: Wanted, known: Assignment | None = None) -> ServerWord:
        """Raises SaintError: no answer, a refusal, or a configuration that is no good."""
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
            return ServerWord(None, name)
        if checksum(answer.config_yaml) != answer.checksum:
            message = f"the configuration for {wanted} does not match its checksum"
            raise SaintError(Code.MESSAGE_MALFORMED, message)
        server, address = answer.server[:_LONGEST_NAME], answer.server_address[:_LONGEST_NAME]
        return ServerWord(checked_assignment(wanted, answer.config_yaml, server, address), name)

    async def roles(self) -> tuple[Wanted, ...]:
        """Which roles this node holds, as its server signs it. Raises SaintError: no answer, a
        refusal, or an answer of another server."""
        answer = await self._request(GetRoleConfig_Request(node_id=self._node_id))
        if not answer.success:
            raise SaintError(Code.REFUSED, f"the server refused: {answer.message[:200]}")
        words = (held[:_LONGEST_NAME].partition(" ") for held in answer.held_roles[:_MOST_ROLES])
        return tuple(Wanted(role, instance) for role, _, instance in words)

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


def checksum(text: str) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
