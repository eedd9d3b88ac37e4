"""Presses, clears, reports true and false, and roles that change their node, in any order: a stop
counts as confirmed only when every role that is expected has confirmed the newest press.
"""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from saint_services.routerd.estop.outcomes import ReceivedReport, StopState, TargetOutcomes

TARGETS = ("head", "arms.left", "tracks")
NODES = ("pi_1", "pi_2")
REPORTED = st.sampled_from([StopState.STOPPED, StopState.GUARD, StopState.STOPPING])


class Stops(RuleBasedStateMachine):
    """Compares the outcomes with a plain model: what was proven of the newest press."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 100.0
        self.outcomes = TargetOutcomes(TARGETS)
        self.holders: dict[str, str] | None = None
        self.generation = 0
        self.proven: set[tuple[str, str]] = set()  # target, node: a proven report of this press

    def _latch(self, *, is_active: bool) -> None:
        self.generation += 1
        self.proven.clear()
        self.outcomes = self.outcomes.latched(self.generation, self.now_s, is_active=is_active)

    @rule()
    def press(self) -> None:
        self._latch(is_active=True)

    @rule()
    def clear(self) -> None:
        self._latch(is_active=False)

    @rule(
        whose=st.sampled_from([*TARGETS, "elsewhere"]), node=st.sampled_from([*NODES, "other"]),
        ago=st.integers(-1, 2), state=REPORTED, is_proven=st.booleans(),
    )  # fmt: skip
    def report(self, whose: str, node: str, ago: int, state: StopState, is_proven: bool) -> None:
        self.now_s += 0.01
        said = ReceivedReport(whose, node, self.generation - ago, state, is_proven=is_proven)
        self.outcomes = self.outcomes.after(said, self.now_s)
        if ago == 0 and is_proven and self.outcomes.is_active:
            self.proven.add((whose, node)) if state is not StopState.STOPPING else None

    @rule(held=st.dictionaries(st.sampled_from(TARGETS), st.sampled_from(NODES)))
    def hold(self, held: dict[str, str]) -> None:
        self.holders = held
        self.outcomes = self.outcomes.held_by(held)

    @rule()
    def lose_sight(self) -> None:
        self.holders = None
        self.outcomes = self.outcomes.held_by(None)

    @invariant()
    def confirmed_only_when_every_expected_role_has_answered(self) -> None:
        if not self.outcomes.is_confirmed:
            return
        assert self.outcomes.is_active
        answered = {target for target, _ in self.proven}
        if self.holders is None:
            assert answered >= set(TARGETS)
        else:
            assert self.proven >= set(self.holders.items())

    @invariant()
    def every_target_is_listed_while_stopped(self) -> None:
        listed = tuple(each.target for each in self.outcomes.listed())
        assert listed == (TARGETS if self.outcomes.is_active else ())


TestStops = Stops.TestCase
TestStops.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
