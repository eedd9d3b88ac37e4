"""Compares the releases that the machines run with the newest one on the server. Queries nothing on
the internet. Pure.
"""

from ..api.firmware import FirmwareCheck, FirmwareReport

_HOW = "Newer releases come by upload, or as the update settings say."


def check(report: FirmwareReport, checked: str) -> FirmwareCheck:
    """Return the result for users. `checked`: the time of day."""
    newest = report.releases[0].version if report.releases else ""
    away = [machine.node_id for machine in report.machines if not machine.is_online]
    behind = [
        machine.node_id
        for machine in report.machines
        if newest and machine.is_online and machine.version != newest
    ]
    message = f"{_sentence(newest, behind, away)} {_HOW}"
    if report.updates_off:
        message = f"No release can be accepted now: {report.updates_off}."
    return FirmwareCheck(newest=newest, behind=behind, away=away, message=message, checked=checked)


def _sentence(newest: str, behind: list[str], away: list[str]) -> str:
    if not newest:
        return "There is no release on the server."
    if behind:
        verb = "does" if len(behind) == 1 else "do"
        return f"Release {newest} is on the server, and {', '.join(behind)} {verb} not run it yet."
    left = f"; offline: {', '.join(away)}" if away else ""
    return f"All machines run {newest}, the newest release on the server{left}."
