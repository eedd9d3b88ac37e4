"""Checks the machine: units that failed or do not start, and their log lines. Not here: whether
that rejects a release (trial.py).
"""

import asyncio
import contextlib
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass

from ..errors import Code, SaintError
from .dbus import CallError, Peer, SystemBus
from .record import LONGEST_LOG

SYSTEMD = Peer(
    "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"
)
_SERVICE = "org.freedesktop.systemd1.Service"
_PROPERTIES = "org.freedesktop.systemd1", "org.freedesktop.DBus.Properties"
_LIMIT_S = 5.0
_LOG_LIMIT_S = 5.0
_LOG_LINES = 20
_OFTEN = 3  # restarts since boot; one may happen while other units start
# Programs and sticks are the owner's: that they fail says nothing of a release.
_OWNERS = ("saint-program@", "saint-usb-import@")


@dataclass(frozen=True, slots=True)
class UnitProblems:
    """Units that do not work."""

    failed: tuple[str, ...] = ()  # failed for systemd
    waiting: tuple[str, ...] = ()  # of SAINT.OS: being started
    restarting: tuple[str, ...] = ()  # of SAINT.OS: keep crashing


class Services:
    """systemd on the system bus."""

    def __init__(self, bus: SystemBus) -> None:
        self._bus = bus

    async def units(self) -> UnitProblems:
        """Return the units that do not work. Raises SaintError where systemd does not answer."""
        try:
            (listed,) = await self._bus.call(SYSTEMD, "ListUnits", limit_s=_LIMIT_S)
            listed = [row for row in listed if not row[0].startswith(_OWNERS)]
            ours = [row for row in listed if _is_ours(row[0])]
            restarting = [row[0] for row in ours if await self._restarts(row[6]) >= _OFTEN]
        except CallError as err:
            message = f"systemd does not report its units: {err.text or err.name}"
            raise SaintError(Code.DAEMON_UNREACHABLE, message) from err
        return UnitProblems(
            failed=tuple(sorted(row[0] for row in listed if row[3] == "failed")),
            waiting=tuple(sorted(row[0] for row in ours if row[3] == "activating")),
            restarting=tuple(sorted(restarting)),
        )

    async def _restarts(self, path: str) -> int:
        peer = Peer(SYSTEMD.name, path, _PROPERTIES[1])
        try:
            (count,) = await self._bus.call(
                peer, "Get", "ss", _SERVICE, "NRestarts", limit_s=_LIMIT_S
            )
        except CallError:
            return 0  # the unit is gone meanwhile
        return int(count)


def _is_ours(name: str) -> bool:
    return name.startswith("saint-") and name.endswith(".service")


async def log_excerpt(units: tuple[str, ...]) -> str:
    """Return the last lines of these units, or the last warnings of all; at most 4 KiB, the newest
    kept. Empty where there is no journal."""
    wanted = [f"--unit={unit}" for unit in units] or ["--priority=warning"]
    command = ("journalctl", "--quiet", "--boot", "--no-pager", "--output=short-iso")
    try:
        process = await asyncio.create_subprocess_exec(
            *command, f"--lines={_LOG_LINES}", *wanted, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
        )
    except OSError:
        return ""
    assert process.stdout, "a pipe was requested"
    try:
        async with asyncio.timeout(_LOG_LIMIT_S):
            text = (await process.stdout.read()).decode(errors="replace")
            await process.wait()
    except TimeoutError:
        text = ""
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return _tail(text)


def _tail(text: str) -> str:
    """Return whole lines, as many of the last ones as fit."""
    text = "".join(c if c.isprintable() or c == "\n" else "?" for c in text.strip())
    raw = text.encode()
    if len(raw) <= LONGEST_LOG:
        return text
    return raw[-LONGEST_LOG:].decode(errors="ignore").partition("\n")[2]
