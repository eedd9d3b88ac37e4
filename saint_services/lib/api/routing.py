"""routerd's socket: routes, outputs with their reasons, the e-stop."""

from typing import Literal

from pydantic import Field

from . import Reply, Request


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

    source: Literal["rc", "websocket", "livelink", "autonomous"]
    subject: str = "*"  # livelink: subject name; autonomous: program; * is any
    type: str = ""  # livelink: "face", "animation", "transform", "camera"; empty is any
    protocol: str = ""  # rc: for people only
    command_types: list[str] = []  # websocket: actions let through; empty is all


class RouteOutput(Request):
    """Which target a route drives: head, arms.left, arms.right, tracks, or * for any."""

    target: str


class Route(Request):
    """One route, in the specification's form."""

    id: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    enabled: bool = True
    priority: int | None = Field(default=None, ge=0, le=1000)  # None: the source class's default
    input: RouteInput
    output: RouteOutput
    mapping: list[Mapping] | Literal["passthrough"]
    timeout_ms: int | None = Field(default=None, ge=20, le=10_000)  # None: the class's default


class Blending(Request):
    """How rivals for one field are combined. Only "priority" is built so far."""

    mode: Literal["priority"] = "priority"
    blend_time_ms: int = Field(default=200, ge=0, le=10_000)
    source_timeout_ms: int = Field(default=500, ge=20, le=10_000)


class RouteFile(Request):
    """A routes YAML: presets and the saved routes have this form."""

    routes: list[Route]
    blending: Blending = Blending()


class Rival(Reply):
    """A route that wanted the field and did not get it."""

    route: str
    source: str
    value: float
    age_ms: int
    reason: str


class FieldOutput(Reply):
    """One output field and why it has its value."""

    target: str
    field: str
    unit: str
    value: float
    winner: str  # route id; empty: nobody, the policy is in force
    source: str
    age_ms: int
    policy: Literal["live", "hold", "ramp_to_zero", "neutral", "estop"]
    clamped: bool
    changed_ms: int
    rivals: list[Rival] = []


class SourceInfo(Reply):
    """One input source as the router sees it."""

    source: str
    age_ms: int
    alive: bool
    failsafe: bool
    rate_hz: float
    values: dict[str, float]


class EStopInfo(Reply):
    """The latch."""

    active: bool
    source: str = ""
    reason: str = ""
    since: str = ""  # ISO 8601, UTC


class RouterStatus(Reply):
    """GET /status"""

    state: Literal["idle", "routing", "blending", "estop"]
    estop: EStopInfo
    outputs: list[FieldOutput]
    sources: list[SourceInfo]
    samples: int  # accepted since start
    refused: dict[str, int]  # by reason


class RouteInfo(Reply):
    """A route and whether it does anything now."""

    route: Route
    status: Literal["active", "standby", "disabled"]


class RouteList(Reply):
    """GET /routes"""

    routes: list[RouteInfo]
    blending: Blending


class SetEnabled(Request):
    """POST /routes/{id}/enabled"""

    enabled: bool


class EStopRequest(Request):
    """POST /estop (raise) and POST /estop/clear"""

    source: str
    reason: str = ""
