"""Receivers are to hold no picture back and to know when each packet was sent: the bytes of the
extensions, and who gets them.
"""

import pytest
from aiortc import clock, rtp
from aiortc.rtcrtpparameters import RTCRtpHeaderExtensionParameters, RTCRtpParameters

from saint_services.teleopd.extensions import VideoExtensions
from tests.teleop_peer import teleop_peer
from tests.unit.teleopd.rig import OLGA, RemoteRobot

URI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
MID = RTCRtpHeaderExtensionParameters(id=1, uri="urn:ietf:params:rtp-hdrext:sdes:mid")


def packed(*known: RTCRtpHeaderExtensionParameters) -> tuple[int, bytes]:
    extensions = VideoExtensions()
    extensions.configure(RTCRtpParameters(headerExtensions=list(known)))
    return extensions.set(rtp.HeaderExtensions(mid="0"))


def test_request_is_no_delay_at_least_and_at_most() -> None:
    request = RTCRtpHeaderExtensionParameters(id=5, uri=URI)
    assert packed(MID, request) == (0xBEDE, b"\x100\0\0" + b"\x52\0\0\0")


@pytest.mark.parametrize("number", [None, 15, 200])
def test_receiver_that_has_no_short_number_for_it_gets_none(number: int | None) -> None:
    """Numbers above 14 have headers of two bytes (RFC 8285)."""
    known = [RTCRtpHeaderExtensionParameters(id=number, uri=URI)] if number else []
    assert packed(MID, *known) == (0xBEDE, b"\x100\0\0")


def test_packet_that_is_sent_again_says_when_that_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """6 bits of seconds and 18 of their fraction."""
    extensions = VideoExtensions()
    time = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    known = [RTCRtpHeaderExtensionParameters(id=3, uri=time)]
    extensions.configure(RTCRtpParameters(headerExtensions=known))
    kept = rtp.HeaderExtensions(abs_send_time=7)
    sent = []
    for seconds in (1.5, 2.25):
        monkeypatch.setattr(clock, "current_ntp_time", lambda: round(seconds * 2**32))  # noqa: B023
        sent.append(extensions.set(kept)[1])
    assert sent == [b"\x32\x06\0\0", b"\x32\x09\0\0"]


async def test_every_packet_of_a_picture_carries_the_request(
    robot: RemoteRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived: list[list[tuple[int, bytes]]] = []
    unpack = rtp.unpack_header_extensions

    def unpacked(profile: int, value: bytes) -> list[tuple[int, bytes]]:
        arrived.append(unpack(profile, value))
        return arrived[-1]

    monkeypatch.setattr(rtp, "unpack_header_extensions", unpacked)
    async with robot.filming(), teleop_peer(robot.signalling(OLGA), video=True) as peer:
        await peer.until(lambda: len(peer.frames) > 3)
        answer = peer._pc.remoteDescription.sdp
    assert f"a=extmap:4 {URI}" in answer
    assert arrived
    assert all((4, b"\0\0\0") in each for each in arrived)
