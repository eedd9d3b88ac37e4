"""Who is in control of a field, and what of the rivals counts.

The highest priority among the claims that may drive; with equal priorities the one that is in
control keeps it. Who was lost and comes back must be steady before it takes a field from another.
"""

from collections.abc import Sequence

from ...lib.limits import clamp
from .claims import Claim, Output


def choose(output: Output, now: float) -> Claim | None:
    """The claim that ought to be in control."""
    best = output.winner
    if best is not None and not best.may_drive(now):
        best = None
    for claim in output.claims:
        if claim.may_drive(now) and not is_barred(claim) and _beats(claim, best, now):
            best = claim
    return best


def _beats(claim: Claim, best: Claim | None, now: float) -> bool:
    if best is None:
        return True
    is_steady = claim.steady_at <= now
    was_steady = best.steady_at <= now or best is best.output.winner
    if is_steady != was_steady:
        return is_steady
    return claim.priority > best.priority


def contributors(output: Output, winner: Claim, now: float) -> tuple[Claim, ...]:
    """Whose values are mixed: all that may drive, or one of class safety alone."""
    if winner.overrides:
        return (winner,)
    return tuple(
        claim
        for claim in output.claims
        if claim is winner
        or (claim.may_drive(now) and not is_barred(claim) and claim.steady_at <= now)
    )


def is_barred(claim: Claim) -> bool:
    """Does a source whose signal is lost keep the field from this claim?"""
    output = claim.output
    return claim.priority <= output.bar and claim is not output.keeper


def mixed(output: Output, is_sum: bool) -> float:
    """The value of the members together."""
    members = output.members or ()
    value = _together(members, [claim.value for claim in members], is_sum)
    return clamp(value, output.low, output.high)


def mixed_unlimited(output: Output, is_sum: bool) -> float:
    """Return the value that the members together request, without any limit."""
    members = output.members or ()
    return _together(members, [claim.asked for claim in members], is_sum)


def _together(members: Sequence[Claim], values: Sequence[float], is_sum: bool) -> float:
    if is_sum:
        return sum(values)
    total = sum(claim.weight for claim in members)
    if total <= 0.0:  # all weights are 0: equal ones
        return sum(values) / len(values)
    weighted = zip(members, values, strict=True)
    return sum(value * (claim.weight / total) for claim, value in weighted)


def disarm(claim: Claim, inputs: list[float | None]) -> None:
    """From now on the claim counts only when an input has moved away from `inputs`."""
    claim.is_armed = False
    claim.reference = inputs


def has_moved(claim: Claim, part: int, value: float) -> bool:
    """Arm the claim if this input was moved. The first value seen is where it stands."""
    reference = claim.reference[part]
    if reference is None:
        claim.reference[part] = value
        return False
    claim.is_armed = abs(value - reference) > claim.move
    return claim.is_armed
