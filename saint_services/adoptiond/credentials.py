"""Certifies the participants of the bus for this server: signs for its router, checks the
signatures of its nodes for their roles. Not here: the rights of a proven writer (lib/role/gate.py,
routerd).
"""

import asyncio
from pathlib import Path

from pydantic import Field

from ..lib import log
from ..lib.access.person import check_daemon
from ..lib.api import Done, credentials
from ..lib.api.credentials import (
    NODE,
    Credential,
    CredentialRequest,
    RoleProof,
    role_parts,
    router_parts,
)
from ..lib.clock import wall_s
from ..lib.crypto import signing
from ..lib.errors import Code, SaintError
from ..lib.health import Health
from ..lib.ipc import Api, Call
from ..lib.state import StateStore
from ..lib.strict import StrictModel
from .order_sender import OrderSender
from .registry_service import RegistryService

VERSION = 1
_MOST_ROUTERS = 16
_FILE = "routers.json"
_log = log.get("adoptiond")


class SavedRouters(StrictModel):
    """routers.json: the term of each certified router, the newest last."""

    terms: dict[str, int] = Field(default={}, max_length=_MOST_ROUTERS)

    def with_router(self, origin: str, now_s: float) -> "SavedRouters":
        """Return the terms with this router, whose term is higher than every one before. The wall
        clock is a lower bound, so terms rise also when this file is lost."""
        if origin in self.terms:
            return self
        newest = list(self.terms.items())[-(_MOST_ROUTERS - 1) :]
        term = max([int(now_s), *(term + 1 for term in self.terms.values())])
        return SavedRouters(terms={**dict(newest), origin: term})


class CredentialAuthority:
    """Handles the requests of routerd. A router keeps its term however often it requests it."""

    def __init__(
        self, order_sender: OrderSender, folder: Path, health: Health, service: RegistryService
    ) -> None:
        self._order_sender = order_sender
        self._store = StateStore(folder / _FILE, SavedRouters, VERSION)
        self._health = health
        self._adoption = service
        self._saved = SavedRouters()
        self._disk = asyncio.Lock()

    async def load(self) -> None:
        """Load the terms. A damaged file loses the order of earlier routers, not the proof."""
        try:
            self._saved = await asyncio.to_thread(self._store.load)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message, _FILE)
        if self._store.problem:
            self._health.raise_issue(Code.STATE_DAMAGED, self._store.problem.message, _FILE)

    def add_to(self, api: Api) -> Api:
        """Bind the rows; both are for routerd alone."""
        api.bind(credentials.ROUTER_CREDENTIAL, self._credential)
        api.bind(credentials.ROLE_PROOF, self._check_role)
        return api

    async def _credential(self, call: Call[CredentialRequest]) -> Credential:
        check_daemon(call.peer_uid, "routerd")
        origin = call.body.origin
        self._order_sender.sign("")  # refused while the key is lost, before a term is used up
        async with self._disk:
            before, self._saved = self._saved, self._saved.with_router(origin, wall_s())
            if self._saved != before:
                await self._save()
        term = self._saved.terms[origin]
        _log.info("router certified", origin=origin, term=term)
        signature = self._order_sender.sign(*router_parts(origin, term))
        return Credential(server_key=self._order_sender.public, term=term, signature=signature)

    async def _save(self) -> None:
        """Save the terms. A disk that cannot be written does not keep the robot from moving: the
        wall clock and this process still order the terms."""
        try:
            await asyncio.to_thread(self._store.save, self._saved)
        except SaintError as err:
            self._health.raise_issue(err.code, err.message, _FILE)
            return
        self._health.clear(Code.INTERNAL, _FILE)

    async def _check_role(self, call: Call[RoleProof]) -> Done:
        check_daemon(call.peer_uid, "routerd")
        said = call.body
        node = self._adoption.registry.known(said.node_id)
        if not node.is_of(self._order_sender.public) or not node.kept.node_key:
            raise SaintError(Code.REFUSED, f"{node.title} does not belong to this server's key")
        parts = role_parts(said.node_id, said.origin, said.role)
        if not signing.is_signed(node.kept.node_key, said.signature, *parts):
            raise SaintError(Code.REFUSED, f"{node.title} did not sign for this role process")
        if said.role != NODE and said.role not in map(str, node.keys):
            raise SaintError(Code.REFUSED, f"{node.title} does not hold the role {said.role}")
        return Done(message=f"{node.title} signed for its {said.role}")
