"""What people have done to nodes: adopt, reset, replace, update, rename, ignore. Checks with the
rules, asks the node, tells the registry. Not here: the rules (logic.py, membership.py), how a node
is asked (courier.py).
"""

from dataclasses import replace
from typing import Protocol

from pydantic import BaseModel

from ..lib import log
from ..lib.api import Done
from ..lib.api.adoption import AdoptReply
from ..lib.api.logs import LogPage, LogQuery
from ..lib.api.orders import (
    AdoptOrder,
    EmptyOrder,
    Killed,
    KillOrder,
    OrderKind,
    ResetOrder,
    UpdateOrder,
)
from ..lib.bus import Bus
from ..lib.clock import monotonic_s
from ..lib.errors import Code, SaintError
from . import logic, membership, node_roles
from .config import Config
from .order_sender import Courier, Told
from .registry import LONGEST_NAME, Bond, Catalog, Node, Pending, Registry, RoleKey

_UPDATE_LIMIT_S = 10.0
_REFRESH_LIMIT_S = 3.0
_log = log.get("adoptiond")


class Owner(Protocol):
    """Who keeps the registry."""

    registry: Registry

    @property
    def catalog(self) -> Catalog: ...

    @property
    def address(self) -> str: ...

    def change(self, node_id: str, registry: Registry) -> None: ...


class Verbs:
    """One method for each; all raise SaintError with an explanation."""

    def __init__(self, owner: Owner, bus: Bus, courier: Courier, config: Config) -> None:
        self._owner = owner
        self._bus = bus
        self._courier = courier
        self._config = config

    async def adopt(self, node_id: str, wanted: Pending) -> AdoptReply:
        """Ask a node to take a role and wait until it has, or says why not."""
        owner, key = self._owner, wanted.key
        if wanted.display_name:
            wanted = replace(wanted, display_name=logic.checked_name(wanted.display_name))
        server_key = self._courier.public
        begun = logic.begin_adoption(
            owner.registry, owner.catalog.keys, node_id, wanted, monotonic_s(), server_key
        )
        if wanted.adds:
            node_roles.check_room(owner.catalog, owner.registry.known(node_id), key)
        owner.change(node_id, begun)
        is_adopted = False
        try:
            told = await self._have_adopted(owner.registry.known(node_id), wanted)
            is_adopted = told.success
        except SaintError as err:
            if err.code is not Code.REFUSED:
                raise
            told = Told(False, err.message)
        finally:
            owner.change(node_id, logic.end_adoption(owner.registry, node_id, is_adopted))
        if not is_adopted:
            raise SaintError(Code.REFUSED, f"{node_id} did not become {key}: {told.message}")
        _log.info("node adopted", node=node_id, role=key)
        return AdoptReply(
            message=told.message,
            topic_prefix=owner.catalog.topic_prefix(key),
            code=owner.registry.known(node_id).kept.code,
        )

    async def replace(self, old_id: str, new_id: str, display_name: str) -> AdoptReply:
        """A new node takes the place of one that is gone: roles, name, and with each role its whole
        configuration, which is kept here. All of them, or none."""
        owner = self._owner
        keys = membership.roles_to_move(owner.registry, old_id, new_id, monotonic_s())
        name = display_name or owner.registry.known(old_id).kept.display_name
        reply = await self.adopt(new_id, Pending(keys[0], name))
        try:
            for key in keys[1:]:
                await self.adopt(new_id, Pending(key, name, adds=True))
        except SaintError:
            await self.reset(new_id, factory=False)  # else both would hold some of them
            raise
        owner.change(old_id, membership.replaced(owner.registry, old_id, new_id))
        _log.info("node replaced", node=old_id, by=new_id, roles=", ".join(map(str, keys)))
        return reply

    async def reset(self, node_id: str, factory: bool, key: RoleKey | None = None) -> Done:
        """Take a node's roles away, or that one. One that is offline can only be forgotten here."""
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
            held = f"; when it is switched on again it is still {node.holds}" if node.key else ""
            return Done(message=f"{node.title} is offline and was forgotten here{held}")
        told = await self._have_reset(node, factory, key if len(node.keys) > 1 else None)
        if not told.success:
            raise SaintError(Code.REFUSED, f"{node_id} was not reset: {told.message}")
        owner.change(node_id, logic.after_reset(owner.registry, node_id, factory, key))
        _log.info("node reset", node=node_id, factory=factory)
        return Done(message=told.message)

    async def update(self, node_id: str, wanted: UpdateOrder) -> Done:
        """Bring an update to a node that takes signed orders. not_found: this one does not."""
        node = self._owner.registry.known(node_id)
        if not node.is_of(self._courier.public):
            raise SaintError(Code.NOT_FOUND, f"{node.title} does not belong to this server's key")
        told = await self._ordered(node, OrderKind.UPDATE, wanted, _UPDATE_LIMIT_S)
        return Done(message=told.message)

    async def reboot(self, node_id: str) -> Done:
        """Restart a node's machine; it refuses while its outputs are live."""
        node = self._reachable(node_id, "Adopt it anew, or switch it off and on.")
        told = await self._ordered(node, OrderKind.REBOOT, EmptyOrder(), _REFRESH_LIMIT_S)
        _log.info("node restarts", node=node_id)
        return Done(message=told.message)

    async def kill(self, node_id: str, order: KillOrder) -> Killed:
        """A stop drill: end a role's process and see what the guard does."""
        node = self._reachable(node_id, "Adopt it first.")
        _log.warning("drill: a role is killed", node=node_id, role=order.role)
        return await self._courier.kill(node_id, node.kept.node_key, order)

    async def log(self, node_id: str, query: LogQuery) -> LogPage:
        """Lines of a node's own log."""
        node = self._reachable(node_id, "Adopt it first.")
        try:
            return await self._courier.log(node_id, node.kept.node_key, query)
        except SaintError as err:
            if err.code is not Code.REFUSED:
                raise
            text = f"{node.title} did not give its log: {err.message}"
            fix = "Ask less often; a node with an older release has to be updated first."
            raise SaintError(Code.REFUSED, text, fix=fix) from err

    async def refresh(self, key: RoleKey) -> str:
        """Have the node that holds a role ask for its configuration now. What becomes of it, in
        words; a node that cannot be asked does so by itself after a while."""
        registry = self._owner.registry
        holders = registry.holders(key, monotonic_s(), self._courier.public)
        if not holders:
            return f"kept; no node is at work as {key}, the next one begins with it"
        node, later = holders[0], "follows within half a minute"
        if not node.is_of(self._courier.public):
            return f"kept; {node.title} {later}"
        try:
            told = await self._ordered(node, OrderKind.REFRESH, EmptyOrder(), _REFRESH_LIMIT_S)
        except SaintError as err:
            _log.info("node not told", node=node.node_id, reason=err.message)
            return f"kept; {node.title} {later}"
        return f"kept; {told.message}"

    async def bind(self, node_id: str) -> None:
        """Exchange keys with a node; one that we know must have the key that we know."""
        await self._bind(node_id, self._owner.registry.known(node_id).kept.node_key)

    async def _bind(self, node_id: str, node_key: str) -> None:
        bond = await self._courier.bind(node_id, node_key)
        self._owner.change(node_id, membership.bound(self._owner.registry, node_id, bond))
        _log.info("keys exchanged", node=node_id, code=bond.code)

    def rename(self, node_id: str, display_name: str) -> None:
        """A person names a node."""
        owner = self._owner
        owner.change(node_id, logic.rename(owner.registry, node_id, display_name))

    def ignore(self, node_id: str, is_ignored: bool) -> None:
        """A person does not want to be asked about it again."""
        owner = self._owner
        owner.change(node_id, membership.ignore(owner.registry, node_id, is_ignored))

    def _reachable(self, node_id: str, fix: str) -> Node:
        """A node that hears this server's orders now; `fix` is for one that belongs elsewhere."""
        node = self._owner.registry.known(node_id)
        if not node.is_online(monotonic_s()):
            raise SaintError(Code.REFUSED, f"{node.title} is offline", fix="Check its power.")
        if not node.is_of(self._courier.public):
            text = f"{node.title} does not belong to this server, and tells and obeys its own only"
            raise SaintError(Code.REFUSED, text, fix=fix)
        return node

    async def _have_adopted(self, node: Node, wanted: Pending) -> Told:
        node_id, key = node.node_id, wanted.key
        said = await self._courier.owner(node_id)
        if said.server_key not in ("", self._courier.public):
            raise SaintError(Code.CONFLICT, self._foreign(node, said))
        if not said.server_key or said.node_key != node.kept.node_key:
            await self._bind(node_id, "")  # a person wants it, whichever key it has now
        owner, node = self._owner, self._owner.registry.known(node_id)
        order = AdoptOrder(
            role=key.role,
            instance=key.instance,
            add=wanted.adds and bool(node.keys),
            config_yaml=owner.catalog.roles[key].text,
            server_address=owner.address[:LONGEST_NAME],
            display_name=owner.registry.display_name(node_id),
        )
        return await self._ordered(node, OrderKind.ADOPT, order, self._config.adopt_timeout_s)

    async def _have_reset(self, node: Node, factory: bool, key: RoleKey | None) -> Told:
        node_id, limit_s = node.node_id, self._config.reset_timeout_s
        said = await self._courier.owner(node_id)
        if not said.server_key:
            if not node.keys and not factory:
                return Told(True, f"{node_id} is unadopted")
            await self._bind(node_id, "")  # its key file was lost
            said = await self._courier.owner(node_id)
        if said.server_key != self._courier.public:
            raise SaintError(Code.CONFLICT, self._foreign(node, said))
        one = {"role": key.role, "instance": key.instance} if key else {}
        order = ResetOrder(factory_reset=factory, **one)
        return await self._ordered(node, OrderKind.RESET, order, limit_s)

    async def _ordered(self, node: Node, kind: OrderKind, body: BaseModel, limit_s: float) -> Told:
        return await self._courier.order(node.node_id, node.kept.node_key, kind, body, limit_s)

    def _foreign(self, node: Node, said: Bond) -> str:
        why = membership.foreign(said, self._owner.catalog.robot)
        return f"{node.title} {why}"
