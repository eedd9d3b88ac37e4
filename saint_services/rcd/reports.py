"""The receiver's state as others see it: the ROS message and the answer of GET /status."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..lib.api.rc import RcChannel, RcStatus
from ..lib.generated.saint_msgs import RCChannelState, RCReceiverState
from .channels import MAX_CHANNELS
from .logic import Receiver
from .protocols import Parser


@dataclass(frozen=True, slots=True)
class Line:
    """Where the receiver is connected."""

    enabled: bool
    protocol: str
    device: str
    problem: str = ""  # why the line is not open


def message(receiver: Receiver, line: Line, now_s: float, wall_ns: int) -> RCReceiverState:
    """Topic /saint/rc/state."""
    updated_ns = max(0, wall_ns - int((now_s - receiver.good_s) * 1e9)) if receiver.recent else 0
    channels = [
        RCChannelState(number, raw, normalized, receiver.failsafe, updated_ns)
        for number, raw, _, normalized in _channels(receiver)
    ]
    return RCReceiverState(
        protocol=line.protocol,
        connected=line.enabled and receiver.is_connected(now_s),
        failsafe=receiver.failsafe,
        channel_count=len(channels),
        channels=channels,
        rssi=float(receiver.link.rssi_dbm) if receiver.link else 0.0,
        frame_rate_hz=round(receiver.rate_hz(now_s)),
    )


def status(receiver: Receiver, line: Line, parser: Parser, now_s: float) -> RcStatus:
    """GET /status"""
    link = receiver.link
    return RcStatus(
        enabled=line.enabled,
        connected=line.enabled and receiver.is_connected(now_s),
        protocol=line.protocol,
        device=line.device,
        failsafe=receiver.failsafe,
        rssi=float(link.rssi_dbm) if link else 0.0,
        link_quality=link.uplink_lq_percent if link else 0,
        frame_rate_hz=round(receiver.rate_hz(now_s), 1),
        frames=parser.frames,
        rejected=parser.rejected,
        discarded_bytes=parser.discarded_bytes,
        channels=[
            RcChannel(
                channel=number,
                name=receiver.normalizer.channels[number - 1].name,
                raw=raw,
                us=us,
                normalized=normalized,
            )
            for number, raw, us, normalized in _channels(receiver)
        ],
        reason=line.problem or (receiver.reason if receiver.failsafe else ""),
    )


def _channels(receiver: Receiver) -> Iterator[tuple[int, int, int, float]]:
    """Number, raw, microseconds, normalized of every channel that was heard."""
    heard = {
        first + i + 1: (raw, us)
        for first, frame in receiver.recent.items()
        for i, (raw, us) in enumerate(zip(frame.raw, frame.us, strict=True))
    }
    normalized = dict(zip(receiver.names, receiver.values, strict=True))
    for number in sorted(heard)[:MAX_CHANNELS]:
        raw, us = heard[number]
        yield number, raw, us, normalized.get(f"channel_{number}", 0.0)
