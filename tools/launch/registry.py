"""Asks the simulated server who is on the robot, and has nodes adopted. Not here: who is to get
which roles (robot.py, sim_node).
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saint_services.lib.errors import SaintError

from . import ask

_ANSWER_S = 30.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Role:
    """A role and instance, e.g. arms left."""

    role: str
    instance: str = ""


class Registry:
    """adoptiond's, behind its socket."""

    def __init__(self, run: Path) -> None:
        self._socket = run / "adoptiond.sock"

    async def states(self) -> dict[str, str]:
        """State of every node that adoptiond knows, by node id; none while adoptiond starts."""
        try:
            reply = await self._ask("GET /nodes")
        except (OSError, TimeoutError, SaintError):
            return {}
        return {node["node_id"]: node["state"] for node in reply["nodes"]}

    async def wait_for(self, node_id: str, states: Collection[str]) -> str:
        """The state of a node when it is one of `states`; as long as it takes."""
        while True:
            state = (await self.states()).get(node_id, "")
            if state in states:
                return state
            await asyncio.sleep(_POLL_S)

    async def adopt(self, node_id: str, roles: Sequence[Role], display_name: str) -> str:
        """Returns what went wrong, in words; nothing when the node has its roles."""
        try:
            for number, role in enumerate(roles):
                body = {"role": role.role, "instance": role.instance, "add": number > 0}
                body |= {} if number else {"display_name": display_name}
                await self._ask(f"POST /nodes/{node_id}/adopt", body)
                async with asyncio.timeout(_ANSWER_S):
                    await self._hold(node_id, role)
        except (OSError, TimeoutError, SaintError) as err:
            return str(err) or f"nothing came of it within {_ANSWER_S:g} s"
        return ""

    async def _hold(self, node_id: str, role: Role) -> None:
        """Until the server has heard from the node that it holds the role."""
        while True:
            told = (await self._ask(f"GET /nodes/{node_id}"))["roles"]
            if role in [Role(each["role"], each["instance"]) for each in told]:
                return
            await asyncio.sleep(_POLL_S)

    async def _ask(self, request: str, body: object = None) -> dict[str, Any]:
        reply: dict[str, Any] = await ask.over_unix(
            self._socket, request, body, timeout_s=_ANSWER_S
        )
        return reply
