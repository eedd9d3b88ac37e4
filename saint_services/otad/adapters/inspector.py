"""Checks a bundle's signature with this machine's installer."""

from pathlib import Path

from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ...lib.update.installer import BundleInfo, Installer
from ...lib.update.rauc_errors import InstallError

_CHECK_INTERVAL_S = 30.0
_AGAIN = "Send the bundle again."
_FIX = "Start otad on a machine with RAUC, or for the simulation install dbus-daemon."


class SignatureInspector:
    """The installer as checker of signatures."""

    def __init__(self, installer: Installer) -> None:
        self._installer = installer
        self._checked_s = float("-inf")
        self._missing = ""

    async def inspect(self, source: str) -> BundleInfo:
        """Return what the bundle's signature vouches for. Raises daemon_unreachable when no
        installer can check it now, or one is busy: such a bundle is not accepted, and not judged
        either."""
        if not Path(source).is_absolute():
            raise SaintError(Code.REQUEST_INVALID, f"{source} is not an absolute path")
        try:
            return await self._installer.inspect(source)
        except SaintError as err:
            is_busy = isinstance(err, InstallError) and err.is_transient
            if not is_busy and err.code is not Code.DAEMON_UNREACHABLE:
                raise
            message = f"the bundle's signature cannot be checked: {err.message}"
            fix = (err.fix or _AGAIN) if is_busy else _FIX
            raise SaintError(Code.DAEMON_UNREACHABLE, message, fix=fix) from err

    @property
    def missing(self) -> str:
        """Why no release can be accepted; empty when one can."""
        return self._missing

    def is_check_due(self) -> bool:
        """Return True at most every 30 s; the caller then checks."""
        is_due = monotonic_s() - self._checked_s >= _CHECK_INTERVAL_S
        if is_due:
            self._checked_s = monotonic_s()
        return is_due

    async def check(self) -> None:
        """Check whether the installer answers. One that was not running takes seconds to start."""
        try:
            await self._installer.slots()
        except SaintError as err:
            self._missing = err.message
        else:
            self._missing = ""
