"""The words of a role's life on this node: what is known of it, what may happen to it, what may
have to be done. A node without a role has one such life too.
Not here: what follows from what (logic.py), several of them (whole.py).
"""

from dataclasses import dataclass

from ...lib import state_machine
from ...lib.api.adoption import NodeState
from ...lib.api.node import RoleReport
from ...lib.role_config.model import RoleConfig


@dataclass(frozen=True, slots=True)
class Wanted:
    """A role and instance, e.g. arms left."""

    role: str
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.role} {self.instance}".strip()


@dataclass(frozen=True, slots=True)
class Assignment:
    """A role with the configuration that the server gave for it."""

    config: RoleConfig
    text: str  # the configuration as it was served
    server: str = ""
    server_address: str = ""

    @property
    def wanted(self) -> Wanted:
        """Which role this is."""
        return Wanted(self.config.role, self.config.instance)


@dataclass(frozen=True, slots=True)
class Life:
    """All that decides what a node does next about one role."""

    node_id: str
    state: NodeState = NodeState.BOOT
    is_started: bool = False  # the disk was read
    attempt: int = 0  # rises with every start of a role; events of an older one are late
    wanted: Wanted | None = None  # the role being adopted or held
    process: int = 1  # which of the role's processes on this computer plays it
    candidate: Assignment | None = None  # being adopted, not stored yet
    held: Assignment | None = None  # stored: survives a power cycle
    is_storing: bool = False  # the candidate is on its way to the disk
    request: int | None = None  # who waits for the outcome of an adoption or a reset
    role_alive: bool = False
    outputs_safe: bool = True
    restarts: int = 0
    failures: int = 0  # in a row
    fault: str = ""  # what is wrong with the role, or why the last adoption failed
    unsafe: str = ""  # why the outputs could not be made safe
    notice: str = ""  # what the server says about the configuration

    @property
    def reason(self) -> str:
        """Why the node is not well; empty when it is."""
        return "; ".join(text for text in (self.fault, self.unsafe, self.notice) if text)

    @property
    def is_adopted(self) -> bool:
        """True while a role is stored, even when its configuration is being fetched again."""
        return self.wanted is not None and self.request is None

    @property
    def config_in_use(self) -> RoleConfig | None:
        """The configuration that a role process has, or may still have, from us."""
        assignment = self.candidate or self.held
        return assignment.config if assignment else None


# What happens to a node.


@dataclass(frozen=True, slots=True)
class Started:
    """The disk was read. `wanted` without `held`: the stored configuration is unusable."""

    held: Assignment | None = None
    wanted: Wanted | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DiskRead:
    """What the disk says about every role of the node. `is_incomplete`: a list of its roles is
    lost, so that the node may hold roles that the disk does not name."""

    roles: tuple[Started, ...] = (Started(),)
    is_incomplete: bool = False


@dataclass(frozen=True, slots=True)
class RolesArrived:
    """The node's server answered which roles the node holds."""

    roles: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class RolesFailed:
    """The node's server did not answer which roles the node holds, after this pause."""

    reason: str
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class AdoptRequested:
    """The node's server orders this node to take a role. `adds`: beside those that it has."""

    request: int
    node_id: str
    assignment: Assignment
    adds: bool = False

    @property
    def wanted(self) -> Wanted:
        """The role."""
        return self.assignment.wanted


@dataclass(frozen=True, slots=True)
class ResetRequested:
    """Somebody asks this node to forget its roles, or one of them. `forgets_server`: and whom it
    belongs to."""

    request: int
    node_id: str
    factory: bool = False
    forgets_server: bool = False
    wanted: Wanted | None = None  # None: all


@dataclass(frozen=True, slots=True)
class ConfigArrived:
    """The server's configuration, checked in itself, in place of one that is unusable."""

    attempt: int
    assignment: Assignment


@dataclass(frozen=True, slots=True)
class ConfigFailed:
    """No usable configuration came."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class ConfigChecked:
    """The server was asked whether our configuration is current. `newer` when it is not."""

    newer: Assignment | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class RoleReported:
    """A line of the role process."""

    attempt: int
    report: RoleReport


@dataclass(frozen=True, slots=True)
class RoleBroken:
    """The connection to the role process ended, or could not be made, or it fell silent."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """The node belongs to another server, or to none: its role has to obey another router."""


@dataclass(frozen=True, slots=True)
class MadeSafe:
    """The outputs were made safe by us, or could not be (`reason`)."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """Role and configuration are on the disk, or could not be written (`reason`)."""

    attempt: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The role is no longer on the disk, or could not be removed (`reason`)."""

    attempt: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class UpdateBegan:
    """A release is about to be written, or the machine to restart: nothing may move until that has
    ended."""


@dataclass(frozen=True, slots=True)
class UpdateEnded:
    """It came to nothing: the node goes on where it was."""


Event = (
    Started
    | DiskRead
    | RolesArrived
    | RolesFailed
    | AdoptRequested
    | ResetRequested
    | ConfigArrived
    | ConfigFailed
    | ConfigChecked
    | RoleReported
    | RoleBroken
    | ServerChanged
    | MadeSafe
    | Stored
    | Forgotten
    | UpdateBegan
    | UpdateEnded
)


# What is to be done.


@dataclass(frozen=True, slots=True)
class FetchRoles:
    """Request from the node's server which roles the node holds."""

    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class FetchConfig:
    """Ask the server for the configuration of a role."""

    attempt: int
    wanted: Wanted
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StartRole:
    """Connect to the role process after a pause and hand it its configuration."""

    attempt: int
    config: RoleConfig
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StopRole:
    """Close the connection to the role process: it goes to its safe state."""


@dataclass(frozen=True, slots=True)
class MakeSafe:
    """Put the outputs of this configuration into their safe state, ourselves, now."""

    config: RoleConfig


@dataclass(frozen=True, slots=True)
class StoreRole:
    """Write role and configuration to the disk."""

    attempt: int
    assignment: Assignment


@dataclass(frozen=True, slots=True)
class ForgetRole:
    """Remove the role from the disk; `factory`: and what a person gave this node, and its server;
    `forgets_server`: its server alone."""

    attempt: int
    factory: bool = False
    forgets_server: bool = False
    wanted: Wanted | None = None  # None: every role


@dataclass(frozen=True, slots=True)
class Answer(state_machine.Answer):
    """Answer the request."""

    topic_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Announce:
    """Publish the life sign now, not at the next second."""


Action = (
    FetchRoles
    | FetchConfig
    | StartRole
    | StopRole
    | MakeSafe
    | StoreRole
    | ForgetRole
    | Answer
    | Announce
)
