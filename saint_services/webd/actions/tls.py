"""Encryption by the robot's own certificate authority."""

from typing import Any

from ..api import messages as m
from ..robot.context import Robot
from .caller import Caller

Data = dict[str, Any]


async def get_tls(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Whether port 443 answers, and the fingerprint to compare before trusting it."""
    return (await robot.trust.info()).model_dump(mode="json")


async def enable_tls(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Makes an authority and a certificate where there are none, and answers on port 443."""
    return (await robot.trust.enable()).model_dump(mode="json")


async def disable_tls(robot: Robot, _: Caller, __: m.Nothing) -> Data:
    """Closes port 443 and forgets the authority."""
    return (await robot.trust.disable()).model_dump(mode="json")
