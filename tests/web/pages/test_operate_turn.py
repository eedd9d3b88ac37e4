"""The operator's page where no direct way leads to the robot: Chromium over a real TURN server."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from saint_services.teleopd.ice import PASSWORD_FILE
from tests.turn_server import BY_SECRET, SECRET, host_address, turn_server
from tests.waiting import stays, until
from tests.web.conftest import Site
from tests.web.fakes.remote import RemoteOperation, remote_operation

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

_LINK_MS = 15_000
_RELAY_ONLY = """
window.RTCPeerConnection = class extends RTCPeerConnection {
  setConfiguration(given) {
    super.setConfiguration({ ...given, iceTransportPolicy: "relay" });
  }
};
"""

_REFUSED = """
RTCPeerConnection.prototype.setConfiguration = () => { throw new SyntaxError("no such server"); };
"""


@contextlib.asynccontextmanager
async def robot_with(site: Site, folder: Path, turn: str) -> AsyncIterator[RemoteOperation]:
    """Remote operation with this TURN server, whose password is stored."""
    state = folder / "state" / "teleopd"
    state.mkdir(parents=True)
    (state / PASSWORD_FILE).write_text(SECRET)
    domain, runtime = site.robot.bus._domain, site.robot.runtime
    async with remote_operation(domain, runtime, folder, turn={"url": turn}) as made:
        yield made


@contextlib.contextmanager
def dead_server() -> Iterator[tuple[socket.socket, str]]:
    """Yield a TURN server that answers nothing, and its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as dead:
        dead.bind((host_address(), 0))
        dead.settimeout(5.0)
        yield dead, "turn:{}:{}".format(*dead.getsockname())


async def test_page_drives_over_a_turn_server(site: Site, tmp_path: Path) -> None:
    with turn_server(tmp_path / "turn", *BY_SECRET) as url:
        async with robot_with(site, tmp_path, url) as remote:
            page = await site.open()
            await page.add_init_script(_RELAY_ONLY)
            await page.goto(site.url + "operate")
            await page.click("[data-operate]")
            await page.wait_for_selector("[data-picture=live]", state="attached", timeout=_LINK_MS)
            await page.focus("[data-keys]")
            await page.keyboard.down("KeyW")
            await until(lambda: len(remote.driven()) > 10)
            await page.keyboard.up("KeyW")
            await until(lambda: remote.driven()[-1] == {"linear": 0.0, "angular": 0.0})


async def test_page_reaches_a_robot_in_the_same_network_though_the_server_is_dead(
    site: Site, tmp_path: Path
) -> None:
    with dead_server() as (dead, url):
        async with robot_with(site, tmp_path, url):
            page = await site.open("operate")
            await page.click("[data-operate]")
            await page.wait_for_selector("[data-picture=live]", state="attached", timeout=_LINK_MS)
            senders = {dead.recvfrom(2048)[1] for _ in range(8)}  # each repeats its request
            assert len(senders) > 1  # the robot's socket and Chromium's


async def test_attempt_that_is_given_up_while_it_waits_for_the_server_opens_no_session(
    site: Site, tmp_path: Path
) -> None:
    with dead_server() as (dead, url):
        async with robot_with(site, tmp_path, url):
            page, sent = await site.browser.new_page(), list[str]()
            page.on("websocket", lambda ws: ws.on("framesent", lambda each: sent.append(str(each))))
            await page.goto(site.url + "operate")
            await page.click("[data-operate]")
            await asyncio.to_thread(dead.recvfrom, 2048)  # it gathers
            await page.click("[data-link=connecting] button")
            await page.wait_for_selector("[data-link=closed]")
            await stays(lambda: not [each for each in sent if '"connect"' in each], 1.5)
            assert [each for each in sent if '"ice_servers"' in each]


async def test_page_reaches_a_robot_in_the_same_network_when_its_browser_refuses_the_servers(
    site: Site, tmp_path: Path
) -> None:
    async with robot_with(site, tmp_path, f"turn:{host_address()}:9"):
        page = await site.open()
        await page.add_init_script(_REFUSED)
        await page.goto(site.url + "operate")
        await page.click("[data-operate]")
        await page.wait_for_selector("[data-picture=live]", state="attached", timeout=_LINK_MS)
