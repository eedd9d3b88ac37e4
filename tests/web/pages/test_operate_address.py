"""The network gives the computer another address while it operates the robot: the page "Remote" in
Chromium and a plain aiortc program have their seat again, and move nothing until a new act. In a
network namespace of the test's own; needs root.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.integration.net_space import missing
from tests.own_network import change_address, own_network
from tests.teleop_peer import TeleopPeer, teleop_peer
from tests.unit.teleopd.rig import OLGA, RemoteRobot, remote_robot
from tests.waiting import let_pass, stays, until
from tests.web.conftest import Site, site_of
from tests.web.fakes.remote import RemoteOperation, remote_operation
from tests.web.pages.test_operate import operating
from tools.screenshots import ARGUMENTS, windowless

pytestmark = [pytest.mark.web, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(120)]

RETURN_LIMIT_S = 20.0

if reason := missing("ip"):
    pytest.skip(reason, allow_module_level=True)


@pytest.fixture
def network() -> Iterator[None]:
    with own_network():
        yield


@pytest_asyncio.fixture(loop_scope="session")
async def own_site(network: None, tmp_path: Path) -> AsyncIterator[Site]:
    """A site and a browser on the computer whose address changes."""
    path = windowless()
    if path is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        running = await driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        async for each in site_of(running, tmp_path):
            yield each
        await running.close()


@pytest_asyncio.fixture(loop_scope="session")
async def remote(own_site: Site, tmp_path: Path) -> AsyncIterator[RemoteOperation]:
    robot = own_site.robot
    async with remote_operation(robot.bus._domain, robot.runtime, tmp_path) as made:
        yield made


async def moving(page: Any, remote: RemoteOperation) -> None:
    """Press a key; once more where a busy computer has lost the link for 300 ms meanwhile."""
    count = len(remote.driven())

    async def press() -> bool:
        await page.keyboard.up("KeyW")
        await let_pass(0.06)  # as short as a hand can
        await page.keyboard.down("KeyW")
        await let_pass(1.0)
        return len(remote.driven()) > count + 5

    await until(press)


async def test_page_has_its_seat_again_and_moves_nothing_until_a_new_act(
    own_site: Site, remote: RemoteOperation
) -> None:
    page = await operating(own_site)
    await page.focus("[data-keys]")
    await moving(page, remote)
    change_address()
    await page.wait_for_selector("[data-picture=lost]", timeout=2000)
    await let_pass(0.3)  # the router has ended by then what came last
    count = len(remote.driven())
    for _ in range(int(RETURN_LIMIT_S / 0.1)):
        await page.keyboard.down("KeyW")  # the key is held all the time: it repeats
        if await page.locator("[data-link=open][data-seat=operator]").count():
            break
        await let_pass(0.1)
    await page.wait_for_selector("[data-picture=live]", state="attached")
    for _ in range(10):
        await page.keyboard.down("KeyW")
        await let_pass(0.05)
    moved = [each for each in remote.driven()[count:] if any(each.values())]
    assert moved == [], "the held key moves the robot again"
    await page.keyboard.up("KeyW")
    await moving(page, remote)
    await page.keyboard.up("KeyW")
    sources = {each.source for each in remote.samples if each.names}
    assert len(sources) == 2


async def test_program_has_its_seat_again_and_moves_nothing_until_a_new_act(
    network: None, tmp_path: Path
) -> None:
    async with remote_robot(tmp_path) as robot, teleop_peer(robot.signalling(OLGA)) as peer:
        await peer.report(lambda each: each["seat"] == "operator")
        await peer.release()
        async with peer.beating(tracks={"linear": 0.5}):
            await until(lambda: len(robot.driven) > 5)
            change_address()
            reports = len(peer.reports)
            await stays(lambda: len(peer.reports) <= reports + 2, 0.5)
            count = len(robot.driven)
        await _comes_back(robot, peer, count)


async def _comes_back(robot: RemoteRobot, lost: TeleopPeer, count: int) -> None:
    async with teleop_peer(robot.signalling(OLGA), replaces=lost.session) as again:
        await again.report(lambda each: each["seat"] == "operator")
        sessions = (await robot.sessions()).sessions
        assert [(each.session, each.seat) for each in sessions] == [(again.session, "operator")]
        async with again.beating(tracks={"linear": 0.5}):
            await again.report(lambda each: "Release the control" in each["why"])
        assert len(robot.driven) == count
        await again.release()
        async with again.beating(tracks={"linear": 0.5}):
            await until(lambda: len(robot.driven) > count)
