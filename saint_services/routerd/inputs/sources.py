"""Input sources, and which of their samples are new. Only new samples keep a source alive: repeated
ones and lower sequences do not. Not here: what samples feed (fields/claims.py).
"""

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...lib.api.routing import SourceClass
from ..fields.claims import InputStream
from ..fields.motion import NEVER

MAX_SOURCES = 64
MAX_UNKNOWN = 16  # of these, by participants that are not registered
MAX_STREAMS = 16  # sets of names that one source may use at a time
MAX_NAMES = 256
UNNAMED_RESTART_S = 1.0  # pause after which a lower sequence is a restart of an unnamed writer
# Names of ARKit's shapes and of the head's angles: samples do not have a type.
_FACE = re.compile(
    r"(eye|jaw|mouth|brow|cheek|nose)[A-Z]|tongueOut$|(head|(left|right)Eye)(Yaw|Pitch|Roll)$|head[XYZ]$"
)


@dataclass(slots=True, eq=False)
class InputSource:
    """A source of samples, by name."""

    name: str
    kind: SourceClass
    timeout_s: float
    is_known: bool = True  # its writer is registered for it
    sequence: int = -1
    origin: str = ""
    received: float = NEVER
    failsafe: bool = False
    wants_stop: bool = False  # its newest failsafe sample requests the e-stop
    is_guarding: bool = False  # class safety: its time-out raises the e-stop
    samples: int = 0
    stream: InputStream | None = None  # the newest sample's
    streams: OrderedDict[tuple[str, tuple[str, ...]], InputStream] = field(
        default_factory=OrderedDict
    )
    rate_hz: float = 0.0
    rate_samples: int = 0  # `samples` when the rate was last measured
    rate_at: float = NEVER

    @property
    def subject(self) -> str:
        """The name behind the colon: LiveLink subject, client or program."""
        return self.name.partition(":")[2]

    def is_alive(self, now: float) -> bool:
        """Return whether its newest sample, a failsafe one too, is within the time-out."""
        return self.received + self.timeout_s > now


def is_restart(source: InputSource, sequence: int, origin: str, now: float) -> bool:
    """Return whether a sequence that did not rise comes from a writer that was restarted."""
    if sequence >= source.sequence:
        return False
    if origin or source.origin:
        return origin != source.origin
    return now - source.received > UNNAMED_RESTART_S


def may_be_type(names: Iterable[str], wanted: str) -> bool:
    """Return whether a sample with these names may be of this type of subject. Bones have a dot in
    their name (LeftArm.shoulder); a stream may carry a face and bones.
    """
    is_face = any(_FACE.match(name) for name in names)
    has_bones = any("." in name for name in names)
    if not wanted or is_face == has_bones:
        return True
    return is_face if wanted == "face" else has_bones


def measure(source: InputSource, now: float) -> None:
    """Update the sample rate, about once a second."""
    elapsed = now - source.rate_at
    if elapsed < 1.0:
        return
    new = source.samples - source.rate_samples
    source.rate_hz = new / elapsed if elapsed < 10.0 else 0.0
    source.rate_at, source.rate_samples = now, source.samples
