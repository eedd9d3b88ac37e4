"""Fake adoptiond and routerd for saintctl, on real unix sockets."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

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


class FakeDaemons:
    """Fake adoptiond and routerd on real unix sockets."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.requests: list[object] = []
        self.latch = EStopInfo(active=False)
        self.problem = ""  # why the stop is not stored
        self.node = NODE

    async def one(self, _: Call[NodeParams]) -> NodeInfo:
        return self.node

    async def adopt(self, call: Call[AdoptNode]) -> AdoptReply:
        self.requests.append(call.body)
        if call.body.role == "head":
            raise SaintError(Code.CONFLICT, "head is held by sim_head")
        return AdoptReply(message="adopted", topic_prefix="/saint/arms/left")

    async def reset(self, call: Call[ResetNode]) -> Done:
        self.requests.append(call.body)
        return Done(message="sim_tracks has no role any more")

    async def nodes(self, call: Call[Nothing]) -> NodeList:
        unknown = UnknownDevice(name="pi-1", reason="its id is no name", seen_age_s=1.0)
        return NodeList(nodes=[self.node], strangers=[unknown])

    async def replace(self, call: Call[ReplaceNode]) -> AdoptReply:
        self.requests.append(call.body)
        return AdoptReply(message="done", topic_prefix="/saint/tracks", code="482 173")

    async def ignore(self, call: Call[IgnoreNode]) -> NodeInfo:
        self.requests.append(call.body)
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
        self.requests.append(call.body)
        problem, confirmed = self.problem, self.latch.confirmed
        return EStopInfo(active=True, stored=not problem, problem=problem, confirmed=confirmed)

    async def clear(self, call: Call[EStopClear]) -> EStopInfo:
        self.requests.append(call.body)
        raise SaintError(Code.REFUSED, "rc channel_2 is not neutral (0.40)")

    async def saintctl(self, *arguments: str) -> Result:
        """Run a command in a thread, since it runs its own event loop."""
        words = ["--run", str(self.run), *arguments]
        return await asyncio.to_thread(CliRunner().invoke, app, words)


def listening(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bound.bind(str(path))
    bound.listen()
    bound.setblocking(False)
    return bound


@contextlib.asynccontextmanager
async def fake_daemons(run: Path) -> AsyncIterator[FakeDaemons]:
    fake = FakeDaemons(run)
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
        await adoptiond.serve([listening(run / "adoptiond.sock")]),
        await router.serve([listening(run / "routerd.sock")]),
    ]
    yield fake
    for server in servers:
        await server.close()
