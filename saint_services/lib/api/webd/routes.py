"""Requests to the router and the receivers that the specification names otherwise than their own
daemons: route files, exclusive control, LiveLink sources, RC protocol and channels.
"""

from pydantic import Field, RootModel

from .. import Reply, Request
from ..endpoint import Nothing
from ..livelink import SubjectDetail, SubjectList, SubjectRef
from ..rc import LAST_CHANNEL, RcChannelConfig, RcChannelList
from ..routing import Confirming, ControlInfo, RouteFile, RoutesText, Target
from . import WebRows


class ImportRoutes(Confirming):
    """All routes, as YAML."""

    yaml: str = Field(max_length=60_000)  # a message has no room for more
    name: str = Field(default="routes.yaml", min_length=1, max_length=100)  # for error messages
    check_only: bool = False


class TakeTarget(Request):
    """A target for this client alone, until the client times out or releases it."""

    target: Target
    timeout_ms: int = Field(default=5000, ge=200, le=600_000)
    takeover: bool = False  # from another holder


class ReleaseTarget(Request):
    """A target that is released; `force` releases it for another client."""

    target: Target
    force: bool = False


class ControlReply(Reply):
    """Targets under exclusive control, each with its client."""

    control: list[ControlInfo]


class RcChannelParams(Request):
    """One channel, or all of them."""

    channel: int | None = Field(default=None, ge=1, le=LAST_CHANNEL)


class ProtocolReply(Reply):
    """The protocol of the RC receiver."""

    protocol: str


class ChannelReply(RootModel[RcChannelList | RcChannelConfig]):
    """The requested channel, or all of them."""


ROUTER, RC = WebRows("router"), WebRows("rc")

# fmt: off
EXPORT_ROUTES = ROUTER.read(
    "export_routes", Nothing, RoutesText,
    "Export all routes and the blending of contenders as YAML.",
)
IMPORT_ROUTES = ROUTER.change(
    "import_routes", ImportRoutes, RouteFile,
    "Replace all routes by those of a YAML text. With `check_only` nothing changes: the reply is "
    "what would be in force.",
    logged_by="routerd",
)
TAKE_CONTROL = ROUTER.change(
    "take_control", TakeTarget, ControlReply, "Take exclusive control of a target.",
    logged_by="routerd",
)
RELEASE_CONTROL = ROUTER.change(
    "release_control", ReleaseTarget, ControlReply, "Release exclusive control of a target.",
    logged_by="routerd",
)
LIST_LIVELINK_SOURCES = ROUTER.read(
    "list_livelink_sources", Nothing, SubjectList, "List all LiveLink subjects."
)
GET_LIVELINK_SUBJECT = ROUTER.read(
    "get_livelink_subject", SubjectRef, SubjectDetail, "Get a LiveLink subject with its values."
)
GET_PROTOCOL = RC.read(
    "get_protocol", Nothing, ProtocolReply, "Get the protocol of the RC receiver."
)
GET_CHANNEL_CONFIG = RC.read(
    "get_channel_config", RcChannelParams, ChannelReply,
    "Get range and name of one RC channel, or of all.",
)
