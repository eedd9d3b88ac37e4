"""A leader arm, or any arm, of a SAINT.OS robot for LeRobot: an action is where its joints are."""

import os
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from lerobot.teleoperators import Teleoperator
from lerobot.utils.errors import DeviceAlreadyConnectedError, DeviceNotConnectedError

from saint_services.client import BlockingRobot
from saint_services.client.pose import ArmPose

from .config_saintos_teleoperator import SaintosTeleoperatorConfig


class SaintosTeleoperator(Teleoperator):  # type: ignore[misc] # LeRobot has no types here
    """One arm that is read, and never moved."""

    config_class = SaintosTeleoperatorConfig
    name = "saintos"

    def __init__(self, config: SaintosTeleoperatorConfig) -> None:
        super().__init__(config)
        self.config = config
        self._pose: ArmPose | None = None
        self._opened = ExitStack()

    @cached_property
    def _joints(self) -> tuple[str, ...]:
        if self._pose:
            return self._pose.joints
        with self._robot() as robot, robot.pose(self.config.target) as pose:
            return pose.joints

    @property
    def action_features(self) -> dict[str, type]:
        return {f"{joint}.pos": float for joint in self._joints}

    @property
    def feedback_features(self) -> dict[str, type]:
        return {}

    @property
    def is_connected(self) -> bool:
        return self._pose is not None

    @property
    def is_calibrated(self) -> bool:
        return True

    def calibrate(self) -> None:
        """Do nothing: the arm is calibrated by its robot."""

    def configure(self) -> None:
        """Do nothing: the robot's own configuration counts."""

    def connect(self, calibrate: bool = True) -> None:
        """Read the arm from now on. Raises SaintError when it does not report its joints."""
        if self._pose:
            raise DeviceAlreadyConnectedError(f"{self} is connected already")
        with ExitStack() as undoing:
            robot = undoing.enter_context(self._robot())
            self._pose = undoing.enter_context(robot.pose(self.config.target))
            self._opened = undoing.pop_all()

    def get_action(self) -> dict[str, float]:
        """Return where the joints are. Raises SaintError when that is not known."""
        places = self._connected().newest()
        return {f"{joint}.pos": place for joint, place in places.items()}

    def send_feedback(self, feedback: dict[str, Any]) -> None:
        """Refuse it: a leader arm has no torque."""
        raise NotImplementedError("a leader arm of SAINT.OS takes no feedback")

    def disconnect(self) -> None:
        """Stop reading the arm."""
        self._connected()
        self._pose = None
        self._opened.close()

    def _connected(self) -> ArmPose:
        if self._pose is None:
            raise DeviceNotConnectedError(f"{self} is not connected")
        return self._pose

    def _robot(self) -> BlockingRobot:
        token = os.environ.get("SAINT_TOKEN", "")
        return BlockingRobot(self.config.url, token=token, name=self.id or "lerobot-teleop")
