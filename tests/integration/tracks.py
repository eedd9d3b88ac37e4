"""The tracks' simulated pins, as an observer beside the robot sees them."""

from tests.integration.robot import Robot
from tests.waiting import seconds_until
from tools.sim.observe import PinWatch

# manifests/roles/tracks.yaml
LEFT_PWM, RIGHT_PWM, LEFT_DIRECTION, RIGHT_DIRECTION = 12, 13, 5, 6


class Tracks:
    """Looks at the motor pins."""

    def __init__(self, robot: Robot, machine: str = "tracks") -> None:
        self._pins = PinWatch(robot.hw(machine))

    def duties(self) -> tuple[float, float]:
        """Left and right, 0 to 1, without their direction."""
        return self._pins.read(LEFT_PWM).value, self._pins.read(RIGHT_PWM).value

    def directions(self) -> tuple[float, float]:
        """Levels of the direction pins."""
        return self._pins.read(LEFT_DIRECTION).value, self._pins.read(RIGHT_DIRECTION).value

    def is_driving(self) -> bool:
        """Both motors get power."""
        return min(self.duties()) > 0.1

    def is_turning(self) -> bool:
        """On the spot: both motors get power, against each other."""
        left, right = self.directions()
        return self.is_driving() and left != right

    def seconds_until_stopped(self, limit_s: float) -> float:
        """How long from now until both motors are without power; `limit_s` when they never were."""
        return seconds_until(lambda: self.duties() == (0.0, 0.0), limit_s)

    def close(self) -> None:
        """Stop looking."""
        self._pins.close()
