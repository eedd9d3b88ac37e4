"""PCA9685: 16 outputs of 12-bit PWM on I2C, one frequency for all. Registers by NXP's data sheet,
rev. 4, table 4. Values survive the process that set them; opening the chip again finds them
and does not disturb running outputs.
"""

import errno
import time

from ...errors import Code, SaintError
from ..buses.held_low import CHECK_WIRES, SDA_HELD_LOW
from ..ports import I2cBus

CHANNELS = 16
MODE1, MODE2, LED0_ON_L, PRE_SCALE = 0x00, 0x01, 0x06, 0xFE
RESTART, AUTO_INCREMENT, SLEEP, ALL_CALL = 0x80, 0x20, 0x10, 0x01
OUTPUT_DRIVE = 0x04  # totem pole
FULL = 0x10  # in the high bytes: always on, or always off (which takes precedence)
STEPS = 4096
CLOCK_HZ = 25_000_000
_RUNNING = AUTO_INCREMENT | ALL_CALL
_LOOK_EVERY = 50  # writes, so twice a second in motion: power may be away too briefly to be noticed
_WAKE_S = 0.0005  # the oscillator needs 500 us after sleep


def prescale_for(frequency_hz: int) -> int:
    """Compute the prescaler by equation 1 of the data sheet."""
    return min(255, max(3, round(CLOCK_HZ / (STEPS * frequency_hz)) - 1))


def channel_off(channel: int) -> bytes:
    """Return the transfer that ends the pulses of one output."""
    return bytes((LED0_ON_L + 4 * channel, 0, 0, 0, FULL))


def channel_on(channel: int) -> bytes:
    """Return the transfer that leaves one output high: the rest of what is active low."""
    return bytes((LED0_ON_L + 4 * channel, 0, FULL, 0, 0))


class Pca9685:
    """One chip. Writes raise OSError; opening raises SaintError when it does not answer."""

    def __init__(self, bus: I2cBus, address: int, frequency_hz: int, name: str) -> None:
        self._bus = bus
        self._address = address
        self._prescale = prescale_for(frequency_hz)
        self.step_us = (self._prescale + 1) * 1e6 / CLOCK_HZ
        self._writes = 0
        self._is_doubtful = False  # a write failed: the chip may have been without power
        try:
            if self._set_up():
                time.sleep(_WAKE_S)
            self._registers = bytearray(self._read(LED0_ON_L, 4 * CHANNELS))
        except OSError as err:
            raise SaintError(
                Code.HARDWARE_MISSING,
                f"{name}: no PCA9685 answers at I2C address 0x{address:02x} ({err.strerror})",
            ) from err

    def pulse_us(self, channel: int) -> float:
        """Return the pulse on an output as last written or, at opening, found; 0: none."""
        on, on_high, off, off_high = self._registers[4 * channel : 4 * channel + 4]
        if off_high & FULL:
            return 0.0
        if on_high & FULL:
            return STEPS * self.step_us
        return (((off | off_high << 8) - (on | on_high << 8)) % STEPS) * self.step_us

    def set_pulses_us(self, pulses: dict[int, float]) -> None:
        """Set outputs (0: no pulse) in one transfer, from the lowest to the highest channel. The
        chip is looked at after the end of a pulse: an output at rest is not written to again."""
        if not pulses:
            return
        first, last = min(pulses), max(pulses)
        registers = bytearray(self._registers)
        ends = False
        for channel, pulse_us in pulses.items():
            place, code = slice(4 * channel, 4 * channel + 4), self._encode(pulse_us)
            is_level = bool((code[1] | code[3]) & FULL)
            ends = ends or (is_level and code != registers[place])
            registers[place] = code
        block = registers[4 * first : 4 * last + 4]
        self._writes += 1
        try:
            if self._is_doubtful or self._writes % _LOOK_EVERY == 0:
                self._restore()
            self._bus.write(self._address, bytes((LED0_ON_L + 4 * first,)) + block)
            self._registers = registers
            if ends:
                self._restore()
        except OSError:
            self._is_doubtful = True
            raise

    def _encode(self, pulse_us: float) -> bytes:
        steps = round(pulse_us / self.step_us)
        if steps <= 0:
            return bytes((0, 0, 0, FULL))
        if steps >= STEPS:
            return bytes((0, FULL, 0, 0))
        return bytes((0, 0, steps & 0xFF, steps >> 8))

    def _restore(self) -> None:
        """Set up again a chip that lost power: it sleeps, and a block would land in one register.
        Only one register is read for that, so that a loose contact has little to spoil.
        """
        if self._read(MODE1, 1)[0] & ~RESTART != _RUNNING:
            self._set_up()
            self._bus.write(self._address, bytes((LED0_ON_L,)) + self._registers)
        self._is_doubtful = False

    def _set_up(self) -> bool:
        """Set up the chip, unless an earlier process left it running. Return True when it was set
        up; then it needs a moment to wake. Raises OSError when it does not keep what is written.
        """
        if self._settings() == (_RUNNING, self._prescale):
            return False
        self._write(MODE1, AUTO_INCREMENT | SLEEP | ALL_CALL)  # the prescaler needs sleep
        self._write(PRE_SCALE, self._prescale)
        self._write(MODE2, OUTPUT_DRIVE)
        self._write(MODE1, _RUNNING)
        if (found := self._settings()) != (_RUNNING, self._prescale):
            # No PCA9685 reads like this: its prescaler is 3 at least.
            is_low = not any(found)
            why = f"{SDA_HELD_LOW}: {CHECK_WIRES}" if is_low else "what answers is not a PCA9685"
            raise OSError(errno.EIO, why)
        return True

    def _settings(self) -> tuple[int, int]:
        return self._read(MODE1, 1)[0] & ~RESTART, self._read(PRE_SCALE, 1)[0]

    def _write(self, register: int, value: int) -> None:
        self._bus.write(self._address, bytes((register, value)))

    def _read(self, register: int, length: int) -> bytes:
        data = self._bus.transfer(self._address, bytes((register,)), length)
        if len(data) != length:
            raise OSError(5, f"short read: {len(data)} of {length} bytes")
        return data
