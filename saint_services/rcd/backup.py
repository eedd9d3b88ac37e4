"""Exports and restores the settings made by hand, calibration included; rcd.yaml belongs to the
machine and is no part of a backup.
"""

from ..lib.backup.sections import Backup, Section
from .api import RcControl
from .config import RcReceiver
from .state import MIGRATIONS, VERSION, SavedRcSettings, effective


def backup_of(control: RcControl, settings: RcReceiver) -> Backup:
    """Return the receiver's section of a backup."""

    async def current() -> SavedRcSettings:
        return control.saved

    async def check(state: SavedRcSettings) -> list[str]:
        effective(settings, state)
        return []

    return Backup(
        Section("receiver", SavedRcSettings, VERSION, current, check, control.restore, MIGRATIONS)
    )
