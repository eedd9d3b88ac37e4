"""A dead node is replaced by another one: with saintctl, against the whole robot."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from saint_services.lib.api.adoption import (
    ADOPT_NODE,
    REPLACE_NODE,
    RESET_NODE,
    AdoptNode,
    NodeInfo,
    NodeState,
    ReplaceNode,
    ResetNode,
)
from tests.integration.robot import ROOT, Robot
from tests.integration.senders import stick, transmitter
from tests.integration.tracks import LEFT_PWM
from tests.waiting import block_until, until
from tools.sim.observe import PinWatch

LIMIT_S = 10.0
pytestmark = pytest.mark.changes_robot


@pytest.fixture
def spare_motor(robot: Robot) -> Iterator[PinWatch]:
    watch = PinWatch(robot.hw("spare"))
    yield watch
    watch.close()


def test_role_moves_to_another_node_and_stays_there(robot: Robot, spare_motor: PinWatch) -> None:
    taken = saintctl(robot, "node", "adopt", "sim_spare", "tracks", expected=5)
    assert "sim_tracks" in taken

    saintctl(robot, "node", "reset", "sim_tracks")
    block_until(lambda: node(robot, "sim_tracks")["state"] == "unadopted", LIMIT_S, robot.diagnosis)
    assert "tracks" not in (robot.state("tracks", "noded") / "role.yaml").read_text()

    said = saintctl(robot, "node", "adopt", "sim_spare", "tracks", "--name", "New tracks")
    assert "/saint/tracks" in said
    block_until(lambda: node(robot, "sim_spare")["state"] == "active", LIMIT_S, robot.diagnosis)
    assert node(robot, "sim_spare")["display_name"] == "New tracks"

    with transmitter(robot, [stick(forward=1.0)]):
        block_until(lambda: spare_motor.read(LEFT_PWM).value > 0.5, LIMIT_S, robot.diagnosis)
    assert "tracks" in (robot.state("spare", "noded") / "role.yaml").read_text()

    robot.kill("noded", "spare")  # a power cycle, as far as the node is concerned
    with transmitter(robot, [stick(forward=1.0)]):
        block_until(lambda: robot.pid("noded", "spare"), LIMIT_S, robot.diagnosis)
        before = spare_motor.read(LEFT_PWM).writes
        block_until(
            lambda: spare_motor.read(LEFT_PWM).writes > before + 5, LIMIT_S, robot.diagnosis
        )


async def test_node_that_fell_silent_is_replaced_in_one_step_and_reset_when_it_returns(
    robot: Robot,
) -> None:
    async with robot.client("adoptiond") as adoptiond:

        async def become(node_id: str, state: NodeState) -> NodeInfo:
            async def look() -> NodeInfo | None:
                found = await adoptiond.get(f"/nodes/{node_id}", NodeInfo)
                return found if found.state is state else None

            return await until(look, LIMIT_S)

        robot.kill("noded", "spare", signal.SIGSTOP)  # the watchdog starts it again after 5 s
        assert (await become("sim_spare", NodeState.OFFLINE)).role == "tracks"
        wanted = ReplaceNode(node_id="sim_spare", by="sim_tracks")
        reply = await adoptiond.request(REPLACE_NODE, wanted)
        assert reply.topic_prefix == "/saint/tracks"
        await become("sim_spare", NodeState.UNADOPTED)
        moved = await become("sim_tracks", NodeState.ACTIVE)
    assert (moved.role, moved.display_name) == ("tracks", "New tracks")
    assert "tracks" not in (robot.state("spare", "noded") / "role.yaml").read_text()


async def test_node_may_be_adopted_at_once_after_a_factory_reset(robot: Robot) -> None:
    wanted = AdoptNode(node_id="sim_head", role="head")
    taken_s = []
    async with robot.client("adoptiond") as adoptiond:
        for _ in range(10):
            await adoptiond.request(RESET_NODE, ResetNode(node_id="sim_head", factory_reset=True))
            began_s = time.monotonic()
            adopted = await adoptiond.request(ADOPT_NODE, wanted)
            taken_s.append(time.monotonic() - began_s)
            assert adopted.topic_prefix == "/saint/head"
            found = await adoptiond.get("/nodes/sim_head", NodeInfo)
            assert (found.state, found.code) == (NodeState.ACTIVE, adopted.code)
    assert min(taken_s) < 2.0, taken_s  # the others may have waited for a busy computer


def test_unknown_node_is_not_found(robot: Robot) -> None:
    assert "sim_nobody" in saintctl(robot, "node", "adopt", "sim_nobody", "head", expected=4)


def test_unknown_role_names_those_there_are(robot: Robot) -> None:
    said = saintctl(robot, "node", "adopt", "sim_console", "wings", expected=4)
    assert "wings" in said
    assert "Traceback" not in said


def saintctl(robot: Robot, *words: str, expected: int = 0) -> str:
    """Run it as a person would; all that it said."""
    command = [sys.executable, "-m", "saint_services.saintctl", "--run", str(robot.run())]
    run = subprocess.run(
        [*command, *words], cwd=ROOT, capture_output=True, text=True, timeout=40, check=False
    )
    said = run.stdout + run.stderr
    assert run.returncode == expected, said
    return said


def node(robot: Robot, node_id: str) -> dict[str, Any]:
    """What `node list --json` says of a node."""
    nodes = json.loads(saintctl(robot, "node", "list", "--json"))["nodes"]
    found: dict[str, Any] = next(entry for entry in nodes if entry["node_id"] == node_id)
    return found
