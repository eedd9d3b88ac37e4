"""A node restarts its machine on its own server's order, and only while no output is live."""

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.orders import POWER, PowerCommand, RobotPower
from saint_services.lib.errors import SaintError
from saint_services.lib.machine import power
from saint_services.lib.machine.power import PowerAction
from tests.unit.trust.trust_rig import Robot, adopt, seen
from tests.waiting import until

Requests = list[tuple[PowerAction, str]]
RESTART = RobotPower(command=PowerCommand.REBOOT, node_id="pi_1")


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Requests:
    """The power requests of the machine."""
    made: Requests = []
    monkeypatch.setattr(power, "request", lambda action, reason: made.append((action, reason)))
    return made


async def test_node_restarts_when_its_server_orders_it(
    robot: Robot, requests: list[tuple[PowerAction, str]]
):
    role = await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
        await seen(server, "pi_1", NodeState.ACTIVE)
        await until(lambda: bool(role.assignments))
        reply = await server.request(POWER, RESTART)
        assert reply.message == "pi_1 restarts"
        assert requests == [(PowerAction.REBOOT, "requested by its server")]


async def test_node_that_belongs_to_nobody_is_not_restarted(
    robot: Robot, requests: list[tuple[PowerAction, str]]
):
    await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        with pytest.raises(SaintError, match="does not belong to this server"):
            await server.request(POWER, RESTART)
    assert requests == []
