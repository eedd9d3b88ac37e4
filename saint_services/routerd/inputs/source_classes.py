"""Classes of sources: which of them goes first, and after how long a silence one is lost. Not here:
the sources (sources.py).
"""

from collections.abc import Callable
from typing import Final

from ...lib.api.routing import Blending, SourceClass

SAFETY: Final = 1000  # this priority always drives alone, and past every lock
PRIORITIES: Final[dict[SourceClass, int]] = {
    "safety": SAFETY,
    "rc": 300,
    "websocket": 200,
    "leader": 150,
    "livelink": 100,
    "autonomous": 50,
}
# A source that sent nothing new for so long is lost (seconds). The RC's is short: at 1.5 m/s the
# robot rolls 18 cm before anybody notices.
TIMEOUTS_S: Final[dict[SourceClass, float]] = {
    "safety": 0.300,
    "rc": 0.120,
    "websocket": 0.300,
    "leader": 0.300,
    "livelink": 0.500,
    "autonomous": 0.300,
}


def kind_of(name: str) -> SourceClass | None:
    """The class of a source's name, None when it is not one of ours."""
    kind, colon, subject = name.partition(":")
    if len(name) > 128 or (colon and (kind == "rc" or not subject)):
        return None
    return next((known for known in PRIORITIES if known == kind), None)


def timeouts(blending: Blending) -> Callable[[SourceClass], float]:
    """After how many seconds of silence a source of a class is lost."""
    wanted = blending.source_timeout_ms
    if isinstance(wanted, int):
        return lambda _: wanted / 1000
    own = wanted or {}
    return lambda kind: own[kind] / 1000 if kind in own else TIMEOUTS_S[kind]
