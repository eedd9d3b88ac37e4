"""The newest message of each kind, as received from the bus."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...lib.api.adoption import NodeList, RoleList
from ...lib.api.firmware import FirmwareReport
from ...lib.api.routing import EStopInfo
from ...lib.bus import Sample
from ...lib.errors import SaintError
from ...lib.generated.nav_msgs import Odometry
from ...lib.generated.saint_msgs import (
    ArmState,
    ConsoleDisplay,
    ConsoleInput,
    ConsoleOverride,
    EStop,
    GripperState,
    HeadExpression,
    HeadSensors,
    HeadState,
    InputSample,
    LegsState,
    MotorCurrent,
    PartState,
    RCReceiverState,
    RouteStatus,
    StopOutcomes,
    SystemStatus,
    TrackState,
    WagonState,
)
from .node_history import NodeHistories

MOST_SOURCES = 64
FORGET_S = 60.0  # a source that is silent for so long is no longer shown
ARMS = ("left", "right")


@dataclass(slots=True)
class NewestInput:
    """One input source: its newest sample and its rate."""

    names: Sequence[str]
    values: Sequence[float]
    sequence: int
    failsafe: bool
    received_s: float
    rate_hz: float = 0.0
    samples: int = 0

    def update(self, sample: Sample[InputSample]) -> None:
        """Store a newer sample; the rate is an average over about a second."""
        message = sample.message
        gap = sample.received_s - self.received_s
        if gap > 0:
            share = min(1.0, gap)
            self.rate_hz += share * (1.0 / gap - self.rate_hz) if self.samples > 1 else 1.0 / gap
        self.names, self.values = message.names, message.values
        self.sequence, self.failsafe = message.sequence, message.failsafe
        self.received_s = sample.received_s
        self.samples += 1


@dataclass(slots=True)
class ArmStates:
    """Newest states of one arm."""

    state: ArmState | None = None
    received_s: float = 0.0  # of its state
    gripper: GripperState | None = None


@dataclass(slots=True)
class NewestParts:
    """The newest state of a role's parts."""

    state: PartState
    received_s: float


@dataclass(slots=True)
class Newest:
    """All newest messages; None: nothing was received yet."""

    head: HeadState | None = None
    expression: HeadExpression | None = None
    head_sensors: HeadSensors | None = None
    arms: dict[str, ArmStates] = field(default_factory=lambda: {name: ArmStates() for name in ARMS})
    parts: dict[str, NewestParts] = field(default_factory=dict)  # by target
    tracks: TrackState | None = None
    odometry: Odometry | None = None
    motor_current: MotorCurrent | None = None
    legs: LegsState | None = None
    rc: RCReceiverState | None = None
    rc_received_s: float = 0.0
    sources: dict[str, NewestInput] = field(default_factory=dict)
    router: RouteStatus | None = None
    router_received_s: float = 0.0
    estop: EStop | None = None
    estop_answered: EStopInfo | None = None  # the router's answer to a press, before the topic's
    wagon: WagonState | None = None
    wagon_odometry: Odometry | None = None
    outcomes: StopOutcomes | None = None
    system: SystemStatus | None = None
    system_received_s: float = 0.0
    console_input: ConsoleInput | None = None
    console_override: ConsoleOverride | None = None
    console_display: ConsoleDisplay | None = None
    nodes: NodeList | None = None
    roles: RoleList | None = None
    node_history: NodeHistories = field(default_factory=NodeHistories)
    nodes_problem: SaintError | None = None
    firmware: FirmwareReport | None = None
    firmware_problem: SaintError | None = None
    addresses_problem: str = ""
    counters: Counter[str] = field(default_factory=Counter)

    def holders(self) -> dict[str, str]:
        """Return the node of each target that has one."""
        roles = self.roles.roles if self.roles else []
        return {f"{r.role}.{r.instance}".rstrip("."): r.node_id for r in roles if r.node_id}

    def drop(self, name: str) -> None:
        """Drop the state of a topic that has no subscribers, so is not updated."""
        if name == "head":
            self.head = self.expression = self.head_sensors = None
        elif name == "arms":
            self.arms.update({side: ArmStates() for side in ARMS})
        elif name == "parts":
            self.parts.clear()
        elif name == "legs":
            self.legs = None
        elif name == "tracks":
            self.tracks = self.odometry = self.motor_current = None
        elif name == "wagon":
            self.wagon = self.wagon_odometry = None

    def add(self, sample: Sample[InputSample]) -> bool:
        """Store an input sample; return whether its source is new. Too many sources are ignored."""
        name = sample.message.source
        known = self.sources.get(name)
        if known is None:
            if len(self.sources) >= MOST_SOURCES or len(name) > 128:
                self.counters["sources_not_kept"] += 1
                return False
            known = NewestInput((), (), 0, False, sample.received_s)
            self.sources[name] = known
            known.update(sample)
            return True
        known.update(sample)
        return False

    def forget(self, now_s: float) -> list[str]:
        """Drop the sources that timed out long ago; return their names."""
        gone = [n for n, s in self.sources.items() if now_s - s.received_s > FORGET_S]
        for name in gone:
            del self.sources[name]
        return gone
