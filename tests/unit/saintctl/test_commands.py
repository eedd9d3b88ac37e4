"""saintctl against daemons that speak the real control plane."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.api import Done, adoption, routing
from saint_services.lib.api.adoption import (
    AdoptNode,
    AdoptReply,
    IgnoreNode,
    NameNode,
    NodeInfo,
    NodeList,
    NodeParams,
    NodeState,
    Peripheral,
    ReplaceNode,
    ResetNode,
    UnknownDevice,
)
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.routing import (
    Blending,
    EStopClear,
    EStopInfo,
    EStopRequest,
    PressInfo,
    Route,
    RouteInfo,
    RouteList,
    RouterStatus,
    SourceInfo,
)
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Call
from saint_services.saintctl.app import app

NODE = NodeInfo(
    node_id="sim_tracks", display_name="Tracks", state="active", role="tracks", seen_age_s=0.4
)
ROUTE = Route.model_validate(
    {
        "id": "rc_drive",
        "priority": 300,
        "input": {"source": "rc"},
        "output": {"target": "tracks"},
        "mapping": [{"from": "channel_2", "to": "linear"}],
    }
)


class Robot:
    """Fake adoptiond and routerd on real unix sockets."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.asked: list[object] = []
        self.latch = EStopInfo(active=False)
        self.problem = ""  # why the stop is not stored
        self.node = NODE

    async def one(self, _: Call[NodeParams]) -> NodeInfo:
        return self.node

    async def adopt(self, call: Call[AdoptNode]) -> AdoptReply:
        self.asked.append(call.body)
        if call.body.role == "head":
            raise SaintError(Code.CONFLICT, "head is held by sim_head")
        return AdoptReply(message="adopted", topic_prefix="/saint/arms/left")

    async def reset(self, call: Call[ResetNode]) -> Done:
        self.asked.append(call.body)
        return Done(message="sim_tracks has no role any more")

    async def nodes(self, call: Call[Nothing]) -> NodeList:
        stranger = UnknownDevice(name="pi-1", reason="its id is no name", seen_age_s=1.0)
        return NodeList(nodes=[self.node], strangers=[stranger])

    async def replace(self, call: Call[ReplaceNode]) -> AdoptReply:
        self.asked.append(call.body)
        return AdoptReply(message="done", topic_prefix="/saint/tracks", code="482 173")

    async def ignore(self, call: Call[IgnoreNode]) -> NodeInfo:
        self.asked.append(call.body)
        return NODE

    async def rename(self, call: Call[NameNode]) -> NodeInfo:
        return NODE.model_copy(update={"display_name": call.body.display_name})

    async def routes(self, call: Call[None]) -> RouteList:
        return RouteList(routes=[RouteInfo(route=ROUTE, status="active")], blending=Blending())

    async def status(self, call: Call[None]) -> RouterStatus:
        source = SourceInfo(
            source="rc", age_ms=4, alive=True, failsafe=False, rate_hz=50, values={"channel_1": -1}
        )
        return RouterStatus(
            state="routing", estop=self.latch, outputs=[], sources=[source],
            samples=9, refused={},
        )  # fmt: skip

    async def estop(self, call: Call[EStopRequest]) -> EStopInfo:
        self.asked.append(call.body)
        problem, confirmed = self.problem, self.latch.confirmed
        return EStopInfo(active=True, stored=not problem, problem=problem, confirmed=confirmed)

    async def clear(self, call: Call[EStopClear]) -> EStopInfo:
        self.asked.append(call.body)
        raise SaintError(Code.REFUSED, "rc channel_2 is not neutral (0.40)")

    async def saintctl(self, *arguments: str) -> Result:
        """Run the command in a thread: it has a loop of its own."""
        words = ["--run", str(self.run), *arguments]
        return await asyncio.to_thread(CliRunner().invoke, app, words)


def listening(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bound.bind(str(path))
    bound.listen()
    bound.setblocking(False)
    return bound


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[Robot]:
    fake = Robot(tmp_path)
    adoptiond, router = Api(), Api()
    adoptiond.bind(adoption.LIST_NODES, fake.nodes)
    adoptiond.bind(adoption.GET_NODE_INFO, fake.one)
    adoptiond.bind(adoption.ADOPT_NODE, fake.adopt)
    adoptiond.bind(adoption.REPLACE_NODE, fake.replace)
    adoptiond.bind(adoption.IGNORE_NODE, fake.ignore)
    adoptiond.bind(adoption.SET_NODE_NAME, fake.rename)
    adoptiond.bind(adoption.RESET_NODE, fake.reset)
    router.bind(routing.LIST_ROUTES, fake.routes)
    router.bind(routing.GET_STATUS, fake.status)
    router.bind(routing.ESTOP, fake.estop)
    router.bind(routing.CLEAR_ESTOP, fake.clear)
    servers = [
        await adoptiond.serve([listening(tmp_path / "adoptiond.sock")]),
        await router.serve([listening(tmp_path / "routerd.sock")]),
    ]
    yield fake
    for server in servers:
        await server.close()


async def test_node_list_shows_role_and_state(robot: Robot) -> None:
    result = await robot.saintctl("node", "list")
    assert result.exit_code == 0
    assert "sim_tracks" in result.stdout
    assert "active" in result.stdout


async def test_node_list_tells_of_devices_that_are_not_offered_and_why(robot: Robot) -> None:
    result = await robot.saintctl("node", "list")
    assert "not offered: pi-1: its id is no name" in result.stdout


async def test_node_replace_is_one_command_and_shows_the_code(robot: Robot) -> None:
    result = await robot.saintctl("node", "replace", "sim_tracks", "sim_spare")
    assert robot.asked == [ReplaceNode(node_id="sim_tracks", by="sim_spare")]
    assert "sim_spare is now /saint/tracks and replaces sim_tracks" in result.stdout
    assert "code 482 173" in result.stdout


async def test_node_ignore_and_unignore_ask_for_it(robot: Robot) -> None:
    await robot.saintctl("node", "ignore", "pi_1")
    result = await robot.saintctl("node", "unignore", "pi_1")
    assert robot.asked == [
        IgnoreNode(node_id="pi_1", is_ignored=True),
        IgnoreNode(node_id="pi_1", is_ignored=False),
    ]
    assert "pi_1 is offered again" in result.stdout


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"server": "SAINT-01", "is_ours": True, "code": "482 173"}, "SAINT-01, code 482 173"),
        ({"server": "SAINT-02", "not_offered": "belongs to SAINT-02"}, "belongs to SAINT-02"),
        ({"not_offered": "ignored; saintctl node unignore sim_tracks"}, "saintctl node unignore"),
    ],
)
async def test_node_show_tells_whose_it_is_and_why_it_is_not_offered(
    robot: Robot, facts: dict[str, object], said: str
) -> None:
    robot.node = NODE.model_copy(update=facts)
    assert said in (await robot.saintctl("node", "show", "sim_tracks")).stdout


async def test_node_show_tells_who_is_silent_but_not_of_spi(robot: Robot) -> None:
    silent = {"description": "chip", "responsive": False}
    robot.node = NODE.model_copy(update={"peripherals": [
        Peripheral(type="i2c", address="1:0x40", **silent),
        Peripheral(type="spi", address="0.0", **silent),
    ]})  # fmt: skip
    told = (await robot.saintctl("node", "show", "sim_tracks")).stdout
    assert "i2c 1:0x40: chip, does not answer" in told
    assert "spi 0.0: chip" in told and "spi 0.0: chip," not in told


async def test_status_says_that_no_node_is_at_work(robot: Robot) -> None:
    sentence = "no node is active in a role: nothing can move"
    assert sentence not in (await robot.saintctl("status")).stdout
    robot.node = NODE.model_copy(update={"state": NodeState.UNADOPTED, "role": ""})
    assert sentence in (await robot.saintctl("status")).stdout


async def test_folder_that_is_not_there_is_named(robot: Robot) -> None:
    robot.run = robot.run / "nowhere"
    result = await robot.saintctl("node", "list")
    assert result.exit_code == 7
    assert f"there is no folder {robot.run}" in result.stderr
    assert "leave out --run" in result.stderr


async def test_node_rename_tells_the_new_name(robot: Robot) -> None:
    result = await robot.saintctl("node", "rename", "sim_tracks", "Big Wheels")
    assert "sim_tracks is now called Big Wheels" in result.stdout


async def test_node_list_as_json_is_the_daemons_answer(robot: Robot) -> None:
    result = await robot.saintctl("node", "list", "--json")
    assert json.loads(result.stdout)["nodes"][0]["role"] == "tracks"


async def test_adopt_sends_role_instance_and_name(robot: Robot) -> None:
    words = ("node", "adopt", "sim_spare", "arms", "--instance", "left", "--name", "Lefty")
    result = await robot.saintctl(*words)
    assert result.exit_code == 0
    assert "/saint/arms/left" in result.stdout
    names = {"role": "arms", "instance": "left", "display_name": "Lefty"}
    assert robot.asked == [AdoptNode(node_id="sim_spare", **names)]


async def test_adopt_of_a_taken_role_exits_5_and_names_the_holder(robot: Robot) -> None:
    result = await robot.saintctl("node", "adopt", "sim_spare", "head")
    assert result.exit_code == 5
    assert "head is held by sim_head" in result.stderr


async def test_fault_as_json_goes_to_stderr(robot: Robot) -> None:
    result = await robot.saintctl("node", "adopt", "sim_spare", "head", "--json")
    assert json.loads(result.stderr)["code"] == "conflict"
    assert result.stdout == ""


async def test_reset_says_what_happened(robot: Robot) -> None:
    result = await robot.saintctl("node", "reset", "sim_tracks", "--factory")
    assert "no role" in result.stdout
    assert robot.asked == [ResetNode(node_id="sim_tracks", factory_reset=True)]


async def test_route_list_shows_mapping(robot: Robot) -> None:
    result = await robot.saintctl("route", "list")
    assert "rc_drive" in result.stdout
    assert "channel_2" in result.stdout


async def test_input_list_shows_values(robot: Robot) -> None:
    result = await robot.saintctl("input", "list")
    assert "channel_1 -1.00" in result.stdout


async def test_estop_set_reaches_the_router(robot: Robot) -> None:
    robot.latch = EStopInfo(active=False, confirmed=True)
    result = await robot.saintctl("estop", "set", "--reason", "smoke")
    assert result.exit_code == 0
    assert "E-stop is active" in result.stdout
    assert robot.asked == [EStopRequest(source="saintctl", reason="smoke")]


async def test_estop_set_that_no_role_has_confirmed_exits_7(robot: Robot) -> None:
    result = await robot.saintctl("estop", "set")
    assert result.exit_code == 7
    assert robot.asked == [EStopRequest(source="saintctl", reason="")]


async def test_estop_clear_refused_exits_5_with_the_reason(robot: Robot) -> None:
    robot.latch = EStopInfo(
        active=True,
        generation=7,
        presses=[PressInfo(source="A"), PressInfo(source="B", reason="child in front")],
    )
    result = await robot.saintctl("estop", "clear")
    assert result.exit_code == 5
    assert "channel_2 is not neutral" in result.stderr
    assert "and by B: child in front" in result.stdout
    assert robot.asked == [EStopClear(source="saintctl", generation=7)]


async def test_estop_clear_names_the_generation_that_it_is_given(robot: Robot) -> None:
    await robot.saintctl("estop", "clear", "--generation", "3")
    assert robot.asked == [EStopClear(source="saintctl", generation=3)]


async def test_estop_set_that_is_not_stored_says_what_it_means(robot: Robot) -> None:
    robot.problem = "estop.latch cannot be written: Input/output error"
    result = await robot.saintctl("estop", "set")
    assert "E-stop is active" in result.stdout
    assert "could not be stored: estop.latch cannot be written" in result.stdout
    assert "switched off" in result.stdout


async def test_status_without_some_daemons_shows_the_rest(robot: Robot) -> None:
    result = await robot.saintctl("status")
    assert result.exit_code == 0
    assert "1 active" in result.stdout
    assert "rcd" in result.stdout  # and that it does not answer


async def test_status_without_a_robot_exits_7(tmp_path: Path) -> None:
    result = await Robot(tmp_path).saintctl("status")
    assert result.exit_code == 7
    assert "Traceback" not in result.output


async def test_unknown_command_exits_2(tmp_path: Path) -> None:
    result = await Robot(tmp_path).saintctl("fly")
    assert result.exit_code == 2
