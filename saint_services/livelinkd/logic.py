"""State of each subject: its owner, rate, age, tracking and values for the router.

Pure: time comes in. Frame numbers give order and loss only; staleness is judged by receive time.
A subject belongs to its first sender until that times out or an operator releases it.
"""

from collections import deque
from dataclasses import dataclass, field

from .loss import FrameLoss
from .protocols import Frame, Refused
from .protocols.names import LONGEST_NAME
from .tuning import Tuning, TuningFilter

MAX_SUBJECTS = 64
MAX_SUBJECTS_OF_ONE = 16  # of one address, so that none fills the table alone
FORGET_S = 60.0  # a silent subject makes room for a new one after this
RATE_FRAMES = 60  # the measured rate looks back so far
FRAME_PERIOD_S = 0.1  # of the message with all properties, per subject
SUBJECT_PERIOD_S = 1.0  # of the message that describes the subject
UNNAMED = "unnamed"  # a subject's name may be empty; the router wants one

LATE = Refused("the frame is late or repeated")
FULL = Refused(f"the limit of {MAX_SUBJECTS} subjects is reached")
FULL_FOR_ONE = Refused(f"the sender has reached its limit of {MAX_SUBJECTS_OF_ONE} subjects")
LONG_NAME = Refused("the subject's name is too long")
TAKEN = Refused("the subject belongs to another sender")

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Holder:
    """Owner of a subject. Ports change with each start of an app, so they do not count."""

    ip: str
    format: str
    device: str


@dataclass(slots=True)
class Subject:
    """State of one subject after its last frame."""

    frame: Frame
    address: Address
    received_s: float  # monotonic
    source: str  # as in input samples
    holder: Holder
    frames: int = 0
    sequence: int = 0
    is_open: bool = False  # released: the next other sender becomes its owner
    is_news: bool = True  # its owner has just changed
    loss: FrameLoss = field(default_factory=FrameLoss)
    names: tuple[str, ...] = ()  # of the last frame that was tracked
    shaper: TuningFilter = field(default_factory=TuningFilter)
    times_s: deque[float] = field(default_factory=lambda: deque(maxlen=RATE_FRAMES))
    published_s: float = float("-inf")  # the message with all properties
    described_s: float = float("-inf")
    was_tracked: bool = False  # when it was described

    def rate_hz(self, now_s: float) -> float:
        """Return the rate over the last frames; falls when they stop."""
        if len(self.times_s) < 2:
            return 0.0
        return (len(self.times_s) - 1) / max(now_s - self.times_s[0], 1e-3)

    def is_due(self, now_s: float) -> bool:
        """Return True at most every FRAME_PERIOD_S: the message with all properties is due."""
        if now_s - self.published_s < FRAME_PERIOD_S:
            return False
        self.published_s = now_s
        return True

    def is_to_describe(self, now_s: float) -> bool:
        """Return True every SUBJECT_PERIOD_S, and when tracking begins or ends."""
        is_tracked = self.frame.is_tracked
        if is_tracked == self.was_tracked and now_s - self.described_s < SUBJECT_PERIOD_S:
            return False
        self.described_s, self.was_tracked = now_s, is_tracked
        return True


class SubjectRegistry:
    """All subjects, bounded: names come from the network."""

    def __init__(self, release_after_s: float | None = 10.0) -> None:
        self.subjects: dict[str, Subject] = {}
        self.tunings: dict[str, Tuning] = {}
        self._release_after_s = float("inf") if release_after_s is None else release_after_s

    def take(
        self, frame: Frame, address: Address, now_s: float, format: str = "llf"
    ) -> Subject | Refused:
        """Update the frame's subject; return it, or why the frame is refused."""
        name = frame.subject
        subject = self.subjects.get(name)
        if subject is None or subject.address != address or subject.frame.device != frame.device:
            found = self._owned(frame, Holder(address[0], format, frame.device), address, now_s)
            if isinstance(found, Refused):
                return found
            subject = found
        elif subject.holder.format != format:
            return TAKEN
        if subject.loss.is_late(frame):
            return LATE
        subject.frame, subject.address, subject.received_s = frame, address, now_s
        subject.frames += 1
        subject.sequence += 1
        subject.names = frame.names or subject.names
        subject.times_s.append(now_s)
        return subject

    def remove(self, name: str) -> Subject | None:
        """Forget a subject; return it as it was."""
        return self.subjects.pop(name, None)

    def release(self, name: str) -> bool:
        """Let the first other sender have it; the present one goes on until then."""
        subject = self.subjects.get(name)
        if subject is not None:
            subject.is_open = True
        return subject is not None

    def tune(self, name: str, tuning: Tuning) -> None:
        """In force from the next frame on."""
        self.tunings.pop(name, None)
        if not tuning.is_empty:
            self.tunings[name] = tuning
        if name in self.subjects:
            self.subjects[name].shaper = TuningFilter(tuning)

    def _owned(
        self, frame: Frame, holder: Holder, address: Address, now_s: float
    ) -> Subject | Refused:
        """Return the subject for a frame from a new address: the sender's own, new or released."""
        frame.subject = frame.subject or UNNAMED
        subject = self.subjects.get(frame.subject)
        if subject is None:
            return self._new(frame, holder, address, now_s)
        if subject.holder != holder:
            is_silent = now_s - subject.received_s >= self._release_after_s
            if not subject.is_open and not is_silent:
                return TAKEN
            subject.holder, subject.is_open, subject.is_news = holder, False, True
            subject.loss.restart()
        elif subject.address != address:
            subject.loss.restart()  # the same app, started again
        return subject

    def _new(
        self, frame: Frame, holder: Holder, address: Address, now_s: float
    ) -> Subject | Refused:
        if len(frame.subject) > LONGEST_NAME:
            return LONG_NAME
        own = sum(subject.holder.ip == holder.ip for subject in self.subjects.values())
        if not self._has_room(now_s):
            return FULL
        if own >= MAX_SUBJECTS_OF_ONE:
            return FULL_FOR_ONE
        # Sequences rise over restarts too, or first samples would look like repeated ones.
        subject = self.subjects[frame.subject] = Subject(
            frame,
            address,
            now_s,
            f"livelink:{frame.subject}",
            holder,
            sequence=int(now_s * 1_000_000),
            shaper=TuningFilter(self.tunings.get(frame.subject)),
        )
        return subject

    def _has_room(self, now_s: float) -> bool:
        if len(self.subjects) < MAX_SUBJECTS:
            return True
        oldest = min(self.subjects.values(), key=lambda subject: subject.received_s)
        if now_s - oldest.received_s < FORGET_S:
            return False
        del self.subjects[oldest.frame.subject]
        return True
