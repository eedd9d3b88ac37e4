"""Masters of targets on routerd's socket: which source controls a target alone, since when, and the
leaders that could. A target has one master at a time; another one takes over by request.
"""

from typing import Annotated, Literal

from pydantic import Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing, Rows
from .routing import Target

LeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


class LeaderInfo(Reply):
    """A leader that commands a target now, with or without its lock."""

    name: str  # "hand", of the source leader:hand
    is_closed: bool  # its clutch


class MasterInfo(Reply):
    """Who controls a target."""

    target: str
    kind: Literal["none", "leader", "sequence", "remote", "client", "other"]
    holder: str = ""  # the source's name
    held_ms: int = 0  # since it was taken
    remaining_ms: int = 0  # until control ends, unless the holder sends again
    leaders: list[LeaderInfo] = []


class MasterList(Reply):
    """Every target with its master."""

    masters: list[MasterInfo]


class EngageLeader(Request):
    """Let a leader drive a target, as its clutch does when it closes."""

    target: Target = Field(description="parts.follower, arms.left, ...")
    leader: LeaderName = Field(description="The leader's name: hand.")
    takeover: bool = Field(default=False, description="Take the target from another holder.")


ROWS = Rows("router", "routerd")
_row = ROWS.row

# fmt: off
LIST_MASTERS = _row(
    "list_masters", "GET", "/masters", Nothing, MasterList,
    "List which source controls each target alone, since when, and the leaders that could.",
)
ENGAGE_LEADER = _row(
    "engage_leader", "POST", "/masters/engage", EngageLeader, MasterList,
    "Let a leader drive a target, as by its clutch; its joints begin slowly, where they stand.",
    level=Level.OPERATOR, log="Leader {leader} was given {target}",
)
