"""One running robot for many test files. What a file leaves behind is compared with what it found:
a file that leaves a robot changed fails, and the next one gets a new robot.

Not here: how a robot is started and stopped (robot.py).
"""

import asyncio
import contextlib
import json
from typing import Any

from saint_services.lib.api import routing
from saint_services.lib.api.adoption import NodeList
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.rc import RcStatus
from saint_services.lib.errors import SaintError
from tests.integration.robot import Robot, running_robot
from tests.waiting import every

SETTLE_S = 15.0  # a process that a test killed last may still be coming back
LOOK_S = 0.1
Picture = dict[str, Any]


class SharedRobot:
    """At most one robot, started when it is first wanted."""

    def __init__(self) -> None:
        self._robot: Robot | None = None
        self._found: Picture = {}
        self._end = contextlib.ExitStack()

    def take(self) -> Robot:
        """The running robot; a new one when there is none."""
        if self._robot is None:
            self._robot = self._end.enter_context(running_robot())
            self._found = picture(self._robot)
        return self._robot

    def give_back(self) -> None:
        """Fails unless the robot is, or soon becomes, as it was found."""
        assert self._robot
        if left := asyncio.run(differences(self._robot, self._found)):
            self.end()
            raise AssertionError("the tests of this file left the robot changed: " + left)

    def end(self) -> None:
        """Stop the robot, if there is one."""
        self._robot = None
        self._end.close()


def picture(robot: Robot) -> Picture:
    """What a test may change and has to put back."""
    return asyncio.run(_picture(robot))


async def differences(robot: Robot, found: Picture) -> str:
    """What is not as it was found, once it had time to settle; empty: nothing."""
    changed: dict[str, Any] = {}
    async for _ in every(LOOK_S, for_s=SETTLE_S):
        try:
            now = await _picture(robot)
            changed = {
                key: {"was": was, "is": now.get(key)}
                for key, was in found.items()
                if now.get(key) != was
            }
        except SaintError as err:  # a daemon is coming back
            changed = {"unanswered": {"was": "", "is": str(err)}}
        if not changed:
            return ""
    return json.dumps(changed, indent=1, default=str)


async def _picture(robot: Robot) -> Picture:
    """By name, so that a difference names itself. What appears in addition is no difference."""
    async with robot.client("adoptiond") as adoptiond:
        nodes = (await adoptiond.get("/nodes", NodeList)).nodes
    async with robot.client("routerd") as routerd:
        routes = await routerd.request(routing.LIST_ROUTES, Nothing())
        status = await routerd.request(routing.GET_STATUS, Nothing())
    async with robot.client("rcd") as rcd:
        receiver = await rcd.get("/status", RcStatus)
    seen: Picture = {f"process {machine}/{name}": "runs" for machine, name in robot.pids()}
    seen |= {
        f"node {node.node_id}": (node.state, node.role, node.instance, node.display_name)
        for node in nodes
    }
    seen |= {f"route {each.route.id}": each.route for each in routes.routes}
    seen["number of routes"] = len(routes.routes)
    seen["blending"] = routes.blending
    seen["e-stop"] = status.estop.active
    seen["receiver"] = (receiver.enabled, receiver.protocol)
    return seen
