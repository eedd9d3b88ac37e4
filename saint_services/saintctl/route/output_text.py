"""Describes what the router commands for an output, for people. Where an output stands is not known
to the router, so no sentence says it.
"""

from typing import Final

from ...lib.api.routing import FieldOutput

_MINUTE_MS, _HOUR_MS = 60_000, 3_600_000

POLICIES: Final = {
    "hold": "nobody: the last value is still commanded",
    "ramp_to_zero": "nobody: zero is commanded",
    "neutral": "nobody: neutral is commanded",
    "park": "nobody: the park position is commanded",
    "estop": "nobody: the e-stop is set, and no motion is commanded",
}
_ELSEWHERE = "; the output may stand elsewhere"


def age_text(age_ms: int | None) -> str:
    """Return the age of a sample; one that is unknown or beyond all bounds is no number."""
    if age_ms is None:
        return "age unknown"
    if age_ms < _MINUTE_MS:
        return f"{age_ms} ms old"
    if age_ms < _HOUR_MS:
        return f"{age_ms // _MINUTE_MS} min old"
    return f"more than {age_ms // _HOUR_MS} h old"


def value_text(output: FieldOutput) -> str:
    """Return what is commanded, with its unit."""
    if output.value is None:
        return "not commanded"
    return f"{output.value:.3f} {output.unit}".rstrip()


def policy_text(output: FieldOutput) -> str:
    """Say what is commanded while nobody is in control."""
    if output.policy == "none":
        since = "the e-stop was cleared" if output.changed_ms else "the router started"
        rest = "" if output.unit.endswith("/s") else "; the output stays where it is"
        return f"nobody: not driven since {since}{rest}"
    text = POLICIES.get(output.policy, f"nobody: {output.policy}")
    is_asked = output.policy in ("hold", "neutral", "park")
    return text + _ELSEWHERE * is_asked
