"""Remote masters and slaves of this robot's targets: the links that this server opens, and who is
connected to it now.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ...access.levels import Level
from .. import Done, Reply, Request
from ..endpoint import Nothing
from ..routing import Target
from . import WebRows

LinkName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,32}$")]
LinkKind = Literal["master", "slave"]
LinkUrl = Annotated[
    str,
    StringConstraints(
        max_length=200,
        pattern=r"^wss?://([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[\w./-]*)?$",
    ),
]
RemoteRobotId = Annotated[str, StringConstraints(pattern=r"^[\w.:-]{1,100}$")]


# A slave: waiting (was commanded nothing yet), following, slow, failed. A master: waiting, driving.
# Both: disengaged.
RemoteState = Literal["disengaged", "waiting", "following", "slow", "failed", "driving"]


class LinkSpec(Request):
    """A connection that this server opens and opens again. It moves nothing until it is engaged."""

    link: LinkName = Field(description="Its name: bench.")
    kind: LinkKind = Field(
        description="master: the other server commands this robot; slave: it follows this robot."
    )
    url: LinkUrl = Field(description="ws://host:port of the other server.")
    target: Target = Field(description="The target of this robot: parts.follower.")
    robot_id: RemoteRobotId | None = Field(
        default=None, description="The robot's name there; without it the target's."
    )
    token: str = Field(default="", max_length=256, description="A token of the other server.")


class LinkParams(Request):
    """A link by its name."""

    link: LinkName


class EngageLink(LinkParams):
    """Let a link move something, from the next command on."""

    takeover: bool = Field(default=False, description="Take the target from another holder.")


class RemoteInfo(Reply):
    """A remote master or slave that is connected."""

    name: str
    target: str
    kind: LinkKind
    state: RemoteState
    user: str = ""
    address: str = ""
    delay_ms: float | None = None  # of a command and its acknowledgement
    commands: int = 0
    left_out: int = 0  # commands that a slow slave did not get
    refused: int = 0
    problem: str = ""
    connected_s: float = 0.0
    joints: dict[str, float] = {}  # as it reports them


class LinkInfo(Reply):
    """A link, and its connection if there is one."""

    name: str
    kind: LinkKind
    url: str
    target: str
    robot_id: str
    has_token: bool
    is_connected: bool
    tries: int = 0  # since the newest connection
    problem: str = ""  # why there is none
    connection: RemoteInfo | None = None


class LinkList(Reply):
    """All links."""

    links: list[LinkInfo]


class RemoteList(Reply):
    """All links, and everyone who is connected to this server as a master or a slave."""

    links: list[LinkInfo]
    connected: list[RemoteInfo]


LINKS = WebRows("link")

# fmt: off
LIST_LINKS = LINKS.read("list", Nothing, LinkList, "List the links to remote masters and slaves.")
LINK_STATUS = LINKS.read(
    "status", Nothing, RemoteList,
    "Show every remote master and slave with its state, delay and error.",
)
ADD_LINK = LINKS.change(
    "add", LinkSpec, LinkInfo, "Add a link, or replace the one of its name.",
    level=Level.ADMIN, log="Link {link} to {url} was added", severity="WARNING",
)
REMOVE_LINK = LINKS.change(
    "remove", LinkParams, Done, "Remove a link.",
    level=Level.ADMIN, log="Link {link} was removed",
)
ENGAGE_LINK = LINKS.change(
    "engage", EngageLink, LinkInfo,
    "Let a link move something, from the next command on: after it was added, after each "
    "connection and after each stop.",
    log="Link {link} was engaged",
)
DISENGAGE_LINK = LINKS.change(
    "disengage", LinkParams, LinkInfo, "Let a link move nothing; joints stay where they are.",
    log="Link {link} was disengaged",
)
