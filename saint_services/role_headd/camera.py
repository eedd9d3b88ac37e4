"""Connects the head's camera to its command and its topic. The camera is off, and not opened, until
a command switches it on. Not here: cameras (lib/hw/camera.py).
"""

import contextlib
from collections.abc import Callable
from functools import partial

from saint_services.lib.clock import stamp
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.hw.cameras.camera import CameraFeed, CameraSource, Picture

FRAME = "head_camera"


class HeadCamera:
    """One camera. Its methods run in the loop, except `_on_picture` and `_on_problem`."""

    def __init__(
        self,
        make_source: Callable[[], CameraSource],
        in_loop: Callable[..., object],  # runs something in the loop; called in another thread
        publish: Callable[[CompressedImage], None],
        notice: Callable[[str], None],
    ) -> None:
        self._make_source = make_source
        self._in_loop = in_loop
        self._publish = publish
        self._notice = notice
        self._feed: CameraFeed | None = None
        self._feeds = 0  # so far; what an older one still reports is late
        self._newest: tuple[int, Picture] | None = None
        self.has_pictures = False

    def switch(self, is_on: bool) -> None:
        """Switch the camera on or off."""
        if is_on == (self._feed is not None):
            return
        self._feeds += 1
        if self._feed:
            self._feed.close()
            self._feed, self.has_pictures = None, False
            self._notice("")
        else:
            number = self._feeds
            self._feed = CameraFeed(
                self._make_source(),
                partial(self._on_picture, number),
                partial(self._on_problem, number),
            )

    def _on_picture(self, number: int, picture: Picture) -> None:
        is_scheduled = self._newest is not None  # the loop has not shown the one before
        self._newest = (number, picture)
        if not is_scheduled:
            self._call(self._show)

    def _on_problem(self, number: int, text: str) -> None:
        self._call(partial(self._report, number, text))

    def _call(self, callback: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._in_loop(callback)

    def _show(self) -> None:
        newest, self._newest = self._newest, None
        if newest is None or newest[0] != self._feeds or self._feed is None:
            return
        self.has_pictures = True
        head = Header(stamp=stamp(), frame_id=FRAME)
        self._publish(CompressedImage(head, newest[1].format, newest[1].data))

    def _report(self, number: int, text: str) -> None:
        if number == self._feeds and self._feed is not None:
            self.has_pictures = self.has_pictures and not text
            self._notice(text)
