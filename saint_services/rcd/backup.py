"""What rcd gives to a backup and takes back: what was set by hand, calibration included. What
rcd.yaml says belongs to the machine.
"""

from ..lib.backup.sections import Backup, Section
from .api import RcControl
from .config import RcReceiver
from .state import MIGRATIONS, VERSION, SavedSettings, effective


def backup_of(control: RcControl, settings: RcReceiver) -> Backup:
    """The paths."""

    async def current() -> SavedSettings:
        return control.saved

    async def check(state: SavedSettings) -> list[str]:
        effective(settings, state)
        return []

    return Backup(
        Section("receiver", SavedSettings, VERSION, current, check, control.restore, MIGRATIONS)
    )
