"""Routes, outputs with their reasons, exclusive control and the e-stop: the socket of routerd."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .credentials import WriterReply, WriterRequest
from .endpoint import Nothing, Rows
from .mapping import CombineMode, FiniteNumber, Mapping

SourceClass = Literal["rc", "websocket", "livelink", "autonomous", "leader", "safety"]
BlendMode = Literal["priority", "blend", "additive", "greatest"]
TimeoutMs = Annotated[int, Field(ge=20, le=10_000)]
StopName = Annotated[str, Field(pattern=r"^[^,]{1,400}$")]
RouteId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
Target = Annotated[str, Field(min_length=1, max_length=64)]  # head, arms.left; * is any


class RouteInput(Request):
    """The source of a route's values."""

    source: SourceClass
    subject: str = "*"  # part of the source's name after the colon; * is any
    type: str = ""  # livelink: "face", "animation", "transform", "camera"; empty is any
    protocol: str = ""  # rc: informational
    command_types: list[str] = []  # websocket: accepted actions; empty: all


class RouteOutput(Request):
    """The target that a route drives: head, arms.left, arms.right, tracks, or * for any."""

    target: str


class Route(Request):
    """A route in the specification's form."""

    id: RouteId
    enabled: bool = True
    priority: int | None = Field(default=None, ge=0, le=1000)  # None: default of the source class
    weight: float | None = Field(default=None, ge=0, le=1000)  # for mode blend; None: the priority
    input: RouteInput
    output: RouteOutput
    mapping: list[Mapping] | Literal["passthrough"]
    # What several mappings to one field make: their sum, their mean, or the one farthest from rest.
    combine: CombineMode = "sum"
    timeout_ms: TimeoutMs | None = None  # None: that of the source class


class Blending(Request):
    """How contenders for one field are combined.

    priority: the highest drives alone. blend: weighted average. additive: sum. greatest: the one
    farthest from rest. Routes of priority 1000 (safety) always drive alone.
    """

    mode: BlendMode = Field(
        default="priority", description="priority, blend, additive or greatest."
    )
    fields: dict[str, BlendMode] = {}  # mode by field, as "head.pan"
    blend_time_ms: int = Field(
        default=200, ge=0, le=10_000, description="Cross-fade when control changes."
    )
    # A source times out after this time without a sample; for all classes or by class. None: rc
    # 120, websocket, autonomous, leader and safety 300, livelink 500.
    source_timeout_ms: TimeoutMs | dict[SourceClass, TimeoutMs] | None = None
    hysteresis_ms: int = Field(
        default=200,
        ge=0,
        le=5000,
        description="How long a source that timed out must be steady before it takes a field.",
    )


class RouteFile(Request):
    """A routes YAML: the format of presets and of the saved routes."""

    routes: list[Route] = []
    blending: Blending = Blending()


class RoutesText(Reply):
    """All routes as a RouteFile in YAML."""

    yaml: str
    routes: int


UNKNOWN_AGE_MS: Final = 0xFFFFFFFF  # in FieldStatus and RivalStatus; None in replies
LONGEST_AGE_MS: Final = UNKNOWN_AGE_MS - 1  # 49 days, or more


class ContenderInfo(Reply):
    """A route that requests the field but does not drive it."""

    route: str
    source: str
    value: float
    age_ms: int | None  # of the newest sample; None: no valid sample
    reason: str


class FieldOutput(Reply):
    """The commanded value of an output field, and why. The role's state has the actual value."""

    target: str
    field: str
    unit: str
    value: float | None  # commanded, not measured; None: a position without a command
    winner: str  # route id; empty: none, the policy is in force
    source: str
    age_ms: int | None  # of the winner's newest sample; None: no valid sample
    # "none": not driven since the router's start or the last clear of the e-stop
    policy: Literal["none", "live", "hold", "ramp_to_zero", "neutral", "park", "estop"]
    clamped: bool  # a limit or the rate changed the value
    changed_ms: int  # since the winner changed; 0: not since the router's start
    rivals: list[ContenderInfo] = []


class SourceInfo(Reply):
    """An input source as the router sees it."""

    source: str
    age_ms: int
    alive: bool
    failsafe: bool
    rate_hz: float
    values: dict[str, float]


class PressInfo(Reply):
    """One request to stop."""

    source: str
    reason: str = ""
    since: str = ""  # ISO 8601, UTC


class StopOutcomeInfo(Reply):
    """What the newest stop did to one target. Stopped: its role reports outputs at rest. Guard: the
    guard of its node made them safe. Stopping: an output may still move. Silent: no report has
    arrived. Absent: no node holds the role.
    """

    target: str
    node_id: str = ""  # node that holds the role; empty: unknown
    state: Literal["stopped", "guard", "stopping", "silent", "absent"]
    after_ms: float | None = None  # from the press to the confirmation; None: not confirmed
    detail: str = ""


class EStopInfo(Reply):
    """The e-stop latch. `source`, `reason` and `since` are those of the first press. A clear names
    the `generation` that the client has seen. `stored` is false while a restart might lose this
    state.
    """

    active: bool
    source: str = ""
    reason: str = ""
    since: str = ""  # ISO 8601, UTC
    generation: int = 0
    presses: list[PressInfo] = []  # the first and the newest, oldest first
    more: int = 0  # presses omitted after the first of the list
    stored: bool = True
    problem: str = ""  # why the state is not stored
    outcomes: list[StopOutcomeInfo] = []  # of the newest press, by target; empty while not active
    confirmed: bool = False  # every target is stopped, made safe by the guard, or absent


class ControlInfo(Reply):
    """Exclusive control of a target."""

    target: str
    holder: str  # the source's name
    remaining_ms: int  # until control ends, unless the holder sends again
    held_ms: int = 0  # since it was taken


class RouterStatus(Reply):
    """The current state of the router."""

    state: Literal["idle", "routing", "blending", "estop"]
    estop: EStopInfo
    outputs: list[FieldOutput]
    sources: list[SourceInfo]
    samples: int  # accepted since start
    refused: dict[str, int]  # by reason
    control: list[ControlInfo] = []
    # Switches that stop the robot, in addition to pages and programs: "rc_estop:channel_6" is an
    # input of a route, "console:button_b" a button of a role.
    stop_switches: list[str] = []


class RouteInfo(Reply):
    """A route and whether it drives now."""

    route: Route
    status: Literal["active", "standby", "disabled"]
    fault: str = ""  # why the route does not fit this robot and is not used


class RouteList(Reply):
    """All routes."""

    routes: list[RouteInfo]
    blending: Blending


class Confirming(Request):
    """A change that may remove ways to stop the robot. `confirm` names them, as the refusal
    (stop_changed) does; it needs the admin role.
    """

    confirm: list[StopName] = Field(default=[], max_length=256)


class SetRoute(Confirming):
    """Create or replace a route."""

    route: Route


class RouteParams(Confirming):
    """A route by id."""

    route_id: RouteId


class RouteEnabled(RouteParams):
    """Switch a route on or off."""

    enabled: bool


class RoutePriority(RouteParams):
    """Set the priority of a route: the highest wins. null: the default of the source class."""

    priority: int | None = Field(ge=0, le=1000)


class SetBlending(Confirming):
    """Set how contenders for one field are combined."""

    blending: Blending


class ReplaceRoutes(Confirming):
    """Replace all routes and the blending."""

    file: RouteFile


class OutputParams(Request):
    """An output field: "tracks.linear"."""

    output: str = Field(pattern=r"^[A-Za-z0-9_.]{1,129}$")


class PreviewRoute(Request):
    """Evaluate a route for these inputs; saves and moves nothing."""

    route: Route
    values: dict[str, FiniteNumber] = Field(default={}, max_length=256)


class PreviewField(Reply):
    """One field of a preview."""

    target: str
    field: str
    unit: str
    value: float  # after all limits except the rate
    asked: float  # before clamp and limits
    clamped: bool


class RoutePreview(Reply):
    """Result of the preview. `missing`: inputs of the route that were not given."""

    fields: list[PreviewField]
    estop: bool  # the inputs would raise the e-stop
    missing: list[str] = []
    unmet: list[str] = []  # conditions of its mappings that do not hold now, in words


class PreviewCurve(Request):
    """Evaluate one mapping of a route over a range of inputs; saves nothing."""

    route: Route
    index: int = Field(ge=0, le=127)  # of the mapping
    low: FiniteNumber = Field(default=-1.0, description="Lowest input.")
    high: FiniteNumber = Field(default=1.0, description="Highest input.")
    steps: int = Field(default=64, ge=2, le=128)


class MappingCurve(Reply):
    """Pairs of input and output, including both ends and every bend."""

    target: str
    field: str
    unit: str
    limits: tuple[float, float]  # of the field
    points: list[tuple[float, float]]
    # With a filter or a rate limit: milliseconds and output after the input went from `low` to
    # `high` at once. The fields' own rate limit comes after it.
    response: list[tuple[float, float]] = []


class ProposeMapping(Request):
    """Which mapping makes the full range of an output of the full range of an input."""

    source: SourceClass = Field(default="rc", description="The class of the input's source.")
    input: str = Field(min_length=1, max_length=128, description="channel_1, jawOpen, ...")
    output: str = Field(
        pattern=r"^[A-Za-z0-9_.]{1,129}$", description="head.pan, tracks.linear, ... or estop."
    )
    low: FiniteNumber | None = Field(default=None, description="Least value that the input has.")
    high: FiniteNumber | None = Field(default=None, description="Largest value of the input.")


class ProposedMapping(Reply):
    """The mapping, whose `to` is the name of the field alone."""

    mapping: Mapping
    text: str  # what it makes of the input


class TakeControl(Request):
    """Take exclusive control of a target for one source. Repeating the request renews it."""

    target: Target = Field(description="head, arms.left, ..., or * for all.")
    holder: str = Field(
        min_length=1, max_length=128, description="The source that gets control, e.g. leader:left."
    )
    timeout_ms: int = Field(
        default=5000,
        ge=200,
        le=600_000,
        description="Control ends after this time without samples of the holder.",
    )
    takeover: bool = Field(default=False, description="Take it from another holder.")


class ReleaseControl(Request):
    """Release exclusive control; `force` releases that of another holder."""

    target: Target = Field(description="head, arms.left, ..., or * for all.")
    holder: str = Field(default="", max_length=128, description="The source that releases control.")
    force: bool = Field(default=False, description="End the control of any holder.")


class EStopRequest(Request):
    """Raise the e-stop, or add a press. A malformed request raises it too."""

    source: str
    reason: str = Field(default="", description="Shown to all users.")

    @classmethod
    def of_unsound(cls) -> Self:
        """Return the stop for a malformed request."""
        return cls(source="unknown", reason="a malformed stop request")


class EStopClear(Request):
    """Clear the e-stop. Refused if another press came after the `generation` that was seen."""

    source: str
    generation: int = Field(
        strict=True, ge=0
    )  # of the latch that the client has seen (GET /status)


def _switched(params: RouteEnabled, _: RouteInfo) -> str:
    return f"Route {params.route_id} was switched {'on' if params.enabled else 'off'}"


def _prioritized(params: RoutePriority, _: RouteInfo) -> str:
    value = "that of its source class" if params.priority is None else params.priority
    return f"The priority of route {params.route_id} is now {value}"


def _replaced(params: ReplaceRoutes, _: RouteList) -> str:
    return f"All routes were replaced: now {len(params.file.routes)}"


ROWS = Rows("router", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR
CONFIRMING = ("confirm",)

# fmt: off
GET_STATUS = _row(
    "get_status", "GET", "/status", Nothing, RouterStatus,
    "Get outputs with their reasons, sources, the e-stop latch and exclusive control.",
)
GET_OUTPUT = _row(
    "get_output", "GET", "/outputs/{output}", OutputParams, FieldOutput,
    "Get the value of an output field and the reason for it.",
)
LIST_ROUTES = _row("list_routes", "GET", "/routes", Nothing, RouteList, "List all routes.")
REPLACE_ROUTES = _row(
    "replace_routes", "PUT", "/routes", ReplaceRoutes, RouteList,
    "Replace all routes; refused as a whole if one of them is invalid.",
    level=_OPERATOR, log=_replaced, body="file", query=CONFIRMING, is_action=False,
)
CHECK_ROUTES = _row(
    "check_routes", "POST", "/routes/check", RouteFile, Done,
    "Check whether these routes could replace all routes.", is_action=False,
)
SET_ROUTE = _row(
    "set_route", "PUT", "/routes/{route.id}", SetRoute, RouteInfo,
    "Create or replace a route; the router checks it against the roles.",
    level=_OPERATOR, log="Route {route.id} was saved", body="route", query=CONFIRMING,
)
DELETE_ROUTE = _row(
    "delete_route", "DELETE", "/routes/{route_id}", RouteParams, Done, "Delete a route.",
    level=_OPERATOR, log="Route {route_id} was deleted", query=CONFIRMING,
)
SET_ROUTE_ENABLED = _row(
    "set_route_enabled", "POST", "/routes/{route_id}/enabled", RouteEnabled, RouteInfo,
    "Switch a route on or off.",
    level=_OPERATOR, log=_switched, query=CONFIRMING,
)
SET_ROUTE_PRIORITY = _row(
    "set_route_priority", "POST", "/routes/{route_id}/priority", RoutePriority, RouteInfo,
    "Set the priority of a route.",
    level=_OPERATOR, log=_prioritized, query=CONFIRMING,
)
SET_BLENDING = _row(
    "set_blending", "PUT", "/blending", SetBlending, Blending,
    "Set how contenders are combined, the cross-fade and the time-outs.",
    level=_OPERATOR, log="Contenders are now combined by {reply.mode}", body="blending",
    query=CONFIRMING,
)
PREVIEW_ROUTE = _row(
    "preview_route", "POST", "/preview", PreviewRoute, RoutePreview,
    "Evaluate a route that is not saved.",
)
PREVIEW_CURVE = _row(
    "preview_curve", "POST", "/preview/curve", PreviewCurve, MappingCurve,
    "Evaluate one mapping over a range of inputs.",
)
PROPOSE_MAPPING = _row(
    "propose_mapping", "POST", "/propose", ProposeMapping, ProposedMapping,
    "Propose scale and offset from the ranges of an input and an output.",
)
TAKE_CONTROL = _row(  # webd names the holder itself
    "take_control", "POST", "/control/take", TakeControl, RouterStatus,
    "Take exclusive control of a target.",
    level=_OPERATOR, log="Exclusive control of {target} was taken", is_action=False,
)
RELEASE_CONTROL = _row(
    "release_control", "POST", "/control/release", ReleaseControl, RouterStatus,
    "Release exclusive control of a target.",
    level=_OPERATOR, log="Exclusive control of {target} was released", is_action=False,
)
# The activity log has an entry of the latch itself, independent of the request.
ESTOP = _row(
    "estop", "POST", "/estop", EStopRequest, EStopInfo, "Stop the robot.",
    log=lambda *_: "", is_action=False,
)
CLEAR_ESTOP = _row(
    "clear_estop", "POST", "/estop/clear", EStopClear, EStopInfo,
    "Clear the presses that were seen.",
    level=_OPERATOR, log=lambda *_: "", is_action=False,
)
REGISTER_WRITER = _row(
    "register_writer", "POST", "/writers", WriterRequest, WriterReply,
    "Register a writer of inputs for as long as the connection is open.",
    level=Level.ADMIN, limit_s=3.0, is_action=False, is_local=True, is_stream=True,
)


class LimitedField(Reply):
    """A field whose value was limited."""

    field: str
    asked: float
    limited_to: float
    unit: str
    text: str


class CommandReply(Reply):
    """The command was sent to the router; the topics show the result."""

    limited: list[LimitedField] = []
