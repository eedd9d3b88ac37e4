"""Log lines of all programs, as webd's actions, `saintctl log` and a node's log for its server
return them.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Rows

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
LEVELS: tuple[LogLevel, ...] = ("DEBUG", "INFO", "WARNING", "ERROR")
MOST_LINES = 500

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.@:\\-]{0,128}$")]
# Opaque; clients return it unchanged.
Cursor = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9;:=_.-]{0,400}$")]


class LogFilter(Request):
    """Which lines to return. An empty field matches every line."""

    level: LogLevel = "INFO"  # this level and above
    source: Name = ""  # name of the program: "routerd", "kernel"
    node: Name = ""  # name of the machine
    search: str = Field(default="", max_length=200)  # part of the text, case-insensitive


class LogQuery(LogFilter):
    """One page, newest first."""

    before: Cursor = ""  # older than this line; empty: the newest
    limit: int = Field(default=100, ge=1, le=MOST_LINES)


class LogLine(Reply):
    """A log line."""

    time: float  # seconds since 1970
    level: LogLevel
    source: str
    node: str
    text: str
    cursor: str = ""


class LogPage(Reply):
    """Lines, newest first. `older` is the cursor of the next page, empty at the end."""

    lines: list[LogLine]
    older: str = ""


class LogNames(Reply):
    """Programs and machines to filter by, and what these logs contain. `home`: the machine whose
    lines are returned without `node`; empty: those of all machines.
    """

    sources: list[str]
    nodes: list[str]
    scope: str
    home: str = ""


OF_NODES = Rows("logs", "adoptiond")
QUERY_NODE = OF_NODES.row(
    "query_node", "POST", "/nodes/{node}/log", LogQuery, LogPage, "Get lines of a node's own log.",
    level=Level.ADMIN, limit_s=20.0, is_action=False,
)  # fmt: skip
