"""Applies the samples of a stream to its claims with filters or conditions. A face brings a hundred
values sixty times a second, so that a position with a straight mapping and a one-euro filter goes a
short way: what Guide.value() does, without its calls and from one row of memory. Not here: claims
without filters and conditions (logic.py).
"""

from collections.abc import Sequence

from ..routes.filters import OneEuro
from .board import FieldBoard, test_motion
from .claims import GuidedStep, InputStream, StreamPlan
from .guided import EuroLine, Guide
from .motion import STEP_S
from .sample_clock import SampleClock


def steps_of(plans: Sequence[StreamPlan], clock: SampleClock) -> tuple[GuidedStep, ...]:
    """Return what a sample does to each of these claims that has a guide."""
    return tuple(
        (each, each.claim, each.claim.output, guide, _line_of(guide, clock))
        for each in plans
        if (guide := each.guide) is not None
    )


def _line_of(guide: Guide, clock: SampleClock) -> EuroLine | None:
    """Return the numbers of the short way; None: the claim takes the whole way."""
    term = guide.only
    if term is None or term.line is None or len(term.filters) != 1 or guide.is_velocity:
        return None
    (euro,) = term.filters
    if not isinstance(euro, OneEuro):
        return None
    clock.patience_s = min(clock.patience_s, guide.patience_s)
    speeds = clock.weight(euro.derivative_hz)
    gain, offset, low, high = term.line
    return (
        *(term, euro, speeds, term.index, gain, offset, low, high),
        *(euro.min_hz, euro.slope, guide.settled, -guide.settled),
    )


def apply_sample(board: FieldBoard, stream: InputStream, now: float) -> None:
    """Apply the next sample of a live stream."""
    values, clock = stream.values, stream.clock
    clock.tick(now)
    before, elapsed, turn_s, marked = clock.before, clock.elapsed, clock.turn_s, -1
    for plan, claim, output, guide, line in stream.guided:
        if (
            line is not None
            and guide.at == before
            and output.winner is claim
            and output.members is None
            and claim.is_armed
        ):
            term, euro, speeds, index, gain, offset, low, high, hz, slope, settled, below = line
            guide.at = now
            wanted = values[index] * gain + offset
            if wanted < low:
                wanted = low
            elif wanted > high:
                wanted = high
            want = euro.value
            gap = wanted - want
            speed = euro.speed
            speed += speeds.share * (gap / elapsed - speed)
            euro.speed = speed
            weight = turn_s * (hz + slope * (speed if speed >= 0.0 else -speed))
            want += weight / (1.0 + weight) * gap  # between both: within the limits of the field
            gap = wanted - want
            if below <= gap <= settled:
                want = wanted
            euro.value = term.value = want
            if want == output.want:
                continue
            output.drive(want, now)
            if output.is_moving:
                board.wake(now + STEP_S)
            if output.command != marked:
                board.dirty.add(marked := output.command)
        else:
            _go_the_whole_way(board, plan, stream, now)


def _go_the_whole_way(board: FieldBoard, plan: StreamPlan, stream: InputStream, now: float) -> None:
    """Apply a sample to any claim."""
    claim, guide, output = plan.claim, plan.guide, plan.claim.output
    if not claim.is_armed:
        test_motion(claim)
        board.contend(claim, now)
    elif guide is None or guide.has_conditions or output.members is not None:
        board.guide(plan, now)
    elif output.winner is claim and (want := guide.value(stream.values, now)) != output.want:
        board.follow(output, want, now)
