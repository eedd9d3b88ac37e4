"""The page "Remote" in Chromium, which is the WebRTC peer of a real teleopd: picture, commands, and
what happens when the page is hidden, loses control or the camera.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import TimeoutError as NotSeen

from saint_services.lib.generated import topics
from saint_services.teleopd.operation import Operation
from saint_services.teleopd.peers import RemotePeer
from tests.waiting import stays, until
from tests.web.axe import violations
from tests.web.conftest import Site
from tests.web.fakes.remote import RemoteOperation, remote_operation

pytestmark = [
    pytest.mark.web,
    pytest.mark.asyncio(loop_scope="session"),
]

_LINK_MS = 15_000
_HIDE = """() => {
  Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def remote(site: Site, tmp_path: Path) -> AsyncIterator[RemoteOperation]:
    domain = site.robot.bus._domain
    async with remote_operation(domain, site.robot.runtime, tmp_path) as made:
        yield made


async def operating(site: Site, how: str = "operate") -> Any:
    """Return a page with a link and a picture."""
    page = await site.open("operate")
    await page.click(f"[data-{how}]")
    await page.wait_for_selector("[data-picture=live]", state="attached", timeout=_LINK_MS)
    return page


async def test_page_shows_the_picture_and_drives_while_a_key_is_held(
    site: Site, remote: RemoteOperation
) -> None:
    page = await operating(site)
    width = await page.evaluate("document.querySelector('video').videoWidth")
    assert width == 640
    await page.wait_for_selector("[data-delay=picture].good, [data-delay=picture].warn")
    await page.focus("[data-keys]")
    await page.keyboard.down("KeyW")
    await until(lambda: len(remote.driven()) > 10)
    assert remote.driven()[-1] == {"linear": pytest.approx(0.375), "angular": 0.0}
    await page.keyboard.up("KeyW")
    await until(lambda: remote.driven()[-1] == {"linear": 0.0, "angular": 0.0})
    count = len(remote.driven())
    await stays(lambda: len(remote.driven()) == count, 0.3)
    assert await violations(page) == []


async def test_hidden_page_drives_nothing(site: Site, remote: RemoteOperation) -> None:
    page = await operating(site)
    await page.focus("[data-keys]")
    await page.keyboard.down("KeyW")
    await until(lambda: len(remote.driven()) > 5)
    await page.evaluate(_HIDE)
    await until(lambda: remote.driven()[-1]["linear"] == 0.0, 0.5)
    count = len(remote.driven())
    await stays(lambda: len(remote.driven()) == count, 0.5)


async def test_camera_without_pictures_is_reported_within_half_a_second(
    site: Site, remote: RemoteOperation
) -> None:
    page = await operating(site)
    remote.is_filming = False
    await page.wait_for_selector("[data-picture=none]", timeout=2000)
    opacity = "Number(getComputedStyle(document.querySelector('video')).opacity)"
    assert await page.evaluate(opacity) < 0.5  # the last picture does not look live
    remote.is_filming = True
    await page.wait_for_selector("[data-picture=live]", state="attached", timeout=2000)


async def test_camera_that_is_off_is_turned_on_where_its_picture_would_be(
    site: Site, remote: RemoteOperation
) -> None:
    switched: list[bool] = []
    site.robot.bus.subscribe(
        topics.HEAD_CAMERA_CMD, lambda sample: switched.append(sample.message.data)
    )
    page = await operating(site)
    site.robot.is_camera_on = remote.is_filming = False
    await page.click("[data-picture=none] [data-camera-switch]")
    await until(lambda: switched == [True])


async def test_viewer_requests_control_and_the_operator_grants_it(
    site: Site, remote: RemoteOperation
) -> None:
    first = await operating(site)
    second = await operating(site, "watch")
    await second.wait_for_selector("[data-seat=viewer]")
    await second.focus("[data-keys]")
    await second.keyboard.down("KeyW")
    await stays(lambda: not remote.driven(), 0.3)
    await second.keyboard.up("KeyW")
    await first.bring_to_front()
    await second.click("[data-seat-action=request]")
    await first.click("[data-grant]")
    await second.wait_for_selector("[data-seat=operator]")
    await first.wait_for_selector("[data-seat=viewer]")
    await second.bring_to_front()
    await second.focus("[data-keys]")
    await second.keyboard.down("KeyW")
    await until(lambda: len(remote.driven()) > 5)
    await second.keyboard.up("KeyW")


async def test_what_appears_by_itself_moves_no_button(site: Site, remote: RemoteOperation) -> None:
    page = await operating(site)
    before = await page.locator("[data-leave]").bounding_box()
    site.robot.set_estop(True, "rc", "switch")
    await page.wait_for_selector("[data-why]")
    assert await page.locator("[data-leave]").bounding_box() == before


@pytest.mark.parametrize("lost", ['"v"', '"seat"'], ids=["all", "all but signs of life"])
async def test_page_whose_reports_are_lost_has_its_seat_again(
    site: Site, remote: RemoteOperation, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """The link itself stands: to close it would say that the operator leaves. A sign of life alone
    does not say who has control or whether the robot is stopped.
    """
    page = await operating(site)
    await page.wait_for_selector("[data-link=open][data-seat=operator]")
    silent: list[RemotePeer] = []
    send = RemotePeer.send

    def sent(peer: RemotePeer, channel: str, data: bytes | str) -> bool:
        if not silent:
            silent.append(peer)
        is_lost = peer in silent and isinstance(data, str) and lost in data
        return not is_lost and send(peer, channel, data)

    monkeypatch.setattr(RemotePeer, "send", sent)
    await page.wait_for_selector("[data-picture=lost]")
    again = await page.wait_for_selector("[data-link=open][data-seat]", timeout=_LINK_MS)
    assert await again.get_attribute("data-seat") == "operator"


async def test_page_whose_messages_do_not_arrive_has_its_seat_again(
    site: Site, remote: RemoteOperation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the robot sends arrives. A transport may wait ten seconds and more with what it sends
    on a link that was full.
    """
    page = await operating(site)
    await page.wait_for_selector("[data-link=open][data-seat=operator]")
    sessions: list[str] = []
    received = Operation.received

    def receive(operation: Operation, session: str, channel: str, data: bytes | str) -> None:
        if session not in sessions:
            sessions.append(session)
        if session != sessions[0]:
            received(operation, session, channel, data)

    monkeypatch.setattr(Operation, "received", receive)
    lost = await page.wait_for_selector("[data-picture=lost]")
    assert "The robot receives nothing from this page." in await lost.inner_text()
    await until(lambda: len(sessions) == 2)
    again = await page.wait_for_selector("[data-link=open][data-seat]", timeout=_LINK_MS)
    assert await again.get_attribute("data-seat") == "operator"


async def test_page_that_is_hidden_for_long_keeps_its_session(
    site: Site, remote: RemoteOperation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends nothing, so that nothing of it arrives is no fault of the link. Here the last that
    it sent was lost on its way.
    """
    page = await operating(site)
    lost: list[str] = []
    monkeypatch.setattr(Operation, "received", lambda _, session, *_what: lost.append(session))
    await until(lambda: len(lost) > 3)
    await page.evaluate(_HIDE)
    with pytest.raises(NotSeen):
        await page.wait_for_selector(".remote:not([data-link=open])", timeout=2600)


async def test_leaving_the_page_ends_the_session(site: Site, remote: RemoteOperation) -> None:
    page = await operating(site)
    await page.focus("[data-keys]")
    await page.keyboard.down("KeyW")
    await until(lambda: len(remote.driven()) > 5)
    await page.keyboard.up("KeyW")
    await page.click("[data-leave]")
    await page.wait_for_selector("[data-operate]")
    await until(lambda: remote.samples[-1].failsafe)
