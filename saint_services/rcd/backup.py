"""What rcd gives to a backup and takes back: what was set by hand, calibration included. What
rcd.yaml says belongs to the machine.
"""

from ..lib.backup.sections import Backup, Section
from .api import Control
from .config import RcReceiver
from .state import MIGRATIONS, VERSION, State, effective


def backup_of(control: Control, settings: RcReceiver) -> Backup:
    """The paths."""

    async def current() -> State:
        return control.saved

    async def check(state: State) -> list[str]:
        effective(settings, state)
        return []

    return Backup(Section("receiver", State, VERSION, current, check, control.restore, MIGRATIONS))
