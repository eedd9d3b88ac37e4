"""Lines of the logs of all programs, as webd's actions and `saintctl log` give them, and as a node
gives its own to its server.
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
# Opaque; given back as it came.
Cursor = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9;:=_.-]{0,400}$")]


class LogFilter(Request):
    """Which lines. An empty field lets every line through."""

    level: LogLevel = "INFO"  # this one and worse
    source: Name = ""  # name of the program: "routerd", "kernel"
    node: Name = ""  # name of the machine
    search: str = Field(default="", max_length=200)  # part of the text, in any case


class LogQuery(LogFilter):
    """One page, newest first."""

    before: Cursor = ""  # older than this line; empty: the newest
    limit: int = Field(default=100, ge=1, le=MOST_LINES)


class LogLine(Reply):
    """One line."""

    time: float  # seconds since 1970
    level: LogLevel
    source: str
    node: str
    text: str
    cursor: str = ""


class LogPage(Reply):
    """Lines, newest first. `older` leads to the next page, it is empty at the end."""

    lines: list[LogLine]
    older: str = ""


class LogNames(Reply):
    """What there is to choose from, and what these logs hold. `home`: whose lines come when no
    `node` is named; empty: all machines'.
    """

    sources: list[str]
    nodes: list[str]
    scope: str
    home: str = ""


OF_NODES = Rows("logs", "adoptiond")
QUERY_NODE = OF_NODES.row(
    "query_node", "POST", "/nodes/{node}/log", LogQuery, LogPage, "Lines of a node's own log.",
    level=Level.ADMIN, limit_s=20.0, is_action=False,
)  # fmt: skip
