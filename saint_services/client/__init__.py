"""The robot for programs: a typed client of webd's WebSocket. `Robot` for asyncio, `BlockingRobot`
for everything else. Needs nothing of a robot's own machine; not here: the daemons.
"""

from ..lib.errors import Code, SaintError
from .blocking import BlockingRobot
from .robot import Robot

__all__ = ["BlockingRobot", "Code", "Robot", "SaintError"]
