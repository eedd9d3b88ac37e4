"""Adopts nodes. An adoption is on the disk before its node is requested to do anything, and goes on
when its client leaves. What this daemon could not finish is judged by the node's next reports. Not
here: which reports decide (unfinished.py), how an order is sent (order_sender.py).
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from ...lib import log
from ...lib.api.adoption import AdoptReply
from ...lib.api.orders import AdoptOrder, OrderKind
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from .. import logic, membership, node_roles
from ..config import Config
from ..order_sender import NodeReply, OrderSender
from ..registry import LONGEST_NAME, Bond, Catalog, PendingAdoption, Registry
from . import unfinished

T = TypeVar("T")
_log = log.get("adoptiond")


class RegistryHolder(Protocol):
    """The holder of the registry."""

    registry: Registry

    @property
    def catalog(self) -> Catalog: ...

    @property
    def address(self) -> str: ...

    def change(self, node_id: str, registry: Registry) -> None: ...

    async def persist(self) -> None: ...


class Adoptions:
    """Carries adoptions out; all requests raise SaintError with the reason."""

    def __init__(self, owner: RegistryHolder, order_sender: OrderSender, config: Config) -> None:
        self._owner = owner
        self._order_sender = order_sender
        self._limit_s = config.adopt_timeout_s
        self._running: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    async def to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out an adoption, or several, which go on when the client leaves."""
        if self._is_closed:
            work.close()
            text = "the registry of nodes is about to start again"
            raise SaintError(Code.DAEMON_UNREACHABLE, text, fix="Repeat it in a few seconds.")
        task = asyncio.create_task(work, name="adoption")
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # read, also where nobody waits any more

    async def settled(self, limit_s: float) -> None:
        """Wait until no adoption runs, at most for `limit_s`."""
        end_s = monotonic_s() + limit_s
        while self._running and (left_s := end_s - monotonic_s()) > 0:
            await asyncio.wait(self._running, timeout=left_s)

    async def close(self, limit_s: float) -> None:
        """Refuse further adoptions and let those that run come to their end within `limit_s`. The
        others stay unfinished, and the next start judges them."""
        self._is_closed = True
        await self.settled(limit_s)
        for task in tuple(self._running):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=1.0)

    async def adopt(self, node_id: str, wanted: PendingAdoption) -> AdoptReply:
        """Order a node to take a role, with its configuration, and wait until it has. Raises
        refused with the node's reason."""
        owner, key = self._owner, wanted.key
        wanted = await self._begun(node_id, wanted)
        is_adopted = False
        try:
            reply = await self._order(node_id, wanted)
            is_adopted = reply.success
        except SaintError as err:
            if err.code is not Code.REFUSED:
                raise
            text = f"Adoption of {node_id} as {key} failed: {err.message}"
            raise SaintError(Code.REFUSED, text) from err
        finally:
            if is_adopted:
                owner.change(node_id, unfinished.finished(owner.registry, node_id))
            else:
                now_s = monotonic_s()
                owner.change(node_id, unfinished.interrupted(owner.registry, node_id, now_s))
        _log.info("node adopted", node=node_id, role=key)
        return AdoptReply(
            message=reply.message,
            topic_prefix=owner.catalog.topic_prefix(key),
            code=owner.registry.known(node_id).kept.code,
        )

    async def _begun(self, node_id: str, wanted: PendingAdoption) -> PendingAdoption:
        """Check an adoption and write it down. Raises refused, conflict, not_found."""
        owner, now_s = self._owner, monotonic_s()
        if wanted.display_name:
            wanted = replace(wanted, display_name=logic.checked_name(wanted.display_name))
        begun = logic.begin_adoption(
            owner.registry, owner.catalog.keys, node_id, wanted, now_s, self._order_sender.public
        )
        if wanted.adds:
            node_roles.check_room(owner.catalog, owner.registry.known(node_id), wanted.key)
        owner.change(node_id, begun)
        try:
            await owner.persist()
        except SaintError:  # nothing was requested of the node
            owner.change(node_id, logic.end_adoption(owner.registry, node_id, is_adopted=False))
            raise
        return wanted

    async def _order(self, node_id: str, wanted: PendingAdoption) -> NodeReply:
        owner, key = self._owner, wanted.key
        owned_by = await self._order_sender.owner(node_id)
        if owned_by.server_key not in ("", self._order_sender.public):
            title = owner.registry.known(node_id).title
            why = membership.foreign(owned_by, owner.catalog.robot)
            raise SaintError(Code.CONFLICT, f"{title} {why}")
        known_key = owner.registry.known(node_id).kept.node_key
        if not owned_by.server_key or owned_by.node_key != known_key:
            await self.bind(node_id, "")  # a user requests it, whichever key it has now
        node = owner.registry.known(node_id)
        order = AdoptOrder(
            role=key.role,
            instance=key.instance,
            add=wanted.adds and bool(node.keys),
            config_yaml=owner.catalog.roles[key].text,
            server_address=owner.address[:LONGEST_NAME],
            display_name=owner.registry.display_name(node_id),
            person=wanted.person[:LONGEST_NAME],
        )
        return await self._order_sender.order(
            node_id, node.kept.node_key, OrderKind.ADOPT, order, self._limit_s
        )

    async def bind(self, node_id: str, node_key: str) -> None:
        """Exchange keys with a node, which must have `node_key` unless that is empty. Its key is on
        the disk before the node belongs to this server."""

        async def met(bond: Bond) -> None:
            self._owner.change(node_id, membership.met(self._owner.registry, node_id, bond))
            await self._owner.persist()

        bond = await self._order_sender.bind(node_id, node_key, met)
        self._owner.change(node_id, membership.bound(self._owner.registry, node_id, bond))
        _log.info("keys exchanged", node=node_id, code=bond.code)

    async def finish(self, node_id: str) -> None:
        """Complete an adoption that was not finished here, of a node that works in its role: it
        proves with its key that it is the one that was to be adopted. Raises SaintError."""
        known_key = self._owner.registry.known(node_id).kept.node_key
        owned_by = await self._order_sender.owner(node_id)
        if not known_key or owned_by.node_key != known_key:
            raise SaintError(Code.REFUSED, f"{node_id} does not prove itself with its known key")
        if owned_by.server_key != self._order_sender.public:
            return  # its keys were lost, or it moved to another robot
        self._owner.change(node_id, unfinished.finished(self._owner.registry, node_id))
        _log.info("adoption finished", node=node_id)
