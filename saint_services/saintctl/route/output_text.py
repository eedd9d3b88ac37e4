"""Describes what the router commands for an output. The router does not know where an output
stands, so no sentence says it.
"""

from typing import Final

from ...lib.api.routing import FieldOutput

_MINUTE_MS, _HOUR_MS = 60_000, 3_600_000

POLICIES: Final = {
    "hold": "no input: the last value is still commanded",
    "ramp_to_zero": "no input: zero is commanded",
    "neutral": "no input: neutral is commanded",
    "park": "no input: the park position is commanded",
    "estop": "no input: the e-stop is set, and no motion is commanded",
}
_ELSEWHERE = "; the output may stand elsewhere"


def age_text(age_ms: int | None) -> str:
    """Return the age of a sample, rounded for old samples."""
    if age_ms is None:
        return "age unknown"
    if age_ms < _MINUTE_MS:
        return f"{age_ms} ms old"
    if age_ms < _HOUR_MS:
        return f"{age_ms // _MINUTE_MS} min old"
    return f"more than {age_ms // _HOUR_MS} h old"


def value_text(output: FieldOutput) -> str:
    """Return the commanded value with its unit."""
    if output.value is None:
        return "not commanded"
    return f"{output.value:.3f} {output.unit}".rstrip()


def policy_text(output: FieldOutput) -> str:
    """Describe what is commanded while no input is in control."""
    if output.policy == "none":
        since = "the e-stop was cleared" if output.changed_ms else "the router started"
        rest = "" if output.unit.endswith("/s") else "; the output stays where it is"
        return f"no input: not driven since {since}{rest}"
    text = POLICIES.get(output.policy, f"no input: {output.policy}")
    is_position = output.policy in ("hold", "neutral", "park")
    return text + _ELSEWHERE * is_position
