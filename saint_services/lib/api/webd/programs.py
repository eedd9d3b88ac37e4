"""Programs of the owner's: list, start, stop, remove. Adding one is POST /api/programs."""

from ...access.levels import Level
from .. import Done
from ..endpoint import Nothing
from ..programs import ProgramList, ProgramParams
from . import WebRows

PROGRAMS = WebRows("programs")
_LIMIT_S = 60.0  # a card writes slowly

# fmt: off
LIST_PROGRAMS = PROGRAMS.read(
    "list", Nothing, ProgramList, "List the programs on the server with their states."
)
START_PROGRAM = PROGRAMS.change(
    "start", ProgramParams, Done,
    "Start a program, again if it runs; it also starts whenever the server does.",
    log="Program {name} was started", limit_s=_LIMIT_S,
)
STOP_PROGRAM = PROGRAMS.change(
    "stop", ProgramParams, Done,
    "Stop a program: it loses its access at once, and does not start with the server any more.",
    log="Program {name} was stopped", limit_s=_LIMIT_S,
)
REMOVE_PROGRAM = PROGRAMS.change(
    "remove", ProgramParams, Done, "Stop a program and delete its folder and its token.",
    log="Program {name} was removed", limit_s=_LIMIT_S, level=Level.ADMIN,
)
