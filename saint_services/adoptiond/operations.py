"""Carries out what users request of nodes: adopt, reset, replace, update, rename, ignore. Checks
with the rules, sends the order, updates the registry. Not here: the rules (logic.py,
membership.py), how adoptions survive (adoption/), how an order is sent (order_sender.py).
"""

from dataclasses import replace

from pydantic import BaseModel

from ..lib import log
from ..lib.api import Done
from ..lib.api.adoption import AdoptReply
from ..lib.api.logs import LogPage, LogQuery
from ..lib.api.orders import (
    EmptyOrder,
    KillOrder,
    KillReply,
    OrderKind,
    ResetOrder,
    UpdateOrder,
)
from ..lib.api.selftest import SelfTestOrder, SelfTestReport
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from . import logic, membership
from .adoption.running import Adoptions, RegistryHolder
from .config import Config
from .order_sender import NodeReply, OrderSender
from .registry import Bond, Node, PendingAdoption, RoleKey

_UPDATE_LIMIT_S = 10.0
_REFRESH_LIMIT_S = 3.0
_log = log.get("adoptiond")


class NodeOperations:
    """One method for each request; all raise SaintError with the reason."""

    def __init__(
        self, owner: RegistryHolder, bus: Bus, order_sender: OrderSender, config: Config
    ) -> None:
        self._owner = owner
        self._bus = bus
        self._order_sender = order_sender
        self._config = config
        self.adoptions = Adoptions(owner, order_sender, config)

    async def adopt(self, node_id: str, wanted: PendingAdoption) -> AdoptReply:
        """Have a node take a role; goes on when the client leaves."""
        return await self.adoptions.to_its_end(self.adoptions.adopt(node_id, wanted))

    async def replace(
        self, old_id: str, new_id: str, display_name: str, person: str = ""
    ) -> AdoptReply:
        """Have a new node replace one that is gone; goes on when the client leaves."""
        work = self._replaced(old_id, new_id, display_name, person)
        return await self.adoptions.to_its_end(work)

    async def _replaced(
        self, old_id: str, new_id: str, display_name: str, person: str
    ) -> AdoptReply:
        """Move the roles of a node, its name, and the configuration of each role, which the
        registry keeps. All roles, or none."""
        registry = self._owner.registry
        keys = membership.roles_to_move(registry, old_id, new_id, monotonic_s())
        name = display_name or registry.known(old_id).kept.display_name
        steps = [PendingAdoption(key, name, adds=True, person=person) for key in keys]
        steps[0] = replace(steps[0], adds=False)
        steps[-1] = replace(steps[-1], replaces=old_id)
        reply = await self.adoptions.adopt(new_id, steps[0])
        try:
            for wanted in steps[1:]:
                await self.adoptions.adopt(new_id, wanted)
        except SaintError:
            await self.reset(new_id, factory=False)  # otherwise both would hold some of them
            raise
        _log.info("node replaced", node=old_id, by=new_id, roles=", ".join(map(str, keys)))
        return reply

    async def reset(self, node_id: str, factory: bool, key: RoleKey | None = None) -> Done:
        """Take a node's roles away, or one of them. An offline node can only be forgotten here."""
        owner = self._owner
        node = owner.registry.known(node_id)
        if key is not None and key not in node.keys:
            text = f"{node.title} does not hold {key}; it holds {node.holds or 'no role'}"
            raise SaintError(Code.NOT_FOUND, logic.clean(text, 240))
        is_online = node.is_online(monotonic_s())
        if key is not None and len(node.keys) > 1 and not is_online:
            fix = f"Switch it on first, or forget the whole node: saintctl node reset {node_id}."
            raise SaintError(Code.REFUSED, f"{node.title} is offline", fix=fix)
        if not is_online:
            owner.change(node_id, logic.forget(owner.registry, node_id))
            _log.info("node forgotten", node=node_id)
            held = f"; switched on again, it still holds {node.holds}" if node.key else ""
            return Done(message=f"{node.title} is offline and was forgotten by the server{held}")
        reply = await self._order_reset(node, factory, key if len(node.keys) > 1 else None)
        if not reply.success:
            raise SaintError(Code.REFUSED, f"Reset of {node_id} failed: {reply.message}")
        owner.change(node_id, logic.after_reset(owner.registry, node_id, factory, key))
        _log.info("node reset", node=node_id, factory=factory)
        return Done(message=reply.message)

    async def update(self, node_id: str, wanted: UpdateOrder) -> Done:
        """Send a signed update order. Raises not_found for a node that belongs to no server."""
        node = self._owner.registry.known(node_id)
        if not node.is_of(self._order_sender.public):
            raise SaintError(Code.NOT_FOUND, f"{node.title} does not belong to this server's key")
        reply = await self._ordered(node, OrderKind.UPDATE, wanted, _UPDATE_LIMIT_S)
        return Done(message=reply.message)

    async def power(self, node_id: str, kind: OrderKind) -> Done:
        """Restart a node's machine or switch it off; the node refuses while its outputs are
        live."""
        node = self._reachable(node_id, "Adopt it again, or switch it off and on.")
        reply = await self._ordered(node, kind, EmptyOrder(), _REFRESH_LIMIT_S)
        _log.info("node restarts or is switched off", node=node_id, order=kind.value)
        return Done(message=reply.message)

    async def kill(self, node_id: str, order: KillOrder) -> KillReply:
        """Run a stop drill: kill a role's process and return what the guard did."""
        node = self._reachable(node_id, "Adopt it first.")
        _log.warning("drill: a role is killed", node=node_id, role=order.role)
        return await self._order_sender.kill(node_id, node.kept.node_key, order)

    async def log(self, node_id: str, query: LogQuery) -> LogPage:
        """Return lines of a node's own log."""
        node = self._reachable(node_id, "Adopt it first.")
        try:
            return await self._order_sender.log(node_id, node.kept.node_key, query)
        except SaintError as err:
            if err.code is not Code.REFUSED:
                raise
            text = f"Reading the log of {node.title} failed: {err.message}"
            fix = "Request it less often; a node with an older release has to be updated first."
            raise SaintError(Code.REFUSED, text, fix=fix) from err

    async def self_test(self, node_id: str, order: SelfTestOrder) -> SelfTestReport:
        """Test a node's machine. A node that belongs to no server is bound for this order alone;
        without a role it forgets this server afterwards."""
        node = self._owner.registry.known(node_id)
        if not node.is_online(monotonic_s()):
            raise SaintError(Code.REFUSED, f"{node.title} is offline", fix="Check its power.")
        owned_by = await self._order_sender.owner(node_id)
        if owned_by.server_key not in ("", self._order_sender.public):
            raise SaintError(Code.CONFLICT, self._foreign(node, owned_by))
        if not owned_by.server_key:
            if order.only_last:
                return SelfTestReport()
            if node.keys:
                text = f"{node.title} lost the key of this server"
                raise SaintError(Code.REFUSED, text, fix="Adopt it again.")
            await self.adoptions.bind(node_id, "")
        key = self._owner.registry.known(node_id).kept.node_key
        try:
            return await self._order_sender.self_test(node_id, key, order)
        except SaintError as err:
            if err.code is not Code.REFUSED:
                raise
            text = f"Self-test of {node.title} failed: {err.message}"
            fix = "Try again later; a node with an older release has to be updated first."
            raise SaintError(Code.REFUSED, text, fix=fix) from err

    async def refresh(self, key: RoleKey) -> str:
        """Have the node that holds a role fetch its configuration now; return a message for the
        user. A node that cannot be reached fetches it by itself later."""
        registry = self._owner.registry
        holders = registry.holders(key, monotonic_s(), self._order_sender.public)
        if not holders:
            return f"saved; no node is online as {key}, the next one starts with it"
        node, later = holders[0], "follows within 30 s"
        if not node.is_of(self._order_sender.public):
            return f"saved; {node.title} {later}"
        try:
            reply = await self._ordered(node, OrderKind.REFRESH, EmptyOrder(), _REFRESH_LIMIT_S)
        except SaintError as err:
            _log.info("node not notified", node=node.node_id, reason=err.message)
            return f"saved; {node.title} {later}"
        return f"saved; {reply.message}"

    async def bind(self, node_id: str) -> None:
        """Exchange keys with a node; a known node must have its known key."""
        await self.adoptions.bind(node_id, self._owner.registry.known(node_id).kept.node_key)

    def rename(self, node_id: str, display_name: str) -> None:
        """Give a node a name."""
        owner = self._owner
        owner.change(node_id, logic.rename(owner.registry, node_id, display_name))

    def ignore(self, node_id: str, is_ignored: bool) -> None:
        """Stop offering a node, or offer it again."""
        owner = self._owner
        owner.change(node_id, membership.ignore(owner.registry, node_id, is_ignored))

    def _reachable(self, node_id: str, fix: str) -> Node:
        """Return a node that obeys this server's orders now; `fix` is for one that belongs
        elsewhere."""
        node = self._owner.registry.known(node_id)
        if not node.is_online(monotonic_s()):
            raise SaintError(Code.REFUSED, f"{node.title} is offline", fix="Check its power.")
        if not node.is_of(self._order_sender.public):
            text = f"{node.title} does not belong to this server and refuses its orders"
            raise SaintError(Code.REFUSED, text, fix=fix)
        return node

    async def _order_reset(self, node: Node, factory: bool, key: RoleKey | None) -> NodeReply:
        node_id, limit_s = node.node_id, self._config.reset_timeout_s
        owned_by = await self._order_sender.owner(node_id)
        if not owned_by.server_key:
            if not node.keys and not factory:
                return NodeReply(True, f"{node_id} is unadopted")
            await self.adoptions.bind(node_id, "")  # its key file was lost
            owned_by = await self._order_sender.owner(node_id)
        if owned_by.server_key != self._order_sender.public:
            raise SaintError(Code.CONFLICT, self._foreign(node, owned_by))
        one = {"role": key.role, "instance": key.instance} if key else {}
        order = ResetOrder(factory_reset=factory, **one)
        return await self._ordered(node, OrderKind.RESET, order, limit_s)

    async def _ordered(
        self, node: Node, kind: OrderKind, body: BaseModel, limit_s: float
    ) -> NodeReply:
        return await self._order_sender.order(node.node_id, node.kept.node_key, kind, body, limit_s)

    def _foreign(self, node: Node, owned_by: Bond) -> str:
        why = membership.foreign(owned_by, self._owner.catalog.robot)
        return f"{node.title} {why}"
