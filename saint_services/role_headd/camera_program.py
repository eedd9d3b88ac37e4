"""The camera's own process, which the role starts while its camera is on: reads the camera,
publishes its pictures on a node of its own, reports to the role. Nothing that a camera sends,
however much, passes through the process that drives the head. It gets an order on its input, and
ends with its input. Not here: what is published (camera_topics.py).
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

from saint_services.lib.bus.open import open_bus
from saint_services.lib.clock import monotonic_s
from saint_services.lib.hw.cameras.camera import CameraFeed, CameraSource, Picture
from saint_services.lib.hw.cameras.opening import open_source
from saint_services.lib.role import side_program

from .camera_topics import PictureTopics
from .camera_wire import CameraOrder, CameraReport

_CLOSE_S = 2.0


class CameraWork:
    """One camera at work. Its methods run in the loop, except `_on_picture` and `_on_problem`."""

    def __init__(
        self, source: CameraSource, topics: PictureTopics, report: Callable[[CameraReport], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._source = source
        self._topics = topics
        self._report = report
        self._newest: Picture | None = None
        self._problem = ""
        self._has_pictures = False
        self._feed = CameraFeed(source, self._on_picture, self._on_problem)

    def report(self) -> None:
        """Report now."""
        counters = self._topics.counters
        self._report(
            CameraReport(
                problem=self._problem,
                has_pictures=self._has_pictures,
                pictures=counters["pictures"],
                damaged=counters["damaged"] + self._source.damaged,
                surplus=counters["surplus"],
            )
        )

    def close(self) -> None:
        """Request the end of the reading."""
        self._feed.close()

    def join(self) -> bool:
        """Wait until the camera is released. Blocks."""
        return self._feed.join()

    def _on_picture(self, picture: Picture) -> None:
        is_scheduled = self._newest is not None  # the loop has not shown the one before
        self._newest = picture
        if not is_scheduled:
            self._call(self._show)

    def _on_problem(self, text: str) -> None:
        self._call(partial(self._set_problem, text))

    def _call(self, callback: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(callback)

    def _show(self) -> None:
        picture, self._newest = self._newest, None
        if picture is None:
            return
        self._topics.show(picture, monotonic_s())
        if not self._has_pictures and self._topics.counters["pictures"]:
            self._has_pictures = True
            self.report()

    def _set_problem(self, text: str) -> None:
        self._problem = text
        self._has_pictures = self._has_pictures and not text
        self.report()


async def work(order: CameraOrder, report: Callable[[CameraReport], None]) -> None:
    """Show pictures until the input ends."""
    bus = await open_bus(order.node_name)
    source = open_source(order.hardware, order.settings)
    working = CameraWork(source, PictureTopics(bus, order.settings), report)
    await side_program.until_input_ends(working.report)
    working.close()
    await asyncio.to_thread(working.join)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_S):
            await bus.close()


if __name__ == "__main__":
    side_program.run("role-headd-camera", CameraOrder, work)
