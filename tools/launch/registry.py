"""Asks the simulated server who is on the robot, and has nodes adopted. Not here: who is to get
which role (robot.py, sim_node).
"""

import asyncio
from collections.abc import Collection
from pathlib import Path

from saint_services.lib.errors import SaintError

from . import ask

_ANSWER_S = 30.0
_POLL_S = 0.1


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

    async def adopt(self, node_id: str, role: str, instance: str, display_name: str) -> str:
        """Returns what went wrong, in words; nothing when the node has its role."""
        body = {"role": role, "instance": instance, "display_name": display_name}
        try:
            await self._ask(f"POST /nodes/{node_id}/adopt", body)
        except (OSError, TimeoutError, SaintError) as err:
            return str(err)
        return ""

    async def _ask(self, request: str, body: object = None) -> dict[str, list[dict[str, str]]]:
        reply: dict[str, list[dict[str, str]]] = await ask.over_unix(
            self._socket, request, body, timeout_s=_ANSWER_S
        )
        return reply
