"""Settings of rcd.yaml: receiver, line, channels and failsafe."""

from typing import Final, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from ..lib.api.rc import LAST_CHANNEL, LONGEST_US, MOST_PINS, FailsafeAction, RcProtocol
from ..lib.config import Settings
from ..lib.hw.pins.header import HEADER_UART
from .protocols.ibus import Variant

# Baud rate, parity, stop bits of each protocol's line.
LINES: Final = {
    "crsf": (420_000, "none", 1),
    "sbus": (100_000, "even", 2),
    "ibus": (115_200, "none", 1),
    "dsm": (115_200, "none", 1),
    "ghst": (420_000, "none", 1),
    "mavlink": (57_600, "none", 1),  # telemetry radios; ExpressLRS has 460800
}


ROUTER_MARGIN_MS = 20  # a missing signal is published so long before the router's time-out


class Uart(Settings):
    """Settings of the serial line."""

    # A path below /dev/serial/by-id names one adapter wherever it is plugged in.
    device: str = Field(default=HEADER_UART, min_length=1, max_length=255)
    baud_rate: int | None = Field(default=None, ge=1200, le=4_000_000)  # None: the protocol's own
    # SBUS idles low. Linux cannot invert a UART, so this only says that the wiring (an inverter, or
    # a USB adapter set to invert) does it; it changes nothing here.
    inverted: bool | None = None


class Gpio(Settings):
    """Pins of the PPM and PWM receivers. The defaults are pins that no shipped role uses, nor the
    reset button (GPIO26), the buses and the serial line, so that a server may be a node too.
    """

    ppm_pin: int = Field(default=18, ge=0, le=27)
    # Channel 1 first.
    pwm_pins: list[int] = Field(default=[16, 19, 20, 21], min_length=1, max_length=MOST_PINS)

    @field_validator("pwm_pins")
    @classmethod
    def _of_the_header(cls, pins: list[int]) -> list[int]:
        for pin in pins:
            if not 0 <= pin <= 27:
                raise ValueError(f"there is no GPIO{pin}; the header has GPIO 0 to 27")
        if len(set(pins)) != len(pins):
            raise ValueError("a pin is named twice")
        return pins


class Ibus(Settings):
    """Properties of IBUS frames that the frames do not contain."""

    variant: Variant = "auto"  # ia6: the older form with 31 bytes
    channels: Literal[14, 18] = 14  # 18: newer receivers, hidden in the high bits


class FailsafeChannel(Settings):
    """Position (microseconds) that the receiver sends when it has lost its transmitter."""

    number: int = Field(ge=1, le=LAST_CHANNEL)
    below: int | None = Field(default=None, ge=1, le=LONGEST_US)
    above: int | None = Field(default=None, ge=1, le=LONGEST_US)

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.below is None) is (self.above is None):
            raise ValueError("one of below and above must be set, e.g. below: 950")
        return self

    def is_met(self, us: float) -> bool:
        """Return True when this value indicates a lost signal."""
        return us < self.below if self.below is not None else us > (self.above or 0)


class Failsafe(Settings):
    """Conditions and action of a lost signal."""

    # At 1.5 m/s a robot rolls 0.75 m in 500 ms. The slowest link sends every 20 ms.
    timeout_ms: int = Field(default=120, ge=40, le=2000)
    action: FailsafeAction = "hold"
    lost_frames: int = Field(default=10, ge=1, le=1000)  # marked as lost, in a row (SBUS)
    recovery_ms: int = Field(default=200, ge=0, le=10_000)  # good for so long before it counts
    channel: FailsafeChannel | None = None


class Silence(Settings):
    """When missing frames are published: the robot holds, and no other source takes over.
    Later than the pauses of a good link, earlier than the router's time-out.
    """

    at_least_ms: int = Field(default=80, ge=40, le=2000)  # four frames of 50 a second
    # Frames of the rate that is measured: two of them may be lost, and half a frame late.
    frames: float = Field(default=3.5, ge=1.5, le=20.0)
    router_ms: int = Field(default=120, ge=60, le=5000)  # the router's time-out for rc

    @model_validator(mode="after")
    def _in_time(self) -> Self:
        latest_ms = self.router_ms - ROUTER_MARGIN_MS
        if self.at_least_ms > latest_ms:
            raise ValueError(
                f"at_least_ms is {self.at_least_ms}, but others take over after {self.router_ms}"
                f" ms; at most {latest_ms}, or a longer time-out for rc among the routes and here"
            )
        return self


class ArmSwitch(Settings):
    """Arm switch: must be moved to "on" before the sticks drive, and again after each loss."""

    number: int = Field(ge=1, le=LAST_CHANNEL)
    above: int = Field(default=1700, ge=1, le=LONGEST_US)  # microseconds: on
    # Published while disarmed too: switches that stop the robot.
    always: list[int] = Field(default=[6], max_length=LAST_CHANNEL)

    @field_validator("always")
    @classmethod
    def _are_channels(cls, always: list[int]) -> list[int]:
        for number in always:
            if not 1 <= number <= LAST_CHANNEL:
                raise ValueError(f"there is no CH {number}; there are CH 1 to CH {LAST_CHANNEL}")
        return always


class Channel(Settings):
    """Range of one channel in microseconds; min and max map to -1 and 1, reversed to 1 and -1."""

    number: int = Field(ge=1, le=LAST_CHANNEL)
    name: str = Field(default="", max_length=64)
    min: int = Field(default=1000, ge=0, le=LONGEST_US)
    max: int = Field(default=2000, ge=0, le=LONGEST_US)
    center: int = Field(default=1500, ge=0, le=LONGEST_US)
    reversed: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.min < self.center < self.max:
            raise ValueError(
                f"min, center and max must rise, but are {self.min}, {self.center}, {self.max}"
            )
        return self


class ReceiverConnection(Settings):
    """Connection of a receiver."""

    uart: Uart = Uart()
    gpio: Gpio = Gpio()
    ibus: Ibus = Ibus()
    protocol: RcProtocol = "sbus"

    @property
    def pins(self) -> list[int]:
        """Return the pins in use; none on a serial line."""
        if self.protocol == "ppm":
            return [self.gpio.ppm_pin]
        return self.gpio.pwm_pins if self.protocol == "pwm" else []

    @property
    def place(self) -> str:
        """Return the device or pins, for people."""
        if self.protocol == "ppm":
            return f"GPIO{self.gpio.ppm_pin}"
        if self.protocol == "pwm":
            return "GPIO " + ", ".join(map(str, self.gpio.pwm_pins))
        return self.uart.device

    @property
    def baud_rate(self) -> int:
        """Return the baud rate of the serial line."""
        return self.uart.baud_rate or LINES[self.protocol][0]


class Failover(ReceiverConnection):
    """Standby receiver, which takes over when the primary's signal is lost."""

    after_ms: int = Field(default=300, ge=0, le=5000)  # without the first one
    return_ms: int = Field(default=1000, ge=0, le=60_000)  # the first one good again for so long


class RcReceiver(ReceiverConnection):
    """The receiver, with the keys of the specification."""

    enabled: bool = False
    failsafe: Failsafe = Failsafe()
    silence: Silence = Silence()
    arm: ArmSwitch | None = None
    channels: list[Channel] = Field(default=[], max_length=LAST_CHANNEL)
    failover: Failover | None = None
    telemetry: bool = True  # to the transmitter; CRSF only

    @field_validator("channels")
    @classmethod
    def _once_each(cls, channels: list[Channel]) -> list[Channel]:
        numbers = [channel.number for channel in channels]
        if doubles := {number for number in numbers if numbers.count(number) > 1}:
            raise ValueError(f"CH {min(doubles)} is set twice")
        return channels

    @field_validator("failover")
    @classmethod
    def _elsewhere(cls, failover: Failover | None, info: ValidationInfo) -> Failover | None:
        own = {key: info.data[key] for key in ReceiverConnection.model_fields if key in info.data}
        place = ReceiverConnection.model_construct(**own).place
        if failover and failover.place == place:
            raise ValueError(f"both receivers use {place}; the standby needs its own")
        return failover


class Config(Settings):
    """Contents of rcd.yaml."""

    rc_receiver: RcReceiver = RcReceiver()
