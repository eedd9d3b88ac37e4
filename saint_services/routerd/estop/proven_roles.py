"""Which participants are role processes and nodes of this robot: its nodes have signed for them,
and adoptiond checks the signatures. Any participant may stop the robot; only a proven console
clears, brings home and releases, only a proven leader leads, and only a proven role or node
confirms a stop. Not here: what the buttons do (inputs/console.py), what a confirmation means
(outcomes.py).
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from ...lib.api.credentials import NODE, ROLE_PROOF, RoleProof
from ...lib.bus import Bus, Sample
from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ...lib.generated.saint_msgs import RoleCredential, StopReport
from ...lib.generated.topics import ROLE_CREDENTIAL
from ...lib.ipc import Client
from .outcomes import StopState

CONSOLE = "console"
LASTS_S = 15.0  # nodes repeat it every 2 s (noded/credentials.py)
RECHECK_S = 8.0  # a credential that was checked is not checked again before
_MOST_WRITERS = 64
_MOST_OF_WRITER = 8  # a node signs for itself and for five roles
_MOST_PROVEN = 64
_PAUSE_S = 0.05  # between two requests to adoptiond: a flood must not keep it busy


@dataclass(frozen=True, slots=True)
class ProvenParticipant:
    """A participant that a node has signed for. `role` is a role ("arms left") or "node"."""

    node_id: str
    role: str
    signature: str
    checked_s: float


class ProvenRoles:
    """Credentials that were checked, and the queue of those to check. Each writer has few places in
    the queue, so that a flood of one does not push out others.
    """

    def __init__(self, bus: Bus, adoptiond: Client, *, is_unnamed_accepted: bool = False) -> None:
        self._adoptiond = adoptiond
        self._is_unnamed_accepted = is_unnamed_accepted
        self._proven: OrderedDict[str, ProvenParticipant] = OrderedDict()
        self._waiting: OrderedDict[str, OrderedDict[str, RoleCredential]] = OrderedDict()
        self._is_any = asyncio.Event()
        bus.subscribe(ROLE_CREDENTIAL, self._receive)

    def is_console(self, origin: str, now_s: float) -> bool:
        """Return whether this is the role process of a console of this robot."""
        if not origin:
            return self._is_unnamed_accepted
        found = self._found(origin, now_s)
        return found is not None and found.role == CONSOLE

    def is_role(self, origin: str, target: str, now_s: float) -> bool:
        """Return whether this is the role process of a target of this robot: "leader.left"."""
        if not origin:
            return self._is_unnamed_accepted
        found = self._found(origin, now_s)
        return found is not None and found.role.replace(" ", ".") == target

    def is_reporter(self, origin: str, report: StopReport, now_s: float) -> bool:
        """Return whether this participant may send the report: the role process that it is about,
        or the node that holds the role. Only a node reports for its guard, and only for that.
        """
        if not origin:
            return self._is_unnamed_accepted
        found = self._found(origin, now_s)
        if found is None or found.node_id != report.node_id:
            return False
        if found.role == NODE:
            return report.outcome != StopState.STOPPED
        return report.outcome != StopState.GUARD and found.role.replace(" ", ".") == report.target

    def _found(self, origin: str, now_s: float) -> ProvenParticipant | None:
        found = self._proven.get(origin)
        return found if found and now_s < found.checked_s + LASTS_S else None

    def _receive(self, sample: Sample[RoleCredential]) -> None:
        if self._is_checked(sample.message, sample.received_s):
            self._proven.move_to_end(sample.message.origin)
            return
        if sample.origin not in self._waiting and len(self._waiting) >= _MOST_WRITERS:
            return
        waiting = self._waiting.setdefault(sample.origin, OrderedDict())
        if sample.message.origin in waiting or len(waiting) < _MOST_OF_WRITER:
            waiting[sample.message.origin] = sample.message
            self._is_any.set()

    def _is_checked(self, credential: RoleCredential, now_s: float) -> bool:
        found = self._proven.get(credential.origin)
        return (
            found is not None
            and now_s < found.checked_s + RECHECK_S
            and (credential.node_id, credential.role, credential.signature)
            == (found.node_id, found.role, found.signature)
        )

    async def work(self) -> None:
        """Have each queued credential checked, one of each writer in turn, until stopped."""
        while True:
            await self._is_any.wait()
            writer, waiting = self._waiting.popitem(last=False)
            _, credential = waiting.popitem(last=False)
            if waiting:
                self._waiting[writer] = waiting
            if not self._waiting:
                self._is_any.clear()
            await self._check(credential)
            await asyncio.sleep(_PAUSE_S)

    async def _check(self, credential: RoleCredential) -> None:
        try:
            proof = RoleProof(
                node_id=credential.node_id,
                origin=credential.origin,
                role=credential.role,
                signature=credential.signature,
            )
            await self._adoptiond.request(ROLE_PROOF, proof)
        except (SaintError, ValueError):
            return  # its node repeats it
        self._proven[credential.origin] = ProvenParticipant(
            credential.node_id, credential.role, credential.signature, monotonic_s()
        )
        self._proven.move_to_end(credential.origin)
        if len(self._proven) > _MOST_PROVEN:
            self._proven.popitem(last=False)
