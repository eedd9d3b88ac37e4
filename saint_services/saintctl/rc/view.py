"""Formats receivers, channels and findings for `saintctl rc`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...lib.api.rc import CalibrationInfo, DetectReport, RcChannelConfig, RcLine, RcStatus
from ..console import dot

if TYPE_CHECKING:
    from rich.console import RenderableType

_CHOSEN = ": [bold]in use[/]"
_HALF = 10  # characters of a bar to either side of the middle


def bar(value: float) -> str:
    """Draw a value from -1 to 1 as a bar that begins in the middle."""
    filled = round(min(max(value, -1.0), 1.0) * _HALF)
    left = "░" * (_HALF - max(-filled, 0)) + "█" * max(-filled, 0)
    right = "█" * max(filled, 0) + "░" * (_HALF - max(filled, 0))
    return f"{left}|{right}"


def overview(status: RcStatus) -> "RenderableType":
    """Return everything about the receivers, for a terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    lines: list[RenderableType] = [Text.from_markup(each) for each in _heads(status)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("channel", "name", "", "value", "us", "raw"):
        table.add_column(name, no_wrap=True)
    for each in status.channels:
        table.add_row(
            f"CH{each.channel}",
            Text(each.name),
            bar(each.normalized),
            f"{each.normalized:+.2f}",
            str(each.us),
            str(each.raw),
        )
    if status.channels:
        lines += [Text(""), table]
    return Group(*lines)


def _heads(status: RcStatus) -> Iterable[str]:
    if not status.enabled:
        yield "○ The RC receiver is switched off."
        return
    for line in status.receivers:
        is_chosen = line.receiver == status.receiver and not line.failsafe
        yield f"{dot(not line.failsafe)} {_title(line)}" + (_CHOSEN * is_chosen)
        yield f"  {_numbers(line)}" if line.connected else "  no frame is received"
        if line.reason:
            yield f"  {line.reason}"
    words = [f"on a loss: {status.failsafe_action}"]
    if status.armed is not None:
        words.append("armed" if status.armed else "disarmed: switch the arm switch off and on")
    if status.calibrating:
        words.append("calibrating: the sticks move nothing")
    yield "  " + ", ".join(words)
    if status.told:
        yield f"  [bold]{_ON_LOSS[status.told]}[/]"
        if status.told != "passthrough":
            yield "  Sources of lower priority are blocked while the signal is lost. Unblock them:"
            yield "  saintctl rc failsafe --action passthrough, or saintctl rc disable."


_ON_LOSS = {
    "hold": "RC holds control: velocities are zero, positions stay.",
    "neutral": "RC holds control: velocities are zero, positions go to neutral.",
    "estop": "RC has set the e-stop; it can be cleared when the signal is back.",
    "passthrough": "RC has released control: other inputs may take over.",
}


def _title(line: RcLine) -> str:
    name = "" if line.receiver == "primary" else " (failover)"
    return f"{line.protocol.upper()} on {line.device}{name}"


def _numbers(line: RcLine) -> str:
    words = [f"{line.frame_rate_hz:.0f} frames/s"]
    if line.rssi:
        words.append(f"{line.rssi:.0f} dBm, link quality {line.link_quality} %")
    words.append(f"{line.frames} frames, {line.rejected} rejected")
    if line.discarded_bytes:
        words.append(f"{line.discarded_bytes} bytes discarded")
    if line.losses:
        words.append(f"signal lost {line.losses} times")
    if line.lost_frames:
        words.append(f"{line.lost_frames} lost by the receiver")
    return ", ".join(words)


def plain(status: RcStatus) -> str:
    """Return one line, for output that is no terminal."""
    state = "failsafe" if status.failsafe else "live"
    values = "  ".join(f"CH{each.channel} {each.normalized:+.2f}" for each in status.channels)
    return f"{status.protocol} {state}  {values}".rstrip()


def channel_rows(channels: Iterable[RcChannelConfig]) -> list[tuple[str, ...]]:
    return [
        (
            f"CH{each.channel}",
            str(each.min),
            str(each.center),
            str(each.max),
            "reversed" if each.reversed else "",
            each.name,
        )
        for each in channels
    ]


CHANNEL_COLUMNS = ("channel", "min", "center", "max", "", "name")


def findings(info: CalibrationInfo) -> list[str]:
    return [f"{each.kind}: {each.text}" for each in info.findings] or ["Nothing is wrong."]


def detection(report: DetectReport) -> list[str]:
    """Return what was received with each setting, and the verdict."""
    rows = [
        f"{each.protocol:5} {each.baud_rate:>7} baud: {each.bytes} bytes, {each.frames} frames, "
        f"{each.discarded_bytes} bytes discarded"
        for each in report.seen
    ]
    return [*rows, report.text]
