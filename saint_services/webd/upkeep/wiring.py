"""What webd needs to look after the robot besides moving it: logs, backups, its own settings, the
folders of this machine. Wiring only.
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
from ..robot.daemon_clients import Daemons
from .backups import Backups, Keeper, Remote, RemoteKey
from .own_settings import OwnSettings, SavedSettings


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Reached by the actions as robot.upkeep."""

    logs: LogSource
    backups: Backups
    own: OwnSettings
    directories: Directories


async def open_upkeep(
    daemons: Daemons,
    directories: Directories,
    shipped_name: str,
    rename: Callable[[str], None],
    sections: Sequence[Section[Any]] = (),
) -> Upkeep:
    """With what was saved in force: the robot is called what its owner chose, or as it was shipped.
    `sections` are more of webd's own state, for backups.
    """

    def use(saved: SavedSettings) -> None:
        rename(saved.name or shipped_name)

    own = OwnSettings(directories.state, shipped_name, use)
    await own.load()
    keepers: dict[str, Keeper] = {
        "adoptiond": Remote(daemons.adoptiond),
        "routerd": Remote(daemons.routerd),
        "rcd": Remote(daemons.rcd),
        "livelinkd": Remote(daemons.livelinkd),
        "webd": Backup(own.section(), *sections),  # last: it may sign the asker out
    }
    version = await asyncio.to_thread(computer.version)
    backups = Backups(keepers, RemoteKey(daemons.adoptiond), directories.state, version)
    logs = await asyncio.to_thread(robot_source, directories.runtime, daemons.adoptiond)
    return Upkeep(logs, backups, own, directories)


def now() -> str:
    """Wall time, for people."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def file_name(robot: str, what: str) -> str:
    """Of a download: ASCII, whatever the robot is called."""
    name = re.sub(r"[^A-Za-z0-9-]+", "-", robot).strip("-") or "robot"
    return f"{name}-{what}-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
