"""A SAINT.OS leader arm as a teleoperator of LeRobot. `lerobot-*` commands import this package."""

from .config_saintos_teleoperator import SaintosTeleoperatorConfig
from .saintos_teleoperator import SaintosTeleoperator

__all__ = ["SaintosTeleoperator", "SaintosTeleoperatorConfig"]
