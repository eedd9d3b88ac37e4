"""Which participants are consoles of this robot: their nodes have signed for them, and adoptiond
knows the nodes. Anybody may stop the robot; only a proven console clears, brings home, releases.
Not here: what the buttons do (overrides.py).
"""

import asyncio
from collections import OrderedDict

from ..lib.api import Done
from ..lib.api.credentials import RoleProof
from ..lib.bus import Bus, Sample
from ..lib.clock import monotonic_s
from ..lib.errors import SaintError
from ..lib.generated.saint_msgs import RoleCredential
from ..lib.generated.topics import ROLE_CREDENTIAL
from ..lib.ipc import Client

ROLE = "console"
LASTS_S = 15.0  # nodes repeat it every 5 s (noded/vouching.py)
_MOST_WRITERS = 64
_MOST_CONSOLES = 16
_PAUSE_S = 0.1  # between two questions to adoptiond: a flood must not keep it busy


class Consoles:
    """Each writer has one place in the queue, so that a flood of one does not push out others."""

    def __init__(self, bus: Bus, adoptiond: Client, *, is_unnamed_accepted: bool = False) -> None:
        self._adoptiond = adoptiond
        self._is_unnamed_accepted = is_unnamed_accepted
        self._until_s: OrderedDict[str, float] = OrderedDict()
        self._waiting: OrderedDict[str, RoleCredential] = OrderedDict()  # by writer
        self._is_any = asyncio.Event()
        bus.subscribe(ROLE_CREDENTIAL, self._receive)

    def is_proven(self, origin: str, now_s: float) -> bool:
        """True for the role process of a console that belongs to this robot."""
        if not origin:
            return self._is_unnamed_accepted
        return now_s < self._until_s.get(origin, 0.0)

    def _receive(self, sample: Sample[RoleCredential]) -> None:
        is_full = len(self._waiting) >= _MOST_WRITERS and sample.origin not in self._waiting
        if sample.message.role == ROLE and not is_full:
            self._waiting[sample.origin] = sample.message
            self._is_any.set()

    async def work(self) -> None:
        """Have each credential checked, until stopped."""
        while True:
            await self._is_any.wait()
            _, said = self._waiting.popitem(last=False)
            if not self._waiting:
                self._is_any.clear()
            await self._check(said)
            await asyncio.sleep(_PAUSE_S)

    async def _check(self, said: RoleCredential) -> None:
        try:
            proof = RoleProof(
                node_id=said.node_id, origin=said.origin, role=said.role, signature=said.signature
            )
            await self._adoptiond.post("/router/role-proof", proof, Done)
        except (SaintError, ValueError):
            return  # its node repeats it
        self._until_s[said.origin] = monotonic_s() + LASTS_S
        self._until_s.move_to_end(said.origin)
        if len(self._until_s) > _MOST_CONSOLES:
            self._until_s.popitem(last=False)
