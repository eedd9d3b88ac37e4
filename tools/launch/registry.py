"""Requests the list of nodes of the simulated server, and their adoption. Not here: which node gets
which roles (robot.py, sim_node).
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saint_services.lib.errors import SaintError

from . import requests

_ANSWER_S = 30.0
_POLL_S = 0.1
_TRIES = 3  # a computer that starts a whole robot at once may miss a node's own deadline
_SETTLED = ("unadopted", "active")


@dataclass(frozen=True, slots=True)
class Role:
    """A role and instance, e.g. arms left."""

    role: str
    instance: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What the server says of a node."""

    state: str
    roles: frozenset[Role] = frozenset()


_UNKNOWN = Known("")


class Registry:
    """adoptiond's, behind its socket."""

    def __init__(self, run: Path) -> None:
        self._socket = run / "adoptiond.sock"

    async def nodes(self) -> dict[str, Known]:
        """Every node that adoptiond knows, by node id; none while adoptiond starts."""
        try:
            reply = await self._request("GET /nodes")
        except (OSError, TimeoutError, SaintError):
            return {}
        return {listed["node_id"]: _known(listed) for listed in reply["nodes"]}

    async def wait_until_settled(self, node_id: str) -> Known:
        """The node when it is free or holds a role; as long as it takes."""
        while True:
            node = (await self.nodes()).get(node_id, _UNKNOWN)
            if node.state in _SETTLED:
                return node
            await asyncio.sleep(_POLL_S)

    async def adopt(self, node_id: str, roles: Sequence[Role], display_name: str) -> str:
        """Gives the node those of the roles that it lacks. Returns what went wrong, in words;
        nothing when it has them all.
        """
        problem = ""
        for _ in range(_TRIES):
            held = (await self.wait_until_settled(node_id)).roles
            try:
                await self._give(node_id, roles, held, display_name)
            except (OSError, TimeoutError, SaintError) as err:
                problem = str(err) or f"nothing came of it within {_ANSWER_S:g} s"
            else:
                return ""
        return problem

    async def _give(
        self, node_id: str, roles: Sequence[Role], held: Collection[Role], display_name: str
    ) -> None:
        is_first = not held
        for role in roles:
            if role in held:
                continue
            body = {"role": role.role, "instance": role.instance, "add": not is_first}
            body |= {"display_name": display_name} if is_first else {}
            await self._request(f"POST /nodes/{node_id}/adopt", body)
            is_first = False
            async with asyncio.timeout(_ANSWER_S):
                await self._wait_for_role(node_id, role)

    async def _wait_for_role(self, node_id: str, role: Role) -> None:
        """Wait until the node has reported the role to the server."""
        while True:
            if role in _known(await self._request(f"GET /nodes/{node_id}")).roles:
                return
            await asyncio.sleep(_POLL_S)

    async def _request(self, request: str, body: object = None) -> dict[str, Any]:
        reply: dict[str, Any] = await requests.over_unix(
            self._socket, request, body, timeout_s=_ANSWER_S
        )
        return reply


def _known(listed: dict[str, Any]) -> Known:
    roles = (Role(each["role"], each["instance"]) for each in listed["roles"])
    return Known(listed["state"], frozenset(roles))
