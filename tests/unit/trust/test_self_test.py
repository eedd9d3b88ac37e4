"""A server has a node tested: signed orders, the real noded and guard, a simulated board."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.api.adoption import NodeState
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.node import RESET, NodeReset
from saint_services.lib.api.orders import OrderKind
from saint_services.lib.api.selftest import (
    LAST,
    LAST_HERE,
    RUN,
    RUN_HERE,
    RunNodeSelfTest,
    RunSelfTest,
    SelfTestReport,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Client
from saint_services.lib.selftest import card_facts
from tests.unit.trust.trust_rig import Robot, adopt, seen
from tests.waiting import until
from tools.sim.observe import PinWatch


@pytest.fixture(autouse=True)
def pins(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> Iterator[PinWatch]:
    """A simulated board with a wire on each pair of pins, and a quick card."""
    folder = robot.root / "hw"
    folder.mkdir()
    (folder / "board.yaml").write_text("wires: [[14, 15], [12, 6], [13, 19]]\n")
    monkeypatch.setenv("SAINT_HW", f"sim:{folder}")
    monkeypatch.setattr(card_facts, "SIZE_BYTES", 1 << 20)
    watch = PinWatch(folder)
    yield watch
    watch.close()


async def run(server: Client, **wanted: Any) -> SelfTestReport:
    params = RunNodeSelfTest.model_validate({"node_id": "pi_1", **wanted})
    return await server.request(RUN, params)


def state(report: SelfTestReport, name: str) -> str:
    return next(check.state for check in report.checks if check.name == name)


def pulse(pins: PinWatch) -> float:
    return pins.read(12).value


async def adopted(robot: Robot, server: Client, role: str = "head") -> None:
    await robot.role("pi_1", f"role-{role}d")
    await seen(server, "pi_1")
    await adopt(server, "pi_1", role)
    await seen(server, "pi_1", NodeState.ACTIVE)


@pytest.mark.slow
async def test_node_without_a_role_is_tested_and_stays_free(robot: Robot) -> None:
    async with robot.server() as server, robot.node() as node:
        await seen(server, "pi_1")
        report = await run(server)
        assert (state(report, "board"), state(report, "pwm0_jumper")) == ("passed", "skipped")
        assert report.document.startswith("SAINT.OS self-test")
        assert "pi_1" not in report.document
        assert await node.request(LAST_HERE, Nothing()) == report
        await until(lambda: robot_is_free(robot, server))
    async with robot.node(), robot.server("second") as server:
        await adopted(robot, server)


async def robot_is_free(robot: Robot, server: Client) -> bool:
    found = await seen(server, "pi_1")
    return not found.server


@pytest.mark.slow
@pytest.mark.parametrize("jumper", ["serial", "pwm0", "pwm1"])
async def test_every_wire_passes_on_a_free_node(robot: Robot, pins: PinWatch, jumper: str) -> None:
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        report = await run(server, jumper=jumper, only_jumper=True)
        assert state(report, f"{jumper}_jumper") == "passed", report.document
        assert state(report, "board") == "passed"  # the rest stands in the same report
        assert pulse(pins) == 0.0


@pytest.mark.slow
async def test_result_of_a_wire_joins_the_last_report(robot: Robot) -> None:
    async with robot.node() as node:
        first = await node.request(RUN_HERE, RunSelfTest())
        second = await node.request(RUN_HERE, RunSelfTest(jumper="serial", only_jumper=True))
        assert (second.began, state(second, "serial_jumper")) == (first.began, "passed")
        assert len(second.checks) == len(first.checks)


async def test_wire_needs_the_word_of_a_person(robot: Robot, pins: PinWatch) -> None:
    async with robot.node() as node:
        with pytest.raises(SaintError, match="drives pins") as refused:
            await node.request(RUN_HERE, RunSelfTest(jumper="pwm0"))
        assert refused.value.code is Code.REFUSED
        assert pins.read(12).writes == 0


async def test_pins_of_a_role_are_not_driven(robot: Robot, pins: PinWatch) -> None:
    async with robot.server() as server, robot.node():
        await adopted(robot, server, "tracks")
        before = pins.read(12).writes
        report = await run(server, jumper="pwm0", only_jumper=True)
        assert state(report, "pwm0_jumper") == "skipped"
        assert "belongs to the role tracks" in report.document
        assert pins.read(12).writes == before


async def test_adoption_ends_the_pulses(robot: Robot, pins: PinWatch) -> None:
    async with robot.server() as server, robot.node() as node:
        await robot.role("pi_1", "role-tracksd")
        await seen(server, "pi_1")
        await node.request(RUN_HERE, RunSelfTest())
        wanted = RunSelfTest(jumper="pwm0", only_jumper=True)
        test = asyncio.ensure_future(node.request(RUN_HERE, wanted))
        await until(lambda: pulse(pins) > 0.0)
        await adopt(server, "pi_1", "tracks")
        assert pulse(pins) == 0.0
        report = await test
        assert state(report, "pwm0_jumper") == "skipped"
        assert "were ended" in report.document
        assert pulse(pins) == 0.0


@pytest.mark.slow
async def test_second_test_at_the_same_time_is_refused(robot: Robot) -> None:
    async with robot.node() as node:
        first = asyncio.ensure_future(node.request(RUN_HERE, RunSelfTest()))
        second = asyncio.ensure_future(node.request(RUN_HERE, RunSelfTest()))
        done = await asyncio.gather(first, second, return_exceptions=True)
        faults = [each for each in done if isinstance(each, SaintError)]
        assert [fault.code for fault in faults] == [Code.CONFLICT]


@pytest.mark.slow
async def test_adopted_node_is_tested_by_its_server_alone(robot: Robot) -> None:
    async with robot.node():
        async with robot.server("first") as server:
            await adopted(robot, server)
            report = await run(server)
            assert state(report, "card") == "passed"
            last = await server.request(LAST, LAST.params(node_id="pi_1"))
            assert last.document == report.document
        async with robot.server("second") as other:
            await seen(other, "pi_1", NodeState.ACTIVE)
            with pytest.raises(SaintError):
                await run(other)


@pytest.mark.slow
async def test_node_that_was_never_tested_says_so_without_an_order(robot: Robot) -> None:
    kinds: list[str] = []
    robot.tap = lambda request: (kinds.append(getattr(request, "kind", "")), request)[1]
    async with robot.server() as server, robot.node():
        await seen(server, "pi_1")
        last = await server.request(LAST, LAST.params(node_id="pi_1"))
        assert (last.began, last.checks) == ("", [])
        assert OrderKind.BIND not in kinds


@pytest.mark.slow
async def test_reset_node_is_tested_again(robot: Robot) -> None:
    async with robot.server() as server, robot.node() as node:
        await adopted(robot, server, "tracks")
        await node.request(RESET, NodeReset())
        report = await node.request(RUN_HERE, RunSelfTest(jumper="pwm0", only_jumper=True))
        assert state(report, "pwm0_jumper") == "passed", report.document
