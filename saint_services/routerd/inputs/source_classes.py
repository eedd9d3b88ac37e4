"""Classes of sources: their priorities and time-outs. Not here: the sources (sources.py)."""

from collections.abc import Callable
from typing import Final

from ...lib.api.routing import Blending, SourceClass

SAFETY: Final = 1000  # this priority always drives alone, and no lock holds it back
PRIORITIES: Final[dict[SourceClass, int]] = {
    "safety": SAFETY,
    "rc": 300,
    "websocket": 200,
    "leader": 150,
    "livelink": 100,
    "autonomous": 50,
}
# A source without a new sample for so long is lost (seconds). The RC's is short: at 1.5 m/s the
# robot rolls 18 cm in that time.
TIMEOUTS_S: Final[dict[SourceClass, float]] = {
    "safety": 0.300,
    "rc": 0.120,
    "websocket": 0.300,
    "leader": 0.300,
    "livelink": 0.500,
    "autonomous": 0.300,
}


def kind_of(name: str) -> SourceClass | None:
    """Return the class of a source by its name; None for an unknown one."""
    kind, colon, subject = name.partition(":")
    if len(name) > 128 or (colon and (kind == "rc" or not subject)):
        return None
    return next((known for known in PRIORITIES if known == kind), None)


def timeouts(blending: Blending) -> Callable[[SourceClass], float]:
    """Return the time-out of each class in seconds, with the changes that `blending` makes."""
    wanted = blending.source_timeout_ms
    if isinstance(wanted, int):
        return lambda _: wanted / 1000
    own = wanted or {}
    return lambda kind: own[kind] / 1000 if kind in own else TIMEOUTS_S[kind]
