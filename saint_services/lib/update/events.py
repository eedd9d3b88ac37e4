"""The state, the events and the actions of an update. Not here: what follows from an event
(logic.py, trial.py).
"""

from dataclasses import dataclass, field

from ..api.firmware import UPDATES_OFF, UpdateState
from ..state_machine import Answer
from .installer import BundleInfo, SlotMark, Slots
from .record import StateBefore, UpdatePhase, UpdateRecord

NOT_RESTED = "outputs have been live, and the machine has not rested since"


@dataclass(frozen=True, slots=True)
class WantedRelease:
    """A release and its source; without a source the release in the spare slot."""

    version: str
    source: str = ""
    checksum_sha256: str = ""


@dataclass(frozen=True, slots=True)
class UpdateLimits:
    """Limits of a trial."""

    health_timeout_s: float = 120.0  # s; from the start of this process to a healthy machine
    settle_s: float = 10.0  # s; for so long the machine must stay healthy, or a unit stay failed
    boot_attempts: int = 3  # tries of the boot loader


@dataclass(frozen=True, slots=True)
class Update:
    """The state of an update: all that its rules decide from."""

    version: str  # the running release
    limits: UpdateLimits = UpdateLimits()
    record: UpdateRecord = field(default_factory=UpdateRecord)
    state: UpdateState = UpdateState.IDLE
    is_known: bool = False  # record and slots were read
    slot: str = ""  # letter of the running slot, known without the installer too
    slots: Slots | None = None
    installer_problem: str = ""  # why the installer does not answer
    blocked: str = ""  # why the machine must not be interrupted now
    unsafe: str = ""  # why its outputs, which nothing uses, could not be made safe
    was_live: bool = False  # the machine was in use and has not rested since
    # This process started in a rejected release: one that keeps crashing never sees a rest.
    needs_no_rest: bool = False
    wanted: WantedRelease | None = None  # being inspected or written
    attempt: int = 0
    tries: int = 0  # tries of this attempt; some failures are transient
    progress: int = 0
    fault: str = ""  # the current failure
    is_lost: bool = False  # an installation may run that this process does not follow
    needs_read: bool = False  # something failed: record and slots must be read again
    is_unsaved: bool = False  # this record is newer than the card's, which could not be written
    verify_until_s: float = 0.0
    well_since_s: float | None = None
    failed_since_s: float | None = None
    last_problem: str = ""
    is_marking: bool = False
    mark_fault: str = ""  # why the slot could not be marked good
    condemned_for: str = ""  # the log is being read
    restart_requested_s: float | None = None
    is_disarmed: bool = False  # a restart waits, and the dead-man timer no longer runs
    parts: tuple["PartSince", ...] = ()  # since when each part answers, or does not
    watch_saved_s: float | None = None  # when the time left of the watch was saved
    down_since_s: float | None = None  # since when a watched release has a fault

    @property
    def spare_version(self) -> str:
        """The release that a rollback would start; empty when there is none."""
        spare = self.slots.spare if self.slots else None
        is_usable = spare and spare.is_bootable and spare.is_complete
        if not spare or not is_usable or self.state is UpdateState.INSTALLING:
            return ""
        return spare.version or self.record.slots.get(spare.letter, "")

    @property
    def blocked_by(self) -> str:
        """Why no update can start now; empty when one can."""
        if not self.is_known:
            return "this machine is still starting"
        if not self.slots:
            return f"{UPDATES_OFF}: {self.installer_problem}"
        return self.in_use

    @property
    def is_condemned(self) -> bool:
        """Whether the running release was rejected: the restart into the other slot is due."""
        pending = self.record.pending
        return pending is not None and pending.phase is UpdatePhase.CONDEMNED

    @property
    def in_use(self) -> str:
        """Why the work must not be stopped now. No user requested the restart of a rejected
        release, so it waits for a rest, not for a stick that is released for a second. It does not
        wait for outputs to become safe: the release may be why they do not."""
        if not self.is_condemned:
            return self.blocked or self.unsafe
        needs_rest = self.was_live and not self.needs_no_rest
        return self.blocked or (NOT_RESTED if needs_rest else "")


@dataclass(frozen=True, slots=True)
class PartSince:
    """Whether a part of the owner's work answers, and since when."""

    name: str
    is_well: bool
    since_s: float


# Events.


@dataclass(frozen=True, slots=True)
class StateRead:
    """Record and slots were read. `slots` is None when the installer does not answer."""

    now_s: float
    record: UpdateRecord
    slot: str = ""
    slots: Slots | None = None
    installer_problem: str = ""
    is_installing: bool = False  # an installation runs that an earlier process began


@dataclass(frozen=True, slots=True)
class InstallRequested:
    """A release is requested; without `request` it is an offer at boot."""

    wanted: WantedRelease
    force: bool = False
    request: int | None = None


@dataclass(frozen=True, slots=True)
class RollbackRequested:
    """The release in the spare slot is requested."""

    request: int


@dataclass(frozen=True, slots=True)
class DownloadRequested:
    """After a factory reset: the next offer is accepted whatever release runs."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """The bundle's signature is right; the state of the machine now. No bundle for a rollback."""

    before: StateBefore
    bundle: BundleInfo | None = None


@dataclass(frozen=True, slots=True)
class InspectFailed:
    """The bundle is not valid, or cannot be read."""

    reason: str
    is_transient: bool = False


@dataclass(frozen=True, slots=True)
class Progressed:
    """The progress of the installation in percent."""

    percent: int


@dataclass(frozen=True, slots=True)
class Installed:
    """The spare slot is written and is booted next."""


@dataclass(frozen=True, slots=True)
class InstallFailed:
    """The installation failed."""

    reason: str
    is_transient: bool = False


@dataclass(frozen=True, slots=True)
class InstallationLost:
    """This process no longer follows the installation: the connection to the installer ended, or
    the installation takes too long. It may continue all the same."""

    reason: str


@dataclass(frozen=True, slots=True)
class BlockedChanged:
    """Whether the machine may be interrupted: the reason against it, or an empty text. `unsafe`:
    why its outputs could not be made safe, though nothing uses them."""

    reason: str
    unsafe: str = ""


@dataclass(frozen=True, slots=True)
class RestChanged:
    """Whether the machine rests: offers are for a machine that nobody uses."""

    is_resting: bool


@dataclass(frozen=True, slots=True)
class WorkPart:
    """A part of the owner's work: a role of a node, a daemon of the server."""

    name: str  # "role head"
    problem: str = ""  # empty: the part answers
    unit: str = ""  # the unit whose log describes the problem
    crashes: int = 0  # since the owner's process started, after having been ready


@dataclass(frozen=True, slots=True)
class HealthChecked:
    """The result of a health check: once a second during a trial, seldom at other times."""

    now_s: float
    failed_units: tuple[str, ...] = ()  # failed for systemd
    waiting_units: tuple[str, ...] = ()  # being started
    restarting_units: tuple[str, ...] = ()  # keep crashing
    units_problem: str = ""  # why the units are not known
    bus_problem: str = ""
    parts: tuple[WorkPart, ...] = ()
    server_answers: bool = False


@dataclass(frozen=True, slots=True)
class LogRead:
    """The last log lines of the failed parts."""

    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The boot loader's list was changed."""

    mark: SlotMark


@dataclass(frozen=True, slots=True)
class ActionFailed:
    """An action failed; the actions behind it were dropped."""

    action: "Action"
    reason: str


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Time has passed."""

    now_s: float


Event = (
    StateRead
    | InstallRequested
    | RollbackRequested
    | DownloadRequested
    | Inspected
    | InspectFailed
    | Progressed
    | Installed
    | InstallFailed
    | InstallationLost
    | BlockedChanged
    | RestChanged
    | HealthChecked
    | LogRead
    | Marked
    | ActionFailed
    | TimePassed
)


# Actions, carried out in their order; when one fails, the ones behind it are dropped.


@dataclass(frozen=True, slots=True)
class SaveRecord:
    """Write the record to the disk."""

    record: UpdateRecord


@dataclass(frozen=True, slots=True)
class ReadState:
    """Read the record and query the installer."""


@dataclass(frozen=True, slots=True)
class Inspect:
    """Check the bundle's signature and the state of the machine."""

    wanted: WantedRelease
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StopWork:
    """Stop the machine's work for the robot; outputs are safe afterwards, and stay so. Fails when
    outputs are live: a decision of a moment ago does not stop a moving robot."""


@dataclass(frozen=True, slots=True)
class ResumeWork:
    """Let the machine's work continue."""


@dataclass(frozen=True, slots=True)
class Install:
    """Write the bundle into the spare slot and have that slot booted next."""

    wanted: WantedRelease
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SwitchSlot:
    """Have the spare slot booted next, as it is."""


@dataclass(frozen=True, slots=True)
class FollowInstallation:
    """Wait for the installation that runs."""


@dataclass(frozen=True, slots=True)
class SetMark:
    """Mark a slot, "booted" or "other", in the boot loader's list."""

    mark: SlotMark
    slot: str


@dataclass(frozen=True, slots=True)
class Disarm:
    """Disarm the dead-man timer: this boot is healthy."""


@dataclass(frozen=True, slots=True)
class ReadLog:
    """Read the log of these units; of the whole machine when there are none."""

    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """Restart the machine."""

    reason: str


@dataclass(frozen=True, slots=True)
class PublishStatus:
    """Publish the status."""


Action = (
    SaveRecord
    | ReadState
    | Inspect
    | StopWork
    | ResumeWork
    | Install
    | SwitchSlot
    | FollowInstallation
    | SetMark
    | Disarm
    | ReadLog
    | Restart
    | Answer
    | PublishStatus
)
