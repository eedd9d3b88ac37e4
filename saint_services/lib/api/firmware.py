"""Releases and roll-outs: the socket of otad."""

from enum import StrEnum

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .endpoint import Endpoint, Nothing, Rows, WatchRequest
from .update_policy import AddressFile, SourceStatus, UpdatePolicy


class UpdateState(StrEnum):
    """State of the update of one machine."""

    IDLE = "idle"
    INSTALLING = "installing"
    RESTARTING = "restarting"
    VERIFYING = "verifying"


class UpdateVerdict(StrEnum):
    """Result of the last update attempt."""

    NONE = ""
    HEALTHY = "healthy"
    ROLLED_BACK = "rolled_back"  # unhealthy or did not start; the previous slot runs again
    FAILED = "failed"  # installing failed; the running slot is unchanged
    REFUSED = "refused"  # rejected before installing


class RolloutStep(StrEnum):
    """State of one machine in a roll-out."""

    WAITING = "waiting"
    UPDATING = "updating"
    HEALTHY = "healthy"
    FAILED = "failed"
    SKIPPED = "skipped"  # offline: is offered the release when it boots; or its hardware is too old


class RolloutState(StrEnum):
    """State of a roll-out."""

    RUNNING = "running"
    PAUSED = "paused"
    HALTED = "halted"  # a machine was not healthy after the update
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
    min_hardware_rev: str = ""  # older boards do not get it, e.g. "1.2"


# Start of `blocked_by` where nothing can ever be installed; any other reason is temporary.
UPDATES_OFF = "updates are off on this machine"


class MachineFirmware(Reply):
    """Releases and update state of one machine: a node or the server."""

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
    hardware_rev: str = ""  # as the machine reports it: a Pi's revision code
    unfit: str = ""  # why its hardware must not get the release of the roll-out

    @property
    def takes_none(self) -> bool:
        """True if no release can be installed on this machine."""
        return self.blocked_by.startswith(UPDATES_OFF)


class MachineRollout(Reply):
    """One machine of a roll-out, in order."""

    node_id: str
    step: RolloutStep
    reason: str = ""


class RolloutPlan(Reply):
    """The running or last roll-out."""

    version: str
    state: RolloutState
    is_rollback: bool = False
    reason: str = ""  # why it halted, or what an automatic one waits for
    steps: list[MachineRollout] = []


class FirmwareReport(Reply):
    """Releases, machines and the roll-out."""

    robot_version: str  # release of all online machines; empty while they differ
    versions: list[str] = []  # all releases that run, newest first
    releases: list[Release] = []
    machines: list[MachineFirmware] = []
    plan: RolloutPlan | None = None
    updated_s: float = 0.0  # when the last roll-out was done, seconds since 1970; 0: never
    updates_off: str = ""  # why no release can be installed now; empty if one can
    offers_closed: str = ""  # why nodes do not take the offered release by themselves now
    policy: UpdatePolicy | None = None
    source: SourceStatus = SourceStatus()


class FirmwareCheck(Reply):
    """Whether the machines run the newest release on the server."""

    newest: str = ""  # empty: the server has no release
    behind: list[str] = []  # online machines that run another release
    away: list[str] = []
    message: str
    checked: str  # ISO 8601


class ImportRequest(Request):
    """A bundle at a path on the server, e.g. a USB stick."""

    path: str = Field(
        min_length=1, max_length=1024, description="Path on the server, e.g. on a USB stick."
    )


class RolloutRequest(Request):
    """The release to install, on which machines, in which order."""

    version: str = Field(
        default="", max_length=64, description="Release to install. Default: the newest."
    )
    canary: str = Field(
        default="",
        max_length=64,
        description="The node that is updated first. Default: the first of the list.",
    )
    nodes: list[str] = Field(default=[], max_length=256)  # only these nodes; empty: all
    server_last: bool | None = Field(
        default=None, description="Update the server last or first. Default: as configured."
    )
    force: bool = Field(default=False, description="Also install an older release.")


class ControlAction(StrEnum):
    """What can be done with a roll-out."""

    PAUSE = "pause"  # update no further machine
    RESUME = "resume"  # after a halt, failed machines are tried again
    CANCEL = "cancel"
    ROLLBACK = "rollback"  # roll all machines back to the previous release


class RolloutControl(Request):
    """Pause, resume, cancel or roll back."""

    action: ControlAction


class FirmwareParams(Request):
    """A release."""

    version: str = Field(
        pattern=r"^[0-9][0-9A-Za-z.+~-]{0,31}$", description="See `firmware status`."
    )


_WORDS = {
    ControlAction.PAUSE: "paused",
    ControlAction.RESUME: "resumed",
    ControlAction.CANCEL: "cancelled",
    ControlAction.ROLLBACK: "rolled back",
}


def _controlled(params: RolloutControl, _: RolloutPlan) -> str:
    return f"The roll-out was {_WORDS[params.action]}"


ROWS = Rows("management", "otad")
_row = ROWS.row
_ADMIN = Level.ADMIN

# fmt: off
STATUS = _row(
    "firmware_status", "GET", "/status", Nothing, FirmwareReport,
    "Get releases, machines and the roll-out.",
)
WATCH = _row(
    "firmware_watch", "GET", "/watch", WatchRequest, FirmwareReport,
    "Stream the status with every change, one reply per line.", is_action=False, is_stream=True,
    limit_s=3.0,
)
ROLLOUT = _row(
    "firmware_rollout", "POST", "/rollout", RolloutRequest, RolloutPlan,
    "Install a release on the machines, one after the other.",
    level=_ADMIN, log="Roll-out of release {reply.version} started",
)
CONTROL = _row(
    "firmware_control", "POST", "/rollout/control", RolloutControl, RolloutPlan,
    "Pause, resume, cancel or roll back a roll-out.",
    level=_ADMIN, log=_controlled, severity="WARNING",
)
IMPORT = _row(
    "firmware_import", "POST", "/import", ImportRequest, Release,
    "Import a bundle from a path on the server.",
    level=_ADMIN, log="Release {reply.version} was imported",
    limit_s=900.0,  # to copy and verify a large bundle from a slow stick
)
DELETE = _row(
    "firmware_delete", "DELETE", "/releases/{version}", FirmwareParams, Done,
    "Delete a release.",
    level=_ADMIN, log="Release {version} was deleted",
)


class Upload(Request):
    """A bundle on its way in: the head of the request."""

    size_bytes: int = 0
    checksum_sha256: str = ""


# The body is the bundle itself, so otad serves it by HTTP (otad-files.sock), not by lib/ipc.
UPLOAD = Endpoint(
    group="management",
    action="upload_release",
    daemon="otad",
    method="POST",
    path="/releases",
    params=Upload,
    reply=Release,
    text="Upload a bundle, the file itself as the body.",
    level=_ADMIN,
    log="Release {reply.version} was uploaded",
)

# Not a request of anyone: otad itself fetches it. The row is the entry in the audit log.
DOWNLOAD = Endpoint(
    group="management",
    action="download_release",
    daemon="otad",
    method="POST",
    path="/source/release",
    params=AddressFile,
    reply=Release,
    text="Accept a release from the owner's address.",
    level=_ADMIN,
    log="Release {reply.version} came from {address}",
)
