"""Signs credentials for this node's role processes and for this daemon, so that the router knows
whose button clears the e-stop and whose reports confirm a stop. Not here: how the router uses them
(routerd/proven_roles.py).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping

from ..lib.api.credentials import NODE, role_parts
from ..lib.bus import Bus
from ..lib.generated.saint_msgs import RoleCredential
from ..lib.generated.topics import ROLE_CREDENTIAL
from .lifecycle.model import RoleLifecycle

PERIOD_S = 2.0


class RoleCredentials:
    """Publishes a credential for each role process and for this daemon, at its start and every
    PERIOD_S."""

    def __init__(self, bus: Bus, node_id: str, sign: Callable[..., str]) -> None:
        self._publisher = bus.publisher(ROLE_CREDENTIAL)
        self._node_id = node_id
        self._sign = sign
        self._own_origin = bus.origin
        self._origins: dict[int, tuple[str, str]] = {}  # participant and role, by its slot

    def reported(self, slot: int, life: RoleLifecycle | None, origin: str) -> None:
        """Sign for the participant that a role process reported as its own."""
        if life is None or life.wanted is None or not origin:
            return
        proof = origin, str(life.wanted)
        if self._origins.get(slot) != proof:
            self._origins[slot] = proof
            self._publish(*proof)

    def keep(self, lives: Iterable[int]) -> None:
        """Forget the roles that the node does not hold any more."""
        self._origins = {slot: self._origins[slot] for slot in lives if slot in self._origins}

    async def repeat(self, read: Callable[[], Mapping[int, RoleLifecycle]]) -> None:
        """Publish again, for roles that work, until cancelled."""
        while True:
            if self._own_origin:
                self._publish(self._own_origin, NODE)
            await asyncio.sleep(PERIOD_S)
            lives = read()
            for slot, proof in self._origins.items():
                if slot in lives and lives[slot].role_alive:
                    self._publish(*proof)

    def _publish(self, origin: str, role: str) -> None:
        signature = self._sign(*role_parts(self._node_id, origin, role))
        self._publisher.publish(RoleCredential(self._node_id, origin, role, signature))
