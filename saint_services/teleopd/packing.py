"""Splits an encoded picture into payloads of RTP once for all viewers: aiortc would do it for each.
Imported with aiortc. Not here: headers and encryption, which each viewer has of its own.
"""

from typing import Any
from weakref import WeakKeyDictionary

from aiortc import RTCRtpSender
from aiortc.codecs.vpx import Vp8Encoder
from av import Packet

from .cameras import SharedCamera


class SharedPacking:
    """The payloads of a camera's newest picture."""

    def __init__(self) -> None:
        self._packer = Vp8Encoder()  # numbers the pictures; encodes nothing
        self._packet: Packet[Any] | None = None
        self._packed: tuple[list[bytes], int] = ([], 0)

    def pack(self, packet: "Packet[Any]") -> tuple[list[bytes], int]:
        """Return the payloads and the time stamp."""
        if packet is not self._packet:
            self._packet, self._packed = packet, self._packer.pack(packet)
        return self._packed


_PACKINGS: WeakKeyDictionary[SharedCamera, SharedPacking] = WeakKeyDictionary()


def share(sender: RTCRtpSender, camera: SharedCamera) -> None:
    """Have a sender use what another viewer's sender has packed."""
    packing = _PACKINGS.setdefault(camera, SharedPacking())
    setattr(sender, "_RTCRtpSender__encoder", packing)  # noqa: B010
