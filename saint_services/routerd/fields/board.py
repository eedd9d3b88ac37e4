"""The output fields together: hands each to whoever ought to be in control, and lets time pass for
them. Not here: samples (logic.py), routes (plan.py), who beats whom (arbitration.py).
"""

from collections.abc import Iterable, Mapping

from ...lib.api.routing import Blending
from .arbitration import choose, contributors, is_barred, mixed, mixed_unlimited
from .claims import FOREVER, NEVER, NO_BAR, Claim, Output
from .motion import RAMP_S, STEP_S, drive, fade, keep, lose, rest, step, stop


class Board:
    """`dirty` and `wake_at` tell the reader what changed and when advance() is due."""

    def __init__(self, outputs: Iterable[Output]) -> None:
        self.outputs = tuple(outputs)
        self.dirty: set[int] = set()  # commands whose fields changed; the reader empties it
        self.wake_at = FOREVER
        self.hysteresis_s = 0.0
        self._fade_s = 0.0
        self._sums: set[str] = set()  # names of fields whose rivals add up

    def configure(self, blending: Blending) -> None:
        """Use these rules from now on; call decide_all() afterwards."""
        self.hysteresis_s = blending.hysteresis_ms / 1000
        self._fade_s = blending.blend_time_ms / 1000
        self._sums.clear()
        for output in self.outputs:
            mode = blending.fields.get(output.name, blending.mode)
            if mode == "additive":
                self._sums.add(output.name)
            is_mixed = mode != "priority"
            if is_mixed and output.members is None:
                output.members = output.drivers
            elif not is_mixed:
                output.members = None

    def wake(self, at: float) -> None:
        if at < self.wake_at:
            self.wake_at = at

    # Who is in control

    def contend(self, claim: Claim, now: float) -> None:
        """This claim came, or came back, or was armed: does it get its field?"""
        output = claim.output
        winner = output.winner
        if not claim.may_drive(now) or is_barred(claim):
            return
        if winner is None or winner is claim:
            self._take(claim, now)
        elif output.members is not None or claim.priority > winner.priority:
            if claim.steady_at > now and winner.may_drive(now):
                output.review_at = min(output.review_at, claim.steady_at)
                self.wake(output.review_at)
            else:
                self.decide(output, now)

    def decide(self, output: Output, now: float) -> None:
        """Ask anew who is in control; nobody: the loss policy, since the winner was lost, which may
        be some time ago when the loop was blocked.
        """
        claim = choose(output, now)
        if claim is not None:
            self._take(claim, now)
            self._await_steady(claim, now)
        elif output.policy == "live":
            deadline = NEVER if output.winner is None else output.winner.deadline
            lose(output, deadline if NEVER < deadline < now else now, now)
            self._show(output, now)

    def _await_steady(self, winner: Claim, now: float) -> None:
        """Who came back a moment ago may go before who is in control now: look again then."""
        output = winner.output
        for claim in output.claims:
            is_better = output.members is not None or claim.priority > winner.priority
            if is_better and claim.steady_at > now and claim.may_drive(now):
                output.review_at = min(output.review_at, claim.steady_at)
                self.wake(output.review_at)

    def decide_all(self, now: float) -> None:
        """Priorities, locks or routes have changed."""
        for output in self.outputs:
            self.decide(output, now)

    def follow(self, output: Output, want: float, now: float) -> None:
        """The one in control asks for something new."""
        drive(output, want, now)
        self.dirty.add(output.command)
        if output.is_moving:
            self.wake(now + STEP_S)

    def pace(self, claim: Claim) -> None:
        """It says how fast its field is to follow; of a mix nobody does."""
        output = claim.output
        if output.winner is claim:
            share = claim.pace if output.members is None else 1.0
            output.rate = output.max_rate * share

    def remix(self, output: Output, now: float) -> None:
        """A member asks for something new."""
        self.follow(output, mixed(output, output.name in self._sums), now)

    def asked(self, output: Output) -> float:
        """Return the value that those in control request, without any limit."""
        if output.members:
            return mixed_unlimited(output, output.name in self._sums)
        return output.want if output.winner is None else output.winner.asked

    def fade_in(self, output: Output, now: float) -> None:
        """What the winner asks is about to jump, because its mapping was edited."""
        fade(output, self._fade_s, now)

    def _take(self, claim: Claim, now: float) -> None:
        """This claim is in control of its field, with or without others mixed in."""
        output = claim.output
        members = None if output.members is None else contributors(output, claim, now)
        if output.winner is not claim or output.members != members:
            self._hand_over(claim, members, now)
        output.policy = "live"
        output.is_driven = True
        self.pace(claim)
        want = claim.value if members is None else mixed(output, output.name in self._sums)
        self.follow(output, want, now)
        for member in members or (claim,):
            self.wake(member.deadline)

    def _hand_over(self, claim: Claim, members: tuple[Claim, ...] | None, now: float) -> None:
        output = claim.output
        if output.policy == "live":
            # What is left of a lost source's velocity must not outlive it for long.
            is_lost = any(each.deadline <= now for each in output.drivers)
            short = is_lost and output.is_velocity
            fade(output, min(self._fade_s, RAMP_S) if short else self._fade_s, now)
        if output.winner is not claim:
            output.changed_at = now
        output.winner, output.members = claim, members
        self.free(output)

    # Signals that are lost

    def lose_source(self, source: str, now: float) -> None:
        """Its fields go to the next in line, or to their loss policies. What it feeds, it keeps."""
        for output in self.outputs:
            if output.keeper is not None and output.keeper.source == source:
                self._end_keeping(output, now)
            elif _has(output, source):
                self.decide(output, now)

    def hold_source(
        self, source: str, values: Mapping[str, float], until: float, now: float
    ) -> None:
        """Its signal is lost, and until then it keeps the fields that it drives alone."""
        for output in self.outputs:
            claim = output.keeper or output.winner
            if output.members is None and claim is not None and claim.source == source:
                self._keep(output, claim, claim.with_inputs(values), now)
                output.kept_until = until
                self.wake(until)
                self.decide(output, now)  # somebody of higher priority may have it
            elif _has(output, source):
                self.decide(output, now)

    def _keep(self, output: Output, claim: Claim, want: float | None, now: float) -> None:
        is_new = output.keeper is None
        if is_new or (want is not None and want != output.want and not output.is_velocity):
            output.keeper, output.bar = claim, claim.priority
            keep(output, want, now)
            self._show(output, now)

    def free(self, output: Output) -> None:
        """Nobody keeps this field any more."""
        output.keeper, output.bar, output.kept_until = None, NO_BAR, NEVER

    def _end_keeping(self, output: Output, now: float) -> None:
        self.free(output)
        claim = choose(output, now)
        if claim is not None:
            self._take(claim, now)
            return
        if not output.is_velocity:
            lose(output, now, now)
            self._show(output, now)

    # Time

    def advance(self, now: float) -> None:
        """Sources time out, ramps, slews and cross-fades go on."""
        self.wake_at = FOREVER
        for output in self.outputs:
            self._advance(output, now)

    def _advance(self, output: Output, now: float) -> None:
        if any(each.deadline <= now for each in output.drivers):
            self.decide(output, now)
        if output.keeper is not None and output.kept_until <= now:
            self._end_keeping(output, now)
        if output.review_at <= now:
            output.review_at = FOREVER
            self.decide(output, now)
        if output.is_moving:
            step(output, now)
            self._show(output, now)
        for each in output.drivers:
            self.wake(each.deadline)
        self.wake(output.review_at)
        if output.keeper is not None:
            self.wake(output.kept_until)

    def _show(self, output: Output, now: float) -> None:
        self.dirty.add(output.command)
        if output.is_moving:
            self.wake(now + STEP_S)

    # E-stop

    def stop_all(self, now: float) -> None:
        """Everything stands; nothing more is to be sent."""
        for output in self.outputs:
            stop(output, now)
        self.dirty.clear()
        self.wake_at = FOREVER

    def rest_all(self, now: float) -> None:
        """The latch was cleared."""
        for output in self.outputs:
            rest(output, now)


def _has(output: Output, source: str) -> bool:
    return any(claim.source == source for claim in output.drivers)
