"""Has the receiver of a video track show each picture as soon as it is decoded: browsers otherwise
hold pictures back, for tens of milliseconds, so that they follow each other evenly. The request
travels as an RTP header extension (playout-delay of WebRTC), which aiortc does not know. Imported
with aiortc.

Source: webrtc.org, docs/native-code/rtp-hdrext/playout-delay; RFC 8285, section 4.2.
"""

from aiortc import RTCRtpSender
from aiortc.codecs import HEADER_EXTENSIONS
from aiortc.rtcrtpparameters import RTCRtpHeaderExtensionParameters, RTCRtpParameters
from aiortc.rtp import HeaderExtensions, HeaderExtensionsMap

URI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
_ONE_BYTE, _LARGEST_ID = 0xBEDE, 14
_NO_DELAY = bytes(3)  # least and most, 12 bits each

# What both ends know is agreed on; the number is that of our own offers alone.
HEADER_EXTENSIONS["video"].append(RTCRtpHeaderExtensionParameters(id=4, uri=URI))


class PromptExtensions(HeaderExtensionsMap):
    """aiortc's extensions, and the request behind them."""

    def __init__(self) -> None:
        super().__init__()
        self._request = b""  # empty: the receiver does not know it

    def configure(self, parameters: RTCRtpParameters) -> None:
        """Note the numbers that both ends have agreed on."""
        super().configure(parameters)
        for each in parameters.headerExtensions:
            if each.uri == URI and each.id <= _LARGEST_ID:
                self._request = bytes([each.id << 4 | len(_NO_DELAY) - 1]) + _NO_DELAY

    def set(self, values: HeaderExtensions) -> tuple[int, bytes]:
        """Return the profile and the extensions of a packet."""
        profile, packed = super().set(values)
        if profile != _ONE_BYTE:
            return profile, packed
        return profile, packed + self._request


def show_promptly(sender: RTCRtpSender) -> None:
    """Have a sender's packets carry the request, if the receiver knows it."""
    setattr(sender, "_RTCRtpSender__rtp_header_extensions_map", PromptExtensions())  # noqa: B010
