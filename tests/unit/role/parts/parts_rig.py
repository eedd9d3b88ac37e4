"""A role of parts on a simulated board: one of each kind."""

from pathlib import Path
from typing import Any

from saint_services.lib.generated.saint_msgs import PartCommand, PartState
from saint_services.lib.generated.topics import PARTS_CMD, PARTS_STATE
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.role_rig import ROUTER, Rig

CMD, STATE = PARTS_CMD.at(instance="face"), PARTS_STATE.at(instance="face")
_SERVO = {"kind": "position", "unit": "deg", "limits": [-30, 30], "max_rate": 300,
          "on_loss": "neutral"}  # fmt: skip
_SPEED = {"kind": "velocity", "unit": "ratio", "limits": [-1, 1], "max_rate": 100,
          "on_loss": "ramp_to_zero"}  # fmt: skip
FIELDS: dict[str, dict[str, Any]] = {
    "brow": _SERVO,
    "tail": _SPEED,
    "motor": _SPEED,
    "fan": _SPEED | {"limits": [0, 1]},
    "relay": {"kind": "switch"},
    "valve": {"kind": "switch"},
    "cheek": {"kind": "light"},
    "red": {"kind": "light"},
    "shine": {"kind": "light"},
}
PINS: dict[str, dict[str, Any]] = {
    "brow": {"type": "pca9685", "device": "chip", "channel": 0},
    "tail": {"type": "pca9685", "device": "chip", "channel": 1, "centre_us": 1500},
    "motor": {"type": "hbridge", "pin": 12, "direction_pin": 5, "frequency": 20000,
              "full_duty": 0.5},
    "fan": {"type": "dimmer", "pin": 13, "frequency": 1000},
    "relay": {"type": "switch", "pin": 6, "active_low": True},
    "valve": {"type": "switch", "device": "chip", "channel": 2},
    "cheek": {"type": "dimmer", "device": "chip", "channel": 3},
    "red": {"type": "pixels", "device": "strip", "first": 0, "count": 2, "colour": "red"},
    "shine": {"type": "pixels", "device": "strip", "first": 0, "count": 2,
              "colour": "brightness"},
}  # fmt: skip


def config(
    fields: dict[str, Any] | None = None, pins: dict[str, Any] | None = None, **more: Any
) -> RoleConfig:
    """Return a configuration of parts; its chips and strip are those of PINS."""
    parts = FIELDS if fields is None else fields
    data: dict[str, Any] = {
        "role": "parts",
        "instance": "face",
        "version": "1",
        "topic_prefix": "/saint/parts/face",
        "commands": {"cmd": {"topic": CMD.name, "type": PartCommand.TYPE}},
        "fields": {name: each | {"command": "cmd"} for name, each in parts.items()},
        "gpio_mapping": PINS if pins is None else pins,
        "i2c_devices": {
            "chip": {"bus": 1, "address": 0x40, "driver": "pca9685", "required": True},
            "battery": {"bus": 1, "address": 0x41, "driver": "ina219"},
        },
        "spi_devices": {"strip": {"bus": 0, "select": 0, "driver": "ws2812", "count": 4}},
    }
    return RoleConfig.model_validate(data | more)


class PartsRig(Rig):
    """The role with a router that is the test."""

    def __init__(self, directory: Path, role: RoleConfig | None = None) -> None:
        super().__init__(directory, "parts_face", role or config())
        self.beat()

    def command(self, origin: str = ROUTER, **values: float) -> None:
        """Send a command for these parts."""
        message = PartCommand(names=tuple(values), values=tuple(values.values()))
        self.send(CMD, message, origin)

    def hold(self, seconds: float, **values: float) -> None:
        """Keep commanding for a while, as a router does."""
        self.live(seconds, lambda: self.command(**values))

    def states(self) -> list[PartState]:
        """Return the states that were published."""
        return self.bus.sent[STATE.name]

    def state(self) -> dict[str, float]:
        """Return the newest values by name."""
        newest = self.states()[-1]
        return dict(zip(newest.names, newest.values, strict=True))

    @property
    def is_relay_on(self) -> bool:
        """Whether the relay, which is active low, is on."""
        return self.pin(6).value == 0.0

    @property
    def live_outputs(self) -> list[str]:
        """Name what a person would be hurt by."""
        channels = self.channels()
        places = {"tail": channels[1], "valve": channels[2], "motor": self.pin(12).value,
                  "fan": self.pin(13).value, "relay": float(self.is_relay_on)}  # fmt: skip
        return [name for name, value in places.items() if value]


# What brings every output of `config` out of its rest.
ALL: dict[str, float] = {
    "brow": 20.0, "tail": -1.0, "motor": 1.0, "fan": 0.5, "relay": 1.0, "valve": 1.0,
    "cheek": 0.5, "red": 1.0, "shine": 0.5,
}  # fmt: skip
