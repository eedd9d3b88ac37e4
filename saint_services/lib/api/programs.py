"""Programs of the owner's on the server, served by webd."""

from typing import Literal

from ..programs.manifest import ProgramAccess, ProgramName
from . import Reply, Request

ProgramState = Literal["running", "waiting", "stopped", "unknown"]


class ProgramParams(Request):
    """A program by name."""

    name: ProgramName


class ProgramInfo(Reply):
    """A program. `waiting`: it ended with an error and is started again after a pause."""

    name: str
    description: str = ""
    access: ProgramAccess = "read"
    state: ProgramState = "unknown"
    is_started: bool = False  # is to run, also after a restart of the server
    restarts: int = 0  # since it was started, after it ended with an error
    memory_bytes: int | None = None
    size_bytes: int = 0
    problem: str = ""  # why it cannot run


class ProgramList(Reply):
    """All programs."""

    programs: list[ProgramInfo]
    is_possible: bool = True  # False: this machine runs none, a simulation for instance
