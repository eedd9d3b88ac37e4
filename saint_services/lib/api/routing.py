"""routerd's socket: routes, presets, outputs with their reasons, exclusive control, the e-stop."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field

from . import Reply, Request

SourceClass = Literal["rc", "websocket", "livelink", "autonomous", "leader", "safety"]
Mode = Literal["priority", "blend", "additive"]
TimeoutMs = Annotated[int, Field(ge=20, le=10_000)]
PresetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
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

    id: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
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

    mode: Mode = "priority"
    fields: dict[str, Mode] = {}  # another mode for "head.pan"
    blend_time_ms: int = Field(default=200, ge=0, le=10_000)  # cross-fade when control changes
    # A source that is silent for longer is lost; for all classes or by class. None: by class,
    # rc 120, websocket, autonomous, leader and safety 300, livelink 500.
    source_timeout_ms: TimeoutMs | dict[SourceClass, TimeoutMs] | None = None
    # How long a source that was lost must be steady again before it takes a field from another.
    hysteresis_ms: int = Field(default=200, ge=0, le=5000)


class RouteFile(Request):
    """A routes YAML: presets and the saved routes have this form. PUT /routes puts them in the
    place of all others, POST /routes/check only tells whether that could be.
    """

    routes: list[Route] = []
    blending: Blending = Blending()


class RoutesText(Reply):
    """All routes as a RouteFile in YAML."""

    yaml: str
    routes: int


UNKNOWN_AGE_MS: Final = 0xFFFFFFFF  # of FieldStatus and RivalStatus; None in replies
LONGEST_AGE_MS: Final = UNKNOWN_AGE_MS - 1  # 49 days, or more


class Rival(Reply):
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
    rivals: list[Rival] = []


class SourceInfo(Reply):
    """One input source as the router sees it."""

    source: str
    age_ms: int
    alive: bool
    failsafe: bool
    rate_hz: float
    values: dict[str, float]


class EStopPress(Reply):
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
    presses: list[EStopPress] = []  # the first and the newest, oldest first
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
    """GET /status"""

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
    """GET /routes, PUT /routes"""

    routes: list[RouteInfo]
    blending: Blending


class SetEnabled(Request):
    """POST /routes/{id}/enabled"""

    enabled: bool


class SetPriority(Request):
    """POST /routes/{id}/priority; null is the source class's default."""

    priority: int | None = Field(ge=0, le=1000)


class PresetInfo(Reply):
    """One preset."""

    name: str
    is_shipped: bool  # cannot be changed or deleted
    routes: int
    fault: str = ""  # why it cannot be loaded on this robot


class PresetList(Reply):
    """GET /presets; `loaded` is the one that is in force, empty when routes were edited since."""

    presets: list[PresetInfo]
    loaded: str = ""


class SavePreset(Request):
    """PUT /presets/{name}: the routes in force where they are not given."""

    routes: list[Route] | None = Field(default=None, max_length=128)
    blending: Blending | None = None


class PreviewRequest(Request):
    """POST /preview: what a route would make of these inputs; nothing is saved or moved."""

    route: Route
    values: dict[str, float] = Field(default={}, max_length=256)


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


class CurveRequest(Request):
    """POST /preview/curve: what one mapping alone makes of a range of inputs."""

    route: Route
    index: int = Field(ge=0, le=127)  # of the mapping
    low: float = Field(default=-1.0, ge=-1e6, le=1e6)
    high: float = Field(default=1.0, ge=-1e6, le=1e6)
    steps: int = Field(default=64, ge=2, le=128)


class Curve(Reply):
    """The reply: pairs of input and output, both ends and every bend among them."""

    target: str
    field: str
    unit: str
    limits: tuple[float, float]  # of the field
    points: list[tuple[float, float]]


class TakeControl(Request):
    """POST /control/take: a target for one source alone. Asking again renews it."""

    target: Target
    holder: str = Field(min_length=1, max_length=128)  # a source's name: "websocket:panel"
    timeout_ms: int = Field(default=5000, ge=200, le=600_000)  # of the holder's silence


class ReleaseControl(Request):
    """POST /control/release; `force` takes it from another."""

    target: Target
    holder: str = Field(default="", max_length=128)
    force: bool = False


class EStopRequest(Request):
    """POST /estop: raises the latch, or adds a press to it."""

    source: str
    reason: str = ""


class StopRequest(EStopRequest):
    """POST /estop. One that cannot be read stops the robot all the same."""

    @classmethod
    def of_unsound(cls) -> Self:
        """Return the stop for a body that is not sound."""
        return cls(source="unknown", reason="a request for the stop that could not be read")


class EStopClear(Request):
    """POST /estop/clear. Refused when another press came after the `generation` that was seen."""

    source: str
    generation: int = Field(strict=True, ge=0)  # of the latch as it was seen (GET /status)
