"""Parses program.yaml, the description in every program's folder. Pure."""

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from .. import config
from ..config import Settings

FILE = "program.yaml"
# With "p-" before it the name of a user, which has 31 letters at most.
NAME_PATTERN = r"^[a-z][a-z0-9-]{0,28}$"
PYTHON = "python3"
_WORD = re.compile(r"[^\x00-\x1f\x7f]{1,200}")

ProgramName = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
ProgramAccess = Literal["read", "drive"]


class ProgramManifest(Settings):
    """program.yaml"""

    name: ProgramName
    description: str = Field(default="", max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")
    # python3 and what follows, or a file of the folder that can be executed.
    command: list[str] = Field(default=[PYTHON, "main.py"], min_length=1, max_length=16)
    # read: states; drive: also moves the robot, after people, RC and face capture.
    access: ProgramAccess = "read"

    @field_validator("command")
    @classmethod
    def _command(cls, command: list[str]) -> list[str]:
        if not all(_WORD.fullmatch(word) for word in command):
            raise ValueError("must hold words without control characters, of 200 letters at most")
        if command[0] != PYTHON and not is_inside(command[0]):
            raise ValueError(f"must begin with {PYTHON} or with a file of the program's folder")
        return command

    @property
    def main_file(self) -> str:
        """The file that must be in the folder; empty: the command does not name one."""
        if self.command[0] != PYTHON:
            return self.command[0]
        given = self.command[1] if len(self.command) > 1 else ""
        return "" if given.startswith("-") else given


def is_name(name: str) -> bool:
    """Return whether this can be the name of a program; it becomes a folder and a unit."""
    return re.fullmatch(NAME_PATTERN, name, re.ASCII) is not None and "\n" not in name


def is_inside(path: str) -> bool:
    """Return whether a path of an archive stays in the program's folder."""
    if not path or "\\" in path or not path.isprintable():
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts


def parse(text: str) -> ProgramManifest:
    """Parse program.yaml. Raises SaintError with file, line and key."""
    return config.parse(ProgramManifest, text, FILE)
