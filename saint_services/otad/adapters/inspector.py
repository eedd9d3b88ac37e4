"""Asks this machine's installer whether a bundle's signature is one that the robot trusts."""

from pathlib import Path

from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.update.installer import Bundle, Installer

_LOOK_EVERY_S = 30.0
_FIX = "Start otad on a machine with RAUC, or for the simulation install dbus-daemon."


class Signatures:
    """The installer, as far as bundles go."""

    def __init__(self, installer: Installer) -> None:
        self._installer = installer
        self._looked_s = float("-inf")
        self._missing = ""

    async def inspect(self, source: str) -> Bundle:
        """Nothing that cannot be checked is ever taken."""
        if not Path(source).is_absolute():
            raise SaintError(Code.REQUEST_INVALID, f"{source} is no absolute path")
        try:
            return await self._installer.inspect(source)
        except SaintError as err:
            if err.code is not Code.DAEMON_UNREACHABLE:
                raise
            message = f"the bundle's signature cannot be checked: {err.message}"
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=_FIX) from err

    @property
    def missing(self) -> str:
        """Why no release can be taken, in a sentence; empty when one can."""
        return self._missing

    def is_look_due(self) -> bool:
        """True at most every half minute, for the one who then looks."""
        is_due = monotonic_s() - self._looked_s >= _LOOK_EVERY_S
        if is_due:
            self._looked_s = monotonic_s()
        return is_due

    async def look(self) -> None:
        """An installer that was not running takes its time: nobody waits for this."""
        try:
            await self._installer.slots()
        except SaintError as err:
            self._missing = err.message
        else:
            self._missing = ""
