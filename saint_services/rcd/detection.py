"""Which protocol speaks on a line: what each parser makes of the bytes heard with each setting of
the port. Pure. One good frame may be chance; several, with hardly anything between them, are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..lib.api.rc import DetectedSettings, DetectReport, RcProtocol

MIN_FRAMES = 8
MAX_WASTE = 0.1  # of the bytes: discarded


@dataclass(frozen=True, slots=True)
class PortTrial:
    """One setting of the port, and the protocols that are spoken with it."""

    baud_rate: int
    parity: str
    stopbits: int
    protocols: tuple[RcProtocol, ...]


# The usual ones first.
PORT_TRIALS = (
    PortTrial(420_000, "none", 1, ("crsf",)),
    PortTrial(100_000, "even", 2, ("sbus",)),
    PortTrial(115_200, "none", 1, ("ibus", "crsf")),
    PortTrial(400_000, "none", 1, ("crsf",)),
    PortTrial(200_000, "even", 2, ("sbus",)),
)


def is_proof(seen: DetectedSettings) -> bool:
    """Several good frames and hardly anything else."""
    return seen.frames >= MIN_FRAMES and seen.discarded_bytes <= MAX_WASTE * seen.bytes


def report(seen: Sequence[DetectedSettings]) -> DetectReport:
    """What was found, or why nothing was."""
    proofs = [each for each in seen if is_proof(each)]
    best = max(proofs, key=lambda each: each.frames, default=None)
    if best is not None:
        text = (
            f"{best.protocol.upper()} at {best.baud_rate} baud: {best.frames} good frames, "
            f"{best.discarded_bytes} of {best.bytes} bytes left over"
        )
        return DetectReport(
            protocol=best.protocol, baud_rate=best.baud_rate, text=text, seen=list(seen)
        )
    heard = max((each.bytes for each in seen), default=0)
    text = (
        f"up to {heard} bytes were heard, but nothing that a known protocol sends; "
        "SBUS needs a line that inverts, and ground must be connected"
        if heard
        else "the line is silent: check power, wiring, and that the receiver is bound"
    )
    return DetectReport(protocol=None, baud_rate=None, text=text, seen=list(seen))
