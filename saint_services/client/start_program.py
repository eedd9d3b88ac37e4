"""Becomes the program of a folder: reads program.yaml, sets what `Robot.from_environment` reads,
and executes the command. Run by saint-program@.service as `python3 -m
saint_services.client.start_program NAME`, already inside the sandbox.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ..lib import log
from ..lib.errors import SaintError
from ..lib.programs import manifest
from ..lib.programs.folders import ProgramFolders
from ..lib.programs.manifest import PYTHON, ProgramManifest

LIBRARIES = "lib"  # in the program's folder: packages of its own
URL = "http://127.0.0.1"
_LARGEST_BYTES = 64 << 10
_log = log.get("program")


def command(found: ProgramManifest, folder: Path) -> list[str]:
    """Return the absolute command."""
    first, *more = found.command
    return [sys.executable if first == PYTHON else str(folder / first), *more]


def environment(name: str, folder: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the program; nothing of the daemons' own settings."""
    kept = {key: given[key] for key in ("PATH", "LANG", "HOME", "TMPDIR") if key in given}
    credentials = given.get("CREDENTIALS_DIRECTORY", "")
    return kept | {
        "PYTHONPATH": str(folder / LIBRARIES),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SAINT_PROGRAM": name,
        "SAINT_SERVER": given.get("SAINT_SERVER", URL),
        "SAINT_TOKEN_FILE": f"{credentials}/token" if credentials else "",
    }


def main(words: list[str], folders: ProgramFolders) -> int:
    """Execute the program; return only when that is impossible."""
    if len(words) != 1 or not manifest.is_name(words[0]):
        _log.error("expected the name of one program")
        return 2
    folder = folders.programs / words[0]
    try:
        text = (folder / manifest.FILE).read_bytes()[:_LARGEST_BYTES].decode()
        found = manifest.parse(text)
        os.chdir(folder)
        line = command(found, folder)
        os.execve(line[0], line, environment(words[0], folder, os.environ))
    except (OSError, UnicodeDecodeError, SaintError) as err:
        _log.error("the program cannot be started", program=words[0], error=err)
    return 1


if __name__ == "__main__":
    log.setup("program")
    sys.exit(main(sys.argv[1:], ProgramFolders.from_environment()))
