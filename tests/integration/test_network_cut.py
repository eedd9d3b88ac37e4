"""The cable between server and node is pulled while the robot drives: the motors stop in time, and
when it is back everything goes on by itself, with nothing lost. Real interfaces; needs root.
"""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.lib.api import routing
from saint_services.lib.api.adoption import ADOPT_NODE, AdoptNode, NodeInfo, NodeState
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.node import NodeReport
from saint_services.lib.errors import SaintError
from saint_services.lib.ipc import Client
from tests.integration.net_space import Space, cable, missing
from tests.integration.node_crowd import places
from tests.integration.robot import short_folder
from tests.integration.tracks import LEFT_PWM, RIGHT_PWM
from tests.waiting import every, until
from tools.sim.observe import PinWatch

ROOT = Path(__file__).resolve().parents[2]
SAFE_NS = 250_000_000
NODE = "cut_tracks"
pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]

if reason := missing("ip"):
    pytest.skip(reason, allow_module_level=True)


@dataclass(frozen=True)
class Robot:
    """A server and a node with one cable."""

    root: Path
    server: Space
    node: Space
    pins: PinWatch
    daemons: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def client(self, daemon: str) -> Client:
        machine = "node" if daemon in ("noded", "role-tracksd") else "server"
        return Client(self.root / machine / "run" / f"{daemon}.sock")

    @contextmanager
    def daemon(self, space: Space, name: str) -> Iterator["subprocess.Popen[bytes]"]:
        """One process on one of the two computers."""
        machine = "node" if space is self.node else "server"
        environment = {
            **os.environ,
            **places(self.root / machine / name),
            "RUNTIME_DIRECTORY": str(self.root / machine / "run"),
            "SAINT_BUS": "dds",
            "SAINT_DDS_INTERFACE": "eth0",
            "ROS_DOMAIN_ID": "0",
            "SAINT_HW": f"sim:{self.root / 'hw'}",
            "SAINT_NODE_ID": NODE,
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.root / 'no-bus'}",
        }
        words = space.argv(sys.executable, "-m", name)
        with (self.root / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                words, cwd=ROOT, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait(10)

    @contextmanager
    def restarted(self, name: str) -> Iterator[None]:
        """A daemon of the server dies and is started again, as the service manager does it."""
        self.daemons[name].kill()
        self.daemons[name].wait(10)
        (self.root / "server/run" / f"{name}.sock").unlink(missing_ok=True)
        with self.daemon(self.server, f"saint_services.{name}"):
            yield

    def duties(self) -> tuple[float, float]:
        return self.pins.read(LEFT_PWM).value, self.pins.read(RIGHT_PWM).value

    def stopped_ns(self) -> int:
        """When the last motor was written to."""
        return max(self.pins.read(pin).stamp_ns for pin in (LEFT_PWM, RIGHT_PWM))

    def said(self) -> str:
        """All logs."""
        logs = sorted(self.root.glob("*.log"))
        return "\n".join(f"--- {p.stem}\n{p.read_text(errors='replace')[-2000:]}" for p in logs)


@pytest.fixture(scope="module")
def robot() -> Iterator[Robot]:
    spaces = [Space(f"saint-cut-{kind}-{os.getpid()}") for kind in ("server", "node")]
    server, node = spaces
    with short_folder() as root, ExitStack() as stack:
        for space in spaces:
            subprocess.run(["ip", "netns", "add", space.name], check=True, timeout=10)
            stack.callback(
                subprocess.run, ["ip", "netns", "delete", space.name], check=False, timeout=10
            )
        cable(server, "eth0", node, "eth0")
        server.run("ip", "address", "add", "192.168.10.1/24", "dev", "eth0")
        node.run("ip", "address", "add", "192.168.10.20/24", "dev", "eth0")
        (root / "hw").mkdir()
        pins = PinWatch(root / "hw")
        stack.callback(pins.close)
        made = Robot(root, server, node, pins)
        for name in ("adoptiond", "routerd"):
            running = made.daemon(server, f"saint_services.{name}")
            made.daemons[name] = stack.enter_context(running)
        for name in ("guardd", "role_tracksd", "noded"):
            stack.enter_context(made.daemon(node, f"saint_services.{name}"))
        yield made


async def node_is(robot: Robot, state: NodeState, limit_s: float = 60.0) -> NodeInfo:
    """The server's word."""
    seen: NodeInfo | None = None
    async with robot.client("adoptiond") as client:

        async def look() -> NodeInfo | None:
            nonlocal seen
            with suppress(SaintError):
                seen = await client.get(f"/nodes/{NODE}", NodeInfo)
                return seen if seen.state is state else None
            return None

        return await until(look, limit_s, lambda: f"not {state}: {seen}\n{robot.said()}")


async def silent_for(robot: Robot, seconds: float) -> None:
    """The server shows the node as offline, for that long."""

    async def is_over() -> bool:
        return (await node_is(robot, NodeState.OFFLINE)).seen_age_s >= seconds

    await until(is_over, seconds + 20.0, pause_s=0.1)


async def adopted(robot: Robot) -> None:
    if (await node_is_known(robot)).state is NodeState.UNADOPTED:
        async with robot.client("adoptiond") as client:
            await client.request(ADOPT_NODE, AdoptNode(node_id=NODE, role="tracks"))
    await node_is(robot, NodeState.ACTIVE)


async def node_is_known(robot: Robot) -> NodeInfo:
    async with robot.client("noded") as client:

        async def known() -> NodeInfo | None:
            with suppress(SaintError):
                return await node_is(robot, (await client.get("/status", NodeReport)).state)
            return None

        return await until(known, 30.0)


async def until_stopped(robot: Robot) -> None:
    await until(lambda: robot.duties() == (0.0, 0.0), 5.0, robot.said)


@asynccontextmanager
async def pulled(robot: Robot, side: str) -> AsyncIterator[int]:
    """The cable of a driving robot is pulled at one side for as long as this lasts, then the robot
    drives again. Yields when, in monotonic nanoseconds.
    """
    await until_stopped(robot)  # the driver of the test before counts no more
    space = robot.server if side == "server" else robot.node
    python = sys.executable
    with (
        robot.daemon(robot.server, "tests.integration.net_drive"),
        space.running(python, "-m", "tests.integration.net_cut") as cut,
    ):
        assert cut.stdin
        assert cut.stdout
        await until(lambda: min(robot.duties()) > 0.1, 30.0, robot.said)
        print("down", file=cut.stdin, flush=True)
        yield int(cut.stdout.readline())
        print("up", file=cut.stdin, flush=True)
        cut.stdout.readline()
        await until(lambda: min(robot.duties()) > 0.1, 60.0, robot.said)


@pytest.mark.timed
@pytest.mark.parametrize("side", ["node", "server"])
async def test_motors_stop_in_time_when_the_cable_is_pulled(robot: Robot, side: str) -> None:
    await adopted(robot)
    async with pulled(robot, side) as cut_ns:
        await until_stopped(robot)
        assert robot.stopped_ns() - cut_ns < SAFE_NS


# DDS gives a participant up after 10 s of silence: after that all of it is discovered again.
@pytest.mark.parametrize(("side", "away_s"), [("node", 3.0), ("server", 13.0)])
async def test_everything_comes_back_with_the_cable(robot: Robot, side: str, away_s: float) -> None:
    await adopted(robot)
    state = robot.root / "node/saint_services.noded/state"
    kept = {path.name: path.read_bytes() for path in state.iterdir()}
    async with pulled(robot, side):
        await until_stopped(robot)
        await silent_for(robot, away_s)
        assert robot.duties() == (0.0, 0.0)
        async with robot.client("noded") as client:
            alone = await client.get("/status", NodeReport)
        assert (alone.state, alone.role_alive) == (NodeState.ACTIVE, True)
    back = await node_is(robot, NodeState.ACTIVE)
    assert (back.role, back.role_restarts, back.is_ours) == ("tracks", 0, True)
    assert {path.name: path.read_bytes() for path in state.iterdir()} == kept
    async with robot.client("routerd") as client:
        assert not (await client.request(routing.GET_STATUS, Nothing())).estop.active


@pytest.mark.timed
async def test_server_that_restarts_disturbs_neither_role_nor_registry(robot: Robot) -> None:
    await adopted(robot)
    before = await node_is(robot, NodeState.ACTIVE)
    await until_stopped(robot)
    with robot.daemon(robot.server, "tests.integration.net_drive"):
        await until(lambda: min(robot.duties()) > 0.1, 30.0, robot.said)
        lowest = min(robot.duties())
        with robot.restarted("adoptiond"):
            back = await node_is(robot, NodeState.ACTIVE)
            async for _ in every(0.005, times=200):
                lowest = min(lowest, *robot.duties())
        assert lowest > 0.1  # the motors did not even slow down
    assert (back.role_restarts, back.code, back.is_ours) == (0, before.code, True)
    async with robot.client("noded") as client:
        assert (await client.get("/status", NodeReport)).reason == ""
