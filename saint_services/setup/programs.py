"""Starts and stops the owner's programs: those that are to run whenever the server starts
(saint-programs.service), later those that webd requests (saint-program-requests.service). Run as
root, with the names of units and nothing else from outside. Not here: what a program may do
(overlays/server, saint-program@.service).
"""

import subprocess
import sys
from collections.abc import Callable

from ..lib import log
from ..lib.programs.folders import UNIT, ProgramFolders

_LIMIT_S = 30.0
_log = log.get("programs")
Systemctl = Callable[[str, str], None]


def start_all(folders: ProgramFolders, systemctl: Systemctl) -> None:
    """Start every program that is to run."""
    known = folders.names()
    for name in folders.started_names():
        if name in known:
            systemctl("start", UNIT.format(name))


def carry_out(folders: ProgramFolders, systemctl: Systemctl) -> None:
    """Carry out the requests, and touch no other program: one that has ended stays ended."""
    for verb, name in folders.take_requests():
        if verb == "stop" or name in folders.names():
            _log.info("program requested", verb=verb, program=name)
            systemctl("restart" if verb == "start" else "stop", UNIT.format(name))


def _systemctl(verb: str, unit: str) -> None:
    """Queue a job; that it fails is the program's affair and in its log."""
    command = ["systemctl", "--no-block", verb, unit]
    try:
        subprocess.run(command, check=True, timeout=_LIMIT_S, stdin=subprocess.DEVNULL)
    except subprocess.SubprocessError as err:
        _log.error("systemctl failed", verb=verb, unit=unit, error=err)


_JOBS = {"start": start_all, "requests": carry_out}


def main(job: str) -> int:
    """Run a job once."""
    log.setup("programs")
    _JOBS[job](ProgramFolders(), _systemctl)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in _JOBS:
        sys.exit(f"Name the job: {' or '.join(_JOBS)}.")
    sys.exit(main(sys.argv[1]))
