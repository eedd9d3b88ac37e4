"""Outputs, claims and boards made by hand, for the arguments about the router's parts."""

from typing import Any

from saint_services.lib.api.routing import Blending
from saint_services.routerd.fields.board import FieldBoard
from saint_services.routerd.fields.claims import Claim, InputStream, OutputField, StreamPlan
from saint_services.routerd.fields.motion import FOREVER, NEVER
from saint_services.routerd.fields.targets import Modifier

NOW = 100.0  # a claim that was received now is lost at 100.12
SPEED = Modifier("speed", "speed", 0.0, 1.0, 1.0, is_pace=True)


def output(**more: Any) -> OutputField:
    """Make a velocity between -1 and 2."""
    facts = {
        "target": "t", "field": "f", "unit": "m/s", "is_velocity": True, "low": -1.0, "high": 2.0,
        "max_rate": 10.0, "on_loss": "ramp_to_zero", "neutral": 0.0, "command": 0,
    }  # fmt: skip
    return OutputField(**(facts | more))


def claim(where: OutputField, value: float = 0.5, received: float = 100.0, **more: Any) -> Claim:
    """Make a claim that was received at 100 s and is lost 120 ms later."""
    facts: dict[str, Any] = {"priority": 300, "weight": 300.0, "timeout_s": 0.120, "move": 0.05}
    is_safety = more.pop("is_safety", False)
    made = Claim("route", more.pop("source", "rc"), where, is_safety, **(facts | more))
    made.stream = InputStream("rc", "", ("x", "speed"), (value, 0.25), received)
    made.plan = StreamPlan(
        made, ((0, 0),), lambda values: values[0], lambda values: values[0] * 10.0
    )
    made.reference = [None]
    where.claims.append(made)
    return made


def board(*outputs: OutputField, mode: str = "priority", **more: object) -> FieldBoard:
    made = FieldBoard(outputs)
    made.configure(Blending.model_validate({"mode": mode, **more}))
    return made


def driven(
    where: OutputField, made: FieldBoard, value: float = 0.5, now: float = NOW, **more: int
) -> Claim:
    """Make a claim that is in control since now, and a field at its value."""
    winner = claim(where, value, received=now, **more)
    made.contend(winner, now)
    assert where.winner is winner
    where.value, where.is_moving = value, False
    made.dirty.clear()
    made.wake_at = FOREVER
    return winner


def hold(made: FieldBoard, winner: Claim, now: float = NOW, **said: float) -> None:
    """Lose the claim's signal and hold its fields for half a second."""
    assert winner.stream is not None
    winner.stream.received = NEVER
    made.hold_source(winner.source, said, now + 0.5, now)


def slow(one: Claim) -> Claim:
    """Let the claim request a quarter of the rate."""
    assert one.plan is not None
    one.plan.modifiers = ((SPEED, 1),)
    return one
