"""What each packet of a video track says in its header extensions, beyond what aiortc has it say.
Imported with aiortc.

- Show each picture as soon as it is decoded (playout-delay): browsers otherwise hold pictures back,
  for tens of milliseconds, so that they follow each other evenly.
- When it was sent (abs-send-time), also the second time. aiortc repeats a lost packet with the time
  of its first sending; receivers take the difference for a queue that grows, and their estimate of
  the bandwidth falls to a tenth with every twentieth packet lost.

Source: webrtc.org, docs/native-code/rtp-hdrext/playout-delay and abs-send-time; RFC 8285, section
4.2.
"""

from aiortc import RTCRtpSender, clock
from aiortc.codecs import HEADER_EXTENSIONS
from aiortc.rtcrtpparameters import RTCRtpHeaderExtensionParameters, RTCRtpParameters
from aiortc.rtp import HeaderExtensions, HeaderExtensionsMap

PLAYOUT_DELAY = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
_ONE_BYTE, _LARGEST_ID = 0xBEDE, 14
_NO_DELAY = bytes(3)  # least and most, 12 bits each

# What both ends know is agreed on; the number is that of our own offers alone.
HEADER_EXTENSIONS["video"].append(RTCRtpHeaderExtensionParameters(id=4, uri=PLAYOUT_DELAY))


class VideoExtensions(HeaderExtensionsMap):
    """aiortc's extensions with the true time of sending, and the request behind them."""

    def __init__(self) -> None:
        super().__init__()
        self._request = b""  # empty: the receiver does not know it

    def configure(self, parameters: RTCRtpParameters) -> None:
        """Note the numbers that both ends have agreed on."""
        super().configure(parameters)
        for each in parameters.headerExtensions:
            if each.uri == PLAYOUT_DELAY and each.id <= _LARGEST_ID:
                self._request = bytes([each.id << 4 | len(_NO_DELAY) - 1]) + _NO_DELAY

    def set(self, values: HeaderExtensions) -> tuple[int, bytes]:
        """Return the profile and the extensions of a packet that is sent now."""
        if values.abs_send_time is not None:
            values.abs_send_time = send_time()
        profile, packed = super().set(values)
        if profile != _ONE_BYTE:
            return profile, packed
        return profile, packed + self._request


def send_time() -> int:
    """Return the time now as abs-send-time has it: seconds in 24 bits, 18 of them a fraction."""
    return clock.current_ntp_time() >> 14 & 0xFFFFFF


def complete_extensions(sender: RTCRtpSender) -> None:
    """Have the packets of a video sender say all of this, as far as the receiver knows it."""
    setattr(sender, "_RTCRtpSender__rtp_header_extensions_map", VideoExtensions())  # noqa: B010
