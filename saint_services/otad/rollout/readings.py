"""What a machine's report says for its step in a roll-out. Pure. Not here: what follows (logic.py),
which reports are taken in (fleet.py).
"""

from ...lib.api.firmware import MachineFirmware, UpdateState, UpdateVerdict

LONGEST_REASON = 400


def mark(machine: MachineFirmware) -> str:
    """Return a name for a verdict, by which a new one differs from an old one."""
    return f"{machine.target_version}/{machine.attempt}/{machine.verdict.value}"


def is_busy(machine: MachineFirmware) -> bool:
    """Whether the machine is updating, for this roll-out or not. A restarting machine is offline
    meanwhile."""
    return machine.state is not UpdateState.IDLE


def waits_for_driver(machine: MachineFirmware) -> bool:
    """Whether all is written and only live outputs delay the restart into the release."""
    is_written = machine.state is UpdateState.RESTARTING and not is_leaving(machine)
    return is_written and bool(machine.blocked_by)


def is_leaving(machine: MachineFirmware) -> bool:
    """Whether the running release was rejected and the restart into the one before is due."""
    is_own = machine.version == machine.target_version  # also of one that is installed again
    return machine.state is UpdateState.RESTARTING and is_own and bool(machine.reason)


def is_unread(machine: MachineFirmware) -> bool:
    """Whether the machine has started, and its installer does not answer yet: what became of the
    update is not known."""
    is_open = machine.state is UpdateState.IDLE and machine.verdict is UpdateVerdict.NONE
    return is_open and machine.takes_none


def is_well(machine: MachineFirmware, version: str) -> bool:
    """Whether it runs this release and does not report that the release failed."""
    has_failed = machine.verdict in (
        UpdateVerdict.FAILED,
        UpdateVerdict.ROLLED_BACK,
        UpdateVerdict.REFUSED,
    )
    return machine.version == version and not (has_failed and machine.target_version == version)


def has_rejected(machine: MachineFirmware, version: str) -> bool:
    """Whether a machine has led this release back, or is about to."""
    is_back = machine.verdict is UpdateVerdict.ROLLED_BACK and machine.version != version
    return machine.target_version == version and (is_back or is_leaving(machine))


def overdue(machine: MachineFirmware | None) -> str:
    """Return what a machine has not done within its time."""
    if machine is None or not machine.is_online:
        return "the machine did not come back"
    if is_unread(machine):
        return f"{machine.blocked_by}; no verdict"
    if is_leaving(machine):
        return f"{machine.reason}; the machine has not left the release"
    return "the update is not done"


def left_out(machine: MachineFirmware | None) -> str:
    """Return why a machine is skipped."""
    if machine is not None and machine.is_online:
        return f"{machine.blocked_by}; the roll-out goes on without this machine"[:LONGEST_REASON]
    return "offline; the release is offered to it at its next boot"
