"""State, events and actions of a role's life cycle on this node. A node without a role has one such
life cycle too. Not here: the transitions (role.py), several roles on one node (node.py).
"""

from dataclasses import dataclass

from ...lib import state_machine
from ...lib.api.adoption import NodeState
from ...lib.api.node import RoleReport
from ...lib.role_config.model import RoleConfig


@dataclass(frozen=True, slots=True)
class RoleId:
    """A role and instance, e.g. arms left."""

    role: str
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.role} {self.instance}".strip()


@dataclass(frozen=True, slots=True)
class Assignment:
    """A role with its configuration from the server."""

    config: RoleConfig
    text: str  # the configuration as it was served
    server: str = ""
    server_address: str = ""
    person: str = ""  # who adopted the node; empty: unknown

    @property
    def wanted(self) -> RoleId:
        """The assigned role."""
        return RoleId(self.config.role, self.config.instance)


@dataclass(frozen=True, slots=True)
class RoleLifecycle:
    """The state that decides what a node does next about one role."""

    node_id: str
    state: NodeState = NodeState.BOOT
    is_started: bool = False  # the disk was read
    attempt: int = 0  # rises with every start of a role; events of an older attempt are ignored
    wanted: RoleId | None = None  # the role being adopted or held
    process: int = 1  # which of the role's processes on this computer runs it
    candidate: Assignment | None = None  # being adopted, not stored yet
    held: Assignment | None = None  # stored: survives a power cycle
    is_storing: bool = False  # the candidate is on its way to the disk
    request: int | None = None  # the adoption or reset that waits for its outcome
    role_alive: bool = False
    outputs_safe: bool = True
    is_killed: bool = False  # a stop drill ends the process: that is no crash
    restarts: int = 0
    failures: int = 0  # in a row
    fault: str = ""  # what is wrong with the role, or why the last adoption failed
    unsafe: str = ""  # why the outputs could not be made safe
    notice: str = ""  # a message about the configuration

    @property
    def reason(self) -> str:
        """Why the role does not work; empty when it does."""
        return "; ".join(text for text in (self.fault, self.unsafe, self.notice) if text)

    @property
    def is_adopted(self) -> bool:
        """True while a role is stored, even when its configuration is being fetched again."""
        return self.wanted is not None and self.request is None

    @property
    def config_in_use(self) -> RoleConfig | None:
        """The configuration that a role process has, or may still have."""
        assignment = self.candidate or self.held
        return assignment.config if assignment else None


# Events


@dataclass(frozen=True, slots=True)
class RoleLoaded:
    """The disk was read. `wanted` without `held`: the stored configuration is unusable."""

    held: Assignment | None = None
    wanted: RoleId | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RolesLoaded:
    """Every role of the node was read from the disk. `is_incomplete`: a list of its roles is lost,
    so that the node may hold roles that the disk does not name."""

    roles: tuple[RoleLoaded, ...] = (RoleLoaded(),)
    is_incomplete: bool = False


@dataclass(frozen=True, slots=True)
class RolesArrived:
    """The node's server answered which roles the node holds."""

    roles: tuple[RoleId, ...]


@dataclass(frozen=True, slots=True)
class RolesFailed:
    """The node's server did not answer which roles the node holds, after this pause."""

    reason: str
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class AdoptRequested:
    """An order of the node's server to adopt this node as a role. `adds`: beside those it has."""

    request: int
    node_id: str
    assignment: Assignment
    adds: bool = False

    @property
    def wanted(self) -> RoleId:
        """The role."""
        return self.assignment.wanted


@dataclass(frozen=True, slots=True)
class ResetRequested:
    """A request to forget the node's roles, or one; with `forgets_server` its server too."""

    request: int
    node_id: str
    factory: bool = False
    forgets_server: bool = False
    wanted: RoleId | None = None  # None: all


@dataclass(frozen=True, slots=True)
class ConfigArrived:
    """The server sent a valid configuration, in place of one that is unusable."""

    attempt: int
    assignment: Assignment


@dataclass(frozen=True, slots=True)
class ConfigFailed:
    """No usable configuration arrived."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class ConfigChecked:
    """The server answered whether our configuration is current; `newer` when it is not."""

    newer: Assignment | None = None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class ConfigsChecked:
    """The server answered for every role of the node, by slot, all of one robot."""

    found: tuple[tuple[int, ConfigChecked], ...]


@dataclass(frozen=True, slots=True)
class RoleReported:
    """A report of the role process."""

    attempt: int
    report: RoleReport


@dataclass(frozen=True, slots=True)
class RoleBroken:
    """The connection to the role process ended, failed or timed out."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class RoleKilled:
    """A stop drill is about to end the process of the role."""


@dataclass(frozen=True, slots=True)
class ServerChanged:
    """The node belongs to another server, or to none: its roles must obey another router."""


@dataclass(frozen=True, slots=True)
class MadeSafe:
    """The guard made the outputs safe, or could not (`reason`)."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoreResult:
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
    """The update ended without a restart: the node goes on where it was."""


Event = (
    RoleLoaded
    | RolesLoaded
    | RolesArrived
    | RolesFailed
    | AdoptRequested
    | ResetRequested
    | ConfigArrived
    | ConfigFailed
    | ConfigChecked
    | ConfigsChecked
    | RoleReported
    | RoleBroken
    | RoleKilled
    | ServerChanged
    | MadeSafe
    | StoreResult
    | Forgotten
    | UpdateBegan
    | UpdateEnded
)


# Actions


@dataclass(frozen=True, slots=True)
class FetchRoles:
    """Request from the node's server which roles the node holds."""

    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class FetchConfig:
    """Request the configuration of a role from the server."""

    attempt: int
    wanted: RoleId
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StartRole:
    """Connect to the role process after a pause and send its configuration."""

    attempt: int
    config: RoleConfig
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StopRole:
    """Close the connection to the role process, which brings its outputs to the safe state."""


@dataclass(frozen=True, slots=True)
class MakeSafe:
    """Have the guard make the outputs of this configuration safe."""

    config: RoleConfig


@dataclass(frozen=True, slots=True)
class StoreRole:
    """Write role and configuration to the disk."""

    attempt: int
    assignment: Assignment


@dataclass(frozen=True, slots=True)
class StoreRoles:
    """Write several roles to the disk, all or none; each has its slot."""

    roles: tuple[tuple[int, StoreRole], ...]


@dataclass(frozen=True, slots=True)
class ForgetRole:
    """Remove the role from the disk; with `factory` also the node's name and server, with
    `forgets_server` its server."""

    attempt: int
    factory: bool = False
    forgets_server: bool = False
    wanted: RoleId | None = None  # None: every role


@dataclass(frozen=True, slots=True)
class AnswerRequest(state_machine.Answer):
    """Answer the adoption or reset with this number."""

    topic_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Announce:
    """Publish the status now, not at the next second."""


Action = (
    FetchRoles
    | FetchConfig
    | StartRole
    | StopRole
    | MakeSafe
    | StoreRole
    | StoreRoles
    | ForgetRole
    | AnswerRequest
    | Announce
)
