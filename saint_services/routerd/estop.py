"""The e-stop latch: raised by anybody, cleared only by an explicit reset while nothing asks for
motion. Not here: what it does to the outputs (motion.py, logic.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .claims import Claim
from .sources import Source

NEUTRAL_SHARE = 0.02  # of the field's largest value: what counts as standing still


@dataclass(frozen=True, slots=True)
class Latch:
    """`generation` rises with every change, over restarts too."""

    active: bool = False
    source: str = ""
    reason: str = ""
    generation: int = 0


def raised(latch: Latch, source: str, reason: str) -> Latch:
    """The latch after somebody asked to stop."""
    return Latch(True, source, reason, latch.generation + 1)


def cleared(latch: Latch, source: str) -> Latch:
    """The latch after a reset."""
    return replace(latch, active=False, source=source, reason="", generation=latch.generation + 1)


def objection(claims: Iterable[Claim], sources: Iterable[Source], now: float) -> str:
    """Why the latch must not be cleared now; empty when nothing speaks against it."""
    for source in sources:
        if source.asks_stop and source.is_alive(now):
            return (
                f"{source.name} has lost its signal; switch its transmitter on, or the receiver off"
            )
        for stream in source.streams.values():
            if stream.received + source.timeout_s <= now:
                continue
            for index, is_on, _ in stream.stops:
                if is_on(stream.values[index]):
                    return f"{stream.names[index]} of {source.name} still asks for the stop"
    for claim in claims:
        output = claim.output
        if not output.is_velocity or not claim.is_live(now):
            continue
        tolerance = NEUTRAL_SHARE * max(abs(output.low), abs(output.high))
        if abs(claim.value - output.rest) > tolerance:
            return (
                f"{', '.join(claim.inputs)} of {claim.source} still asks {output.target}."
                f"{output.field} for {claim.value:.2f} {output.unit}"
            )
    return ""
