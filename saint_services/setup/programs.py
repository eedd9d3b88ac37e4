"""Starts and stops the owner's programs: at boot those that are to run, later those that webd
requests (saint-programs.service). Run as root, with the names of units and nothing else from
outside. Not here: what a program may do (systemd/saint-program@.service).
"""

import subprocess
import sys
from collections.abc import Callable

from ..lib import log
from ..lib.programs.folders import UNIT, ProgramFolders

_LIMIT_S = 30.0
_log = log.get("programs")
Systemctl = Callable[[str, str], None]


def follow(folders: ProgramFolders, systemctl: Systemctl) -> None:
    """Carry out the requests, then start what is to run and does not."""
    restarted = set()
    for verb, name in folders.take_requests():
        if verb == "stop" or name in folders.names():
            _log.info("program requested", verb=verb, program=name)
            systemctl("restart" if verb == "start" else "stop", UNIT.format(name))
            restarted.add(name)
    for name in folders.started_names():
        if name in folders.names() and name not in restarted:
            systemctl("start", UNIT.format(name))


def _systemctl(verb: str, unit: str) -> None:
    """Queue a job; that it fails is the program's affair and in its log."""
    command = ["systemctl", "--no-block", verb, unit]
    try:
        subprocess.run(command, check=True, timeout=_LIMIT_S, stdin=subprocess.DEVNULL)
    except subprocess.SubprocessError as err:
        _log.error("systemctl failed", verb=verb, unit=unit, error=err)


def main() -> int:
    """Run once."""
    log.setup("programs")
    follow(ProgramFolders(), _systemctl)
    return 0


if __name__ == "__main__":
    sys.exit(main())
