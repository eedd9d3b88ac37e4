"""Whether there is something newer for this robot's machines: what they run beside the newest
release that lies on the server. Nothing is asked on the internet: releases come by upload, by stick
or from a folder. Pure.
"""

from ..api.firmware import FirmwareCheck, FirmwareReport

_HOW = "A newer one comes by upload, on a USB stick, or from a folder of the server."


def check(report: FirmwareReport, checked: str) -> FirmwareCheck:
    """`checked` is the time of day, for people."""
    newest = report.releases[0].version if report.releases else ""
    away = [machine.node_id for machine in report.machines if not machine.is_online]
    behind = [
        machine.node_id
        for machine in report.machines
        if newest and machine.is_online and machine.version != newest
    ]
    message = f"{_sentence(newest, behind, away)} {_HOW}"
    if report.updates_off:
        message = f"No release can be taken now: {report.updates_off}."
    return FirmwareCheck(newest=newest, behind=behind, away=away, message=message, checked=checked)


def _sentence(newest: str, behind: list[str], away: list[str]) -> str:
    if not newest:
        return "No release lies on the server."
    if behind:
        verb = "does" if len(behind) == 1 else "do"
        return f"Release {newest} is here, and {', '.join(behind)} {verb} not run it yet."
    left = f"; {', '.join(away)} could not be asked" if away else ""
    return f"All machines run {newest}, the newest release that is here{left}."
