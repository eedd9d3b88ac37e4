"""The data of the registry: the robot's roles, nodes, pending adoptions. Immutable. Not here: what
changes it (logic.py, membership.py, node_roles.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..lib.api.adoption import NodeRoleInfo, NodeState, Peripheral
from ..lib.config.spelling import hint
from ..lib.errors import Code, SaintError
from ..lib.role_config.model import RoleConfig
from .state import SavedAdoption, SavedNode

OFFLINE_AFTER_S = 3.0  # three heartbeats
LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class RoleKey:
    """A role and instance, e.g. arms left."""

    role: str
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.role} {self.instance}".strip()


@dataclass(frozen=True, slots=True)
class RoleText:
    """A role manifest as served."""

    config: RoleConfig
    text: str
    checksum: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """The roles of this robot."""

    robot: str
    roles: Mapping[RoleKey, RoleText]
    server_key: str = ""  # this server's

    @property
    def keys(self) -> frozenset[RoleKey]:
        return frozenset(self.roles)

    def topic_prefix(self, key: RoleKey) -> str:
        """Return the topics' prefix of a role; empty for a role that this robot does not have."""
        role = self.roles.get(key)
        return role.config.topic_prefix if role else ""


@dataclass(frozen=True, slots=True)
class Bond:
    """The server that a node belongs to, as it reports; without `server_key` to none."""

    node_key: str
    server: str = ""
    server_key: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One node: what is persisted, and its last report."""

    node_id: str
    kept: SavedNode = field(default_factory=SavedNode)
    state: NodeState = NodeState.OFFLINE
    seen_s: float | None = None  # monotonic; None: not since this process started
    cpu_temp: float = 0.0
    cpu_usage: float = 0.0
    memory_usage: float = 0.0
    uptime_s: int = 0
    role_restarts: int = 0
    outputs_safe: bool = True
    reason: str = ""
    peripherals: tuple[Peripheral, ...] = ()
    roles: tuple[NodeRoleInfo, ...] = ()  # the state of each, as reported
    pwm_channels: Mapping[int, int] = field(default_factory=dict)  # by pin, as reported
    bond: Bond | None = None  # None: not reported yet

    @property
    def key(self) -> RoleKey | None:
        """The role that it holds, the first one of several."""
        return RoleKey(self.kept.role, self.kept.instance) if self.kept.role else None

    @property
    def keys(self) -> tuple[RoleKey, ...]:
        if self.key is None:
            return ()
        reported = self.kept.roles if self.knows_several else []
        keys = [self.key, *(RoleKey(role.role, role.instance) for role in reported)]
        return tuple(dict.fromkeys(keys))

    @property
    def knows_several(self) -> bool:
        """Whether its release can hold several roles. After a rollback the report of a newer one is
        void."""
        return self.kept.roles_told_by == self.kept.firmware_version

    @property
    def holds(self) -> str:
        """Its roles, for users."""
        return " and ".join(str(key) for key in self.keys)

    @property
    def title(self) -> str:
        """Its id and name, for users."""
        return (
            f"{self.node_id} ({self.kept.display_name})" if self.kept.display_name else self.node_id
        )

    def is_foreign(self, server_key: str) -> bool:
        """Whether it belongs to another server, as it reports."""
        return bool(self.bond and self.bond.server_key) and not self.is_of(server_key)

    def is_of(self, server_key: str) -> bool:
        """Whether it obeys signed orders of this server, and of no other."""
        return self.bond is not None and self.bond.server_key == server_key

    def is_online(self, now_s: float) -> bool:
        """Whether its last heartbeat is recent."""
        return self.seen_s is not None and now_s - self.seen_s <= OFFLINE_AFTER_S


@dataclass(frozen=True, slots=True)
class PendingAdoption:
    """An adoption whose order the node has not answered yet."""

    key: RoleKey
    display_name: str
    adds: bool = False  # in addition to the roles that the node has
    person: str = ""  # who requested it; empty: unknown
    replaces: str = ""  # the node that is replaced when this one is adopted

    @property
    def saved(self) -> SavedAdoption:
        """What is persisted of it."""
        return SavedAdoption(
            role=self.key.role,
            instance=self.key.instance,
            display_name=self.display_name,
            adds=self.adds,
            person=self.person,
            replaces=self.replaces,
        )

    @classmethod
    def of(cls, saved: SavedAdoption) -> "PendingAdoption":
        """Return an adoption as it was persisted."""
        key = RoleKey(saved.role, saved.instance)
        return cls(key, saved.display_name, saved.adds, saved.person, saved.replaces)


@dataclass(frozen=True, slots=True)
class UnfinishedAdoption:
    """An adoption whose end was not seen; the node is adopted, or is not."""

    wanted: PendingAdoption
    since_s: float  # monotonic: older reports do not count


@dataclass(frozen=True, slots=True)
class Registry:
    """All nodes, and the pending adoptions."""

    nodes: Mapping[str, Node] = field(default_factory=dict)
    pending: Mapping[str, PendingAdoption] = field(default_factory=dict)
    unfinished: Mapping[str, UnfinishedAdoption] = field(default_factory=dict)
    # Reports of nodes that are not known yet, or were forgotten: they come only once.
    bonds: Mapping[str, Bond] = field(default_factory=dict)

    def known(self, node_id: str) -> Node:
        """Return the node. Raises not_found."""
        if node_id not in self.nodes:
            text = f"node {node_id[:LONGEST_NAME]!r} is not known{hint(node_id, self.nodes)}"
            raise SaintError(Code.NOT_FOUND, text)
        return self.nodes[node_id]

    def is_being_adopted(self, node_id: str) -> bool:
        """Whether an adoption of the node runs, or its end was not seen."""
        return node_id in self.pending or node_id in self.unfinished

    def holders(self, key: RoleKey, now_s: float, server_key: str) -> list[Node]:
        """Return the online nodes of this server that hold a role; more than one is a conflict.
        Another robot on the same network has nodes in its roles too."""
        return [
            node
            for node in self.nodes.values()
            if key in node.keys and node.is_online(now_s) and not node.is_foreign(server_key)
        ]

    def display_name(self, node_id: str) -> str:
        """Return a node's name, also while its adoption is pending."""
        pending = self.pending.get(node_id)
        node = self.nodes.get(node_id)
        return (pending and pending.display_name) or (node.kept.display_name if node else "")
