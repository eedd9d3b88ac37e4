"""Signs for this node's console process, so that the router knows whose button clears the e-stop.
Not here: what the router makes of it (routerd/consoles.py).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping

from ..lib.api.credentials import role_parts
from ..lib.bus import Bus
from ..lib.generated.saint_msgs import RoleCredential
from ..lib.generated.topics import ROLE_CREDENTIAL
from .life import Life

PERIOD_S = 5.0
ROLE = "console"


class Vouching:
    """Publishes a credential of each console process, when it comes and regularly."""

    def __init__(self, bus: Bus, node_id: str, sign: Callable[..., str]) -> None:
        self._publisher = bus.publisher(ROLE_CREDENTIAL)
        self._node_id = node_id
        self._sign = sign
        self._origins: dict[int, str] = {}  # by the slot of the role

    def reported(self, slot: int, life: Life | None, origin: str) -> None:
        """A role process said which participant it is."""
        if life is None or life.wanted is None or str(life.wanted) != ROLE or not origin:
            return
        if self._origins.get(slot) != origin:
            self._origins[slot] = origin
            self._publish(origin)

    def keep(self, lives: Iterable[int]) -> None:
        """Forget the roles that are gone."""
        self._origins = {slot: self._origins[slot] for slot in lives if slot in self._origins}

    async def repeat(self, read: Callable[[], Mapping[int, Life]]) -> None:
        """Until stopped; for roles that are at work."""
        while True:
            await asyncio.sleep(PERIOD_S)
            lives = read()
            for slot, origin in self._origins.items():
                if slot in lives and lives[slot].role_alive:
                    self._publish(origin)

    def _publish(self, origin: str) -> None:
        signature = self._sign(*role_parts(self._node_id, origin, ROLE))
        self._publisher.publish(RoleCredential(self._node_id, origin, ROLE, signature))
