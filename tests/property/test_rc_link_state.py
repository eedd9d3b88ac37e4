"""What the robot is told of the RC signal, in any order of events, beside a model that keeps other
books: what was driven, what is in the way, and since when something is wrong.
"""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from saint_services.lib.api.rc import FailsafeAction
from saint_services.rcd.link_state import Blocker, LinkState

ACTIONS: list[FailsafeAction] = ["hold", "neutral", "estop", "passthrough"]
WORKS = st.sampled_from(list(Blocker))


class Events(RuleBasedStateMachine):
    """As the lines, the operator and the clock may bring them."""

    def __init__(self) -> None:
        super().__init__()
        self.telling = LinkState()
        self.has_driven = False
        self.in_the_way = {Blocker.OFF}
        self.has_let_go = True  # nobody may be told of a loss; a frame ends it
        self.trouble = ""

    @initialize(is_on=st.booleans())
    def begin_switched_on(self, is_on: bool) -> None:
        if is_on:
            self.end(Blocker.OFF)

    @rule()
    def frame(self) -> None:
        drives = self.telling.frame()
        assert drives is (not self.in_the_way)
        if drives:
            self.has_driven, self.has_let_go, self.trouble = True, False, ""

    @rule()
    def missing(self) -> None:
        is_news = not self.has_let_go and not self.trouble
        assert self.telling.missing() is is_news
        if is_news:
            self.trouble = "missing"

    @rule()
    def wait(self) -> None:
        is_news = not self.has_let_go and self.trouble != "waiting"
        assert self.telling.wait() is is_news
        if is_news:
            self.trouble = "waiting"

    @rule()
    def lose(self) -> None:
        is_news = not self.has_let_go and self.trouble != "lost"
        assert self.telling.lose() is is_news
        if is_news:
            self.trouble = "lost"

    @rule(work=WORKS)
    def begin(self, work: Blocker) -> None:
        assert self.telling.begin(work) is self.has_driven
        self.in_the_way.add(work)
        self.has_let_go, self.trouble = True, ""

    @rule(work=WORKS)
    def begin_and_end(self, work: Blocker) -> None:
        self.begin(work)
        self.end(work)

    @rule(work=WORKS)
    def end(self, work: Blocker) -> None:
        self.telling.end(work)
        self.in_the_way.discard(work)

    @rule()
    def overdue(self) -> None:
        is_news = self.has_let_go and self.has_driven and not self.in_the_way
        assert self.telling.overdue() is is_news
        if is_news:
            self.has_let_go, self.trouble = False, "lost"

    @invariant()
    def only_trouble_is_told_and_only_of_what_was_driven(self) -> None:
        for action in ACTIONS:
            told = self.telling.action(action)
            if not self.trouble or self.in_the_way or not self.has_driven:
                assert told is None
            elif self.trouble == "lost":
                assert told == action
            else:  # it is too early for others, and for a stop
                is_open = self.trouble == "waiting" and action == "passthrough"
                assert told == ("passthrough" if is_open else "hold")

    @invariant()
    def a_signal_counts_as_acquired_after_a_loss_alone(self) -> None:
        assert self.telling.is_lost is (self.has_let_go or self.trouble == "lost")


TestEvents = Events.TestCase
