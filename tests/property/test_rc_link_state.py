"""State of the RC link in any order of events, compared with a model that records other facts: what
was driven, what blocks it, and what is wrong.
"""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from saint_services.lib.api.rc import FailsafeAction
from saint_services.rcd.link_state import Blocker, LinkState

ACTIONS: list[FailsafeAction] = ["hold", "neutral", "estop", "passthrough"]
BLOCKERS = st.sampled_from(list(Blocker))


class Events(RuleBasedStateMachine):
    """Events of the lines, the operator and the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.link = LinkState()
        self.has_driven = False
        self.blockers = {Blocker.OFF}
        self.is_released = True  # no loss is published; a frame ends this
        self.trouble = ""

    @initialize(is_on=st.booleans())
    def begin_switched_on(self, is_on: bool) -> None:
        if is_on:
            self.end(Blocker.OFF)

    @rule()
    def frame(self) -> None:
        drives = self.link.frame()
        assert drives is (not self.blockers)
        if drives:
            self.has_driven, self.is_released, self.trouble = True, False, ""

    @rule()
    def missing(self) -> None:
        is_news = not self.is_released and not self.trouble
        assert self.link.missing() is is_news
        if is_news:
            self.trouble = "missing"

    @rule()
    def wait(self) -> None:
        is_news = not self.is_released and self.trouble != "waiting"
        assert self.link.wait_for_standby() is is_news
        if is_news:
            self.trouble = "waiting"

    @rule()
    def lose(self) -> None:
        is_news = not self.is_released and self.trouble != "lost"
        assert self.link.lose() is is_news
        if is_news:
            self.trouble = "lost"

    @rule(blocker=BLOCKERS)
    def begin(self, blocker: Blocker) -> None:
        assert self.link.block(blocker) is self.has_driven
        self.blockers.add(blocker)
        self.is_released, self.trouble = True, ""

    @rule(blocker=BLOCKERS)
    def begin_and_end(self, blocker: Blocker) -> None:
        self.begin(blocker)
        self.end(blocker)

    @rule(blocker=BLOCKERS)
    def end(self, blocker: Blocker) -> None:
        self.link.unblock(blocker)
        self.blockers.discard(blocker)

    @rule()
    def overdue(self) -> None:
        is_news = self.is_released and self.has_driven and not self.blockers
        assert self.link.acquisition_timed_out() is is_news
        if is_news:
            self.is_released, self.trouble = False, "lost"

    @invariant()
    def only_trouble_is_published_and_only_of_what_was_driven(self) -> None:
        for action in ACTIONS:
            published = self.link.action(action)
            if not self.trouble or self.blockers or not self.has_driven:
                assert published is None
            elif self.trouble == "lost":
                assert published == action
            else:  # it is too early for others, and for a stop
                is_open = self.trouble == "waiting" and action == "passthrough"
                assert published == ("passthrough" if is_open else "hold")

    @invariant()
    def a_signal_counts_as_acquired_after_a_loss_alone(self) -> None:
        assert self.link.is_lost is (self.is_released or self.trouble == "lost")


TestEvents = Events.TestCase
