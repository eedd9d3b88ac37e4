"""The whole robot, one node or the server is switched off, by the control plane and by the ROS
service of the specification, and never while outputs are live.
"""

from collections.abc import Callable

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.node import RoleReport
from saint_services.lib.api.orders import POWER, PowerCommand, RobotPower
from saint_services.lib.errors import SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.lib.ipc import Client
from saint_services.lib.machine import power
from saint_services.lib.machine.power import PowerAction
from tests.unit.trust.trust_rig import Robot, adopt, eventually, info, seen
from tests.waiting import until

OFF = PowerAction.POWER_OFF
Requests = list[tuple[PowerAction, str]]
LIVE = RoleReport(ready=True, safe=False, estop=False)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Requests:
    """The power requests of all machines, in their order."""
    made: Requests = []
    monkeypatch.setattr(power, "request", lambda action, reason: made.append((action, reason)))
    return made


async def ready(robot: Robot, server: Client) -> Callable[[RoleReport], None]:
    """pi_1 is the head; what its role reports next."""
    await seen(server, "pi_1")
    await adopt(server, "pi_1")
    await seen(server, "pi_1", NodeState.ACTIVE)
    await until(lambda: bool(robot.roles[0].assignments))
    return robot.roles[0].say


async def live(server: Client, say: Callable[[RoleReport], None]) -> None:
    """Have pi_1 drive its outputs."""
    say(LIVE)
    await eventually(lambda: info(server, "pi_1"), lambda found: not found.outputs_safe)


async def by_ros(robot: Robot, command: str, node_id: str = "") -> msgs.SystemCommand_Response:
    request = msgs.SystemCommand_Request(command=command, node_id=node_id)
    return await robot.watcher.call(topics.SYSTEM_SHUTDOWN, request, 10.0)


async def test_whole_robot_is_switched_off_nodes_first(robot: Robot, requests: Requests):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await ready(robot, server)
        done = await server.request(POWER, RobotPower(command=PowerCommand.SHUTDOWN))
    assert done.message == "The robot shuts down."
    assert [action for action, _ in requests] == [OFF, OFF]
    assert requests[0] == (OFF, "requested by its server")


async def test_ros_service_switches_off_as_specified(robot: Robot, requests: Requests):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await ready(robot, server)
        node = await by_ros(robot, "shutdown", "pi_1")
        assert (node.success, node.message) == (True, "pi_1 shuts down")
        assert requests == [(OFF, "requested by its server")]
        alone = await by_ros(robot, "shutdown", "server")
        assert (alone.success, alone.message) == (True, "The server shuts down.")
        restarted = await by_ros(robot, "reboot")
        assert restarted.message == "The robot restarts."
        unknown = await by_ros(robot, "explode")
        nobody = await by_ros(robot, "shutdown", "pi_9")
    assert requests[1:] == [
        (OFF, "requested by a ROS program"),
        (PowerAction.REBOOT, "requested by its server"),
        (PowerAction.REBOOT, "requested by a ROS program"),
    ]
    assert (unknown.success, unknown.message) == (False, "'explode' is no command")
    assert not nobody.success
    assert "pi_9" in nobody.message


async def test_nothing_is_switched_off_while_outputs_are_live(robot: Robot, requests: Requests):
    role = await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        say = await ready(robot, server)
        role.first = LIVE
        await live(server, say)
        with pytest.raises(SaintError, match="outputs are live on pi_1"):
            await server.request(POWER, RobotPower(command=PowerCommand.SHUTDOWN))
        for node_id in ("", "pi_1", "server"):
            refused = await by_ros(robot, "shutdown", node_id)
            assert (refused.success, refused.message) == (False, "outputs are live on pi_1")
            assert not (await by_ros(robot, "reboot", node_id)).success
        assert requests == []
        forced = RobotPower(command=PowerCommand.SHUTDOWN, force=True)
        done = await server.request(POWER, forced)
    assert "pi_1 stays as it is: its outputs are live" in done.message
    assert [reason for _, reason in requests] != ["requested by its server"]
    assert len(requests) == 1


async def test_node_that_is_away_is_named(robot: Robot, requests: Requests):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server:
        async with robot.node():
            await ready(robot, server)
        await seen(server, "pi_1", NodeState.OFFLINE)
        done = await server.request(POWER, RobotPower(command=PowerCommand.SHUTDOWN))
    assert done.message == "The server shuts down. pi_1 stays as it is: pi_1 is offline."
    assert len(requests) == 1


async def test_machine_that_is_server_and_node_is_switched_off_last(
    robot: Robot, requests: Requests, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SAINT_MACHINE", "both")
    monkeypatch.setenv("SAINT_NODE_ID", "pi_1")
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await ready(robot, server)
        await server.request(POWER, RobotPower(command=PowerCommand.SHUTDOWN))
    assert len(requests) == 1
    assert requests[0][1] != "requested by its server"


@pytest.mark.parametrize("node_id", ["", "server", "pi_1"])
async def test_machine_that_is_server_and_node_stays_on_while_its_own_outputs_are_live(
    robot: Robot, requests: Requests, monkeypatch: pytest.MonkeyPatch, node_id: str
):
    monkeypatch.setenv("SAINT_MACHINE", "both")
    monkeypatch.setenv("SAINT_NODE_ID", "pi_1")
    role = await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        say = await ready(robot, server)
        role.first = LIVE
        await live(server, say)
        refused = await by_ros(robot, "shutdown", node_id)
        with pytest.raises(SaintError, match="outputs are live on pi_1"):
            wanted = RobotPower(command=PowerCommand.REBOOT, node_id=node_id)
            await server.request(POWER, wanted)
    assert (refused.success, refused.message) == (False, "outputs are live on pi_1")
    assert requests == []
