"""A walking robot (manifests/robots/asimov.yaml) in real processes, with its simulated controller:
stands, balances and walks by saintctl; sits down when that ends, and when its role is killed.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from saint_services.client.robot import Robot as Client
from saint_services.lib.api.states import LegsState
from saint_services.lib.api.webd.legs import DAMP, STAND
from tests.integration.browser import page_of
from tests.integration.robot import Robot, running_robot
from tests.integration.teleop_requests import teleop_requests
from tests.teleop_peer import DAMP as DAMPED
from tests.teleop_peer import MOVE, teleop_peer
from tests.teleop_peer import STAND as STANDING
from tests.waiting import let_pass, until

LIMIT_S = 60.0


@pytest.fixture(scope="module")
def asimov() -> Iterator[Robot]:
    with running_robot("--robot", "asimov") as robot:
        yield robot


@contextlib.asynccontextmanager
async def connected(robot: Robot) -> AsyncIterator[Client]:
    async with Client(robot.http_url) as client:
        latch = await client.estop_state()
        assert latch is not None
        await client.clear_estop(latch.generation)
        yield client


async def reported(client: Client, *modes: str) -> list[LegsState]:
    """Wait until the controller has reported these modes one after the other."""
    left, seen = list(modes), []
    async with asyncio.timeout(LIMIT_S):
        async for state in client.watch(LegsState):
            seen.append(state)
            if state.reported == left[0]:
                left.pop(0)
            if not left:
                break
    return seen


async def test_saintctl_has_the_robot_stand_walk_and_sit_down(asimov: Robot) -> None:
    async with connected(asimov) as client:
        await client.call(DAMP)  # the role has just started
        words = ("--server", asimov.http_url, "legs", "move", "0.3", "--seconds", "3")
        command = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "saint_services.saintctl", *words,
            stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        seen = await reported(client, "stand", "move", "damp")
        assert await asyncio.wait_for(command.wait(), LIMIT_S) == 0
    modes = [state.mode for state in seen]
    assert modes.index("stand") < modes.index("balance") < modes.index("move")
    assert not any("fell" in alert for state in seen for alert in state.alerts)


async def test_packets_of_the_document_walk_and_a_change_of_control_damps(
    asimov: Robot,
) -> None:
    """Control is passed on while it stands: it damps with the mode that its operator held, and the
    mode that the next one holds all the time does not have it rise.
    """
    async with (
        connected(asimov) as client,
        teleop_requests(asimov) as request_,
        teleop_peer(request_) as first,
        teleop_peer(request_, wants_control=False) as second,
    ):
        async with first.commanding(mode=DAMPED):
            await let_pass(3.2)  # no silence before costs more
        async with first.commanding(mode=STANDING):
            await reported(client, "stand")
        async with first.commanding(0.3, mode=MOVE):
            await reported(client, "move")
        async with first.commanding(mode=STANDING), second.commanding(mode=STANDING):
            await reported(client, "stand")
            await request_("request_control", session=second.session)
            await request_("grant_control", session=second.session)
            states = await reported(client, "damp")
            await second.report(lambda each: each["seat"] == "operator" and each["why"])
            async with asyncio.timeout(LIMIT_S):
                async for state in client.watch(LegsState):
                    states.append(state)
                    if len(states) > 40:
                        break
            assert {state.reported for state in states[-20:]} == {"damp"}
        async with second.commanding(mode=DAMPED):
            await second.report(lambda each: not each["why"])
        async with second.commanding(mode=STANDING):
            await reported(client, "stand")


_BROWSER_PEER = """
async () => {
  const peer = new RTCPeerConnection();
  const commands = peer.createDataChannel("commands");
  const state = peer.createDataChannel("state", { ordered: false, maxRetransmits: 0 });
  state.binaryType = "arraybuffer";
  window.states = [];
  const modeOf = (data) => new DataView(data).getUint8(12);
  state.onmessage = ({ data }) => states.push([performance.now(), data.byteLength, modeOf(data)]);
  window.command = { mode: 0, vx: 0 };
  const packet = new DataView(new ArrayBuffer(16)); // mode, vx, vy, vyaw, gait_mode, enable, e_stop
  const send = () => {
    if (commands.readyState !== "open") return;
    packet.setUint8(0, command.mode);
    packet.setFloat32(1, command.vx, true);
    packet.setUint8(14, 1);
    commands.send(packet.buffer);
  };
  window.sending = setInterval(send, 20);
  await peer.setLocalDescription(await peer.createOffer());
  await new Promise((done) => {
    peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done();
  });
  const body = JSON.stringify({ sdp: peer.localDescription.sdp, wants_control: true });
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch("/api/v1/teleop/connect", { method: "POST", headers, body });
  await peer.setRemoteDescription({ type: "answer", sdp: (await reply.json()).sdp });
}
"""


async def test_packets_of_the_document_walk_the_robot_from_chromium(asimov: Robot) -> None:
    """Typed from the document; none of the page's own code packs or reads its messages."""
    async with connected(asimov) as client, page_of(asimov, "dashboard") as page:
        await page.evaluate(_BROWSER_PEER)
        await until(lambda: page.evaluate("states.length > 0"))
        await let_pass(3.2)  # no silence before costs more
        await page.evaluate("command.mode = 1")
        await reported(client, "stand")
        await page.evaluate("command = {mode: 2, vx: 0.3}")
        await reported(client, "move")
        await until(lambda: page.evaluate(f"states.at(-1)[2] === {MOVE}"))
        await page.evaluate("states.length = 0")
        await until(lambda: page.evaluate("states.length > 150"))
        received = await page.evaluate("states")
        assert {(size, mode) for _, size, mode in received} == {(144, MOVE)}
        seconds = (received[-1][0] - received[0][0]) / 1000
        assert (len(received) - 1) / seconds == pytest.approx(50, rel=0.1)
        await page.evaluate("clearInterval(sending)")  # the input loop stands still
        await reported(client, "damp")


async def test_robot_sits_down_when_its_role_is_killed(asimov: Robot) -> None:
    async with connected(asimov) as client:
        await client.call(DAMP)
        holding = asyncio.create_task(_hold(client))
        await reported(client, "stand")
        asimov.kill("role-legsd", "legs")
        holding.cancel()
        await reported(client, "damp")


async def _hold(client: Client) -> None:
    while True:
        await client.call(STAND)
        await let_pass(0.1)
