"""A calibration reaches the running role and moves with the role to another node."""

import pytest

from saint_services.lib.api.adoption import REPLACE_NODE, NodeInfo, NodeState, ReplaceNode
from saint_services.lib.api.calibration import CALIBRATE, Calibrate, CalibrationReply
from saint_services.lib.api.node import NodeReport
from saint_services.lib.ipc import Client
from tests.unit.trust.trust_rig import Robot, adopt, eventually, info, report, seen
from tests.waiting import until


async def calibrate(server: Client, **wanted: object) -> CalibrationReply:
    body = Calibrate.model_validate({"target": "head", "field": "pan", **wanted})
    return await server.request(CALIBRATE, body)


def is_calibrated(found: NodeReport | NodeInfo) -> bool:
    """Whether the node has the first calibration of this configuration."""
    return found.config_version.startswith("1.0.0+1.")


async def test_calibration_reaches_the_role_at_work(robot: Robot):
    role = await robot.role("pi_1", "role-headd")
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
        await seen(server, "pi_1", NodeState.ACTIVE)
        reply = await calibrate(server, offset=9.0)
        assert reply.message == "saved; pi_1 applies it as soon as its outputs are safe"
        await until(lambda: len(role.assignments) == 2)
        assert role.assignments[1].config.gpio_mapping["pan"].pulse_us == (550, 2500)
        await eventually(lambda: report(node), is_calibrated)
        await eventually(lambda: info(server, "pi_1"), is_calibrated)


async def test_calibration_of_a_role_that_nobody_holds_is_kept_for_the_next_node(robot: Robot):
    role = await robot.role("pi_1", "role-headd")
    async with robot.server() as server:
        reply = await calibrate(server, maximum=90.0)
        assert reply.message == "saved; no node is online as head, the next one starts with it"
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        await adopt(server, "pi_1")
    assert role.assignments[0].config.fields["pan"].limits == (-180.0, 90.0)


async def test_calibration_moves_with_the_role_to_another_node(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.adoptiond.registry.OFFLINE_AFTER_S", 1.5)
    await robot.role("pi_1", "role-headd")
    new = await robot.role("pi_2", "role-headd")
    async with robot.server() as server:
        async with robot.node("pi_1"):
            await seen(server, "pi_1")
            await adopt(server, "pi_1")
            await calibrate(server, offset=9.0)
        async with robot.node("pi_2"):
            await seen(server, "pi_1", NodeState.OFFLINE)
            await seen(server, "pi_2")
            await server.request(REPLACE_NODE, ReplaceNode(node_id="pi_1", by="pi_2"))
    assert new.assignments[0].config.gpio_mapping["pan"].pulse_us == (550, 2500)
