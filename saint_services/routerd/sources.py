"""Input sources and which of their samples are new. A source is alive by new samples only: one that
repeats itself or goes back in sequence is as good as silent.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from .arbitration import Claim, Step, Stop

SourceClass = Literal["rc", "websocket", "livelink", "autonomous"]
PRIORITIES: Final[dict[str, int]] = {
    "rc": 300,
    "websocket": 200,
    "livelink": 100,
    "autonomous": 50,
}
# A source that sent nothing new for so long is lost (seconds). The RC's is short: at 1.5 m/s the
# robot rolls 18 cm before anybody notices.
TIMEOUTS_S: Final[dict[str, float]] = {
    "rc": 0.120,
    "websocket": 0.300,
    "livelink": 0.500,
    "autonomous": 0.300,
}
MAX_SOURCES = 64
MAX_STREAMS = 16  # sets of names that one source may use at a time
MAX_NAMES = 256
NEVER = float("-inf")
UNNAMED_RESTART_S = 1.0  # silence after which a lower sequence is a restart, writer unknown


@dataclass(slots=True, eq=False)
class Stream:
    """The samples of one source with the same target and names."""

    source: str
    target: str
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    received: float = NEVER
    steps: tuple[Step, ...] = ()
    stops: tuple[Stop, ...] = ()
    claims: tuple[Claim, ...] = ()
    patience_s: float = 0.0  # shortest time-out of its claims
    unknown: int = 0  # names that no passthrough route knows


@dataclass(slots=True, eq=False)
class Source:
    """One writer of samples, by name."""

    name: str
    kind: str
    sequence: int = -1
    origin: str = ""
    received: float = NEVER
    failsafe: bool = False
    samples: int = 0
    stream: Stream | None = None  # the newest sample's
    streams: OrderedDict[tuple[str, tuple[str, ...]], Stream] = field(default_factory=OrderedDict)
    rate_hz: float = 0.0
    rate_samples: int = 0  # `samples` when the rate was last measured
    rate_at: float = NEVER

    @property
    def subject(self) -> str:
        """What follows the colon: LiveLink subject, client, program."""
        return self.name.partition(":")[2]

    @property
    def timeout_s(self) -> float:
        return TIMEOUTS_S[self.kind]


def is_restart(source: Source, sequence: int, origin: str, now: float) -> bool:
    """A sequence that did not rise is good only from a writer that started anew."""
    if sequence >= source.sequence:
        return False
    if origin or source.origin:
        return origin != source.origin
    return now - source.received > UNNAMED_RESTART_S


def kind_of(name: str) -> str | None:
    """The class of a source's name, None when it is not one of ours."""
    kind, _, subject = name.partition(":")
    if kind not in PRIORITIES or len(name) > 128:
        return None
    is_complete = name == kind if kind == "rc" else bool(subject)
    return kind if is_complete else None


def measure(source: Source, now: float) -> None:
    """Renew the sample rate about once a second."""
    elapsed = now - source.rate_at
    if elapsed < 1.0:
        return
    new = source.samples - source.rate_samples
    source.rate_hz = new / elapsed if elapsed < 10.0 else 0.0
    source.rate_at, source.rate_samples = now, source.samples
