"""The settings of the robot, `--robot.type=saintos --robot.url=... --robot.target=...`."""

from dataclasses import dataclass, field

from lerobot.cameras import CameraConfig
from lerobot.robots import RobotConfig


@RobotConfig.register_subclass("saintos")
@dataclass(kw_only=True)
class SaintosRobotConfig(RobotConfig):  # type: ignore[misc] # LeRobot has no types here
    """Which arm of which robot. Its token is in SAINT_TOKEN: LeRobot prints these settings."""

    url: str  # http://saint-server.local
    target: str = "parts.follower"
    takeover: bool = False  # take the arm from the page, leader or program that has it
    cameras: dict[str, CameraConfig] = field(default_factory=dict)
