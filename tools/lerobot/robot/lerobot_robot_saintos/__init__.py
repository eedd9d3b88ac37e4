"""A SAINT.OS arm as a robot of LeRobot. `lerobot-*` commands import this package by its name."""

from .config_saintos_robot import SaintosRobotConfig
from .saintos_robot import SaintosRobot

__all__ = ["SaintosRobot", "SaintosRobotConfig"]
