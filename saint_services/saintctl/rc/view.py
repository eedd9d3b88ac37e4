"""How `saintctl rc` shows receivers, channels and findings. Not here: asking for them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...lib.api.rc import CalibrationInfo, DetectReport, RcChannelConfig, RcLine, RcStatus
from ..console import dot

if TYPE_CHECKING:
    from rich.console import RenderableType

_CHOSEN = ": [bold]the robot listens to this one[/]"
_HALF = 10  # characters of a bar to either side of the middle


def bar(value: float) -> str:
    """-1 to 1 as a bar that begins in the middle."""
    filled = round(min(max(value, -1.0), 1.0) * _HALF)
    left = "░" * (_HALF - max(-filled, 0)) + "█" * max(-filled, 0)
    right = "█" * max(filled, 0) + "░" * (_HALF - max(filled, 0))
    return f"{left}|{right}"


def overview(status: RcStatus) -> "RenderableType":
    """Everything, for a terminal."""
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
        yield f"  {_numbers(line)}" if line.connected else "  nothing is heard"
        if line.reason:
            yield f"  {line.reason}"
    words = [f"on a loss: {status.failsafe_action}"]
    if status.armed is not None:
        words.append("armed" if status.armed else "disarmed: move the arm switch off and on")
    if status.calibrating:
        words.append("a calibration runs: the sticks move nothing")
    yield "  " + ", ".join(words)
    if status.told:
        yield f"  [bold]{_TOLD[status.told]}[/]"
        if status.told != "passthrough":
            yield "  Sources of lower priority drive nothing of it until the signal is back,"
            yield "  saintctl rc failsafe --action passthrough, or saintctl rc disable."


_TOLD = {
    "hold": "The robot was told to hold: velocities rest, positions stay.",
    "neutral": "The robot was told to rest: velocities are zero, positions go to their middle.",
    "estop": "The robot was stopped; the e-stop can be cleared when the signal is back.",
    "passthrough": "The robot was told to go on without this receiver.",
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
    if line.lost_frames:
        words.append(f"{line.lost_frames} lost by the receiver")
    return ", ".join(words)


def plain(status: RcStatus) -> str:
    """One line, for where nobody draws."""
    state = "failsafe" if status.failsafe else "live"
    values = "  ".join(f"CH{each.channel} {each.normalized:+.2f}" for each in status.channels)
    return f"{status.protocol} {state}  {values}".rstrip()


def channel_rows(channels: Iterable[RcChannelConfig]) -> list[tuple[str, ...]]:
    """For a table."""
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
    """What a calibration noticed."""
    return [f"{each.kind}: {each.text}" for each in info.findings] or ["Nothing is wrong."]


def detection(report: DetectReport) -> list[str]:
    """What was seen on the line, setting by setting, and the verdict."""
    rows = [
        f"{each.protocol:5} {each.baud_rate:>7} baud: {each.bytes} bytes, {each.frames} frames, "
        f"{each.discarded_bytes} bytes left over"
        for each in report.seen
    ]
    return [*rows, report.text]
