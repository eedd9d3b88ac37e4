"""Simulated motors with encoders: duty in, quadrature edges out. The model runs in the process that
drives the motors and only while something turns.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic_ns

LAG_S = 0.08  # time constant from duty to speed
_PERIOD_S = 0.01
_STILL = 0.001  # share of the top speed that counts as standing
_LEVELS = ((False, False), (True, False), (True, True), (False, True))  # A, B: A leads forward


@dataclass(slots=True)
class Motor:
    """One motor: a first-order lag. Positions and speeds are in encoder counts."""

    top_speed: float  # counts per second at full duty
    duty: float = 0.0  # signed
    speed: float = 0.0
    position: float = 0.0
    counted: int = 0

    def advance(self, dt_s: float) -> None:
        """The exact solution for a constant duty, so the step's length does not matter."""
        target = self.duty * self.top_speed
        decay = math.exp(-dt_s / LAG_S)
        excess = self.speed - target
        self.position += target * dt_s + excess * LAG_S * (1.0 - decay)
        self.speed = target + excess * decay
        if self.duty == 0.0 and abs(self.speed) < _STILL * self.top_speed:
            self.speed = 0.0

    def edges(self) -> list[tuple[int, bool]]:
        """The edges since the last call: line (0: A, 1: B) and its new level."""
        found = []
        end = math.floor(self.position)
        step = 1 if end > self.counted else -1
        while self.counted != end:
            before = _LEVELS[self.counted % 4]
            self.counted += step
            after = _LEVELS[self.counted % 4]
            line = 0 if before[0] != after[0] else 1
            found.append((line, after[line]))
        return found

    @property
    def is_turning(self) -> bool:
        """True while time changes anything."""
        return self.duty != 0.0 or self.speed != 0.0


@dataclass(slots=True)
class Wiring:
    """A motor with the pins that it hangs on."""

    motor: Motor
    pwm_pin: int
    direction_pin: int
    encoder_pins: tuple[int, int]
    reversed: bool = False


class Drive:
    """All motors of a board."""

    def __init__(
        self,
        level_of: Callable[[int], float],
        on_edge: Callable[[int, bool, int], None],
        clock_ns: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.encoder_pins: set[int] = set()
        self._wirings: list[Wiring] = []
        self._by_pin: dict[int, Wiring] = {}
        self._level_of = level_of
        self._on_edge = on_edge
        self._clock_ns = clock_ns
        self._then_ns = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, wiring: Wiring) -> None:
        """Connect a motor."""
        self._wirings.append(wiring)
        self._by_pin |= dict.fromkeys((wiring.pwm_pin, wiring.direction_pin), wiring)
        self.encoder_pins.update(wiring.encoder_pins)

    def pin_changed(self, pin: int) -> None:
        """A pin was written. This is on the way from a command to its motor, so it is short: the
        new duty counts from the model's last step on, at most 10 ms too early.
        """
        wiring = self._by_pin.get(pin)
        if wiring is None:
            return
        was_turning = self._is_turning
        self._look(wiring)
        if not was_turning and wiring.motor.is_turning:
            self._then_ns = self._clock_ns()
            self._schedule()

    def advance(self) -> None:
        """Bring all motors to now, report their edges, then look at the pins again."""
        now_ns = self._clock_ns()
        dt_s = (now_ns - self._then_ns) / 1e9
        self._then_ns = now_ns
        for wiring in self._wirings:
            motor = wiring.motor
            if motor.is_turning:
                motor.advance(dt_s)
                for line, level in motor.edges():
                    self._on_edge(wiring.encoder_pins[line], level, now_ns)
            self._look(wiring)

    def stop(self) -> None:
        """End the model; pins keep what they have."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    @property
    def _is_turning(self) -> bool:
        return any(wiring.motor.is_turning for wiring in self._wirings)

    def _look(self, wiring: Wiring) -> None:
        duty = self._level_of(wiring.pwm_pin)
        backward = (self._level_of(wiring.direction_pin) >= 0.5) != wiring.reversed
        wiring.motor.duty = -duty if backward else duty

    def _schedule(self) -> None:
        if self._timer is not None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # used without a loop: whoever does that calls advance() himself
        self._timer = loop.call_later(_PERIOD_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.advance()
        if self._is_turning:
            self._schedule()
