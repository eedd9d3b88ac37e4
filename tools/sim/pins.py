"""Ports of a simulated board: pins and I2C buses for drivers. Not here: the board, which opens them
(board.py), the levels (pin_bank.py).
"""

from collections.abc import Sequence
from time import monotonic_ns

from saint_services.lib.hw.ports import EdgeCallback
from tools.sim.bodies.drive import BodyDrive
from tools.sim.chips.multiplexer import Tca9548aChip
from tools.sim.chips.outputs import Chip, Pca9685Chip
from tools.sim.pin_bank import PWM_DUTY, PWM_PULSE, UNUSED, PinBank
from tools.sim.wake_up import WakeUp
from tools.sim.wire_pulses import WirePulses

_NO_CHIP = 6  # ENXIO, the kernel's error without an acknowledge


class SimPwm:
    """PWM pin; its record holds the duty (0 to 1) or the pulse in us, as the driver sets it."""

    def __init__(self, bank: PinBank, pin: int, frequency_hz: int, used_by: str) -> None:
        self._pin = pin
        self._bank = bank
        kind = bank.kind(pin)
        self._kind = kind if kind in (PWM_DUTY, PWM_PULSE) else UNUSED
        self._frequency_hz = frequency_hz
        bank.claim(pin, (self._kind or PWM_DUTY) | frequency_hz << 8, used_by)

    def set_pulse_us(self, pulse_us: float) -> None:
        self._set(PWM_PULSE, pulse_us)

    def set_duty(self, duty: float) -> None:
        self._set(PWM_DUTY, duty)

    def off(self) -> None:
        """End the pulses."""
        self._bank.write(self._pin, 0.0)

    def pulse_us(self) -> float:
        """Return the pulse on the pin."""
        if self._kind == UNUSED:
            return 0.0
        value = self._bank.read(self._pin).value
        return value if self._kind == PWM_PULSE else value * 1e6 / self._frequency_hz

    def close(self) -> None:
        """Release the pin; the pulse stays."""
        self._bank.release(self._pin)

    def _set(self, kind: int, value: float) -> None:
        if kind != self._kind:
            self._kind = kind
            self._bank.set_kind(self._pin, kind | self._frequency_hz << 8)
        self._bank.write(self._pin, value)


class SimOutput:
    """Output pin that is high or low; its pull is that of its rest level."""

    def __init__(self, bank: PinBank, pin: int, *, rest: bool) -> None:
        self._bank = bank
        self._pin = pin
        self._rest = rest
        self.set(rest)

    def set(self, high: bool) -> None:
        self._bank.write(self._pin, float(high))

    def close(self) -> None:
        """Release the pin: it becomes an input, which its pull brings to its rest level."""
        self.set(self._rest)
        self._bank.set_kind(self._pin, UNUSED)
        self._bank.release(self._pin)


class SimEdges:
    """Input pins with edges of a simulated encoder, or of another process that writes them."""

    def __init__(self, bank: PinBank, pins: tuple[int, ...]) -> None:
        self._bank = bank
        self._pins = pins
        self._known = self.levels()
        self._callback: EdgeCallback | None = None
        self._wake_up: WakeUp | None = None
        self._wires: list[WirePulses] = []

    def levels(self) -> dict[int, bool]:
        """Read the levels."""
        return {pin: self._bank.read(pin).value >= 0.5 for pin in self._pins}

    def listen(self, callback: EdgeCallback) -> None:
        """Report edges from now on, and those since the pins were opened."""
        self._callback = callback
        for pin in self._pins:
            self._bank.listen(pin, callback)
        self._wires = [
            WirePulses(self._bank, pin, callback) for pin in self._pins if self._bank.has_wire(pin)
        ]
        if not any(self._bank.is_wired(pin) for pin in self._pins):
            self._wake_up = WakeUp(self._look)
            for pin in self._pins:
                self._bank.set_wake_up(pin, self._wake_up.port)
            self._look()

    def close(self) -> None:
        """Stop reporting edges."""
        self._callback = None
        if self._wake_up:
            self._wake_up.close()
            self._wake_up = None
        for wire in self._wires:
            wire.close()
        for pin in self._pins:
            self._bank.listen(pin, None)
            self._bank.release(pin)

    def _look(self) -> None:
        for pin, level in self.levels().items():
            if level != self._known[pin]:
                self._known[pin] = level
                if self._callback:
                    self._callback(pin, level, monotonic_ns())


class SimI2c:
    """The chips of one bus."""

    def __init__(
        self,
        chips: dict[int, Chip],
        drive: BodyDrive | None = None,
        behind: Sequence[tuple[Tca9548aChip, int, dict[int, Chip]]] = (),
    ) -> None:
        self._chips = chips
        self._drive = drive
        self._behind = behind  # multiplexer, channel, chips of that channel

    def write(self, address: int, data: bytes) -> None:
        """Write, then step the bodies that it drives."""
        chip = self._at(address)
        chip.write(data)
        if self._drive and isinstance(chip, Pca9685Chip):
            self._drive.advance()

    def transfer(self, address: int, data: bytes, length: int) -> bytes:
        chip = self._at(address)
        chip.write(data)
        return chip.read(length)

    def close(self) -> None:
        """Do nothing: the chips belong to the board."""

    def _at(self, address: int) -> Chip:
        for mux, channel, chips in self._behind:
            if address in chips and mux.is_open(channel):
                return chips[address]
        try:
            return self._chips[address]
        except KeyError:
            raise OSError(_NO_CHIP, "no acknowledge") from None
