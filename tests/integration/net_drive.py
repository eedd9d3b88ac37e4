"""A program on the robot's network that drives forward, 20 times a second, until it is ended."""

import asyncio

from saint_services.lib.bus.open import open_bus
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.topics import TRACKS_CMD_VEL
from tests.waiting import every

PERIOD_S = 0.05


async def main() -> None:
    """Drive until killed."""
    bus = await open_bus("driver", backend="dds")
    publisher = bus.publisher(TRACKS_CMD_VEL)
    async for _ in every(PERIOD_S):
        publisher.publish(Twist(linear=Vector3(x=0.5)))


if __name__ == "__main__":
    asyncio.run(main())
