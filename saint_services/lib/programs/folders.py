"""Where programs lie, and how their start and stop are requested: webd, which may not start units,
makes a file whose name is the request, and saint-program-requests.path runs
saint_services.setup.programs. Calls block.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import Code, SaintError
from . import manifest

Verb = Literal["start", "stop"]
UNIT = "saint-program@{}.service"


@dataclass(frozen=True, slots=True)
class ProgramFolders:
    """Of this machine; a test or a simulation has its own."""

    programs: Path = Path("/data/programs")  # one folder for each, readable by all users
    requests: Path = Path("/run/saint-programs")

    @classmethod
    def from_environment(cls) -> "ProgramFolders":
        """Return the folders of this machine."""
        first = cls()
        programs = os.environ.get("SAINT_PROGRAMS_DIR", first.programs)
        requests = os.environ.get("SAINT_PROGRAM_REQUESTS_DIR", first.requests)
        return cls(Path(programs), Path(requests))

    @property
    def started(self) -> Path:
        """Has a file for each program that is to run, also after a restart of the machine."""
        return self.programs / ".started"

    def names(self) -> list[str]:
        """List the programs."""
        return _names(self.programs)

    def started_names(self) -> list[str]:
        """List the programs that are to run."""
        return _names(self.started)

    def request(self, verb: Verb, name: str) -> None:
        """Request a start (again) or a stop. Raises SaintError if nothing could read it."""
        other: Verb = "stop" if verb == "start" else "start"
        try:
            (self.requests / f"{other}@{name}").unlink(missing_ok=True)
            (self.requests / f"{verb}@{name}").touch(mode=0o640)
        except OSError as err:
            text = f"a request in {self.requests} cannot be written: {err.strerror}"
            raise SaintError(
                Code.REFUSED,
                text,
                fix="Programs run on a robot's server only; elsewhere start yours by hand.",
            ) from err

    def take_requests(self) -> list[tuple[Verb, str]]:
        """Remove and return the requests; a file that is none is removed too."""
        found: list[tuple[Verb, str]] = []
        for path in sorted(self.requests.iterdir()):
            verb, _, name = path.name.partition("@")
            path.unlink(missing_ok=True)
            if manifest.is_name(name) and verb in ("start", "stop"):
                found.append(("start" if verb == "start" else "stop", name))
        return found


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if manifest.is_name(path.name))
    except OSError:
        return []
