"""What an operator may set in rcd.yaml: the receiver, its line, its channels."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ..lib.config import Settings
from .protocols import PARSERS

# Baud rate, parity, stop bits of each protocol's line.
LINES = {"crsf": (420_000, "none", 1), "sbus": (100_000, "even", 2), "ibus": (115_200, "none", 1)}


class Uart(Settings):
    """The serial line."""

    device: str = Field(default="/dev/ttyAMA0", min_length=1)
    baud_rate: int | None = Field(default=None, ge=1200, le=4_000_000)  # None: the protocol's own
    # SBUS idles low. Linux cannot invert a UART, so this only says that the wiring (an inverter, or
    # a USB adapter set to invert) does it; it changes nothing here.
    inverted: bool | None = None


class Gpio(Settings):
    """Pins of the PPM and PWM receivers."""

    ppm_pin: int | None = Field(default=None, ge=0, le=27)
    pwm_pins: list[int] = Field(default=[], max_length=8)


class Failsafe(Settings):
    """What happens when the signal is lost."""

    # At 1.5 m/s a robot rolls 0.75 m in 500 ms. The slowest link sends every 20 ms.
    timeout_ms: int = Field(default=120, ge=40, le=2000)
    action: Literal["hold", "neutral", "estop", "passthrough"] = "hold"

    @field_validator("action")
    @classmethod
    def _known_here(cls, action: str) -> str:
        if action in ("estop", "passthrough"):
            raise ValueError(f"{action} is the router's to do: set it in routerd.yaml; use hold")
        return action


class Channel(Settings):
    """One channel's range in microseconds; min and max become -1 and 1, or 1 and -1."""

    number: int = Field(ge=1, le=16)
    name: str = Field(default="", max_length=64)
    min: int = Field(default=1000, ge=0, le=4095)
    max: int = Field(default=2000, ge=0, le=4095)
    center: int = Field(default=1500, ge=0, le=4095)
    reversed: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.min < self.center < self.max:
            raise ValueError(
                f"min, center, max must rise, but are {self.min}, {self.center}, {self.max}"
            )
        return self


class RcReceiver(Settings):
    """The receiver, in the form of the specification."""

    enabled: bool = False
    protocol: Literal["crsf", "sbus", "ibus", "ppm", "pwm"] = "crsf"
    uart: Uart = Uart()
    gpio: Gpio = Gpio()
    failsafe: Failsafe = Failsafe()
    channels: list[Channel] = Field(default=[], max_length=16)

    @field_validator("protocol")
    @classmethod
    def _supported(cls, protocol: str) -> str:
        if protocol not in PARSERS:
            raise ValueError(f"{protocol} is not supported yet: use crsf, sbus or ibus")
        return protocol

    @field_validator("channels")
    @classmethod
    def _once_each(cls, channels: list[Channel]) -> list[Channel]:
        numbers = [channel.number for channel in channels]
        if doubles := {number for number in numbers if numbers.count(number) > 1}:
            raise ValueError(f"channel {min(doubles)} is set twice")
        return channels


class Config(Settings):
    """rcd.yaml"""

    rc_receiver: RcReceiver = RcReceiver()
