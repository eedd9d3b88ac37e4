"""The rules of remote operation over a bad network: from what was noted about a run to what it
broke. Pure: all times are monotonic seconds that come in. Not here: the run (bad_network.py).

A return is the good phase after a bad one. What falls together with a stall of this machine is
reported and not judged: a clock that stood still cannot say who was late.
"""

import statistics
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

STALE_S = 0.2  # later than the quickest of the last seconds by more: such a command is dropped
BUSY_S = 0.1  # what a busy computer adds
WINDOW_S = 5.0  # at least so long the quickest of the past counts
OLDEST_S = 0.6 + BUSY_S  # from that delay on nothing drives (manifests/robots, "remote")
STOP_S = 0.30 + 0.10 + 0.25  # time-out of the router, ramp, and what a busy computer adds
FREEZE_S = 2.0
SETTLE_S = 5.0  # after which state and commands flow as before
STATES_HZ, STATES_SHARE = (
    50.0,
    0.9,
)  # of 50 a second, or of what this machine sent while all was well
COMMANDS_SHARE, LEAST_COMMANDS = 0.9, 20  # of those that were sent
GROWTH = 0.05  # of memory, of good phases against good phases
MORE_FILES = 2
NARROW_SHARE = 1.15  # of the link's rate: the margin of one step of the encoder
RECOVERED = 2.0  # times the rate that the narrow link left
RECOVERY_S = 20.0  # a return that was shorter says nothing about it
PEERS = 2  # the hands and the eyes of one operator
STALL_S, STALLED_SHARE = 0.1, 0.03
_AROUND_S = 0.5  # of a stall


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of the network."""

    name: str
    began_s: float
    ended_s: float
    delay_s: float = 0.0
    kbps: float | None = None
    is_cut: bool = False
    is_good: bool = False

    @property
    def seconds(self) -> float:
        return self.ended_s - self.began_s


@dataclass(frozen=True, slots=True)
class Arrival:
    """A command on the bus."""

    at_s: float
    number: int
    source: str
    is_moving: bool = True  # it drives the base


@dataclass(frozen=True, slots=True)
class Sizes:
    """What teleopd holds at the end of a good phase."""

    at_s: float
    pss_mb: float
    files: int
    threads: int
    sessions: int


@dataclass(slots=True)
class Notes:
    """Everything that was noted."""

    phases: list[Phase] = field(default_factory=list)
    linked: list[float] = field(default_factory=list)  # sessions begin
    sent: list[float] = field(default_factory=list)  # by number
    arrivals: list[Arrival] = field(default_factory=list)
    is_moving: bool = False  # the newest command for the base
    ends: dict[str, float] = field(default_factory=dict)  # source -> when its end was on the bus
    powered: list[float] = field(default_factory=list)  # motors with power
    frames: list[float] = field(default_factory=list)
    states: list[float] = field(default_factory=list)
    rates: list[tuple[float, float]] = field(default_factory=list)  # kbit/s of the encoder
    sizes: list[Sizes] = field(default_factory=list)
    stalls: list[tuple[float, float]] = field(default_factory=list)  # when they ended, how long


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule: what was found beside what may be."""

    rule: str
    found: str
    limit: str
    is_kept: bool
    excused: int = 0


def judge(notes: Notes) -> list[Finding]:
    """Return every rule with what was found."""
    return [
        _late(notes),
        _old(notes),
        _order(notes),
        _after_end(notes),
        _power(notes),
        _freeze(notes),
        _states(notes),
        _commands(notes),
        _narrow(notes),
        _recovery(notes),
        *_growth(notes),
    ]  # fmt: skip


def returns(notes: Notes) -> list[tuple[Phase, Phase]]:
    """Return each bad phase with the good one after it."""
    return [(bad, good) for bad, good in pairwise(notes.phases) if good.is_good and not bad.is_good]


def _late(notes: Notes) -> Finding:
    """Of each command the age beyond the quickest one of the window, as long as the session is."""
    worst_s, late, excused = 0.0, 0, 0
    for each, quickest_s in zip(notes.arrivals, _quickest(notes), strict=True):
        over_s = each.at_s - notes.sent[each.number] - quickest_s
        if over_s > STALE_S + BUSY_S and _is_excused(notes, notes.sent[each.number], each.at_s):
            excused += 1
            continue
        worst_s = max(worst_s, over_s)
        late += over_s > STALE_S + BUSY_S
    return Finding(
        f"age of {len(notes.arrivals)} commands on the bus beyond the quickest, oldest",
        f"{worst_s * 1000:.0f} ms, {late} late", f"{(STALE_S + BUSY_S) * 1000:.0f} ms",
        late == 0 and bool(notes.arrivals), excused,
    )  # fmt: skip


def _quickest(notes: Notes) -> Iterator[float]:
    """For each command the least age of those of its session in the window before."""
    recent: deque[tuple[float, float]] = deque()  # their ages rise
    source = ""
    for each in notes.arrivals:
        if each.source != source:
            recent.clear()
            source = each.source
        age_s = each.at_s - notes.sent[each.number]
        while recent and recent[-1][1] >= age_s:
            recent.pop()
        recent.append((each.at_s, age_s))
        while recent[0][0] < each.at_s - WINDOW_S:
            recent.popleft()
        yield recent[0][1]


def _old(notes: Notes) -> Finding:
    """Of the commands that drive the base; what is older than this limit may turn a head only."""
    worst_s, late, excused = 0.0, 0, 0
    for each in notes.arrivals:
        age_s = each.at_s - notes.sent[each.number]
        if not each.is_moving:
            continue
        if age_s > OLDEST_S and _is_excused(notes, notes.sent[each.number], each.at_s):
            excused += 1
            continue
        worst_s = max(worst_s, age_s)
        late += age_s > OLDEST_S
    return Finding(
        "age of commands that drive, oldest", f"{worst_s * 1000:.0f} ms, {late} late",
        f"{OLDEST_S * 1000:.0f} ms", late == 0, excused,
    )  # fmt: skip


def _order(notes: Notes) -> Finding:
    wrong = sum(b.number <= a.number for a, b in pairwise(notes.arrivals))
    return Finding("commands out of order", str(wrong), "0", wrong == 0)


def _after_end(notes: Notes) -> Finding:
    wrong = sum(each.at_s > notes.ends.get(each.source, each.at_s) for each in notes.arrivals)
    text = f"commands after one of {len(notes.ends)} ends of control"
    return Finding(text, str(wrong), "0", wrong == 0)


def _power(notes: Notes) -> Finding:
    times = [each.at_s for each in notes.arrivals]
    longest_s, wrong, excused = 0.0, 0, 0
    for at_s in notes.powered:
        place = bisect_right(times, at_s)
        if place < len(times) and times[place] - at_s < BUSY_S:
            continue  # a command that was at the motors sooner than here
        if place and at_s - times[place - 1] > STOP_S:
            is_excused = _is_excused(notes, times[place - 1], at_s)
            excused += is_excused
            wrong += not is_excused
            longest_s = max(longest_s, at_s - times[place - 1])
    return Finding(
        f"looks at motors with power {STOP_S:.2f} s after the newest command",
        f"{wrong}, latest {longest_s:.2f} s", "0", wrong == 0, excused,
    )  # fmt: skip


def _freeze(notes: Notes) -> Finding:
    longest_s, where, excused = 0.0, "", 0
    for bad, good in returns(notes):
        inside = [each for each in notes.frames if good.began_s < each < good.ended_s]
        for begin_s, end_s in pairwise([good.began_s, *inside, good.ended_s]):
            if end_s - begin_s > FREEZE_S and _is_excused(notes, begin_s, end_s, FREEZE_S):
                excused += 1
            elif end_s - begin_s > longest_s:
                longest_s, where = end_s - begin_s, bad.name
    return Finding(
        f"longest freeze of {len(returns(notes))} returns", f"{longest_s:.2f} s ({where})",
        f"{FREEZE_S:g} s", 0 < longest_s <= FREEZE_S, excused,
    )  # fmt: skip


def _states(notes: Notes) -> Finding:
    begin = notes.phases[0]  # of the run, when nothing had happened yet
    usual_hz = _count(notes.states, begin.began_s, begin.ended_s) / begin.seconds
    least_hz = STATES_SHARE * min(STATES_HZ, usual_hz)
    spans, excused = _calm(notes)
    found = [(_count(notes.states, *span) / (span[1] - span[0]), name) for span, name in spans]
    slowest, where = min(found, default=(0.0, "none"))
    return Finding(
        f"states a second, slowest return from {SETTLE_S:g} s on",
        f"{slowest:.1f} (after {where}; {usual_hz:.1f} before all)", f"{least_hz:.1f}",
        slowest >= least_hz > 0, excused,
    )  # fmt: skip


def _commands(notes: Notes) -> Finding:
    times = [each.at_s for each in notes.arrivals]
    spans, excused = _calm(notes)
    found = []
    for span, name in spans:
        sent = _count(notes.sent, *span)
        share = _count(times, *span) / sent if sent >= LEAST_COMMANDS else 0.0
        found.append((share, name))
    least, where = min(found, default=(0.0, "none"))
    return Finding(
        f"commands on the bus of those sent, worst return from {SETTLE_S:g} s on",
        f"{least:.2f} (after {where})", f"{COMMANDS_SHARE:g}", least >= COMMANDS_SHARE, excused,
    )  # fmt: skip


def _calm(notes: Notes) -> tuple[list[tuple[tuple[float, float], str]], int]:
    """Return the spans in which all should flow again, and how many a stall has spoilt."""
    spans, excused = [], 0
    for bad, good in returns(notes):
        span = good.began_s + SETTLE_S, good.ended_s
        if span[1] - span[0] < 1.0:
            continue
        if _stalled_s(notes, *span) > STALLED_SHARE * (span[1] - span[0]):
            excused += 1
        else:
            spans.append((span, bad.name))
    return spans, excused


def _count(times: Sequence[float], begin_s: float, end_s: float) -> int:
    return bisect_left(times, end_s) - bisect_left(times, begin_s)


def _narrow(notes: Notes) -> Finding:
    shares = []
    for each in notes.phases:
        seen = _rates(notes, each)
        if each.kbps is not None and seen:
            shares.append(seen[-1] / each.kbps)
    worst = max(shares, default=0.0)
    return Finding(
        f"encoder's rate at the end of {len(shares)} narrow phases, of the link's",
        f"{worst:.2f}", f"{NARROW_SHARE:g}", 0 < worst <= NARROW_SHARE,
    )  # fmt: skip


def _recovery(notes: Notes) -> Finding:
    times = []
    for bad, good in returns(notes):
        before, after = _rates(notes, bad), _rates(notes, good)
        if bad.kbps is not None and good.seconds >= RECOVERY_S and before and after:
            times.append(after[-1] / before[-1])
    least = min(times, default=0.0)
    return Finding(
        f"encoder's rate after {len(times)} narrow phases, times the rate in them",
        f"{least:.1f}", f"{RECOVERED:g}", least >= RECOVERED,
    )  # fmt: skip


def _growth(notes: Notes) -> list[Finding]:
    third = max(1, len(notes.sizes) // 3)
    first, last = notes.sizes[:third], notes.sizes[-third:]
    if not first:
        return [Finding("memory of teleopd", "never read", "", is_kept=False)]

    def middles(read: str) -> tuple[float, float]:
        before, after = (
            statistics.median(getattr(each, read) for each in part) for part in (first, last)
        )
        return before, after

    (pss, pss_end), (files, files_end) = middles("pss_mb"), middles("files")
    threads, threads_end = middles("threads")
    most = max(each.sessions for each in notes.sizes)
    grown = (pss_end - pss) / pss
    return [
        Finding(
            "PSS of teleopd, first and last third of the good phases",
            f"{pss:.1f} -> {pss_end:.1f} MB, {grown:+.1%}", f"{GROWTH:.0%}", grown <= GROWTH,
        ),
        Finding("open files", f"{files:g} -> {files_end:g}", f"+ {MORE_FILES}",
                files_end <= files + MORE_FILES),
        Finding("threads", f"{threads:g} -> {threads_end:g}", f"+ {MORE_FILES}",
                threads_end <= threads + MORE_FILES),
        Finding("sessions at the end of a good phase, most", str(most), str(PEERS), most <= PEERS),
    ]  # fmt: skip


def _rates(notes: Notes, phase: Phase) -> list[float]:
    return [kbps for at_s, kbps in notes.rates if phase.began_s <= at_s < phase.ended_s]


def _is_excused(notes: Notes, begin_s: float, end_s: float, spare_s: float = 0.0) -> bool:
    """Return whether the machine stood still so near that this cannot be judged; of something long
    (`spare_s` may pass without a stall) only if the rest alone keeps the rule.
    """
    stalled_s = _stalled_s(notes, begin_s, end_s)
    if spare_s:
        return stalled_s > 0 and end_s - begin_s - stalled_s <= spare_s
    return stalled_s > 0


def _stalled_s(notes: Notes, begin_s: float, end_s: float) -> float:
    near: Iterable[float] = (
        length
        for at_s, length in notes.stalls
        if at_s - length - _AROUND_S < end_s and at_s + _AROUND_S > begin_s
    )
    return sum(near)
