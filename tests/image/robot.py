"""The pair of machines as a robot: what its owner does with it, from outside and over ssh.

Requests that are repeated go over the WebSocket, which costs the emulated server
least; what people type is typed (saintctl over ssh).
"""

import asyncio
import io
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from saint_services.lib.api.adoption import NodeInfo, NodeState
from saint_services.lib.api.firmware import (
    FirmwareReport,
    MachineFirmware,
    UpdateState,
    UpdateVerdict,
)
from saint_services.webd.api import admission
from tests.image.rig import SAINT, Host, Pair
from tests.waiting import every, let_pass
from tools.vm.settings import PATIENCE
from tools.vm.shell import Result

# What the owner wrote on the server's card as the token of its web interface.
CLAIM = "image-tests-0123456789"
_TOO_SLOW = (  # an emulated node's role
    "was not ready within",
    "did not open within",
    "does not answer (waited",
)
_REPEAT_S = 0.1
_PAUSE_S = 1.0  # between questions: the answer costs the emulated server 100 ms


class NotYetError(AssertionError):
    """What was expected of the robot did not come in time."""


@dataclass(frozen=True)
class FirstUpdate:
    """What the node received from the release server, and the bundle's size, in bytes."""

    received: int
    bundle: int


class Robot:
    """Server and node on one cable."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.node_id = ""
        self.first_update: FirstUpdate | None = None

    @property
    def server(self) -> Host:
        return self.pair.server

    @property
    def node(self) -> Host:
        return self.pair.node

    # -- over the WebSocket -----------------------------------------------------------------------

    def request(self, group: str, action: str, **params: Any) -> dict[str, Any]:
        """One command and the data of its answer."""
        return self.send([(group, action, params)])[-1]

    def send(self, commands: list[tuple[str, str, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Several commands over one connection."""
        return asyncio.run(asyncio.wait_for(self._send(commands), 60))

    def drive(self, target: str, action: str, for_s: float = 3, **params: Any) -> None:
        """As a controller does: the same command again and again over one connection."""
        times = int(for_s / _REPEAT_S)
        asyncio.run(
            asyncio.wait_for(self._send([(target, action, params)] * times, _REPEAT_S), 120)
        )

    async def _send(
        self, commands: list[tuple[str, str, dict[str, Any]]], pause_s: float = 0
    ) -> list[dict[str, Any]]:
        url = f"ws://127.0.0.1:{self.server.ports[SAINT]}/saint"
        async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
            await socket.send_json({"id": "0", "type": "auth", "token": CLAIM, "client_id": "t"})
            await _answer(socket, "0")
            answers = []
            for number, (target, action, params) in enumerate(commands, 1):
                message = {"id": str(number), "type": "command", "target": target}
                message |= {"action": action, "params": params}
                answers.append(await _obeyed(socket, message))
                await let_pass(pause_s)
            return answers

    def nodes(self) -> list[NodeInfo]:
        return [
            NodeInfo.model_validate(n) for n in self.request("management", "list_nodes")["nodes"]
        ]

    def wait_node(self, what: str, is_it: Callable[[NodeInfo], bool], timeout_s: float) -> NodeInfo:
        """The first node of which that is true."""

        def found() -> NodeInfo | None:
            return next((node for node in self.nodes() if is_it(node)), None)

        answer: NodeInfo = self.until(what, found, timeout_s)
        return answer

    def report(self) -> FirmwareReport:
        """Releases, machines, the roll-out."""
        return FirmwareReport.model_validate(self.request("management", "firmware_status"))

    def roll_out(self, version: str, **params: Any) -> None:
        """Bring a release that was uploaded to the node; the server keeps its own."""
        self.request(
            "management", "firmware_rollout", version=version, nodes=[self.node_id], **params
        )

    def control(self, action: str) -> None:
        """Pause, resume, cancel the roll-out, or take all machines back."""
        self.send([("management", "firmware_control", {"action": action})])

    def wait_verdict(self, version: str, timeout_s: float = 1800) -> MachineFirmware:
        """The node's verdict on that release."""

        def judged() -> MachineFirmware | None:
            found = self.firmware()
            is_over = found.target_version == version and found.verdict is not UpdateVerdict.NONE
            return found if is_over and found.state is UpdateState.IDLE else None

        answer: MachineFirmware = self.until(f"a verdict on {version}", judged, timeout_s)
        return answer

    def firmware(self) -> MachineFirmware:
        """What the server knows of the node's firmware."""
        return self.machine_firmware(self.node_id)

    def machine_firmware(self, node_id: str) -> MachineFirmware:
        found = [m for m in self.report().machines if m.node_id == node_id]
        if not found:
            raise NotYetError(f"the server does not know the firmware of {node_id} yet")
        return found[0]

    # -- waiting ----------------------------------------------------------------------------------

    def until(self, what: str, query: Callable[[], Any], timeout_s: float) -> Any:
        """The first answer that is true; a server that is away meanwhile is queried again."""
        timeout_s *= PATIENCE
        problem = ""
        for _ in every(_PAUSE_S, for_s=timeout_s):
            try:
                if answer := query():
                    return answer
                problem = ""
            except (aiohttp.ClientError, TimeoutError, OSError, NotYetError) as error:
                problem = f"; last problem: {error!r}"
        raise NotYetError(f"not within {timeout_s:g} s: {what}{problem}")

    # -- as a person ------------------------------------------------------------------------------

    def saintctl(self, *words: str, timeout_s: float = 180) -> Result:
        """Typed on the server by its owner, over ssh."""
        assert self.server.ssh is not None
        return self.server.ssh.run(shlex.join(["saintctl", *words]), timeout_s)

    def adopt(self, node_id: str, role: str, *more: str) -> NodeInfo:
        """By its owner; said again where an emulated machine was too slow to start its role."""

        def active() -> NodeInfo | None:
            found = next((node for node in self.nodes() if node.node_id == node_id), None)
            if found and found.state is NodeState.UNADOPTED:
                said = self.saintctl("node", "adopt", node_id, role, *more)
                is_slow = any(each in said.text for each in _TOO_SLOW)
                assert said.code == 0 or is_slow, said.text
            return found if found and found.state is NodeState.ACTIVE else None

        answer: NodeInfo = self.until(f"{node_id} is active as {role}", active, 600)
        return answer

    def node_show(self) -> str:
        """`saintctl node show`, which must work."""
        result = self.saintctl("node", "show", self.node_id)
        assert result.code == 0, result.text
        return result.text

    def upload(self, bundle: Path) -> tuple[int, str]:
        """Give otad a bundle through the web interface: HTTP status and what it says."""
        return asyncio.run(self._upload(bundle.read_bytes()))

    def upload_bytes(self, data: bytes) -> tuple[int, str]:
        return asyncio.run(self._upload(data))

    async def _upload(self, data: bytes) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {CLAIM}"}
        limit = aiohttp.ClientTimeout(total=900)
        url = f"{self.server.http}/api/firmware"
        async with (
            aiohttp.ClientSession(timeout=limit) as session,
            session.post(url, data=io.BytesIO(data), headers=headers) as reply,
        ):
            return reply.status, await reply.text()

    # -- the node's hardware ----------------------------------------------------------------------

    def pin(self, number: int) -> float:
        """What is on a simulated pin of the node, read from its memory file there."""
        program = (
            "from pathlib import Path;"
            "import sys; sys.path.insert(0, '/run/simulation');"
            "from tools.sim.observe import read_pins;"
            f"print(read_pins(Path('/run/saint/hw'))[{number}].value)"
        )
        return float(self.node.sh(f"python3 -c {shlex.quote(program)}"))


async def _obeyed(
    socket: aiohttp.ClientWebSocketResponse, message: dict[str, Any]
) -> dict[str, Any]:
    """Send it, and again while the server refuses it only because the emulated machine stood still
    before it could read it.
    """
    while True:
        await socket.send_json(message)
        try:
            return await _answer(socket, message["id"])
        except NotYetError as err:
            if admission.OLD not in str(err):
                raise


async def _answer(socket: aiohttp.ClientWebSocketResponse, number: str) -> dict[str, Any]:
    while True:
        received = await socket.receive(timeout=45)
        if received.type is not aiohttp.WSMsgType.TEXT:
            raise NotYetError(f"the server ended the connection ({received.data})")
        message: dict[str, Any] = json.loads(received.data)
        if message.get("id") == number:
            if message.get("status") != "ok":
                raise NotYetError(f"the server refused: {message.get('error')}")
            data: dict[str, Any] = message.get("data") or {}
            return data
