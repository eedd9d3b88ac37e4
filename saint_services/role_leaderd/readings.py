"""What a leader arm measures, for people and programs: place, load and temperature of every joint,
by the names that followers report. Not here: what leads (daemon.py).
"""

from collections.abc import Callable, Mapping
from math import nan

from ..lib.clock import stamp
from ..lib.generated.saint_msgs import PartState
from ..lib.hw.bus_servos.port import BusServo, ServoReading
from ..lib.hw.bus_servos.scale import TickScale
from ..lib.role_config.lead import Lead

# Between two states: a program that records the arm wants as many pictures as a camera gives.
PERIOD_S = 0.02
_KINDS = ("position", "load", "temperature")


class LeaderReadings:
    """Makes the state of a leader arm; a joint without a recent measurement has no numbers."""

    def __init__(
        self,
        scales: Mapping[str, TickScale],
        lead: Lead,
        newest: Callable[[BusServo], ServoReading | None],
    ) -> None:
        self._scales = scales
        self._newest = newest
        self._names = tuple(f"{name}_{kind}" for name in scales for kind in _KINDS)
        self._units = tuple(
            unit
            for name in scales
            for unit in ("ratio" if name in lead.shares else "deg", "ratio", "degC")
        )

    def state(self, servos: Mapping[str, BusServo]) -> PartState:
        """Return the state now. A leader has no outputs."""
        values = tuple(
            value
            for name, servo in servos.items()
            for value in self._measured(self._scales[name], self._newest(servo))
        )
        return PartState(stamp(), (), (), (), self._names, values, self._units)

    @staticmethod
    def _measured(scale: TickScale, found: ServoReading | None) -> tuple[float, float, float]:
        if found is None:
            return nan, nan, nan
        return scale.value(found.position), found.load, float(found.temperature_c)
