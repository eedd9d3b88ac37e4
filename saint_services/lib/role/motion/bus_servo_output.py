"""A joint on a bus servo: it measures where it is, holds its goal by itself, and gets torque with
its first motion only, at the place where it is. Not here: the bus (lib/hw/bus_servos).
"""

from math import nan

from ...hw.bus_servos.line import ServoLine
from ...hw.bus_servos.port import BusServo, Torque
from ...hw.bus_servos.scale import TickScale
from ...role_config.model import FieldSpec, PinSpec

# A servo that is farther from its goal at a stop is under way, or blocked: it stays where it is.
# Nearer it holds its goal, else a loaded arm would sag a little with each stop.
_UNDER_WAY_TICKS = 35


class BusServoOutput:
    """The servo of one joint. Implements JointOutput."""

    missing = "its servo does not answer"

    def __init__(
        self, line: ServoLine, servo: BusServo, field: FieldSpec, pin: PinSpec, most_ticks: int
    ) -> None:
        self._line = line
        self._servo = servo
        self._scale = TickScale(field.limits, pin.ticks, pin.reversed, most_ticks)
        self._is_limp_at_stop = pin.on_stop == "limp"

    def found(self) -> float | None:
        """Return where the servo is; None without a recent measurement."""
        reading = self._line.reading(self._servo)
        return None if reading is None else self._scale.value(reading.position)

    def nearest(self, value: float) -> float:
        """Return the position of the servo that is nearest to a value."""
        return self._scale.value(self._scale.ticks(value))

    def put(self, value: float, now_s: float) -> None:
        """Set the goal, which goes with the next sync write."""
        self._line.aim(self._servo, self._scale.ticks(value))

    def sleep(self) -> None:
        """Do nothing: what has torque keeps its place."""

    @property
    def is_ready(self) -> bool:
        """Whether it has torque, and holds."""
        return self._servo.torque is Torque.ON

    def seek(self, now_s: float) -> None:
        """Have torque go on where the servo is. Raises OSError while it does not answer."""
        self._line.rouse(self._servo)

    @property
    def is_still(self) -> bool:
        """Whether no release is to be confirmed: a goal that is not sent yet moves nothing."""
        return self._servo.is_lost or not self._servo.is_released

    def hold(self) -> float | None:
        """Stand at once, or lose torque where the configuration says so; return where."""
        self._line.drop(self._servo)
        reading, goal = self._line.reading(self._servo), self._servo.goal
        if self._is_limp_at_stop:
            self._line.release(self._servo)
            return self.found()
        if not self.is_ready or reading is None or goal is None:
            return None
        if abs(goal - reading.position) <= _UNDER_WAY_TICKS:
            return None
        self._line.core.aim(self._servo, reading.position, reading.stamp_s)
        return self._scale.value(reading.position)

    def measured(self) -> tuple[float, float, float]:
        """Return position, load (share of the full torque) and temperature in degrees Celsius; NaN
        without a recent measurement."""
        reading = self._line.reading(self._servo)
        if reading is None:
            return nan, nan, nan
        place = self._scale.value(reading.position)
        return place, reading.load, float(reading.temperature_c)

    @property
    def problem(self) -> str:
        """The fault in a sentence, or ""."""
        return self._line.problem(self._servo)

    def start(self) -> None:
        """Follow the servo from now on, in the running loop."""
        self._line.start()

    def close(self) -> None:
        """Release it; it keeps torque and goal."""
        self._line.close()
