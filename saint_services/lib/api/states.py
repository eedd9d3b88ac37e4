"""The states of webd's topics as models: what a subscriber may rely on. A part is missing until
it was heard; a number that nobody can know (a sensor that is not there) is null. The documents of
the API and the client are made of these; not here: how a state comes about (webd/topics/views.py).
"""

from typing import Literal

from ..ipc.wire import ErrorReply
from . import Reply
from .adoption import NodeInfo, RoleChoice, UnknownDevice
from .firmware import MachineFirmware, Release, RolloutPlan
from .routing import StopOutcome

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
    age_ms: int | None = None  # of what it said last, but for the gripper
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


class ConsoleInputState(Reply):
    """The last thing that was done at the console."""

    time: float  # seconds since 1970
    control: str
    event: str
    value: Value


class ConsoleOverrideState(Reply):
    """The last override that the console asked for."""

    time: float
    target: str
    action: str


class ConsoleDisplayState(Reply):
    """What it shows."""

    lines: list[str]
    duration_s: Value


class ConsoleState(Reply):
    """Topic "console"."""

    input: ConsoleInputState | None = None
    override: ConsoleOverrideState | None = None
    display: ConsoleDisplayState | None = None


class SourceState(Reply):
    """One input source; its values by name."""

    sequence: int
    age_ms: int
    alive: bool
    failsafe: bool
    rate_hz: float
    values: dict[str, Value]


class NamedSource(SourceState):
    """A LiveLink subject, a client, a program."""

    subject: str


class ChannelState(Reply):
    """One RC channel; `normalized` runs from -1 to 1."""

    channel: int
    raw: int
    normalized: Value


class RcState(Reply):
    """The receiver and the newest of its samples; each part only after it was heard."""

    sequence: int | None = None
    age_ms: int | None = None
    alive: bool | None = None
    failsafe: bool | None = None
    told: bool = False  # its newest sample says that the signal is lost
    rate_hz: float | None = None
    values: dict[str, Value] = {}
    connected: bool | None = None
    protocol: str = ""
    rssi: Value = None
    frame_rate_hz: float | None = None
    channels: list[ChannelState] = []
    receiver_age_ms: int | None = None


class ClientState(Reply):
    """A WebSocket that is open now."""

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
    """A route that wanted the field and did not get it."""

    route: str
    source: str
    value: Value
    age_ms: int | None
    reason: str


class FieldState(Reply):
    """One output field and why it has its value."""

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
    """Topic "nodes"; `problem` is why adoptiond does not answer."""

    nodes: list[NodeInfo]
    strangers: list[UnknownDevice]  # heard, but no node of this robot; each with the reason
    robot: str
    roles: list[RoleChoice]
    problem: ErrorReply | None


class FirmwareState(Reply):
    """Topic "firmware"; `problem` is why otad does not answer."""

    robot_version: str = ""
    versions: list[str] = []
    releases: list[Release] = []
    machines: list[MachineFirmware] = []
    plan: RolloutPlan | None = None
    updates_off: str = ""
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
    generation: int  # a clear names the one that was seen
    presses: list[PressState] = []  # the first and the newest, oldest first
    more: int = 0  # presses after the first that the list has no room for
    confirmed: bool = False  # every target is stopped, made safe by the guard, or absent
    outcomes: list[StopOutcome] = []  # of the newest press, by target; empty while not active


class SystemState(Reply):
    """Topic "system", twice a second in any case; `estop` is null while no router was heard."""

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


class LogEntry(Reply):
    """One line of the activity log."""

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
    "console": ConsoleState,
    "system": SystemState,
    "log": LogState,
}
