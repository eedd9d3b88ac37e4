"""Reads where the joints of a target stand, as its role reports it: a master with a pose of its own
begins there. States wait until they are requested, so they cost nothing meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Final

from ...lib.bus import Bus, PolledSubscription, Sample
from ...lib.generated import topics
from ...lib.generated.saint_msgs import PartState

_MEASURED: Final = "_position"  # a reading of a bus servo: lib/role/parts/readings.py


class JointPlaces:
    """The newest measured positions of parts, by target and field. Parts that measure nothing are
    where they were commanded.
    """

    def __init__(self, bus: Bus, targets: Iterable[str]) -> None:
        self._found: dict[str, dict[str, float]] = {}
        self._polled: dict[str, PolledSubscription] = {}
        for target in targets:
            role, _, instance = target.partition(".")
            if role == "parts":
                topic = topics.PARTS_STATE.at(instance=instance)
                self._polled[target] = bus.poll(topic, self._receiver(target), depth=1)

    def of(self, target: str) -> Mapping[str, float]:
        """Return the positions of a target's fields, as far as they are known."""
        if target in self._polled:
            self._polled[target].read()
        return self._found.get(target, {})

    def _receiver(self, target: str) -> Callable[[Sample[PartState]], None]:
        def receive(sample: Sample[PartState]) -> None:
            state = sample.message
            found = dict(zip(state.names, state.values, strict=False))
            for name, value in zip(state.sensors, state.readings, strict=False):
                if name.endswith(_MEASURED):
                    found[name.removesuffix(_MEASURED)] = value
            self._found[target] = {k: float(v) for k, v in found.items() if isfinite(v)}

        return receive
