"""Guides a calibration: centre of all channels, ends of all, then the named ones one by one. Finds
channels that are reversed, unplugged, swapped or too narrow. Pure: microseconds and time come in.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..lib.api.rc import CalibrationFinding, CalibrationInfo, RcChannelConfig, SeenRange
from ..lib.errors import Code, SaintError
from .config import Channel

Step = Literal["center", "ends", "directions", "done"]
FIRST_STICKS = (1, 2, 3, 4)  # requested one by one where no channel has a name
RECENT = 25  # readings from which the rest position is taken
STILL_US = 30  # an untouched stick moves less
MOVED_US = 200  # between its ends: a stick or switch that was moved exceeds this
NARROW_US = 600  # the usual throw is 800 to 1000
AT_END, RELEASED = 0.6, 0.3  # of the way from the centre to the end
HELD_S = 0.4
SWITCH_SHARE = 0.15  # a channel that rests this near to an end is a switch, centred between both

_TEXTS = {
    "center": "Centre all sticks, put all switches in their rest position, then continue.",
    "ends": "Move every stick and switch to all of its ends several times, then continue.",
    "done": "Check the findings, then save or cancel.",
}


@dataclass(slots=True)
class _Seen:
    """Readings of one channel."""

    recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))
    center: float = 0.0
    low: float = float("inf")
    high: float = float("-inf")

    @property
    def span(self) -> float:
        return max(0.0, self.high - self.low)

    def deflection(self, us: float) -> float:
        """Return the position: -1 at the low end, 1 at the high one, 0 at rest."""
        end = self.high if us >= self.center else self.low
        way = abs(end - self.center)
        return (us - self.center) / way if way >= MOVED_US / 2 else 0.0


class Calibration:
    """One run: take() accepts readings, next() and skip() are the operator's steps."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        self.step: Step = "center"
        self.findings: list[CalibrationFinding] = []
        self._channels = {channel.number: channel for channel in channels}
        named = [channel.number for channel in channels if channel.name]
        self._pending = deque(named or FIRST_STICKS)
        self._seen: dict[int, _Seen] = {}
        self._reversed: dict[int, bool] = {}
        self._held: tuple[int, int] | None = None  # channel and direction
        self._held_s = 0.0
        self._must_release = False

    def take(self, us: dict[int, float], now_s: float) -> None:
        """Accept the newest values of all channels."""
        for number, value in us.items():
            seen = self._seen.setdefault(number, _Seen())
            seen.recent.append(value)
            if self.step == "ends":
                seen.low, seen.high = min(seen.low, value), max(seen.high, value)
        if self.step == "directions":
            self._follow(us, now_s)

    def next(self) -> None:
        """End the current step. Raises refused with what is missing."""
        if self.step == "center":
            self._end_center()
        elif self.step == "ends":
            self._end_ends()
        elif self.step == "directions":
            raise _refusal(
                f"{self._title(self._pending[0])} was not moved yet", "Move it, or skip it."
            )

    def skip(self) -> None:
        """Skip the requested channel, which cannot be moved."""
        if self.step != "directions":
            raise _refusal("this step cannot be skipped", "Follow the instruction, then continue.")
        number = self._pending[0]
        self._find(number, "unplugged", f"{self._title(number)} was skipped: no movement was seen")
        self._advance()

    def info(self) -> CalibrationInfo:
        """Return the instruction and findings for the operator."""
        if self.step != "directions":
            text, channel = _TEXTS[self.step], None
        else:
            channel = self._pending[0]
            text = f"Move {self._title(channel)} to the right or up, and hold it."
            if self._must_release:
                text = "Release the stick."
        proposal = self.proposal() if self.step == "done" else []
        return CalibrationInfo(
            step=self.step,
            text=text,
            channel=channel,
            findings=self.findings,
            seen=[self._range(number, seen) for number, seen in sorted(self._seen.items())],
            proposal=[
                RcChannelConfig(channel=each.number, **each.model_dump(exclude={"number"}))
                for each in proposal
            ],
        )

    def _range(self, number: int, seen: _Seen) -> SeenRange:
        is_known = self.step != "center"
        has_moved = seen.high >= seen.low
        return SeenRange(
            channel=number,
            us=round(seen.recent[-1]),
            center=round(seen.center) if is_known else None,
            low=round(seen.low) if has_moved else None,
            high=round(seen.high) if has_moved else None,
        )

    def proposal(self) -> list[Channel]:
        """Return the proposed settings of the channels that were moved."""
        return [
            self._proposed(number, seen)
            for number, seen in sorted(self._seen.items())
            if seen.span >= MOVED_US
        ]

    def _end_center(self) -> None:
        if not self._seen:
            raise _refusal("no channel is received", "Switch the transmitter on.")
        for number, seen in self._seen.items():
            low, high = min(seen.recent), max(seen.recent)
            if high - low > STILL_US:
                raise _refusal(
                    f"{self._title(number)} moves between {low:.0f} and {high:.0f} us",
                    "Do not touch the sticks for a second, then continue.",
                )
            seen.center = (low + high) / 2
        self.step = "ends"

    def _end_ends(self) -> None:
        moved = [number for number, seen in self._seen.items() if seen.span >= MOVED_US]
        if not moved:
            raise _refusal("no channel was moved", _TEXTS["ends"])
        for number in sorted(set(self._pending) | set(moved)):
            span = self._seen[number].span if number in self._seen else 0.0
            if span < MOVED_US:
                text = f"{self._title(number)} did not move: it is unplugged, or not assigned"
                self._find(number, "unplugged", text)
            elif span < NARROW_US:
                text = f"{self._title(number)} moves only {span:.0f} us; check its travel"
                self._find(number, "narrow", text)
        self.step = "directions"

    def _follow(self, us: dict[int, float], now_s: float) -> None:
        """Find the channel that is held at an end."""
        ways = {
            number: self._seen[number].deflection(value)
            for number, value in us.items()
            if self._seen[number].span >= MOVED_US
        }
        number = max(ways, key=lambda each: abs(ways[each]), default=0)
        way = ways.get(number, 0.0)
        if self._must_release:
            self._must_release = abs(way) > RELEASED
            return
        held = (number, 1 if way > 0 else -1) if abs(way) >= AT_END else None
        if held is None or held != self._held:
            self._held, self._held_s = held, now_s
        elif now_s - self._held_s >= HELD_S:
            self._identify(*held)

    def _identify(self, number: int, direction: int) -> None:
        expected = self._pending[0]
        if number != expected:
            text = f"{self._title(expected)} is on CH {number}"
            self._find(expected, "swapped", f"{text}; change the routes, or the transmitter")
        self._reversed[number] = direction < 0
        if direction < 0:
            text = f"CH {number} is reversed: its value falls to the right or up"
            self._find(number, "reversed", text)
        self._must_release = True
        self._advance()

    def _advance(self) -> None:
        self._held = None
        self._pending.popleft()
        if not self._pending:
            self.step = "done"

    def _proposed(self, number: int, seen: _Seen) -> Channel:
        known = self._channels.get(number) or Channel(number=number)
        low, high = round(seen.low), round(seen.high)
        middle = round(seen.center)
        margin = SWITCH_SHARE * seen.span
        if not low + margin <= middle <= high - margin:
            middle = round((low + high) / 2)
        turned = self._reversed.get(number, known.reversed)
        return Channel(
            number=number, name=known.name, min=low, max=high, center=middle, reversed=turned
        )

    def _title(self, number: int) -> str:
        known = self._channels.get(number)
        return f"{known.name} (CH {number})" if known and known.name else f"CH {number}"

    def _find(
        self, number: int, kind: Literal["reversed", "unplugged", "swapped", "narrow"], text: str
    ) -> None:
        if not any(each.channel == number and each.kind == kind for each in self.findings):
            self.findings.append(CalibrationFinding(channel=number, kind=kind, text=text))


def _refusal(sentence: str, fix: str) -> SaintError:
    return SaintError(Code.REFUSED, sentence, fix=fix)
