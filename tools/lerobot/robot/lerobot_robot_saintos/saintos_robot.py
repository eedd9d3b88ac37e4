"""A SAINT.OS arm for LeRobot: observations are what its servos measure, actions pass the robot's
router with its limits, time-outs and e-stop. Calibration is the robot's own.
"""

import os
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from lerobot.cameras.utils import make_cameras_from_configs
from lerobot.robots import Robot
from lerobot.utils.errors import DeviceAlreadyConnectedError, DeviceNotConnectedError

from saint_services.client import BlockingRobot
from saint_services.client.blocking import BlockingArm

from .config_saintos_robot import SaintosRobotConfig

_POS = ".pos"


class SaintosRobot(Robot):  # type: ignore[misc] # LeRobot has no types here
    """One arm. Errors of the robot end LeRobot's loop with their sentence; the arm then holds."""

    config_class = SaintosRobotConfig
    name = "saintos"

    def __init__(self, config: SaintosRobotConfig) -> None:
        super().__init__(config)
        self.config = config
        self.cameras = make_cameras_from_configs(config.cameras)
        self._arm: BlockingArm | None = None
        self._opened = ExitStack()

    @cached_property
    def _joints(self) -> tuple[str, ...]:
        """The joints, which LeRobot wants to know before it connects."""
        if self._arm:
            return self._arm.pose.joints
        with self._robot() as robot, robot.pose(self.config.target) as pose:
            return pose.joints

    @property
    def action_features(self) -> dict[str, type]:
        return {joint + _POS: float for joint in self._joints}

    @property
    def observation_features(self) -> dict[str, Any]:
        pictures = {
            name: (each.height, each.width, 3) for name, each in self.config.cameras.items()
        }
        return {**self.action_features, **pictures}

    @property
    def is_connected(self) -> bool:
        return self._arm is not None

    @property
    def is_calibrated(self) -> bool:
        return True

    def calibrate(self) -> None:
        """Do nothing: the arm is calibrated on the page Arms."""

    def configure(self) -> None:
        """Do nothing: the robot's own configuration counts."""

    def connect(self, calibrate: bool = True) -> None:
        """Take the arm's lock. Raises SaintError while another source has it."""
        if self._arm:
            raise DeviceAlreadyConnectedError(f"{self} is connected already")
        with ExitStack() as undoing:
            robot = undoing.enter_context(self._robot())
            arm = undoing.enter_context(
                robot.arm(self.config.target, takes_over=self.config.takeover)
            )
            for camera in self.cameras.values():
                camera.connect()
                undoing.callback(camera.disconnect)
            self._opened = undoing.pop_all()
        self._arm = arm

    def get_observation(self) -> dict[str, Any]:
        """Return where the joints are. Raises SaintError when that is not known."""
        places = self._connected().pose.newest()
        pictures = {name: camera.async_read() for name, camera in self.cameras.items()}
        return {**{joint + _POS: place for joint, place in places.items()}, **pictures}

    def send_action(self, action: dict[str, Any]) -> dict[str, Any]:
        """Move the joints; return the action within the robot's limits. Raises SaintError when the
        robot is stopped, cannot be reached, or another source has taken the arm.
        """
        places = {name.removesuffix(_POS): float(value) for name, value in action.items()}
        sent = self._connected().set(places)
        return {joint + _POS: place for joint, place in sent.items()}

    def disconnect(self) -> None:
        """Release the arm, which holds where it is."""
        self._connected()
        self._arm = None
        self._opened.close()

    def _connected(self) -> BlockingArm:
        if self._arm is None:
            raise DeviceNotConnectedError(f"{self} is not connected")
        return self._arm

    def _robot(self) -> BlockingRobot:
        token = os.environ.get("SAINT_TOKEN", "")
        return BlockingRobot(self.config.url, token=token, name=self.id or "lerobot")
