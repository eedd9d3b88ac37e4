"""Streams, plans, claims and output fields: what stands between a sample and a motor. A stream
belongs to a source, its plans feed claims, a claim is what one route requests of one field for one
source. A field decides which of its claims drives it: the highest priority among those that may;
with equal priorities the one in control keeps it. These records know each other both ways, so they
share a file. Not here: how a field moves (motion.py), how plans are compiled (routes/plan.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Final

from ...lib.limits import clamp
from ..inputs.source_classes import SAFETY
from ..routes.conditions import GateFeed
from ..routes.mapping import Shape
from .combining import MODES, combined, held_back
from .guided import EuroLine, Guide
from .motion import FOREVER, NEVER, RAMP_S, FieldMotion
from .sample_clock import SampleClock
from .targets import Modifier

NO_BAR: Final = NEVER  # below every priority
LATE_S: Final = 0.5  # so long after a time-out the report of the loss may come

# Index of the input, mapping, the claim that it alone feeds.
Step = tuple[int, Shape, "Claim"]
# Index of the input, is it on, name of the route.
StopInput = tuple[int, Callable[[float], bool], str]
Evaluation = Callable[[Sequence[float]], float]
GuidedStep = tuple["StreamPlan", "Claim", "OutputField", Guide, EuroLine | None]


@dataclass(slots=True, eq=False)
class InputStream:
    """The samples of one source with the same target and names."""

    source: str
    target: str
    names: tuple[str, ...]
    values: tuple[float, ...] = ()
    received: float = NEVER
    steps: tuple[Step, ...] = ()  # claims that one input feeds
    sums: tuple[StreamPlan, ...] = ()  # claims that several inputs feed
    plans: tuple[StreamPlan, ...] = ()  # all of them
    paced: tuple[StreamPlan, ...] = ()  # those that hold modifiers
    stops: tuple[StopInput, ...] = ()
    patience_s: float = 0.0  # shortest time-out of its claims
    unknown: int = 0  # names that no passthrough route knows
    guided: tuple[GuidedStep, ...] = ()  # of plans with a guide; in neither steps nor sums
    clock: SampleClock = dataclasses.field(default_factory=SampleClock)  # of the guided plans
    feeds: tuple[GateFeed, ...] = ()  # conditions that its samples decide
    is_guided: bool = False  # it has one of both

    @property
    def claims(self) -> Iterable[Claim]:
        return (plan.claim for plan in self.plans)


@dataclass(slots=True, eq=False)
class StreamPlan:
    """How the values of one stream feed one claim."""

    claim: Claim
    inputs: tuple[tuple[int, int], ...]  # (part, index of the input)
    evaluate: Evaluation  # within the limits
    unbounded: Evaluation
    modifiers: tuple[tuple[Modifier, int], ...] = ()  # with the index of their input
    guide: Guide | None = None  # filters and conditions


@dataclass(slots=True, eq=False)
class Claim:
    """What a route requests of a field with the newest sample of one source."""

    route: str
    source: str
    output: OutputField
    is_safety: bool  # of its source; the priority may make it so as well
    priority: int = 0
    weight: float = 0.0
    timeout_s: float = 0.0
    order: int = 0  # of the route in the file: decides between newcomers of equal priority
    move: float = 0.0  # an input has to change by more than this to count as moved
    stream: InputStream | None = None  # whose samples keep it live
    plan: StreamPlan | None = None  # that stream's
    inputs: list[str] = dataclasses.field(default_factory=list)
    is_direct: bool = False  # fed by commands that name the field themselves
    is_armed: bool = True  # false: its input must be moved first
    is_locked: bool = False  # another source has exclusive control of the target
    steady_at: float = NEVER  # after a return: from then on it may win the field from another
    # Where its inputs stood: they have to be moved away from there.
    reference: list[float | None] = dataclasses.field(default_factory=list)

    @property
    def value(self) -> float:
        """The requested value, within limits. Computed when needed: most claims of most samples
        lose.
        """
        if self.stream is None or self.plan is None:
            return self.output.rest
        guide = self.plan.guide
        if guide is not None and self.is_driving:
            return guide.value(self.stream.values, self.stream.received)
        return self.plan.evaluate(self.stream.values)

    @property
    def unfiltered(self) -> float:
        """The requested value before filters, within limits."""
        if self.stream is None or self.plan is None:
            return self.output.rest
        return self.plan.evaluate(self.stream.values)

    @property
    def unbounded(self) -> float:
        """The requested value without any limit; that a filter follows later is none."""
        if self.stream is None or self.plan is None:
            return self.output.rest
        free = self.plan.unbounded(self.stream.values)
        return self.value if self.plan.guide is not None and free == self.unfiltered else free

    @property
    def is_driving(self) -> bool:
        """Whether its filters run: it is in control, alone or with others."""
        members = self.output.members
        return self in members if members else self.output.winner is self

    def start(self, where: float | None) -> None:
        """Start its filters again, at this value of the output if there is one."""
        if self.plan is not None and self.plan.guide is not None:
            self.plan.guide.restart(where)

    def with_inputs(self, values: Mapping[str, float]) -> float | None:
        """Evaluate with these inputs; None when one that is needed is not among them."""
        if self.stream is None or self.plan is None:
            return None
        names = self.stream.names
        if any(names[index] not in values for _, index in self.plan.inputs):
            return None
        return self.plan.evaluate([values.get(name, nan) for name in names])

    @property
    def pace(self) -> float:
        """The requested share of the field's top rate."""
        for modifier, value in self.modifiers:
            if modifier.is_pace:
                return value
        return 1.0

    @property
    def modifiers(self) -> list[tuple[Modifier, float]]:
        """The requested modifiers of the command, within limits."""
        if self.stream is None or self.plan is None or not self.plan.modifiers:
            return []
        values = self.stream.values
        return [
            (modifier, clamp(values[index], modifier.low, modifier.high))
            for modifier, index in self.plan.modifiers
        ]

    @property
    def overrides(self) -> bool:
        """True for class safety: never locked out, never blended."""
        return self.is_safety or self.priority >= SAFETY

    @property
    def deadline(self) -> float:
        if self.stream is None or self.plan is None:
            return NEVER
        until = self.stream.received + self.timeout_s
        return until if self.plan.guide is None else min(until, self.plan.guide.deadline)

    def is_silent(self, now: float) -> bool:
        """Return whether its samples stopped; a condition that ended is no silence."""
        return self.stream is None or self.stream.received + self.timeout_s <= now

    def is_live(self, now: float) -> bool:
        return self.deadline > now

    def may_drive(self, now: float) -> bool:
        return self.is_armed and not self.is_locked and self.deadline > now

    def disarm(self, inputs: list[float | None]) -> None:
        """Ignore the claim until one of its inputs has moved away from `inputs`."""
        self.is_armed = False
        self.reference = inputs

    def has_moved(self, part: int, value: float) -> bool:
        """Arm the claim if this input was moved. The first value received is where it stands."""
        reference = self.reference[part]
        if reference is None:
            self.reference[part] = value
            return False
        self.is_armed = abs(value - reference) > self.move
        return self.is_armed


@dataclass(slots=True, eq=False, kw_only=True)
class OutputField(FieldMotion):
    """A field of the robot with its claims and the one in control. Nothing else writes these, nor
    the field's motion. Methods that return a boolean return whether the field's command changed.
    """

    target: str
    field: str
    unit: str
    command: int  # which command message carries it
    claims: list[Claim] = dataclasses.field(default_factory=list)  # the highest priority first
    winner: Claim | None = None
    members: tuple[Claim, ...] | None = None  # the blended claims; None: the winner drives alone
    held_by: Claim | None = None  # the claim of a lost source that holds the field
    bar: float = NO_BAR  # while held: priorities up to this cannot win the field
    held_until: float = NEVER
    review_at: float = FOREVER  # when a claim that returned is steady
    timed_out: Claim | None = None  # the last claim in control whose samples stopped
    timed_out_at: float = NEVER
    combine: str = "mean"  # what the members make together
    blend_time_s: float = 0.0  # of a cross-fade

    @property
    def name(self) -> str:
        return f"{self.target}.{self.field}"

    @property
    def drivers(self) -> tuple[Claim, ...]:
        """The claims in control: one, or all that are blended."""
        return self.members or ((self.winner,) if self.winner is not None else ())

    @property
    def blended(self) -> float:
        """The value of the members together, within the limits."""
        members = self.members or ()
        value = clamp(self._together([claim.value for claim in members]), self.low, self.high)
        if not self.is_velocity or all(each.plan and not each.plan.guide for each in members):
            return value
        wanted = self._together([claim.unfiltered for claim in members])
        return held_back(value, clamp(wanted, self.low, self.high), self.rest)

    def _together(self, values: Sequence[float]) -> float:
        weights = [claim.weight for claim in self.members or ()]
        return combined(self.combine, values, self.rest, weights)

    @property
    def unbounded(self) -> float:
        """The value that the claims in control request, without any limit."""
        if self.members:
            return self._together([claim.unbounded for claim in self.members])
        return self.want if self.winner is None else self.winner.unbounded

    def is_driven_by(self, source: str) -> bool:
        return any(claim.source == source for claim in self.drivers)

    def is_barred(self, claim: Claim) -> bool:
        """Return whether a lost source holds the field against this claim."""
        return claim.priority <= self.bar and claim is not self.held_by

    # Claims and settings

    def add(self, claim: Claim) -> None:
        self.claims.append(claim)

    def sort_claims(self) -> None:
        """Restore the order after a change of a priority or of the routes' order."""
        self.claims.sort(key=lambda each: (-each.priority, each.order))

    def drop(self, claim: Claim) -> None:
        """Forget a claim whose route is gone; call decide() afterwards, it cross-fades."""
        self.claims.remove(claim)
        if self.held_by is claim:
            self.unhold()
        if self.timed_out is claim:
            self.timed_out = None
        if self.winner is claim:
            self.winner = None
        if self.members:
            self.members = tuple(each for each in self.members if each is not claim)

    def configure(self, mode: str, blend_time_s: float) -> None:
        """Use this blending from now on; call decide() afterwards."""
        self.blend_time_s = blend_time_s
        self.combine = MODES.get(mode, self.combine)
        self.members = None if mode == "priority" else self.drivers

    # Who is in control

    def choose(self, now: float) -> Claim | None:
        """Return the claim that ought to be in control."""
        best = self.winner
        if best is not None and not best.may_drive(now):
            best = None
        for claim in self.claims:
            if claim.may_drive(now) and not self.is_barred(claim) and _beats(claim, best, now):
                best = claim
        return best

    def contributors(self, winner: Claim, now: float) -> tuple[Claim, ...]:
        """Return the claims to blend: all that may drive, or one of class safety alone."""
        if winner.overrides:
            return (winner,)
        return tuple(
            claim
            for claim in self.claims
            if claim is winner
            or (claim.may_drive(now) and not self.is_barred(claim) and claim.steady_at <= now)
        )

    def contend(self, claim: Claim, now: float) -> bool:
        """Let a claim that is new, returned or was armed win the field, if it may."""
        winner = self.winner
        if not claim.may_drive(now) or self.is_barred(claim):
            return False
        if winner is None or winner is claim:
            self._hand_to(claim, now)
            return True
        if self.members is None and claim.priority <= winner.priority:
            return False
        if claim.steady_at > now and winner.may_drive(now):
            self.review_at = min(self.review_at, claim.steady_at)
            return False
        return self.decide(now)

    def decide(self, now: float) -> bool:
        """Decide again which claim is in control. Without one the loss policy applies from when the
        winner was lost, which may be some time ago when the loop was blocked.
        """
        claim = self.choose(now)
        if claim is not None:
            self._hand_to(claim, now)
            self._await_steady(claim, now)
            return True
        if self.policy != "live":
            return False
        deadline = NEVER if self.winner is None else self.winner.deadline
        self.lose(deadline if NEVER < deadline < now else now, now)
        return True

    def _await_steady(self, winner: Claim, now: float) -> None:
        """Schedule a review for claims that returned a moment ago and precede the winner."""
        for claim in self.claims:
            is_better = self.members is not None or claim.priority > winner.priority
            if is_better and claim.steady_at > now and claim.may_drive(now):
                self.review_at = min(self.review_at, claim.steady_at)

    def _hand_to(self, claim: Claim, now: float) -> None:
        """Give control to this claim, with or without others blended in."""
        members = None if self.members is None else self.contributors(claim, now)
        if self.winner is not claim or self.members != members:
            if self.policy == "live":
                self.fade(self._fade_time_s(now), now)
            if self.winner is not claim:
                self.changed_at = now
                self._note_silence(now)
            new = [each for each in members or (claim,) if each not in self.drivers]
            where = self.value if members is None and (self.is_driven or self.is_velocity) else None
            self.winner, self.members = claim, members
            for each in new:
                each.start(where)
            self.unhold()
        self.policy = "live"
        self.take_up()
        self.set_pace(claim)
        self.drive(claim.value if members is None else self.blended, now)

    def _note_silence(self, now: float) -> None:
        """Remember whose samples stopped: its source may report the loss a moment later."""
        if self.winner is not None and self.winner.is_silent(now):
            self.timed_out, self.timed_out_at = self.winner, now

    def _fade_time_s(self, now: float) -> float:
        """What is left of a lost source's velocity must not outlive it for long."""
        is_lost = any(each.deadline <= now for each in self.drivers)
        is_short = is_lost and self.is_velocity
        return min(self.blend_time_s, RAMP_S) if is_short else self.blend_time_s

    def set_pace(self, claim: Claim) -> None:
        """Apply the claim's share of the rate if it is in control; a blended field uses the full
        rate.
        """
        if self.winner is claim:
            self.rate = self.max_rate * (claim.pace if self.members is None else 1.0)

    def review(self, now: float) -> bool:
        """Do what is due: a time-out, the end of a hold, a return, the next step."""
        has_changed = False
        if any(each.deadline <= now for each in self.drivers):
            has_changed = self.decide(now)
        if self.held_by is not None and self.held_until <= now:
            has_changed |= self.end_hold(now)
        if self.review_at <= now:
            self.review_at = FOREVER
            has_changed |= self.decide(now)
        if self.is_moving:
            self.step(now)
            has_changed = True
        return has_changed

    # Loss and e-stop

    def lose(self, lost_at: float, now: float) -> None:
        """End control, which was lost at `lost_at`: the loss policy applies."""
        self._note_silence(now)
        self._start_loss(lost_at, now)
        self._end_control()

    def lost_by(self, source: str, now: float) -> Claim | None:
        """Return the claim of this source, whose signal is lost, that holds the field, drives it,
        or drove it last: on a busy machine the time-out may come before the report of the loss.
        """
        recent = self.timed_out if now - self.timed_out_at < LATE_S else None
        claims = (self.winner, recent) if self.held_by is None else (self.held_by,)
        return next((each for each in claims if each and each.source == source), None)

    def hold_lost(
        self, claim: Claim, values: Mapping[str, float], until: float, now: float
    ) -> bool:
        """Hold the field for this claim, whose signal is lost, until then: a velocity rests, a
        position goes to what `values` request.
        """
        want = claim.with_inputs(values)
        is_new = self.held_by is None
        has_changed = is_new or (want is not None and want != self.want and not self.is_velocity)
        if has_changed:
            self.held_by, self.bar = claim, claim.priority
            self.hold(want, now)
        self.held_until = until
        return has_changed

    def hold(self, want: float | None, now: float) -> None:
        """End control without the loss policy: a velocity goes to rest, a position to `want`, or
        stays (None).
        """
        self._start_hold(want, now)
        self._end_control()

    def unhold(self) -> None:
        """Forget which lost source holds the field."""
        self.held_by, self.bar, self.held_until = None, NO_BAR, NEVER

    def end_hold(self, now: float) -> bool:
        """Give a held field to the next claim; without one a position follows its loss policy."""
        self.unhold()
        claim = self.choose(now)
        if claim is not None:
            self._hand_to(claim, now)
            return True
        if self.is_velocity:
            return False
        self.lose(now, now)
        return True

    def stop(self, now: float) -> None:
        """Stop for the e-stop: a velocity is zero at once, a position is commanded no longer."""
        self._halt(now)
        self._end_control()
        self.bar, self.held_by, self.review_at = NO_BAR, None, FOREVER
        self.timed_out = None

    def _end_control(self) -> None:
        self.winner = None
        if self.members is not None:
            self.members = ()


def _beats(claim: Claim, best: Claim | None, now: float) -> bool:
    if best is None:
        return True
    is_steady = claim.steady_at <= now
    was_steady = best.steady_at <= now or best is best.output.winner
    if is_steady != was_steady:
        return is_steady
    return claim.priority > best.priority
