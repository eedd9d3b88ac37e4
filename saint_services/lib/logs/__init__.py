"""Reads the logs of all programs: on a robot from the journal, in a simulation from the launcher's
files. Not here: writing logs (lib/log.py), access rights (webd).
"""

import os
from collections.abc import Mapping
from pathlib import Path

from ..ipc import Client
from .files import LauncherFiles
from .journal import Journal
from .robot import RobotLogs
from .source import LogSource

__all__ = ["LogSource", "own_source", "robot_source", "source_at"]

FOLDER_VARIABLE = "SAINT_LOG_DIR"  # set by the launcher


def source_at(
    runtime: Path, environment: Mapping[str, str] = os.environ
) -> LauncherFiles | Journal:
    """Return the logs of the machine whose sockets are in `runtime`."""
    named = environment.get(FOLDER_VARIABLE, "")
    # The launcher's folders: <robot>/<machine>/run and <robot>/log.
    folder = Path(named) if named else runtime.resolve().parent.parent / "log"
    if named or next(folder.glob("*-*.log"), None) is not None:
        return LauncherFiles(folder)
    return Journal()


def robot_source(
    runtime: Path, adoptiond: Client, environment: Mapping[str, str] = os.environ
) -> LogSource:
    """Return the logs of the whole robot: a node's own log is requested through adoptiond."""
    here = source_at(runtime, environment)
    return here if isinstance(here, LauncherFiles) else RobotLogs(here, adoptiond)


def own_source(runtime: Path, environment: Mapping[str, str] = os.environ) -> LogSource:
    """Return what a node exports to its server: lines of our programs on this machine."""
    here = source_at(runtime, environment)
    if isinstance(here, LauncherFiles):
        return here.of_machine(runtime.resolve().parent.name)
    return here.of_our_units()
