"""The settings of the teleoperator: `--teleop.type=saintos --teleop.url=...`."""

from dataclasses import dataclass

from lerobot.teleoperators import TeleoperatorConfig


@TeleoperatorConfig.register_subclass("saintos")
@dataclass(kw_only=True)
class SaintosTeleoperatorConfig(TeleoperatorConfig):  # type: ignore[misc] # LeRobot has no types here
    """Which arm is read. The robot's token is in the variable SAINT_TOKEN."""

    url: str  # http://saint-server.local
    target: str = "leader.hand"  # a leader, or any arm: parts.follower
