"""What the actions work on: the robot's roles, the clients of the other daemons, publishers, logs
and newest states. It only connects them.
"""

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from ...lib.access.audit import AuditRecord
from ...lib.bus import Bus, Publisher
from ...lib.bus.input_writer import InputPublisher
from ...lib.clock import monotonic_s, stamp, wall_s
from ...lib.generated import topics
from ...lib.generated.saint_msgs import InputSample
from ...lib.generated.std_msgs import Bool
from ...lib.role_config.model import RoleConfig
from ...lib.stall import StallWatch
from ..accounts.vault import Vault
from ..audit.activity import ActivityLog, Event
from ..audit.audit_file import AuditFile
from ..audit.audit_socket import AuditSocket
from ..audit.record import Repeats
from ..logic import Values
from ..programs.programs import Programs
from ..tls.encryption import Encryption
from ..topics.hub import Hub
from ..topics.newest import Newest
from ..topics.trends import Trends
from ..upkeep.wiring import Upkeep
from . import latch
from .daemon_clients import DaemonClients
from .goals import Goals
from .hands import Hands
from .links import RobotLinks
from .roles import Roles

REPEAT_S = 0.1  # of goals; a third of the router's time-out for clients
STALL_S = 0.3  # that time-out: a command that may have waited for longer is not obeyed
# Connections that waited for a stall to end are accepted in one turn and read in the next ones.
STALL_SETTLE_S = 0.25


class OpenClients(Protocol):
    """The open WebSockets."""

    def data(self, now_s: float) -> list[dict[str, Any]]: ...

    def end(self, client_id: str, reason: str) -> bool: ...


@dataclass(slots=True)
class RobotContext:
    """Everything that an action may need."""

    roles: Roles
    daemons: DaemonClients
    bus: Bus
    newest: Newest
    log: ActivityLog
    hub: Hub
    samples: InputPublisher[InputSample]
    autonomous: Publisher[InputSample]
    stop: Publisher[Bool]
    camera: Publisher[Bool]
    vault: Vault
    audit: AuditFile
    repeats: Repeats = field(default_factory=Repeats)  # of requests that are logged when they begin
    goals: Goals = field(default_factory=Goals)
    stalls: StallWatch = field(default_factory=lambda: StallWatch(STALL_S, STALL_SETTLE_S))
    trends: Trends = field(default_factory=Trends)
    clients: OpenClients | None = None  # None: before the site is open
    links: RobotLinks | None = None  # likewise
    upkeep: Upkeep = field(init=False)  # set before the site is open
    encryption: Encryption = field(init=False)  # likewise
    entries: AuditSocket = field(init=False)  # likewise
    programs: Programs = field(init=False)  # likewise
    hands: Hands = field(init=False)
    on_sent: Callable[[InputSample], None] | None = None  # while a client subscribes the inputs
    # Rises for every source, also over a restart of webd: it starts at the wall clock.
    sequence: "itertools.count[int]" = field(
        default_factory=lambda: itertools.count(time.time_ns() // 1000)
    )

    def __post_init__(self) -> None:
        self.hands = Hands(self.roles.body)

    @classmethod
    def on(
        cls,
        bus: Bus,
        samples: InputPublisher[InputSample],
        roles: Roles,
        daemons: DaemonClients,
        newest: Newest,
        hub: Hub,
        log: ActivityLog,
        state: Path,
    ) -> "RobotContext":
        """Open the publishers on a bus."""
        autonomous = bus.publisher(topics.INPUT_AUTONOMOUS)
        stop = bus.publisher(topics.TRACKS_ESTOP)
        camera = bus.publisher(topics.HEAD_CAMERA_CMD)
        vault, audit = Vault(state), AuditFile(state)
        return cls(
            *(roles, daemons, bus, newest, log, hub, samples, autonomous, stop, camera),
            *(vault, audit),
        )

    def rename(self, name: str) -> None:
        """Use another name for the robot."""
        self.roles = replace(self.roles, name=name)
        self.hub.changed("system")

    def send(self, source: str, target: str, values: Values) -> None:
        """Publish one new input sample of a client."""
        sample = InputSample(
            stamp=stamp(),
            source=source,
            sequence=next(self.sequence),
            target=target,
            names=tuple(values),
            values=tuple(values.values()),
        )
        if source.startswith("autonomous:"):  # a program of the owner's; the bus shows its samples
            self.autonomous.publish(sample)
            return
        self.samples.publish(sample)
        if self.on_sent:
            self.on_sent(sample)

    def aim(self, source: str, role: RoleConfig, values: Values) -> None:
        """Send positions of a client, again and again until the robot must have reached them."""
        is_idle = not self.goals
        self.goals.add(source, role, values, monotonic_s())
        self.send(source, role.target, values)
        if is_idle and self.goals:
            asyncio.get_running_loop().call_later(REPEAT_S, self._repeat)

    def _repeat(self) -> None:
        now_s = monotonic_s()
        if self.stalls.is_stalled(now_s) or latch.problem(self.newest, now_s):
            self.goals.clear()  # it is unknown whether clients still want them
        for goal in self.goals.due(monotonic_s()):
            self.send(*goal)
        if self.goals:
            asyncio.get_running_loop().call_later(REPEAT_S, self._repeat)

    def note(self, level: str, source: str, text: str) -> None:
        """Add an event of the robot to the activity log."""
        self.note_all([Event(level, source, text)])

    def note_all(self, events: list[Event]) -> None:
        """Add events of the robot to the activity log."""
        for event in events:
            now_s = wall_s()
            if self.log.add(event, now_s):
                self.audit.add(
                    AuditRecord(now_s, source=event.source, text=event.text, severity=event.level)
                )
        if events:
            self.hub.changed("log")

    def record(self, entry: AuditRecord) -> None:
        """Add an entry to the audit log, and its sentence to the activity log."""
        self.audit.add(entry)
        if entry.text:
            self.log.add(Event(entry.severity, entry.source, entry.text), entry.time_s)
            self.hub.changed("log")
