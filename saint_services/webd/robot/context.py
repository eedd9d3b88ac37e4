"""What the actions work on: the roles of this robot, the doors to the other daemons, the
publishers, and what was heard. Wiring only.
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
from ..logic import Values
from ..tls.encryption import Trust
from ..topics.hub import Hub
from ..topics.newest import Newest
from ..topics.trends import Trends
from ..upkeep.wiring import Upkeep
from . import latch
from .daemon_clients import Daemons
from .goals import Goals
from .roles import Roles

REPEAT_S = 0.1  # of goals; a third of the router's time-out for clients
STALL_S = 0.3  # that time-out: a command that may have waited for longer is not obeyed
# Connections that waited for a stall to end are accepted in one turn and read in the next ones.
STALL_SETTLE_S = 0.25


class OpenClients(Protocol):
    """The WebSockets that are open."""

    def data(self, now_s: float) -> list[dict[str, Any]]: ...

    def end(self, client_id: str, reason: str) -> bool: ...


@dataclass(slots=True)
class Robot:
    """Everything that an action may need."""

    roles: Roles
    daemons: Daemons
    bus: Bus
    newest: Newest
    log: ActivityLog
    hub: Hub
    samples: InputPublisher[InputSample]
    stop: Publisher[Bool]
    camera: Publisher[Bool]
    vault: Vault
    audit: AuditFile
    goals: Goals = field(default_factory=Goals)
    stalls: StallWatch = field(default_factory=lambda: StallWatch(STALL_S, STALL_SETTLE_S))
    trends: Trends = field(default_factory=Trends)
    clients: OpenClients | None = None  # None: before the site is open
    upkeep: Upkeep = field(init=False)  # set before the site is open
    trust: Trust = field(init=False)  # likewise
    entries: AuditSocket = field(init=False)  # likewise
    on_sent: Callable[[InputSample], None] | None = None  # somebody looks at the inputs
    # Rises for every source, also over a restart of webd: it starts at the wall clock.
    sequence: "itertools.count[int]" = field(
        default_factory=lambda: itertools.count(time.time_ns() // 1000)
    )

    @classmethod
    def on(
        cls,
        bus: Bus,
        samples: InputPublisher[InputSample],
        roles: Roles,
        daemons: Daemons,
        newest: Newest,
        hub: Hub,
        log: ActivityLog,
        state: Path,
    ) -> "Robot":
        """Opens the publishers."""
        stop = bus.publisher(topics.TRACKS_ESTOP)
        camera = bus.publisher(topics.HEAD_CAMERA_CMD)
        vault, audit = Vault(state), AuditFile(state)
        return cls(roles, daemons, bus, newest, log, hub, samples, stop, camera, vault, audit)

    def rename(self, name: str) -> None:
        """As people call it."""
        self.roles = replace(self.roles, name=name)
        self.hub.changed("system")

    def send(self, source: str, target: str, values: Values) -> None:
        """One new sample of a client."""
        sample = InputSample(
            stamp=stamp(),
            source=source,
            sequence=next(self.sequence),
            target=target,
            names=tuple(values),
            values=tuple(values.values()),
        )
        self.samples.publish(sample)
        if self.on_sent:
            self.on_sent(sample)

    def aim(self, source: str, role: RoleConfig, values: Values) -> None:
        """Positions that a client wants to be reached; sent again until they must be."""
        is_idle = not self.goals
        self.goals.add(source, role, values, monotonic_s())
        self.send(source, role.target, values)
        if is_idle and self.goals:
            asyncio.get_running_loop().call_later(REPEAT_S, self._repeat)

    def _repeat(self) -> None:
        now_s = monotonic_s()
        if self.stalls.is_stalled(now_s) or latch.problem(self.newest, now_s):
            self.goals.clear()  # nobody can say that they are still wanted
        for goal in self.goals.due(monotonic_s()):
            self.send(*goal)
        if self.goals:
            asyncio.get_running_loop().call_later(REPEAT_S, self._repeat)

    def note(self, level: str, source: str, text: str) -> None:
        """A line in the activity log."""
        self.note_all([Event(level, source, text)])

    def note_all(self, events: list[Event]) -> None:
        """Lines in the activity log."""
        for event in events:
            now_s = wall_s()
            if self.log.add(event, now_s):
                self.audit.add(
                    AuditRecord(now_s, source=event.source, text=event.text, severity=event.level)
                )
        if events:
            self.hub.changed("log")

    def heard(self, entry: AuditRecord) -> None:
        """Another daemon has carried a request out, or refused it."""
        self.audit.add(entry)
        if entry.text:
            self.log.add(Event(entry.severity, entry.source, entry.text), entry.time_s)
            self.hub.changed("log")
