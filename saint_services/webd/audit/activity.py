"""The activity log: the events of the robot's last hours in sentences for users, found by comparing
states before and after. Not here: the daemons' own logs (lib/logs).
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...lib.access import audit
from ...lib.api.adoption import NodeInfo, NodeList, NodeState
from ...lib.generated.saint_msgs import EStop, RCReceiverState

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MOST_ENTRIES = 500
_SOURCE_NAMES = {"rc": "RC", "livelink": "LiveLink", "websocket": "Client", "autonomous": "Program"}
SAME_S = 2.0
_WORD = re.compile(r"\w+")
SHOWN = 50  # in the state of the topic "log"


@dataclass(frozen=True, slots=True)
class Event:
    """An event without a time."""

    level: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One line of the log."""

    number: int
    time: float  # seconds since 1970
    event: Event

    def data(self) -> dict[str, Any]:
        """Return the entry as JSON data."""
        event = self.event
        return {
            "number": self.number,
            "time": round(self.time, 3),
            "level": event.level,
            "source": event.source,
            "text": event.text,
        }


class ActivityLog:
    """The newest entries of the log."""

    def __init__(self) -> None:
        self._entries: deque[ActivityEntry] = deque(maxlen=MOST_ENTRIES)
        self._count = 0

    def add(self, event: Event, time: float) -> bool:
        """Add an entry; return False for one that another daemon has reported at the same time."""
        if any(e.event.text == event.text and time - e.time < SAME_S for e in self._last()):
            return False
        self._count += 1
        self._entries.append(ActivityEntry(self._count, time, event))
        return True

    def restore(self, stored: Iterable[audit.AuditRecord]) -> None:
        """Add entries that were stored before webd started, the oldest first."""
        for each in stored:
            severity = each.severity if each.severity in LEVELS else "INFO"
            self.add(Event(severity, each.source, each.text), each.time_s)

    def _last(self) -> list[ActivityEntry]:
        return [self._entries[-n] for n in range(1, min(5, len(self._entries)) + 1)]

    def newest(
        self,
        limit: int,
        offset: int = 0,
        level: str = "DEBUG",
        source: str | None = None,
        about: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return entries, newest first; `about` selects those of a node or that name it."""
        least = LEVELS.index(level)
        found = [
            entry
            for entry in reversed(self._entries)
            if LEVELS.index(entry.event.level) >= least
            and (source is None or entry.event.source == source)
            and (about is None or _is_about(entry.event, about))
        ]
        return [entry.data() for entry in found[offset : offset + limit]]


def _is_about(event: Event, name: str) -> bool:
    """Return whether an event is of a node or names it as a whole word: pi_1 is not pi_12."""
    return event.source == name or name in _WORD.findall(event.text)


def estop_events(before: EStop | None, now: EStop) -> list[Event]:
    """Return events of a latch that was raised, pressed again or cleared."""
    if now.active:
        return [] if _same(before, now) else [_press(before, now)]
    if before is not None and not before.active:
        return []
    by = source_name(now.source) or "an unknown source"
    return [Event("INFO", "router", f"Emergency stop cleared by {by}")] * (before is not None)


def _same(before: EStop | None, now: EStop) -> bool:
    return before is not None and before.active and before.generation == now.generation


def _press(before: EStop | None, now: EStop) -> Event:
    is_again = before is not None and before.active
    press = now.presses[-1] if now.presses else now
    why = f": {press.reason}" if press.reason else ""
    by = source_name(press.source) or "an unknown source"
    words = "Emergency stop pressed again by" if is_again else "Emergency stop by"
    return Event("ERROR", "router", f"{words} {by}{why}")


def rc_events(before: RCReceiverState | None, now: RCReceiverState) -> list[Event]:
    """Return events of an RC signal that was acquired or lost."""
    was = before is not None and before.connected and not before.failsafe
    is_well = now.connected and not now.failsafe
    if was == is_well:
        return []
    if is_well:
        return [Event("INFO", "rc", f"RC signal acquired ({now.protocol.upper()})")]
    return [Event("WARNING", "rc", "RC failsafe" if now.connected else "RC receiver timed out")]


def node_events(before: NodeList | None, now: NodeList) -> list[Event]:
    """Return events of nodes that appeared, disappeared or changed; none at webd's start."""
    if before is None:
        return []
    known = {node.node_id: node for node in before.nodes}
    events = []
    for node in now.nodes:
        old = known.pop(node.node_id, None)
        if old is None or old.state != node.state:
            events.append(_node_event(node, old))
        elif old.role_restarts < node.role_restarts:
            text = f"{label(node)}: its role restarted"
            events.append(Event("WARNING", node.node_id, text))
    events += [Event("INFO", gone.node_id, f"{label(gone)} was removed") for gone in known.values()]
    return events


def _node_event(node: NodeInfo, old: NodeInfo | None) -> Event:
    if node.state is NodeState.OFFLINE:
        return Event("ERROR", node.node_id, f"{label(node)} is offline")
    if node.state is NodeState.ACTIVE:
        role = f"{node.role} {node.instance}".strip()
        return Event("INFO", node.node_id, f"{label(node)} is active as {role}")
    if old is None:
        return Event("INFO", node.node_id, f"{label(node)} was found")
    why = f": {node.reason}" if node.reason else ""
    level = "WARNING" if node.reason else "INFO"
    return Event(level, node.node_id, f"{label(node)} is {node.state.value}{why}")


def source_name(source: str) -> str:
    """Return an input source's name for users: "LiveLink FaceCapture" of "livelink:FaceCapture"."""
    kind, _, subject = source.partition(":")
    return f"{_SOURCE_NAMES.get(kind, kind)} {subject[:64]}".strip()


def label(node: NodeInfo) -> str:
    """Return a node's name for users."""
    return node.display_name or node.node_id
