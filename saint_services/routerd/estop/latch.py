"""The e-stop latch: every press is recorded with its source and reason until a clear that names the
newest one. Not here: what the stop does to the outputs (logic.py), how it is stored
(latch_file.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from unicodedata import category

from ...lib.errors import Code, SaintError
from ..fields.claims import Claim
from ..inputs.sources import InputSource

NEUTRAL_SHARE = 0.02  # of the field's largest value: what counts as standing still
MOST_PRESSES = 16  # the first one and the newest; the others are counted
LONGEST_SOURCE = 128  # characters
LONGEST_REASON = 300  # 200 of the sender's text, and what the router adds: the topic, the node
MOST_SENDERS = 64
_UNFIT = frozenset({"Cc", "Cs"})  # controls and halves of pairs


@dataclass(frozen=True, slots=True)
class Press:
    """One request to stop. `since` is ISO 8601, UTC; empty until the daemon has stamped it."""

    source: str
    reason: str = ""
    since: str = ""
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Latch:
    """`source` and `reason` are those of the first press; after a clear, the source that cleared.
    `generation` rises with every press and every clear, over restarts too. `more` counts presses
    that the list left out. `ahead` is added to the next generation: the process before may have
    published presses that it could not store, and a clear of one of those must not fit another.
    """

    active: bool = False
    source: str = ""
    reason: str = ""
    generation: int = 0
    presses: tuple[Press, ...] = ()
    more: int = 0
    ahead: int = 0

    @property
    def following(self) -> int:
        """The generation of the next press or clear."""
        return self.generation + 1 + self.ahead

    def __post_init__(self) -> None:
        if self.active and not self.presses:
            first = Press(self.source, self.reason, generation=self.generation)
            object.__setattr__(self, "presses", (first,))


def raised(latch: Latch, source: str, reason: str, *, is_repeat: bool = False) -> Latch:
    """Return the latch after a press. `is_repeat` marks a sender that repeats itself (a held
    switch, a lost signal): the same source and reason again add nothing. A person's press always
    counts.
    """
    source, reason = _text(source, LONGEST_SOURCE), _text(reason, LONGEST_REASON)
    if is_repeat and any((each.source, each.reason) == (source, reason) for each in latch.presses):
        return latch
    generation = latch.following
    press = Press(source, reason, generation=generation)
    if not latch.active:
        return Latch(True, source, reason, generation, (press,))
    presses, more = (*latch.presses, press), latch.more
    if len(presses) > MOST_PRESSES:
        presses, more = (presses[0], *presses[2:]), more + 1
    return replace(latch, generation=generation, presses=presses, more=more, ahead=0)


def cleared(latch: Latch, source: str) -> Latch:
    """Return the latch after a clear."""
    return Latch(False, _text(source, LONGEST_SOURCE), "", latch.following)


def _text(given: str, longest: int) -> str:
    """Cut a sender's text; replace what the bus or the file cannot hold: no stop fails by it."""
    return "".join("\ufffd" if category(each) in _UNFIT else each for each in given[:longest])


def stamped(latch: Latch, now: str) -> Latch:
    """Return the latch with the time in every press that has none yet."""
    presses = tuple(each if each.since else replace(each, since=now) for each in latch.presses)
    return latch if presses == latch.presses else replace(latch, presses=presses)


def unseen(latch: Latch, generation: int) -> str:
    """Return why a clear that names this generation is refused; empty when it names the newest
    press.
    """
    if generation == latch.generation:
        return ""
    later = [each for each in latch.presses if each.generation > generation]
    if not later:
        return "it was pressed and cleared since, or the named press belongs to an earlier start"
    if len(later) == len(latch.presses):
        return f"none of its presses was seen: {_listed(later)}"
    return f"it was pressed again since: {_listed(later)}"


def _listed(presses: list[Press]) -> str:
    return "; ".join(
        f"{each.source or 'unknown'}: {each.reason or 'no reason'}" for each in presses
    )


def check_clear(
    latch: Latch,
    generation: int,
    claims: Iterable[Claim],
    sources: Iterable[InputSource],
    now: float,
) -> None:
    """Raise SaintError refused unless a clear that has seen `generation` may end the stop now."""
    if missed := unseen(latch, generation):
        raise SaintError(
            Code.REFUSED,
            f"the e-stop stays active: {missed}",
            fix="Check each press (saintctl estop show) and the robot, then clear it again.",
        )
    if reason := objection(claims, sources, now):
        raise SaintError(
            Code.REFUSED,
            f"the e-stop stays active: {reason}",
            fix="Bring that input to neutral, or switch it off, then clear the e-stop again.",
        )


def objection(claims: Iterable[Claim], sources: Iterable[InputSource], now: float) -> str:
    """Return why the latch must not be cleared now; empty when no input objects."""
    for source in sources:
        if source.wants_stop and source.is_alive(now):
            return (
                f"{source.name} has lost its signal; switch its transmitter on, or the receiver off"
            )
        for stream in source.streams.values():
            if stream.received + source.timeout_s <= now:
                continue
            for index, is_on, _ in stream.stops:
                if is_on(stream.values[index]):
                    return f"{stream.names[index]} of {source.name} still requests the stop"
    for claim in claims:
        output = claim.output
        if not output.is_velocity or not claim.is_live(now):
            continue
        tolerance = NEUTRAL_SHARE * max(abs(output.low), abs(output.high))
        if abs(claim.value - output.rest) > tolerance:
            return (
                f"{', '.join(claim.inputs)} of {claim.source} still requests "
                f"{claim.value:.2f} {output.unit} of {output.name}"
            )
    return ""


class PressEdges:
    """Distinguishes a press on an e-stop topic from its repetition, by the sender's origin."""

    def __init__(self) -> None:
        self._held: dict[str, None] = {}

    def is_edge(self, origin: str, is_pressed: bool) -> bool:
        """Return whether this sample is a new press: the first "true" of a sender, or its first
        after "false". A sender that the list has lost counts as new: that can only stop the robot.
        """
        if not is_pressed:
            self._held.pop(origin, None)
            return False
        if origin in self._held:
            return False
        if len(self._held) >= MOST_SENDERS:
            self._held.pop(next(iter(self._held)))
        self._held[origin] = None
        return True
