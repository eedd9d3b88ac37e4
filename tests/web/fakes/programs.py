"""The server's folder of programs, and systemd's part: what is requested runs at once."""

import asyncio
import contextlib
import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

from saint_services.lib.programs.folders import ProgramFolders
from saint_services.webd.programs import units
from saint_services.webd.programs.units import UnitState

MEMORY_BYTES = 41_000_000


def folders(directory: Path) -> ProgramFolders:
    """Return the folders of a fake robot."""
    return ProgramFolders(directory / "data/programs", directory / "run/saint-programs")


def archive(path: Path, manifest: str, **files: str) -> Path:
    """Write the archive of a program; `main` becomes main.py."""
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("program.yaml", manifest)
        for name, text in files.items():
            made.writestr(f"{name}.py", text)
    return path


def put(directory: Path, name: str, description: str, access: str = "read") -> None:
    """Put a program on the server, as an upload leaves it."""
    folder = folders(directory).programs / name
    folder.mkdir(parents=True)
    text = f"name: {name}\ndescription: {description}\naccess: {access}\n"
    (folder / "program.yaml").write_text(text, encoding="utf-8")
    (folder / "main.py").write_text("print('hello')\n", encoding="utf-8")


@contextlib.contextmanager
def fake_programs(directory: Path) -> Iterator[None]:
    """While this is entered, a webd that starts finds them."""
    found = folders(directory)
    for folder in (found.programs, found.started, found.requests):
        folder.mkdir(parents=True, exist_ok=True)
    running: set[str] = set()

    def obey() -> None:
        for verb, name in found.take_requests():
            (running.add if verb == "start" else running.discard)(name)

    async def states(names: Sequence[str]) -> dict[str, UnitState]:
        await asyncio.to_thread(obey)  # to its end, also when who reads leaves meanwhile
        return {
            name: UnitState("running", 0, MEMORY_BYTES) if name in running else UnitState("stopped")
            for name in names
        }

    places = {
        "SAINT_PROGRAMS_DIR": str(found.programs),
        "SAINT_PROGRAM_REQUESTS_DIR": str(found.requests),
    }
    with mock.patch.dict(os.environ, places), mock.patch.object(units, "states", states):
        yield
