"""The eyes of the operator: the page "Remote" in headless Chromium, which watches over the same bad
network. A browser waits for lost packets, requests key pictures and estimates its bandwidth as an
owner's does; aiortc's receiver waits for a lost packet until hundreds of later ones have come.
"""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from tests.udp_relay import NetworkFaults, UdpRelay
from tests.waiting import every, let_pass
from tools.screenshots import ARGUMENTS, windowless

_LOOK_S, _AGAIN_S = 0.5, 0.05
# The relay has to know the browser's address, which it otherwise hides behind a name.
_ARGUMENTS = [
    f"{each},WebRtcHideLocalIpsWithMdns" if each.startswith("--disable-features") else each
    for each in ARGUMENTS
]
# Reports each frame of whichever picture the page shows.
_WATCH = """
  setInterval(() => {
    for (const video of document.querySelectorAll("video")) {
      if (video.isWatched) continue;
      video.isWatched = true;
      const note = () => { window.noteFrame(); video.requestVideoFrameCallback(note); };
      video.requestVideoFrameCallback(note);
    }
  }, 100);
"""


class PageViewer:
    """One open page, whose datagrams pass through a relay."""

    def __init__(self, faults: NetworkFaults, frames: list[float], seed: int) -> None:
        self.sessions = 0
        self._faults = faults
        self._frames = frames
        self._random = random.Random(seed)
        self._relay: UdpRelay | None = None
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def watch(self, page: Any) -> None:
        """Watch until cancelled; whenever the page gives up, a person clicks again."""
        async for _ in every(_LOOK_S):
            button = await page.query_selector("[data-watch]:not([disabled])")
            if button is not None:
                await button.click()

    @contextlib.asynccontextmanager
    async def opened(self, http_url: str) -> AsyncIterator[Any]:
        """Yield the page, which is not connected yet."""
        from playwright.async_api import async_playwright

        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=windowless(), args=_ARGUMENTS)
            page = await browser.new_page()
            await page.expose_function("noteFrame", lambda: self._frames.append(time.monotonic()))
            await page.add_init_script(_WATCH)
            await page.route_web_socket("**/api/ws", self._route)
            await page.goto(f"{http_url}/operate")
            try:
                yield page
            finally:
                await browser.close()
                if self._relay is not None:
                    self._relay.close()

    def _route(self, page: Any) -> None:
        robot = page.connect_to_server()
        page.on_message(lambda text: self._from_page(text, page, robot.send))
        robot.on_message(lambda text: self._from_robot(text, page))

    def _from_page(self, text: str, page: Any, send: Callable[[str], None]) -> None:
        message = json.loads(text)
        if message.get("action") != "connect":
            send(text)
            return
        task = asyncio.get_running_loop().create_task(self._connect(message, page, send))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _from_robot(self, text: str, page: Any) -> None:
        message = json.loads(text)
        waiting = self._waiting.pop(message.get("id", ""), None)
        if waiting is None:
            page.send(text)
        else:
            waiting.set_result(message)

    async def _connect(
        self, message: dict[str, Any], page: Any, send: Callable[[str], None]
    ) -> None:
        """Carry the request over the network, which knows the relay's addresses only."""
        async for _ in every(_AGAIN_S, until=lambda: not self._faults.is_cut):
            pass  # as TCP does: what is lost is sent again
        await let_pass(2 * self._faults.delay_s)
        if self._relay is not None:
            self._relay.close()
        relay = self._relay = UdpRelay(self._random.randrange(1 << 30))
        relay.faults = self._faults

        async def request(action: str, **params: Any) -> dict[str, Any]:
            reply = self._waiting[message["id"]] = asyncio.get_running_loop().create_future()
            send(json.dumps(message | {"action": action, "params": params}))
            found = await reply
            if found["status"] != "ok":
                raise ConnectionRefusedError(json.dumps(found))
            data: dict[str, Any] = found["data"]
            return data

        try:
            data = await relay.between(request)("connect", **message["params"])
        except ConnectionRefusedError as err:
            page.send(str(err))
            return
        self.sessions += 1
        page.send(json.dumps({"id": message["id"], "status": "ok", "data": data}))
