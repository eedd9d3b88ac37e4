"""What livelinkd gives to a backup and takes back: zero, scale and sign of each subject."""

from ..lib.backup.sections import Backup, Section
from .control import Subjects
from .state import VERSION, Saved


def backup_of(subjects: Subjects) -> Backup:
    """The paths."""

    async def current() -> Saved:
        return subjects.tuned()

    async def check(_: Saved) -> list[str]:
        return []

    return Backup(Section("subjects", Saved, VERSION, current, check, subjects.restore))
