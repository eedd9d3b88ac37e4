"""The PCA9685 of a role, shared by all that it drives with them: what changes together is one
transfer. Not here: the registers (lib/hw/pwm/pca9685.py), what the channels move.
"""

from collections.abc import Callable
from functools import partial

from ..hw.buses.multiplexer import open_i2c
from ..hw.ports import Board, I2cBus
from ..hw.pwm.pca9685 import STEPS, Pca9685
from ..role_config.model import PinSpec, RoleConfig

_ALWAYS_US = 1e6  # longer than any period: the channel is high all the time


class PulseChips:
    """The opened chips by the names of the configuration."""

    def __init__(self, config: RoleConfig) -> None:
        self._config = config
        self._chips: dict[str, Pca9685] = {}
        self._buses: list[I2cBus] = []
        self._pending: dict[str, dict[int, float]] = {}  # pulses in us by channel

    def channel(self, board: Board, pin: PinSpec) -> "ChipChannel":
        """Open an output that gpio_mapping places on a chip. Raises SaintError."""
        if pin.device not in self._chips:
            device = self._config.i2c_devices[pin.device]
            bus = open_i2c(board, device)
            self._buses.append(bus)
            chip = Pca9685(bus, device.address, pin.frequency, pin.device)
            self._chips[pin.device], self._pending[pin.device] = chip, {}
        chip, pending = self._chips[pin.device], self._pending[pin.device]
        return ChipChannel(chip, pending, pin.channel or 0)

    def flush(self, attempt: Callable[[str, Callable[[], None]], bool]) -> bool:
        """Write what has changed, by `attempt` with the name of each chip. Returns False when
        something is still to be written: it goes with the next flush."""
        is_written = True
        for name, pending in self._pending.items():
            if pending:
                is_written = attempt(name, partial(self._write, name)) and is_written
        return is_written

    @property
    def is_pending(self) -> bool:
        """True while something is to be written."""
        return any(self._pending.values())

    def close(self) -> None:
        """Release the buses; the outputs stay."""
        for bus in self._buses:
            bus.close()
        self._buses.clear()
        self._chips.clear()
        self._pending.clear()

    def _write(self, name: str) -> None:
        pending = self._pending[name]
        self._chips[name].set_pulses_us(pending)
        pending.clear()


class ChipChannel:
    """One output of a chip, as ports.PwmOut and ports.DigitalOut; it changes with the next flush
    of its chips."""

    __slots__ = ("_channel", "_chip", "_pending")

    def __init__(self, chip: Pca9685, pending: dict[int, float], channel: int) -> None:
        self._chip = chip
        self._pending = pending
        self._channel = channel

    def set_pulse_us(self, pulse_us: float) -> None:
        self._pending[self._channel] = pulse_us

    def set_duty(self, duty: float) -> None:
        self._pending[self._channel] = duty * STEPS * self._chip.step_us

    def set(self, high: bool) -> None:
        """Set the level, without pulses."""
        self._pending[self._channel] = _ALWAYS_US if high else 0.0

    def off(self) -> None:
        self._pending[self._channel] = 0.0

    def pulse_us(self) -> float:
        """Return the pulse as last written or, at opening, found."""
        return self._chip.pulse_us(self._channel)

    def drop(self) -> None:
        """Forget what is not written yet."""
        self._pending.pop(self._channel, None)

    def close(self) -> None:
        """Do nothing: the chip keeps the output."""
