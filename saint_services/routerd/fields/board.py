"""All output fields together: which commands have changed, and when the next step is due. Not here:
samples (logic.py), routes (routes/plan.py), which claim wins a field (claims.py).
"""

from collections.abc import Iterable, Mapping

from ...lib.api.routing import Blending
from .claims import Claim, OutputField, StreamPlan
from .motion import FOREVER, STEP_S


class FieldBoard:
    """Passes calls on to the fields and collects `dirty` and `wake_at` for the reader."""

    def __init__(self, outputs: Iterable[OutputField]) -> None:
        self.outputs = tuple(outputs)
        self.dirty: set[int] = set()  # commands whose fields changed; the reader empties it
        self.wake_at = FOREVER  # advance() is due then
        self.hysteresis_s = 0.0

    def configure(self, blending: Blending) -> None:
        """Use these rules from now on; call decide_all() afterwards."""
        self.hysteresis_s = blending.hysteresis_ms / 1000
        for output in self.outputs:
            mode = blending.fields.get(output.name, blending.mode)
            output.configure(mode, blending.blend_time_ms / 1000)

    def wake(self, at: float) -> None:
        if at < self.wake_at:
            self.wake_at = at

    def _show(self, output: OutputField, now: float) -> None:
        self.dirty.add(output.command)
        if output.is_moving:
            self.wake(now + STEP_S)
        self._wake_for(output)

    def _wake_for(self, output: OutputField) -> None:
        for each in output.drivers:
            self.wake(each.deadline)
        self.wake(output.review_at)

    # Who is in control

    def contend(self, claim: Claim, now: float) -> None:
        """Let a claim that is new, returned or was armed win its field, if it may."""
        output = claim.output
        if output.contend(claim, now):
            self._show(output, now)
        else:
            self.wake(output.review_at)

    def decide(self, output: OutputField, now: float) -> None:
        if output.decide(now):
            self._show(output, now)

    def decide_all(self, now: float) -> None:
        """Decide again after priorities, locks or routes have changed."""
        for output in self.outputs:
            self.decide(output, now)

    def follow(self, output: OutputField, want: float, now: float) -> None:
        """Move a field towards what the claim in control requests."""
        output.drive(want, now)
        self.dirty.add(output.command)
        if output.is_moving:
            self.wake(now + STEP_S)

    def guide(self, plan: StreamPlan, now: float) -> None:
        """Apply a sample to an armed claim with filters or conditions."""
        claim, output = plan.claim, plan.claim.output
        if not claim.is_driving:
            return
        if claim.deadline <= now:
            self.decide(output, now)
            return
        want = claim.value if output.members is None else output.blended
        if want != output.want:
            self.follow(output, want, now)

    # Signals that are lost

    def lose_source(self, source: str, now: float) -> None:
        """Give the source's fields to the next claims, or to their loss policies; end what it
        holds.
        """
        for output in self.outputs:
            if output.held_by is not None and output.held_by.source == source:
                if output.end_hold(now):
                    self._show(output, now)
            elif output.is_driven_by(source):
                self.decide(output, now)

    def hold_source(
        self, source: str, values: Mapping[str, float], until: float, now: float
    ) -> None:
        """Hold the fields that the source drives, or drove last, alone until then: its signal is
        lost.
        """
        for output in self.outputs:
            claim = output.lost_by(source, now)
            if output.members is None and claim is not None:
                if output.hold_lost(claim, values, until, now):
                    self._show(output, now)
                self.wake(until)
                self.decide(output, now)  # a claim of higher priority may win it
            elif output.is_driven_by(source):
                self.decide(output, now)

    # Time

    def advance(self, now: float) -> None:
        """Time out sources, go on with ramps, slews and cross-fades."""
        self.wake_at = FOREVER
        for output in self.outputs:
            if output.review(now):
                self._show(output, now)
            else:
                self._wake_for(output)
            if output.held_by is not None:
                self.wake(output.held_until)

    # E-stop

    def stop_all(self, now: float) -> None:
        """Stop every field; nothing more is to be sent."""
        for output in self.outputs:
            output.stop(now)
        self.dirty.clear()
        self.wake_at = FOREVER

    def rest_all(self, now: float) -> None:
        """Leave every field as it is after the latch was cleared."""
        for output in self.outputs:
            output.resume(now)


def test_motion(claim: Claim) -> None:
    """Arm a claim if one of its inputs was moved."""
    assert claim.plan is not None and claim.stream is not None, "a live claim has both"
    for part, index in claim.plan.inputs:
        if not claim.is_armed:
            claim.has_moved(part, claim.stream.values[index])
