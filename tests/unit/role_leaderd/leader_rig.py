"""A leader arm on simulated servos, in a time that the test sets."""

from pathlib import Path
from typing import Any

from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.topics import INPUT_AUTONOMOUS
from saint_services.lib.role_config.model import RoleConfig
from tests.unit.role.role_rig import Rig
from tools.sim.chips import servo_bus
from tools.sim.chips.bus_servo import SimBusServo
from tools.sim.chips.servo_bus import ServoBusPeer, servo_file

PORT = "/dev/ttyACM0"
PINS: dict[str, Any] = {
    "shoulder_pan": {"type": "bus_servo", "device": "arm", "servo_id": 1, "ticks": [1024, 3072]},
    "gripper": {"type": "bus_servo", "device": "arm", "servo_id": 6, "ticks": [2048, 3072]},
}


def leader(**changes: Any) -> RoleConfig:
    """Return a leader of one follower; `changes` are those of `lead`."""
    pins = PINS | {"pedal": {"type": "button", "pin": 5}}
    return RoleConfig.model_validate({
        "role": "leader", "instance": "left", "version": "1.0.0",
        "topic_prefix": "/saint/leader/left", "gpio_mapping": pins,
        "serial_devices": {"arm": {"port": PORT, "driver": "feetech"}},
        "lead": {"targets": ["parts.follower"]} | changes,
    })  # fmt: skip


class LeaderRig(Rig):
    """The role with servos that live in its time."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        servo_bus.monotonic_ns = lambda: int(self._now_s() * 1e9)
        self.peer = ServoBusPeer(folder / servo_file(PORT), (1, 6))
        self.servo(1).shaft, self.servo(6).shaft = 2048.0, 2560.0
        super().__init__(folder, "", leader(**changes))

    def _now_s(self) -> float:
        return self.clock.now if hasattr(self, "clock") else 1000.0

    def servo(self, servo: int) -> SimBusServo:
        """Return a servo at the present time."""
        return self.peer.servo(servo)

    def pass_time(self, seconds: float) -> list[InputSample]:
        """Let time pass; return what is published meanwhile."""
        before = len(self.samples)
        for _ in range(round(seconds / 0.01)):
            self.clock.advance(0.01)
            self.board.drive.advance()
        return self.samples[before:]

    @property
    def samples(self) -> list[InputSample]:
        found: list[InputSample] = self.bus.sent[INPUT_AUTONOMOUS.name]
        return found

    def pose(self) -> dict[str, float]:
        """Return the newest pose."""
        newest = next(each for each in reversed(self.samples) if each.target)
        return dict(zip(newest.names, newest.values, strict=True))

    def clutch(self) -> float:
        """Return the clutch as it was published last."""
        named = [each for each in self.samples if tuple(each.names) == ("clutch",)]
        return named[-1].values[0]

    def squeeze(self) -> None:
        """Squeeze the gripper once."""
        self.turn(6, 2060.0)
        self.turn(6, 2700.0)

    def turn(self, servo: int, ticks: float) -> None:
        """Turn a joint by hand, 6000 positions a second."""
        while (way := ticks - self.servo(servo).shaft) != 0:
            self.servo(servo).shaft += max(-60.0, min(way, 60.0))
            self.pass_time(0.01)
        self.pass_time(0.1)
