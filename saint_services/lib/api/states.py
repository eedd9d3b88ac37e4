"""The states of webd's topics as models. A part is missing until it is received; a value that
cannot be known (a missing sensor) is null. Used by the API documents and the client. Not here: how
a state is made (webd/topics/views.py).
"""

from typing import Literal

from ..ipc.wire import ErrorReply
from . import Reply
from .adoption import NodeInfo, RoleChoice, UnknownDevice
from .firmware import MachineFirmware, Release, RolloutPlan
from .routing import StopOutcomeInfo
from .update_policy import SourceStatus, UpdatePolicy
from .wagon import WagonInfo

Value = float | None


class HeadState(Reply):
    """Topic "head": degrees, ratios, metres, lux, degrees Celsius."""

    pan: Value = None
    tilt: Value = None
    roll: Value = None
    camera_active: bool | None = None
    jaw: Value = None
    eye_pan: Value = None
    eye_tilt: Value = None
    proximity: Value = None
    ambient_light: Value = None
    temperature: Value = None


class GripperState(Reply):
    """0 is closed, 1 is open; newtons."""

    position: Value
    force: Value
    moving: bool
    holding: bool


class OneArm(Reply):
    """Degrees, joint_0 first."""

    joint_positions: list[Value] = []
    joint_velocities: list[Value] = []
    joint_efforts: list[Value] = []
    in_motion: bool = False
    error_state: bool = False
    error_message: str = ""
    age_ms: int | None = None  # of the newest arm state, without the gripper
    gripper: GripperState | None = None


class ArmsState(Reply):
    """Topic "arms"."""

    left: OneArm | None = None
    right: OneArm | None = None


class OdometryState(Reply):
    """Metres, radians, m/s, rad/s."""

    x: Value
    y: Value
    heading: Value
    linear: Value
    angular: Value


class TracksState(Reply):
    """Topic "tracks": m/s and amperes."""

    left_velocity: Value = None
    right_velocity: Value = None
    left_current: Value = None
    right_current: Value = None
    estop_active: bool | None = None
    motors_enabled: bool | None = None
    odom: OdometryState | None = None


class WagonTopic(WagonInfo):
    """Topic "wagon": its state and the odometry."""

    odom: OdometryState | None = None


class LegsAlert(Reply):
    """An alert as a walking controller reports it: severity 0 is critical, 1 a warning."""

    id: int
    severity: int
    value: int
    threshold: int


class LegsState(Reply):
    """Topic "legs": m/s, rad/s, volts, percent, degrees Celsius, amperes, joints in radians."""

    mode: str  # damp, stand, balance, move, fault
    reported: str  # by the controller; empty without a report
    requested: str
    reason: str  # why the mode is not the requested one
    vx: Value
    vy: Value
    vyaw: Value
    report_age_ms: int | None = None
    gravity: list[Value]  # unit vector; upright is 0, 0, -1
    gait_phase: Value
    battery_voltage: Value
    battery_percent: Value
    hottest_joint: Value
    largest_current: Value
    joints: dict[str, Value]
    # Of the joints in their order, rad/s, A and °C; empty: not reported.
    velocities: list[Value] = []
    currents: list[Value] = []
    temperatures: list[Value] = []
    angular_velocity: list[Value] = []  # of the body, rad/s
    orientation: list[Value] = []  # quaternion w, x, y, z; empty: not reported
    battery_current: Value = None  # positive while it discharges
    hottest_cell: Value = None
    protection_flags: int = 0  # of the battery's electronics
    alerts: list[str]
    error_flags: int = 0  # faults that the controller has latched
    active_alerts: list[LegsAlert] = []
    estop_active: bool


class PartReading(Reply):
    """A number with its unit: a part as applied, or what a sensor measures."""

    value: Value
    unit: str


class RolePartsState(Reply):
    """The parts of one role by name."""

    outputs: dict[str, PartReading]
    sensors: dict[str, PartReading]
    age_ms: int


class PartsState(Reply):
    """Topic "parts": by target, "parts.face", and "head" for parts beside its own fields."""

    targets: dict[str, RolePartsState] = {}


class ConsoleInputState(Reply):
    """The last input at the console."""

    time: float  # seconds since 1970
    control: str
    event: str
    value: Value


class ConsoleOverrideState(Reply):
    """The last override that the console requested."""

    time: float
    target: str
    action: str


class ConsoleDisplayState(Reply):
    """The text on the console's display."""

    lines: list[str]
    duration_s: Value


class ConsoleState(Reply):
    """Topic "console"."""

    input: ConsoleInputState | None = None
    override: ConsoleOverrideState | None = None
    display: ConsoleDisplayState | None = None


class SourceState(Reply):
    """An input source with its values by name."""

    sequence: int
    age_ms: int
    alive: bool
    failsafe: bool
    rate_hz: float
    values: dict[str, Value]


class NamedSource(SourceState):
    """A LiveLink subject, a WebSocket client or a program."""

    subject: str


class ChannelState(Reply):
    """An RC channel; `normalized` is -1 to 1."""

    channel: int
    raw: int
    normalized: Value


class RcState(Reply):
    """The RC receiver and its newest sample; a part is missing until it is received."""

    sequence: int | None = None
    age_ms: int | None = None
    alive: bool | None = None
    failsafe: bool | None = None
    told: bool = False  # the newest sample reports a lost signal
    rate_hz: float | None = None
    values: dict[str, Value] = {}
    connected: bool | None = None
    protocol: str = ""
    rssi: Value = None
    frame_rate_hz: float | None = None
    channels: list[ChannelState] = []
    receiver_age_ms: int | None = None


class ClientState(Reply):
    """An open WebSocket."""

    client_id: str
    address: str
    user: str  # name of the user or the token
    level: str
    topics: list[str]
    commands: int
    messages_per_s: float  # of the last whole second
    connected_s: int


class InputsState(Reply):
    """Topic "inputs"."""

    rc: RcState | None
    livelink: list[NamedSource]
    autonomous: list[NamedSource]
    websocket: list[NamedSource]
    clients: list[ClientState]


class ContenderState(Reply):
    """A route that requests the field but does not drive it."""

    route: str
    source: str
    value: Value
    age_ms: int | None
    reason: str


class FieldState(Reply):
    """An output field and the reason for its value."""

    target: str
    field: str
    unit: str
    value: Value
    winner: str
    source: str
    age_ms: int | None
    policy: str
    clamped: bool
    changed_ms: int
    rivals: list[ContenderState]


class OutputsState(Reply):
    """Topic "outputs"."""

    state: str
    estop: bool
    stop_switches: list[str] = []  # as in the router's status
    fields: list[FieldState]


class NodesState(Reply):
    """Topic "nodes"; `problem` is why adoptiond cannot be reached."""

    nodes: list[NodeInfo]
    strangers: list[UnknownDevice]  # devices that are not nodes of this robot, each with the reason
    robot: str
    roles: list[RoleChoice]
    problem: ErrorReply | None


class FirmwareState(Reply):
    """Topic "firmware"; `problem` is why otad cannot be reached."""

    robot_version: str = ""
    versions: list[str] = []
    releases: list[Release] = []
    machines: list[MachineFirmware] = []
    plan: RolloutPlan | None = None
    updated_s: float = 0.0
    updates_off: str = ""
    offers_closed: str = ""
    policy: UpdatePolicy | None = None
    source: SourceStatus = SourceStatus()
    problem: ErrorReply | None


class PressState(Reply):
    """One request to stop."""

    source: str
    reason: str
    since: float | None  # seconds since 1970


class LatchState(Reply):
    """The e-stop latch; `source`, `reason` and `since` are those of the first press."""

    active: bool
    source: str
    reason: str
    since: float | None  # seconds since 1970
    generation: int  # a clear names the generation that the client has seen
    presses: list[PressState] = []  # the first and the newest, oldest first
    more: int = 0  # presses omitted after the first of the list
    confirmed: bool = False  # every target is stopped, made safe by the guard, or absent
    outcomes: list[StopOutcomeInfo] = []  # of the newest press, by target; empty while not active


class SystemState(Reply):
    """Topic "system", at least twice per second; `estop` is null until the router is received."""

    estop: LatchState | None
    router_age_ms: int | None
    adoption_age_ms: int | None
    server_name: str = ""
    version: str = ""
    uptime_seconds: int | None = None
    cpu_usage: Value = None
    memory_usage: Value = None
    cpu_temp: Value = None
    nodes_active: int | None = None
    nodes_offline: int | None = None
    nodes_unadopted: int | None = None
    clients: int | None = None
    problems: list[str] = []  # of the server itself


class LogEntry(Reply):
    """A line of the activity log."""

    number: int
    time: float  # seconds since 1970
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"]
    source: str
    text: str


class LogState(Reply):
    """Topic "log": the newest lines of the activity log."""

    entries: list[LogEntry]


STATES: dict[str, type[Reply]] = {
    "nodes": NodesState,
    "firmware": FirmwareState,
    "inputs": InputsState,
    "outputs": OutputsState,
    "head": HeadState,
    "arms": ArmsState,
    "tracks": TracksState,
    "wagon": WagonTopic,
    "parts": PartsState,
    "legs": LegsState,
    "console": ConsoleState,
    "system": SystemState,
    "log": LogState,
}
