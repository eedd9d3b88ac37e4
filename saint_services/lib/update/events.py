"""The words of an update: what is known of it, what may happen, what may have to be done.
Not here: what follows from what (logic.py, trial.py).
"""

from dataclasses import dataclass, field

from ..api.firmware import UPDATES_OFF, UpdateState
from ..state_machine import Answer
from .installer import Bundle, Mark, Slots
from .record import Before, Record


@dataclass(frozen=True, slots=True)
class Wanted:
    """A release and where it is; without a source it is the one in the spare slot."""

    version: str
    source: str = ""
    checksum_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long, how often."""

    health_timeout_s: float = 120.0  # from the start of this process to a healthy machine
    settle_s: float = 10.0  # so long it must stay healthy, or a unit stay failed
    boot_attempts: int = 3  # of the boot loader


@dataclass(frozen=True, slots=True)
class Update:
    """All that decides what is done next."""

    version: str  # that runs
    limits: Limits = Limits()
    record: Record = field(default_factory=Record)
    state: UpdateState = UpdateState.IDLE
    is_known: bool = False  # the disk was read, the installer was asked
    slot: str = ""  # letter of the slot that runs, known without the installer too
    slots: Slots | None = None
    silence: str = ""  # why the installer gives no answer
    blocked: str = ""  # why the machine may not be disturbed now
    was_blocked: bool = False  # since this process started
    wanted: Wanted | None = None  # being looked at or written
    attempt: int = 0
    tries: int = 0  # of this attempt; some failures pass by themselves
    progress: int = 0
    fault: str = ""  # what goes wrong meanwhile
    is_lost: bool = False  # an installation may run that nobody follows
    needs_look: bool = False  # something failed: what the disk and the slots say counts again
    verify_until_s: float = 0.0
    well_since_s: float | None = None
    failed_since_s: float | None = None
    last_problem: str = ""
    is_marking: bool = False
    mark_fault: str = ""  # why the slot could not be marked good
    condemned_for: str = ""  # the log is being read
    restart_asked_s: float | None = None

    @property
    def spare_version(self) -> str:
        """Of the release that a rollback would lead to; empty when there is none."""
        spare = self.slots.spare if self.slots else None
        is_usable = spare and spare.is_bootable and spare.is_complete
        if not spare or not is_usable or self.state is UpdateState.INSTALLING:
            return ""
        return spare.version or self.record.slots.get(spare.letter, "")

    @property
    def blocked_by(self) -> str:
        """Why no update may start now; empty when it may."""
        if not self.is_known:
            return "this machine is just starting"
        if not self.slots:
            return f"{UPDATES_OFF}: {self.silence}"
        return self.blocked


# What happens.


@dataclass(frozen=True, slots=True)
class Looked:
    """What the disk and the installer say. `slots` is None when the installer is silent."""

    now_s: float
    record: Record
    slot: str = ""
    slots: Slots | None = None
    silence: str = ""
    is_installing: bool = False  # from before; this process is younger


@dataclass(frozen=True, slots=True)
class InstallRequested:
    """Somebody asks for a release; without `request` it is an offer at boot."""

    wanted: Wanted
    force: bool = False
    request: int | None = None


@dataclass(frozen=True, slots=True)
class RollbackRequested:
    """Somebody asks for the release in the spare slot."""

    request: int


@dataclass(frozen=True, slots=True)
class DownloadRequested:
    """After a factory reset: the next offer is taken whatever runs."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """The bundle's signature holds; how the machine is now. No bundle for a rollback."""

    before: Before
    bundle: Bundle | None = None


@dataclass(frozen=True, slots=True)
class InspectFailed:
    """The bundle is no good, or cannot be reached."""

    reason: str
    is_transient: bool = False


@dataclass(frozen=True, slots=True)
class Progressed:
    """Percent of the installation."""

    percent: int


@dataclass(frozen=True, slots=True)
class Installed:
    """The spare slot is written and is the one to boot."""


@dataclass(frozen=True, slots=True)
class InstallFailed:
    """The installer gave up."""

    reason: str
    is_transient: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody follows the installation any more: the connection to the installer broke, or it takes
    too long. It may go on all the same."""

    reason: str


@dataclass(frozen=True, slots=True)
class BlockedChanged:
    """Whether the machine may be disturbed: why not, or nothing."""

    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """What the update's owner works with: a role of a node, a daemon of the server."""

    name: str  # "role head"
    problem: str = ""  # empty: it answers
    unit: str = ""  # whose log tells about it
    deaths: int = 0  # since the owner's process started, of one that had been ready


@dataclass(frozen=True, slots=True)
class Checked:
    """How the machine is, once a second during a trial."""

    now_s: float
    failed_units: tuple[str, ...] = ()  # systemd has given up on them
    waiting_units: tuple[str, ...] = ()  # being started
    restarting_units: tuple[str, ...] = ()  # started again and again
    units_problem: str = ""  # why nothing is known of the units
    bus_problem: str = ""
    parts: tuple[Part, ...] = ()
    server_heard: bool = False


@dataclass(frozen=True, slots=True)
class LogRead:
    """The last lines that belong to what is wrong."""

    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """The boot loader knows."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class ActionFailed:
    """An action could not be carried out; those behind it were dropped."""

    action: "Action"
    reason: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time passes."""

    now_s: float


Event = (
    Looked
    | InstallRequested
    | RollbackRequested
    | DownloadRequested
    | Inspected
    | InspectFailed
    | Progressed
    | Installed
    | InstallFailed
    | Lost
    | BlockedChanged
    | Checked
    | LogRead
    | Marked
    | ActionFailed
    | Ticked
)


# What is to be done. One after the other: when one fails, those behind it are dropped.


@dataclass(frozen=True, slots=True)
class Save:
    """Write the record to the disk."""

    record: Record


@dataclass(frozen=True, slots=True)
class Look:
    """Ask disk and installer again."""


@dataclass(frozen=True, slots=True)
class Inspect:
    """Check the bundle's signature and see how the machine is."""

    wanted: Wanted
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Hold:
    """Stop what this machine does for the robot; outputs are safe afterwards, and stay so. Fails
    when they are live: what was decided a moment ago does not stop a robot that moves."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The machine may work again."""


@dataclass(frozen=True, slots=True)
class Install:
    """Write the bundle into the spare slot and make that the one to boot."""

    wanted: Wanted
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Switch:
    """Make the spare slot, as it is, the one to boot."""


@dataclass(frozen=True, slots=True)
class Follow:
    """Wait for the installation that runs."""


@dataclass(frozen=True, slots=True)
class SetMark:
    """Tell the boot loader what to think of a slot, "booted" or "other"."""

    mark: Mark
    slot: str


@dataclass(frozen=True, slots=True)
class Disarm:
    """This boot is no mistake: the dead-man timer need not restart the machine."""


@dataclass(frozen=True, slots=True)
class ReadLog:
    """Of these units; of the whole machine when there are none."""

    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """Restart the machine."""

    reason: str


@dataclass(frozen=True, slots=True)
class Tell:
    """Publish how it stands."""


Action = (
    Save
    | Look
    | Inspect
    | Hold
    | Resume
    | Install
    | Switch
    | Follow
    | SetMark
    | Disarm
    | ReadLog
    | Restart
    | Answer
    | Tell
)
