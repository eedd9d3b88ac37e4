"""What livelinkd gives to a backup and takes back: zero, scale and sign of each subject, and which
formats are on.
"""

from ..lib.backup.sections import Backup, Section
from .control import Subjects
from .state import VERSION, Saved
from .switches import Switches


def backup_of(subjects: Subjects, switches: Switches) -> Backup:
    """The paths."""

    async def current() -> Saved:
        return subjects.tuned()

    async def check(_: Saved) -> list[str]:
        return []

    tuning = Section("subjects", Saved, VERSION, current, check, subjects.restore)
    return Backup(tuning, switches.section())
