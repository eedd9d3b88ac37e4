"""Input sources and which of their samples are new. A source is alive by new samples only: one that
repeats itself or goes back in sequence is as good as silent.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..lib.api.routing import Blending, SourceClass
from .outputs import NEVER

if TYPE_CHECKING:
    from .arbitration import Claim, Plan, Step, Stop

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
MAX_SOURCES = 64
MAX_STREAMS = 16  # sets of names that one source may use at a time
MAX_NAMES = 256
UNNAMED_RESTART_S = 1.0  # silence after which a lower sequence is a restart, writer unknown
# Names of ARKit's shapes and of the head's angles: samples do not tell their type.
_FACE = re.compile(
    r"(eye|jaw|mouth|brow|cheek|nose)[A-Z]|tongueOut$|(head|(left|right)Eye)(Yaw|Pitch|Roll)$|head[XYZ]$"
)


@dataclass(slots=True, eq=False)
class Stream:
    """The samples of one source with the same target and names."""

    source: str
    target: str
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    received: float = NEVER
    steps: tuple[Step, ...] = ()  # claims that one input feeds
    sums: tuple[Plan, ...] = ()  # claims that several inputs feed
    plans: tuple[Plan, ...] = ()  # all of them
    paced: tuple[Plan, ...] = ()  # those that hold modifiers
    stops: tuple[Stop, ...] = ()
    patience_s: float = 0.0  # shortest time-out of its claims
    unknown: int = 0  # names that no passthrough route knows

    @property
    def claims(self) -> Iterable[Claim]:
        return (plan.claim for plan in self.plans)


@dataclass(slots=True, eq=False)
class Source:
    """One writer of samples, by name."""

    name: str
    kind: SourceClass
    timeout_s: float
    sequence: int = -1
    origin: str = ""
    received: float = NEVER
    failsafe: bool = False
    asks_stop: bool = False  # its newest failsafe sample asks for the e-stop
    is_guarding: bool = False  # class safety: its silence raises the e-stop
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

    def is_alive(self, now: float) -> bool:
        """It was heard within its time-out, with whatever it had to say."""
        return self.received + self.timeout_s > now


def is_restart(source: Source, sequence: int, origin: str, now: float) -> bool:
    """A sequence that did not rise is good only from a writer that started anew."""
    if sequence >= source.sequence:
        return False
    if origin or source.origin:
        return origin != source.origin
    return now - source.received > UNNAMED_RESTART_S


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


def may_be_type(names: Iterable[str], wanted: str) -> bool:
    """Could a sample with these names be of this type of subject? Bones have a dot in their name
    (LeftArm.shoulder); a stream may carry a face and bones.
    """
    is_face = any(_FACE.match(name) for name in names)
    has_bones = any("." in name for name in names)
    if not wanted or is_face == has_bones:
        return True
    return is_face if wanted == "face" else has_bones


def measure(source: Source, now: float) -> None:
    """Renew the sample rate about once a second."""
    elapsed = now - source.rate_at
    if elapsed < 1.0:
        return
    new = source.samples - source.rate_samples
    source.rate_hz = new / elapsed if elapsed < 10.0 else 0.0
    source.rate_at, source.rate_samples = now, source.samples
