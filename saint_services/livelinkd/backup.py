"""Exports livelinkd's part of a backup and restores it: zero, scale and sign of each subject, which
formats are on, accepted senders.
"""

from ..lib.backup.sections import Backup, Section
from .control import Subjects
from .senders.api import Accepting
from .state import VERSION, Saved
from .switches import Switches


def backup_of(subjects: Subjects, switches: Switches, accepting: Accepting) -> Backup:
    """The paths."""

    async def current() -> Saved:
        return subjects.tuned()

    async def check(_: Saved) -> list[str]:
        return []

    tuning = Section("subjects", Saved, VERSION, current, check, subjects.restore)
    return Backup(tuning, switches.section(), accepting.section())
