"""Reads what the receiver of a video track reports: its estimate of the bandwidth (REMB) and the
share of lost packets. aiortc gives both to its own encoder only, whose place ours has taken.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from aiortc import RTCRtpSender
from aiortc.rtp import (
    RTCP_PSFB_APP,
    RtcpPsfbPacket,
    RtcpRrPacket,
    RtcpSrPacket,
    unpack_remb_fci,
)

_WHOLE = 256.0  # a loss is a fraction of it (RFC 3550, section 6.4.1)
# Estimate in kbit/s, share of lost packets; None: not in this report.
OnMeasured = Callable[[float | None, float | None], None]


def watch(sender: RTCRtpSender, on_measured: OnMeasured) -> None:
    """Call `on_measured` with each report about this sender's track."""
    handle: Callable[[Any], Awaitable[None]] = sender._handle_rtcp_packet

    async def handled(packet: Any) -> None:
        estimate, loss = _estimate(packet), _loss(packet, sender._ssrc)
        if estimate is not None or loss is not None:
            on_measured(estimate, loss)
        await handle(packet)

    setattr(sender, "_handle_rtcp_packet", handled)  # noqa: B010


def _estimate(packet: Any) -> float | None:
    if not (isinstance(packet, RtcpPsfbPacket) and packet.fmt == RTCP_PSFB_APP):
        return None
    try:
        bits, _ = unpack_remb_fci(packet.fci)
    except (ValueError, IndexError):
        return None
    return bits / 1000.0


def _loss(packet: Any, ssrc: int) -> float | None:
    if not isinstance(packet, RtcpRrPacket | RtcpSrPacket):
        return None
    return next((each.fraction_lost / _WHOLE for each in packet.reports if each.ssrc == ssrc), None)
