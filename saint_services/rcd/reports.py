"""Builds the reports on the receivers: the ROS message and the reply of GET /status."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..lib.api.rc import FailsafeAction, RcChannel, RcLine, RcStatus
from ..lib.generated.saint_msgs import RCChannelState, RCReceiverState
from .channels import MAX_CHANNELS
from .config import ReceiverConnection
from .logic import Receiver

Title = Literal["primary", "failover"]
TITLES: tuple[Title, ...] = ("primary", "failover")


@dataclass(frozen=True, slots=True)
class ReceiverReport:
    """State of one receiver and its connection."""

    receiver: Receiver
    connection: ReceiverConnection
    counts: tuple[int, int, int]  # frames, rejected frames, discarded bytes
    problem: str = ""  # why the line is not open


@dataclass(frozen=True, slots=True)
class ReceiverSnapshot:
    """State of all receivers at one moment."""

    lines: Sequence[ReceiverReport]
    in_charge: int
    enabled: bool
    action: FailsafeAction
    told: FailsafeAction | None  # what failsafe samples request now
    armed: bool | None
    calibrating: bool
    arm_channel: int | None = None
    failsafe_channel: int | None = None

    @property
    def line(self) -> ReceiverReport:
        return self.lines[self.in_charge]


def message(snapshot: ReceiverSnapshot, now_s: float, wall_ns: int) -> RCReceiverState:
    """Build the message of /saint/rc/state: the receiver in charge."""
    line = snapshot.line
    receiver = line.receiver
    updated_ns = max(0, wall_ns - int((now_s - receiver.good_s) * 1e9)) if receiver.recent else 0
    channels = [
        RCChannelState(number, raw, normalized, receiver.failsafe, updated_ns)
        for number, raw, _, normalized in _channels(receiver)
    ]
    return RCReceiverState(
        protocol=line.connection.protocol,
        connected=snapshot.enabled and receiver.is_connected(now_s),
        failsafe=receiver.failsafe,
        channel_count=len(channels),
        channels=channels,
        rssi=float(receiver.link.rssi_dbm) if receiver.link else 0.0,
        frame_rate_hz=round(receiver.rate_hz(now_s)),
    )


def status(snapshot: ReceiverSnapshot, now_s: float) -> RcStatus:
    """Build the reply of GET /status."""
    lines = [
        _line(line, TITLES[i], snapshot.enabled, now_s) for i, line in enumerate(snapshot.lines)
    ]
    receiver = snapshot.line.receiver
    own = lines[snapshot.in_charge].model_dump(exclude={"receiver"})
    return RcStatus(
        **own,
        enabled=snapshot.enabled,
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
        receiver=TITLES[snapshot.in_charge],
        receivers=lines,
        failsafe_action=snapshot.action,
        told=snapshot.told,
        armed=snapshot.armed,
        calibrating=snapshot.calibrating,
        arm_channel=snapshot.arm_channel,
        failsafe_channel=snapshot.failsafe_channel,
    )


def _line(line: ReceiverReport, title: Title, enabled: bool, now_s: float) -> RcLine:
    receiver, link = line.receiver, line.receiver.link
    frames, rejected, discarded_bytes = line.counts
    return RcLine(
        receiver=title,
        protocol=line.connection.protocol,
        device=line.connection.place,
        connected=enabled and receiver.is_connected(now_s),
        failsafe=receiver.failsafe,
        rssi=float(link.rssi_dbm) if link else 0.0,
        link_quality=link.uplink_lq_percent if link else 0,
        frame_rate_hz=round(receiver.rate_hz(now_s), 1),
        frames=frames,
        rejected=rejected,
        discarded_bytes=discarded_bytes,
        lost_frames=receiver.lost_frames,
        losses=receiver.losses,
        reason=line.problem or (receiver.reason if receiver.failsafe else ""),
        pins=line.connection.pins,
    )


def _channels(receiver: Receiver) -> Iterator[tuple[int, int, int, float]]:
    """Yield number, raw, microseconds and normalized value of every received channel."""
    received = {
        first + i + 1: (raw, us)
        for first, frame in receiver.recent.items()
        for i, (raw, us) in enumerate(zip(frame.raw, frame.us, strict=True))
    }
    normalized = dict(zip(receiver.names, receiver.values, strict=True))
    for number in sorted(received)[:MAX_CHANNELS]:
        raw, us = received[number]
        yield number, raw, us, normalized.get(f"channel_{number}", 0.0)
