"""Connects what maintains the robot: logs, backups, webd's own settings, the folders of this
machine.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...lib.backup.sections import Backup, Section
from ...lib.logs import LogSource, robot_source
from ...lib.machine import computer
from ...lib.machine.service_manager import Directories
from ..robot.daemon_clients import DaemonClients
from .backups import Backups, DaemonState, RemoteKey, RemoteState
from .own_settings import OwnSettings, SavedSettings


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Logs, backups and settings, for the actions."""

    logs: LogSource
    backups: Backups
    own: OwnSettings
    directories: Directories


async def open_upkeep(
    daemons: DaemonClients,
    directories: Directories,
    shipped_name: str,
    use: Callable[[SavedSettings], None],
    sections: Sequence[Section[Any]] = (),
) -> Upkeep:
    """Open logs, backups and settings, and apply the settings with `use`. `sections` are further
    parts of webd's own state, for backups.
    """

    own = OwnSettings(directories.state, shipped_name, use)
    await own.load()
    states: dict[str, DaemonState] = {
        "adoptiond": RemoteState(daemons.adoptiond),
        "routerd": RemoteState(daemons.routerd),
        "rcd": RemoteState(daemons.rcd),
        "livelinkd": RemoteState(daemons.livelinkd),
        "otad": RemoteState(daemons.otad),
        "webd": Backup(own.section(), *sections),  # last: it may sign the sender out
    }
    version = await asyncio.to_thread(computer.version)
    backups = Backups(states, RemoteKey(daemons.adoptiond), directories.state, version)
    logs = await asyncio.to_thread(robot_source, directories.runtime, daemons.adoptiond)
    return Upkeep(logs, backups, own, directories)


def now() -> str:
    """Return the wall time for people."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def file_name(robot: str, what: str) -> str:
    """Return the name of a download: ASCII, whatever the robot's name is."""
    name = re.sub(r"[^A-Za-z0-9-]+", "-", robot).strip("-") or "robot"
    return f"{name}-{what}-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
