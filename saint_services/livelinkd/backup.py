"""Exports and restores livelinkd's part of a backup: zero, scale and sign of each subject, enabled
formats, accepted senders.
"""

from ..lib.backup.sections import Backup, Section
from .control import SubjectControl
from .senders.api import SenderControl
from .state import VERSION, SavedTunings
from .switches import FormatSwitches


def backup_of(
    subjects: SubjectControl, switches: FormatSwitches, accepting: SenderControl
) -> Backup:
    """Return the sections of a backup."""

    async def current() -> SavedTunings:
        return subjects.tuned()

    async def check(_: SavedTunings) -> list[str]:
        return []

    tuning = Section("subjects", SavedTunings, VERSION, current, check, subjects.restore)
    return Backup(tuning, switches.section(), accepting.section())
