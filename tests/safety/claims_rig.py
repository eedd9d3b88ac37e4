"""Outputs and claims made by hand, for the arguments about the router's parts."""

from typing import Any

from saint_services.routerd.arbitration import Claim, Plan
from saint_services.routerd.outputs import Output
from saint_services.routerd.sources import Stream


def output(**more: Any) -> Output:
    """A velocity between -1 and 2."""
    facts = {
        "target": "t", "field": "f", "unit": "m/s", "is_velocity": True, "low": -1.0, "high": 2.0,
        "max_rate": 10.0, "on_loss": "ramp_to_zero", "neutral": 0.0, "command": 0,
    }  # fmt: skip
    return Output(**(facts | more))


def claim(where: Output, value: float = 0.5, received: float = 100.0, **more: Any) -> Claim:
    """Heard at 100 s, lost 120 ms later."""
    facts: dict[str, Any] = {"priority": 300, "weight": 300.0, "timeout_s": 0.120, "move": 0.05}
    is_safety = more.pop("is_safety", False)
    made = Claim("route", more.pop("source", "rc"), where, is_safety, **(facts | more))
    made.stream = Stream("rc", "", ("x", "speed"), (value, 0.25), received)
    made.plan = Plan(made, ((0, 0),), lambda values: values[0], lambda values: values[0] * 10.0)
    made.reference = [None]
    where.claims.append(made)
    return made
