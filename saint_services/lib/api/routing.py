"""routerd's socket: routes, outputs with their reasons, exclusive control, the e-stop."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field

from ..access.levels import Level
from . import Done, Reply, Request
from .credentials import WriterReply, WriterRequest
from .endpoint import Nothing, Rows

SourceClass = Literal["rc", "websocket", "livelink", "autonomous", "leader", "safety"]
BlendMode = Literal["priority", "blend", "additive"]
TimeoutMs = Annotated[int, Field(ge=20, le=10_000)]
StopName = Annotated[str, Field(pattern=r"^[^,]{1,400}$")]
RouteId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
# Strict: true is no number, and neither is "1.0".
FiniteNumber = Annotated[float, Field(ge=-1e6, le=1e6, strict=True)]
Target = Annotated[str, Field(min_length=1, max_length=64)]  # head, arms.left; * is any


class Mapping(Request):
    """One arrow of a route: input name -> output field. Applied in this order:

    invert or switch, deadzone (rescaled), curve, scale, offset, clamp, field limits, slew limit.
    """

    from_: str = Field(alias="from", min_length=1)
    to: str = Field(min_length=1)
    mode: Literal["axis", "switch"] = "axis"
    threshold: float = 0.5  # switch: on at or above
    inverted: bool = False
    deadzone: float = Field(default=0.0, ge=0.0, lt=1.0)
    curve: Literal["linear", "exponential"] = "linear"
    expo: float = Field(default=0.0, ge=0.0, le=1.0)  # y = (1-e)x + ex^3
    scale: float = 1.0
    offset: float = 0.0
    clamp: tuple[float, float] | None = None

    model_config = Request.model_config | {"populate_by_name": True}


class RouteInput(Request):
    """Where the values of a route come from."""

    source: SourceClass
    subject: str = "*"  # what follows the colon of the source's name; * is any
    type: str = ""  # livelink: "face", "animation", "transform", "camera"; empty is any
    protocol: str = ""  # rc: for people only
    command_types: list[str] = []  # websocket: actions let through; empty is all


class RouteOutput(Request):
    """Which target a route drives: head, arms.left, arms.right, tracks, or * for any."""

    target: str


class Route(Request):
    """One route, in the specification's form."""

    id: RouteId
    enabled: bool = True
    priority: int | None = Field(default=None, ge=0, le=1000)  # None: the source class's default
    weight: float | None = Field(default=None, ge=0, le=1000)  # of mode blend; None: the priority
    input: RouteInput
    output: RouteOutput
    mapping: list[Mapping] | Literal["passthrough"]
    timeout_ms: TimeoutMs | None = None  # None: the class's


class Blending(Request):
    """How rivals for one field are combined.

    priority: the highest drives alone. blend: the mean by weight. additive: the sum. Routes of
    priority 1000 (safety) always drive alone.
    """

    mode: BlendMode = "priority"
    fields: dict[str, BlendMode] = {}  # another mode for "head.pan"
    blend_time_ms: int = Field(default=200, ge=0, le=10_000)  # cross-fade when control changes
    # A source that is silent for longer is lost; for all classes or by class. None: by class,
    # rc 120, websocket, autonomous, leader and safety 300, livelink 500.
    source_timeout_ms: TimeoutMs | dict[SourceClass, TimeoutMs] | None = None
    # How long a source that was lost must be steady again before it takes a field from another.
    hysteresis_ms: int = Field(default=200, ge=0, le=5000)


class RouteFile(Request):
    """A routes YAML: presets and the saved routes have this form."""

    routes: list[Route] = []
    blending: Blending = Blending()


class RoutesText(Reply):
    """All routes as a RouteFile in YAML."""

    yaml: str
    routes: int


UNKNOWN_AGE_MS: Final = 0xFFFFFFFF  # of FieldStatus and RivalStatus; None in replies
LONGEST_AGE_MS: Final = UNKNOWN_AGE_MS - 1  # 49 days, or more


class ContenderInfo(Reply):
    """A route that wanted the field and did not get it."""

    route: str
    source: str
    value: float
    age_ms: int | None  # of its newest sample; None: no sample of it counts
    reason: str


class FieldOutput(Reply):
    """What is commanded for one output field and why. Its role's state says where it stands."""

    target: str
    field: str
    unit: str
    value: float | None  # commanded, not measured; None: a position that nobody commands
    winner: str  # route id; empty: nobody, the policy is in force
    source: str
    age_ms: int | None  # of the winner's newest sample; None: no sample of it counts
    # "none": not driven since the router started or the e-stop was cleared
    policy: Literal["none", "live", "hold", "ramp_to_zero", "neutral", "park", "estop"]
    clamped: bool  # a limit or the rate changed the value, also one of a mix
    changed_ms: int  # since the winner changed; 0: never since the router started
    rivals: list[ContenderInfo] = []


class SourceInfo(Reply):
    """One input source as the router sees it."""

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


class StopOutcome(Reply):
    """What the newest stop has done to one target. Stopped: its role says that the outputs are at
    rest. Guard: the guard of its node made them safe. Stopping: an output may still move. Silent:
    nobody has answered for it. Absent: no node holds the role.
    """

    target: str
    node_id: str = ""  # that holds the role; empty: unknown
    state: Literal["stopped", "guard", "stopping", "silent", "absent"]
    after_ms: float | None = None  # from the press to the confirmation; None: not confirmed
    detail: str = ""


class EStopInfo(Reply):
    """The latch. `source`, `reason` and `since` are those of the first press. A clear names the
    `generation` that it has seen. `stored` is false while a restart might not know this state.
    """

    active: bool
    source: str = ""
    reason: str = ""
    since: str = ""  # ISO 8601, UTC
    generation: int = 0
    presses: list[PressInfo] = []  # the first and the newest, oldest first
    more: int = 0  # presses between the first and the second of the list that are not in it
    stored: bool = True
    problem: str = ""  # why it is not stored
    outcomes: list[StopOutcome] = []  # of the newest press, by target; empty while not active
    confirmed: bool = False  # every target is stopped, made safe by the guard, or absent


class ControlInfo(Reply):
    """Somebody has a target for himself."""

    target: str
    holder: str  # the source's name
    remaining_ms: int  # ends then, if the holder stays silent


class RouterStatus(Reply):
    """The router as it is now."""

    state: Literal["idle", "routing", "blending", "estop"]
    estop: EStopInfo
    outputs: list[FieldOutput]
    sources: list[SourceInfo]
    samples: int  # accepted since start
    refused: dict[str, int]  # by reason
    control: list[ControlInfo] = []
    # What a person can press to stop the robot beside pages and programs: "rc_estop:channel_6" is
    # an input of a route, "console:button_b" a button of a role.
    stop_switches: list[str] = []


class RouteInfo(Reply):
    """A route and whether it does anything now."""

    route: Route
    status: Literal["active", "standby", "disabled"]
    fault: str = ""  # why it is kept but not used: it does not fit this robot


class RouteList(Reply):
    """All routes."""

    routes: list[RouteInfo]
    blending: Blending


class Confirming(Request):
    """A change that may take away what stops the robot. `confirm` names all of that, as the refusal
    (stop_changed) does; it needs an admin."""

    confirm: list[StopName] = Field(default=[], max_length=256)


class SetRoute(Confirming):
    """Creates or replaces a route."""

    route: Route


class RouteParams(Confirming):
    """One route."""

    route_id: RouteId


class RouteEnabled(RouteParams):
    """On or off."""

    enabled: bool


class RoutePriority(RouteParams):
    """Higher wins; null is the source's default."""

    priority: int | None = Field(ge=0, le=1000)


class SetBlending(Confirming):
    """How rivals for one field are combined."""

    blending: Blending


class ReplaceRoutes(Confirming):
    """All routes, and how rivals are combined."""

    file: RouteFile


class OutputParams(Request):
    """One field: "tracks.linear"."""

    output: str = Field(pattern=r"^[A-Za-z0-9_.]{1,129}$")


class PreviewRoute(Request):
    """What one route would make of these inputs; nothing is saved or moved."""

    route: Route
    values: dict[str, FiniteNumber] = Field(default={}, max_length=256)


class PreviewField(Reply):
    """One field of a preview."""

    target: str
    field: str
    unit: str
    value: float  # after all limits but the rate
    asked: float  # before clamp and limits
    clamped: bool


class Preview(Reply):
    """The reply; `missing` are inputs of the route that were not given."""

    fields: list[PreviewField]
    estop: bool  # it would raise the e-stop
    missing: list[str] = []


class PreviewCurve(Request):
    """What one mapping of a route makes of a range of inputs; nothing is saved."""

    route: Route
    index: int = Field(ge=0, le=127)  # of the mapping
    low: FiniteNumber = -1.0
    high: FiniteNumber = 1.0
    steps: int = Field(default=64, ge=2, le=128)


class Curve(Reply):
    """The reply: pairs of input and output, both ends and every bend among them."""

    target: str
    field: str
    unit: str
    limits: tuple[float, float]  # of the field
    points: list[tuple[float, float]]


class TakeControl(Request):
    """A target for one source alone. Asking again renews it."""

    target: Target
    holder: str = Field(min_length=1, max_length=128)  # a source's name: "websocket:panel"
    timeout_ms: int = Field(default=5000, ge=200, le=600_000)  # of the holder's silence


class ReleaseControl(Request):
    """The target for everybody again; `force` takes it from another."""

    target: Target
    holder: str = Field(default="", max_length=128)
    force: bool = False


class EStopRequest(Request):
    """Raises the latch, or adds a press to it; one that cannot be read does so too."""

    source: str
    reason: str = ""

    @classmethod
    def of_unsound(cls) -> Self:
        """Return the stop for a body that is not sound."""
        return cls(source="unknown", reason="a request for the stop that could not be read")


class EStopClear(Request):
    """Refused when another press came after the `generation` that was seen."""

    source: str
    generation: int = Field(strict=True, ge=0)  # of the latch as it was seen (GET /status)


def _switched(params: RouteEnabled, _: RouteInfo) -> str:
    return f"Route {params.route_id} was switched {'on' if params.enabled else 'off'}"


def _prioritized(params: RoutePriority, _: RouteInfo) -> str:
    told = "its source's" if params.priority is None else params.priority
    return f"The priority of route {params.route_id} is {told} now"


def _replaced(params: ReplaceRoutes, _: RouteList) -> str:
    return f"All routes were replaced: {len(params.file.routes)} now"


ROWS = Rows("router", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR
CONFIRMING = ("confirm",)

# fmt: off
GET_STATUS = _row(
    "get_status", "GET", "/status", Nothing, RouterStatus,
    "Outputs with their reasons, sources, the latch, who has exclusive control.",
)
GET_OUTPUT = _row(
    "get_output", "GET", "/outputs/{output}", OutputParams, FieldOutput,
    "Why one field has its value.",
)
LIST_ROUTES = _row("list_routes", "GET", "/routes", Nothing, RouteList, "All routes.")
REPLACE_ROUTES = _row(
    "replace_routes", "PUT", "/routes", ReplaceRoutes, RouteList,
    "Puts these routes in the place of all others, or none when one of them is at fault.",
    level=_OPERATOR, log=_replaced, body="file", query=CONFIRMING, is_action=False,
)
CHECK_ROUTES = _row(
    "check_routes", "POST", "/routes/check", RouteFile, Done,
    "Whether these routes could take the place of all others.", is_action=False,
)
SET_ROUTE = _row(
    "set_route", "PUT", "/routes/{route.id}", SetRoute, RouteInfo,
    "Creates or replaces a route; the router checks it against the roles.",
    level=_OPERATOR, log="Route {route.id} was saved", body="route", query=CONFIRMING,
)
DELETE_ROUTE = _row(
    "delete_route", "DELETE", "/routes/{route_id}", RouteParams, Done, "Removes a route.",
    level=_OPERATOR, log="Route {route_id} was deleted", query=CONFIRMING,
)
SET_ROUTE_ENABLED = _row(
    "set_route_enabled", "POST", "/routes/{route_id}/enabled", RouteEnabled, RouteInfo,
    "On or off.",
    level=_OPERATOR, log=_switched, query=CONFIRMING,
)
SET_ROUTE_PRIORITY = _row(
    "set_route_priority", "POST", "/routes/{route_id}/priority", RoutePriority, RouteInfo,
    "Who wins against whom.",
    level=_OPERATOR, log=_prioritized, query=CONFIRMING,
)
SET_BLENDING = _row(
    "set_blending", "PUT", "/blending", SetBlending, Blending,
    "How rivals are combined, cross-fade and time-outs.",
    level=_OPERATOR, log="Rivals are combined by {reply.mode} now", body="blending",
    query=CONFIRMING,
)
PREVIEW_ROUTE = _row(
    "preview_route", "POST", "/preview", PreviewRoute, Preview,
    "Input -> output of a route that is not saved.",
)
PREVIEW_CURVE = _row(
    "preview_curve", "POST", "/preview/curve", PreviewCurve, Curve,
    "The line of one mapping: what it makes of a range of inputs.",
)
TAKE_CONTROL = _row(  # webd names the holder itself
    "take_control", "POST", "/control/take", TakeControl, RouterStatus,
    "A target for one source alone.",
    level=_OPERATOR, log="Exclusive control of {target} was taken", is_action=False,
)
RELEASE_CONTROL = _row(
    "release_control", "POST", "/control/release", ReleaseControl, RouterStatus,
    "A target for everybody again.",
    level=_OPERATOR, log="Exclusive control of {target} was released", is_action=False,
)
# The activity log tells of the latch itself, whoever has changed it.
ESTOP = _row(
    "estop", "POST", "/estop", EStopRequest, EStopInfo, "Stops the robot.",
    log=lambda *_: "", is_action=False,
)
CLEAR_ESTOP = _row(
    "clear_estop", "POST", "/estop/clear", EStopClear, EStopInfo,
    "Clears the presses that were seen.",
    level=_OPERATOR, log=lambda *_: "", is_action=False,
)
REGISTER_WRITER = _row(
    "register_writer", "POST", "/writers", WriterRequest, WriterReply,
    "Registers who writes inputs, for as long as the connection is open.",
    level=Level.ADMIN, limit_s=3.0, is_action=False, is_local=True, is_stream=True,
)


class LimitedField(Reply):
    """One field of a command that asked for more than the robot may do."""

    field: str
    asked: float
    limited_to: float
    unit: str
    text: str


class CommandReply(Reply):
    """The command is on its way to the router; the topics show what comes of it."""

    limited: list[LimitedField] = []
