"""A stepper motor behind a driver with STEP, DIR and EN, and the switch that shows its place.

Sources: Allegro A4988 (rev. 5: STEP 1 us high, DIR 200 ns before it), TI DRV8825 (SLVSA73F: 1.9 us,
650 ns), Trinamic TMC2209 (rev. 1.09: 100 ns, 20 ns). EN is low where the motor has torque, as with
all of them. Not here: when to step (lib/role/motion/stepping.py).
"""

import time
from collections.abc import Sequence
from contextlib import ExitStack

from ...errors import Code, SaintError
from ...role_config.devices import PinSpec
from ..ports import Board, DigitalOut, EdgeInput

_PULSE_NS = 10_000  # enough for opto-couplers before the driver too


class Stepper:
    """One motor. It makes one step at a call and none by itself, so it stands when nobody calls."""

    def __init__(
        self,
        step: DigitalOut,
        direction: DigitalOut,
        enables: Sequence[DigitalOut],
        switch: EdgeInput,
        spec: PinSpec,
    ) -> None:
        self._step = step
        self._direction = direction
        self._enables = enables
        self._switch = switch
        self._switch_pin = spec.switch_pin or 0
        self._is_reversed = spec.reversed
        self._is_up: bool | None = None  # the level of the direction is not known yet
        step.set(False)
        for enable in enables:
            enable.set(True)

    def enable(self) -> None:
        """Give the motor its torque. Raises OSError."""
        for enable in self._enables:
            enable.set(False)

    def step(self, is_up: bool) -> None:
        """Make one step, which takes some 10 us. Raises OSError."""
        if is_up != self._is_up:
            self._direction.set(is_up != self._is_reversed)
            self._is_up = is_up
        self._step.set(True)
        end_ns = time.perf_counter_ns() + _PULSE_NS
        while time.perf_counter_ns() < end_ns:
            pass
        self._step.set(False)

    @property
    def is_at_switch(self) -> bool:
        """Whether the switch is closed. Raises OSError."""
        return not self._switch.levels()[self._switch_pin]

    def close(self) -> None:
        """Release the lines. Their rest is low, EN's too: its pull leaves the motor its torque, so
        that nothing falls."""
        for line in (self._step, self._direction, *self._enables):
            line.close()
        self._switch.close()


def open_stepper(board: Board, name: str, spec: PinSpec) -> Stepper:
    """Open the lines of gpio_mapping.<name>, without torque. Raises SaintError."""
    if spec.pin is None or spec.direction_pin is None or spec.switch_pin is None:
        message = f"gpio_mapping.{name} needs pin, direction_pin and switch_pin"
        raise SaintError(Code.CONFIG_INVALID, message)
    with ExitStack() as undo:
        outputs = []
        for pin in (spec.pin, spec.direction_pin, *spec.enable_pins):
            outputs.append(board.output(pin, name))
            undo.callback(outputs[-1].close)
        switch = board.edges((spec.switch_pin,), name, pull_up=True)
        undo.pop_all()
    step, direction, *enables = outputs
    return Stepper(step, direction, enables, switch, spec)
