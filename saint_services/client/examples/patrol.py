"""A controller that drives to and fro, turns the head along, and stops before obstacles. Speeds are
low; the e-stop, RC and the dead-man have precedence.

    SAINT_TOKEN=... python -m saint_services.client.examples.patrol http://saint-server.local
"""

import argparse
import asyncio
import os
import sys

from saint_services.client import Robot, SaintError
from saint_services.lib.api.states import HeadState, TracksState

NEAR_M = 0.4
SPEED_MPS = 0.2
LEG_S = 3.0
STEP_S = 0.1


class Surroundings:
    """The newest states of the robot."""

    near_m: float | None = None
    is_stopped = False

    async def follow_head(self, robot: Robot) -> None:
        """Follow the distance in front of the head."""
        async for head in robot.watch(HeadState):
            self.near_m = head.proximity

    async def follow_tracks(self, robot: Robot) -> None:
        """Follow the e-stop."""
        async for tracks in robot.watch(TracksState):
            self.is_stopped = bool(tracks.estop_active)

    @property
    def is_free(self) -> bool:
        """True while nothing is near and the e-stop is off."""
        return not self.is_stopped and (self.near_m is None or self.near_m > NEAR_M)


async def patrol(robot: Robot, legs: int) -> None:
    """Drive so many legs to and fro."""
    around = Surroundings()
    async with asyncio.TaskGroup() as tasks:
        watching = [tasks.create_task(around.follow_head(robot))]
        watching.append(tasks.create_task(around.follow_tracks(robot)))
        async with robot.tracks.drive() as drive:
            for leg in range(legs):
                forth = 1.0 if leg % 2 == 0 else -1.0
                await robot.head.move(pan=20.0 * forth, speed=0.3)
                for _ in range(round(LEG_S / STEP_S)):
                    await drive.set(linear=SPEED_MPS * forth if around.is_free else 0.0)
                    await asyncio.sleep(STEP_S)
        for each in watching:
            each.cancel()
    await robot.head.home()


async def main(url: str, legs: int) -> int:
    """Run the patrol. Return the exit code."""
    try:
        async with Robot(url, token=os.environ.get("SAINT_TOKEN", ""), name="patrol") as robot:
            await patrol(robot, legs)
    except SaintError as err:
        print(f"patrol: {err.message}\n{err.fix}", file=sys.stderr)  # noqa: T201
        return err.exit_code
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Drives to and fro; stops before obstacles.")
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8080")
    parser.add_argument("--legs", type=int, default=4)
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.url, given.legs)))
