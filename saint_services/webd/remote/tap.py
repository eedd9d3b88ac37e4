"""Follows what the router commands a target and where its joints are, while a remote side needs it.
Commands of other participants than the router do not count, as for the roles.
"""

import math
from collections.abc import Callable, Mapping
from math import degrees
from typing import Any

from ...lib.bus import Bus, Sample, Subscription, Topic
from ...lib.clock import monotonic_s
from ...lib.generated import topics
from ...lib.generated.saint_msgs import PartCommand
from ...lib.generated.sensor_msgs import JointState
from ...lib.role.motion.body_room import states_of
from ...lib.role_config.message_places import get, place
from ...lib.role_config.model import RoleConfig

_FRESH_S = 0.5  # roles publish their joints every 50 ms

OnCommand = Callable[[Mapping[str, float]], None]


class TargetTap:
    """The newest command and the newest positions of one target."""

    def __init__(self, bus: Bus, role: RoleConfig, router_origin: Callable[[], str]) -> None:
        self._bus = bus
        self._role = role
        self._router_origin = router_origin
        self._places = {n: place(f.path) for n, f in role.fields.items() if f.path}
        self._listeners: list[OnCommand] = []
        self._subscriptions: list[Subscription] = []
        self._commanded: dict[str, float] = {}
        self._measured: dict[str, float] = {}
        self._measured_s = -math.inf
        self.commanded_s = -math.inf

    def add(self, listener: OnCommand) -> None:
        """Call the listener with each command from now on."""
        self._listeners.append(listener)
        if not self._subscriptions:
            self._open()

    def remove(self, listener: OnCommand) -> None:
        """Call it no more; without listeners the topics are not received."""
        self._listeners.remove(listener)
        if not self._listeners:
            for each in self._subscriptions:
                each.close()
            self._subscriptions.clear()
            self._commanded.clear()

    @property
    def commanded(self) -> Mapping[str, float]:
        """The fields that were commanded, in their units."""
        return self._commanded

    @property
    def measured(self) -> Mapping[str, float]:
        """The joints in degrees, as far as the role reports them; empty when it does not."""
        return self._measured if monotonic_s() - self._measured_s < _FRESH_S else {}

    def _open(self) -> None:
        for key, command in self._role.commands.items():
            kind = topics.BY_TYPE.get(command.type)
            if kind is not None:
                topic: Topic[Any] = Topic(command.topic, kind, topics.HEAD_CMD.qos)
                self._subscriptions.append(self._bus.subscribe(topic, self._receiver(key)))
        if self._role.role in ("parts", "arms", "head"):
            states = states_of(self._role.target)
            self._subscriptions.append(self._bus.subscribe(states, self._on_joints))

    def _receiver(self, key: str) -> Callable[[Sample[Any]], None]:
        names = [name for name, each in self._role.fields.items() if each.command == key]

        def receive(sample: Sample[Any]) -> None:
            origin = self._router_origin()
            if not origin or sample.origin != origin:
                return
            values = self._values(names, sample.message)
            if values:
                self._commanded.update(values)
                self.commanded_s = sample.received_s
                for listener in tuple(self._listeners):
                    listener(self._commanded)

        return receive

    def _values(self, names: list[str], message: Any) -> dict[str, float]:
        if isinstance(message, PartCommand):
            given = dict(zip(message.names, message.values, strict=False))
            found = {name: given.get(name) for name in names}
        else:
            found = {n: get(message, self._places[n]) for n in names if n in self._places}
        return {n: float(v) for n, v in found.items() if v is not None and math.isfinite(v)}

    def _on_joints(self, sample: Sample[JointState]) -> None:
        state, prefix = sample.message, self._role.target.replace(".", "_")
        given = dict(zip(state.name, state.position, strict=False))
        self._measured = {
            name: degrees(given[f"{prefix}_{name}"])
            for name, spec in self._role.fields.items()
            if spec.unit == "deg" and math.isfinite(given.get(f"{prefix}_{name}", math.nan))
        }
        self._measured_s = sample.received_s
