"""Publishes the pictures of the head's camera: compressed as they came, unpacked while a program
reads that, and what the lens does. Not here: where they come from (lib/hw/cameras).
"""

import math
from collections import Counter

from saint_services.lib.bus import Bus
from saint_services.lib.bus.names import frame
from saint_services.lib.clock import stamp_at
from saint_services.lib.generated.sensor_msgs import CameraInfo, CompressedImage, Image
from saint_services.lib.generated.std_msgs import Header
from saint_services.lib.generated.topics import HEAD_CAMERA, HEAD_CAMERA_INFO, HEAD_CAMERA_RAW
from saint_services.lib.hw.cameras import unpacking
from saint_services.lib.hw.cameras.camera import Picture
from saint_services.lib.hw.cameras.unpacking import DamagedPictureError
from saint_services.lib.role_config.model import Camera

FRAME = frame("head_camera")
# A compressed picture never needs more than its pixels in the form that cameras send without
# compressing. Beyond, the network that also carries commands would pay for a foreign camera.
BYTES_PER_PIXEL, LEAST_BYTES = 2, 512 * 1024
_EARLY = 0.25  # of a period: pictures come unevenly


class PictureTopics:
    """The topics of one camera."""

    def __init__(self, bus: Bus, settings: Camera) -> None:
        self._settings = settings
        self._compressed = bus.publisher(HEAD_CAMERA)
        self._raw = bus.publisher(HEAD_CAMERA_RAW)
        self._info = bus.publisher(HEAD_CAMERA_INFO)
        width, height = settings.resolution
        self._most_bytes = max(LEAST_BYTES, width * height * BYTES_PER_PIXEL)
        self._due_s = -math.inf
        self.counters: Counter[str] = Counter()

    def show(self, picture: Picture, now_s: float) -> None:
        """Publish a picture, unless it comes too soon or is damaged."""
        if not self._is_due(now_s):
            self.counters["surplus"] += 1
        elif len(picture.data) > self._most_bytes:
            self.counters["damaged"] += 1
        else:
            self.counters["pictures"] += 1
            head = Header(stamp=stamp_at(picture.taken_ns), frame_id=FRAME)
            self._compressed.publish(CompressedImage(head, picture.format, picture.data))
            try:
                self._show_rest(picture, head)
            except DamagedPictureError:
                self.counters["damaged"] += 1

    def _show_rest(self, picture: Picture, head: Header) -> None:
        if self._info.has_readers:
            self._info.publish(self._lens(head, *unpacking.size(picture.data)))
        if self._raw.has_readers:
            seen = unpacking.unpack(picture.data)
            row = 3 * seen.width
            self._raw.publish(Image(head, seen.height, seen.width, "rgb8", 0, row, seen.data))

    def _lens(self, head: Header, width: int, height: int) -> CameraInfo:
        """Return the calibration, zeros without one: then ROS programs take the camera for an
        uncalibrated one. One that was made with another resolution is none.
        """
        known = self._settings.calibration
        if known is None or (known.image_width, known.image_height) != (width, height):
            return CameraInfo(head, height, width)
        return CameraInfo(
            head, height, width, known.distortion_model, known.distortion_coefficients.data,
            known.camera_matrix.data, known.rectification_matrix.data, known.projection_matrix.data,
        )  # fmt: skip

    def _is_due(self, now_s: float) -> bool:
        """Keep to the manifest's rate, whatever the camera does."""
        period_s = 1.0 / self._settings.framerate
        if now_s < self._due_s - _EARLY * period_s:
            return False
        self._due_s = max(self._due_s, now_s - period_s) + period_s
        return True
