"""Stands for the installer on a machine without slots: Raspberry Pi OS (image/pi-gen) has one root,
which apt changes while it runs. Every act of an update is refused with what to do instead. Not
here: machines with slots (installer.py), which machine has none (boot.py).
"""

from typing import NoReturn

from ..errors import Code, SaintError
from .installer import BundleInfo, Progress, SlotMark, Slots

REASON = (
    "Raspberry Pi OS has no slots; apt updates the system, a newly flashed card brings a release"
)
_FIX = "sudo apt full-upgrade on it; for another release of SAINT.OS flash its card again."


class NoSlots:
    """Implements Installer by refusing."""

    def close(self) -> None:
        """Nothing is open."""

    async def inspect(self, source: str) -> BundleInfo:
        _refuse()

    async def install(self, source: str, on_progress: Progress) -> None:
        _refuse()

    async def follow(self, on_progress: Progress) -> bool:
        return False

    async def is_installing(self) -> bool:
        return False

    async def slots(self) -> Slots:
        _refuse()

    async def mark(self, mark: SlotMark, slot: str) -> None:
        _refuse()


def _refuse() -> NoReturn:
    raise SaintError(Code.REFUSED, REASON, fix=_FIX)
