"""otad's socket: which releases there are, which machine runs which, how a roll-out goes."""

from enum import StrEnum

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Nothing, Rows


class UpdateState(StrEnum):
    """What the update of one machine is doing."""

    IDLE = "idle"
    INSTALLING = "installing"
    RESTARTING = "restarting"
    VERIFYING = "verifying"


class UpdateVerdict(StrEnum):
    """How the last try ended."""

    NONE = ""
    HEALTHY = "healthy"
    ROLLED_BACK = "rolled_back"  # it ran, or should have, and the old slot is back
    FAILED = "failed"  # it could not be written; the running slot is untouched
    REFUSED = "refused"  # it was not even begun


class RolloutStep(StrEnum):
    """Where a machine stands in a roll-out."""

    WAITING = "waiting"
    UPDATING = "updating"
    HEALTHY = "healthy"
    FAILED = "failed"
    SKIPPED = "skipped"  # it was away; it is offered the release when it boots


class RolloutState(StrEnum):
    """A roll-out as a whole."""

    RUNNING = "running"
    PAUSED = "paused"
    HALTED = "halted"  # a machine did not come back healthy
    DONE = "done"
    CANCELLED = "cancelled"


class Release(Reply):
    """A signed bundle in the repository."""

    version: str
    release_date: str  # ISO 8601
    compatible: str
    checksum_sha256: str
    size_bytes: int
    changelog: str = ""
    is_current: bool = False  # what nodes are offered on boot


# How `blocked_by` begins where nothing can be installed at all; else it is something that passes.
UPDATES_OFF = "updates are off on this machine"


class MachineFirmware(Reply):
    """What is known of one machine: a node, or the server itself."""

    node_id: str
    is_server: bool = False
    is_online: bool = True
    version: str = ""
    slot: str = ""
    spare_version: str = ""
    state: UpdateState = UpdateState.IDLE
    progress: int = 0  # percent
    target_version: str = ""
    attempt: int = 0
    verdict: UpdateVerdict = UpdateVerdict.NONE
    reason: str = ""
    log_excerpt: str = ""
    blocked_by: str = ""

    @property
    def takes_none(self) -> bool:
        """No release can be installed there."""
        return self.blocked_by.startswith(UPDATES_OFF)


class MachineRollout(Reply):
    """One machine of a roll-out, in its order."""

    node_id: str
    step: RolloutStep
    reason: str = ""


class RolloutPlan(Reply):
    """The roll-out that runs, or ran last."""

    version: str
    state: RolloutState
    is_rollback: bool = False
    reason: str = ""  # why it halted
    steps: list[MachineRollout] = []


class FirmwareReport(Reply):
    """Releases, machines, the roll-out."""

    robot_version: str  # the one that all run that are there; empty while they differ
    versions: list[str] = []  # all that run there, newest first
    releases: list[Release] = []
    machines: list[MachineFirmware] = []
    plan: RolloutPlan | None = None
    updates_off: str = ""  # why no release can be taken now; empty when one can


class FirmwareCheck(Reply):
    """Whether the machines run the newest release that lies on the server."""

    newest: str = ""  # empty: none lies there
    behind: list[str] = []  # machines that are there and run another one
    away: list[str] = []
    message: str
    checked: str  # ISO 8601


class ImportRequest(Request):
    """A bundle at a path on the server, e.g. a USB stick."""

    path: str = Field(min_length=1, max_length=1024)


class RolloutRequest(Request):
    """Which release, for which machines, in which order."""

    version: str = Field(default="", max_length=64)  # the newest where empty
    canary: str = Field(
        default="", max_length=64
    )  # node that goes first; the first of the list where empty
    nodes: list[str] = Field(default=[], max_length=256)  # only these; all where empty
    server_last: bool | None = None  # as configured where not given
    force: bool = False  # also an older version


class ControlAction(StrEnum):
    """What can be done to a roll-out."""

    PAUSE = "pause"  # begin with no further machine
    RESUME = "resume"  # go on; after a halt those that failed are tried again
    CANCEL = "cancel"
    ROLLBACK = "rollback"  # all machines go back to the release before


class RolloutControl(Request):
    """Pause, resume, cancel, take back."""

    action: ControlAction


class FirmwareParams(Request):
    """One release."""

    version: str = Field(pattern=r"^[0-9][0-9A-Za-z.+~-]{0,31}$")


_WORDS = {
    ControlAction.PAUSE: "paused",
    ControlAction.RESUME: "resumed",
    ControlAction.CANCEL: "cancelled",
    ControlAction.ROLLBACK: "taken back",
}


def _controlled(params: RolloutControl, _: RolloutPlan) -> str:
    return f"The roll-out was {_WORDS[params.action]}"


ROWS = Rows("management", "otad")
_row = ROWS.row
_ADMIN = Level.ADMIN

# fmt: off
STATUS = _row(
    "firmware_status", "GET", "/status", Nothing, FirmwareReport,
    "Releases, machines, the roll-out.",
)
WATCH = _row(
    "firmware_watch", "GET", "/watch", Nothing, FirmwareReport,
    "The same with every change, one reply a line.", is_action=False, is_stream=True,
)
ROLLOUT = _row(
    "firmware_rollout", "POST", "/rollout", RolloutRequest, RolloutPlan,
    "Install a release on the machines, one after the other.",
    level=_ADMIN, log="Roll-out of release {reply.version} was begun",
)
CONTROL = _row(
    "firmware_control", "POST", "/rollout/control", RolloutControl, RolloutPlan,
    "Pause, resume, cancel, take back.", level=_ADMIN, log=_controlled, severity="WARNING",
)
IMPORT = _row(
    "firmware_import", "POST", "/import", ImportRequest, Release,
    "A bundle that lies on the server.",
    level=_ADMIN, log="Release {reply.version} was imported",
    limit_s=900.0,  # copying and checking a large bundle from a slow stick
)
DELETE = _row(
    "firmware_delete", "DELETE", "/releases/{version}", FirmwareParams, Done,
    "A release that nobody needs any more.",
    level=_ADMIN, log="Release {version} was removed",
)
