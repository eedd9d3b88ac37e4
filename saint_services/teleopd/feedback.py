"""Reads what the receiver of a video track reports: its estimate of the bandwidth (REMB), the share
of lost packets, and which it requests again. aiortc gives the first two to its own encoder only,
whose place ours has taken, and repeats whatever is requested. Not here: what is repeated
(repeats.py).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiortc import RTCRtpSender
from aiortc.rtp import (
    RTCP_PSFB_APP,
    RtcpPsfbPacket,
    RtcpReceiverInfo,
    RtcpRrPacket,
    RtcpSrPacket,
    RtpPacket,
    unpack_remb_fci,
)

from ..lib.clock import monotonic_s
from .repeats import Repeat, RepeatRule

_WHOLE = 256.0  # a loss is a fraction of it (RFC 3550, section 6.4.1)
_WINDOW_S = 0.5  # a receiver may report after each picture, of a few packets
# Estimate in kbit/s, share of lost packets; None: not in this report.
OnMeasured = Callable[[float | None, float | None], None]


@dataclass(slots=True)
class LossMeter:
    """The share of a stream's packets that were lost lately, of at least half a second."""

    _expected: int = 0
    _lost: int = 0
    _counted_s: float | None = None

    def reported(self, report: RtcpReceiverInfo, now_s: float) -> float | None:
        """Return the share since the last one returned; None: too soon, or nothing was expected."""
        if self._counted_s is None or report.highest_sequence < self._expected:
            share = report.fraction_lost / _WHOLE
        elif now_s - self._counted_s < _WINDOW_S or report.highest_sequence == self._expected:
            return None
        else:
            expected = report.highest_sequence - self._expected
            share = min(1.0, max(0, report.packets_lost - self._lost) / expected)
        self._expected, self._lost = report.highest_sequence, report.packets_lost
        self._counted_s = now_s
        return share


def watch(sender: RTCRtpSender, on_measured: OnMeasured) -> None:
    """Call `on_measured` with each report about this sender's track."""
    handle: Callable[[Any], Awaitable[None]] = sender._handle_rtcp_packet
    meter = LossMeter()

    async def handled(packet: Any) -> None:
        estimate, loss = _estimate(packet), None
        if (report := _report(packet, sender._ssrc)) is not None:
            loss = meter.reported(report, monotonic_s())
        if estimate is not None or loss is not None:
            on_measured(estimate, loss)
        await handle(packet)

    setattr(sender, "_handle_rtcp_packet", handled)  # noqa: B010


def limit_repeats(
    sender: RTCRtpSender, round_trip_s: Callable[[], float | None], want_key: Callable[[], None]
) -> None:
    """Repeat as RepeatRule has it, and call `want_key` where it gives up."""
    repeat: Callable[[int], Awaitable[None]] = sender._retransmit
    kept: dict[int, RtpPacket] = getattr(sender, "_RTCRtpSender__rtp_history")  # noqa: B009
    rule = RepeatRule()

    async def requested(number: int) -> None:
        sent: int = getattr(sender, "_RTCRtpSender__packet_count")  # noqa: B009
        numbers = (each.sequence_number for each in kept.values())
        found = rule.requested(number, numbers, sent, monotonic_s(), round_trip_s())
        if found is Repeat.NOW:
            await repeat(number)
        elif found is Repeat.GIVEN_UP:
            want_key()

    setattr(sender, "_retransmit", requested)  # noqa: B010


def _report(packet: Any, ssrc: int) -> RtcpReceiverInfo | None:
    if not isinstance(packet, RtcpRrPacket | RtcpSrPacket):
        return None
    return next((each for each in packet.reports if each.ssrc == ssrc), None)


def _estimate(packet: Any) -> float | None:
    if not (isinstance(packet, RtcpPsfbPacket) and packet.fmt == RTCP_PSFB_APP):
        return None
    try:
        bits, _ = unpack_remb_fci(packet.fci)
    except (ValueError, IndexError):
        return None
    return bits / 1000.0
