"""Who has control: random orders of everything that can happen to sessions, and single rules."""

from math import inf

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saint_services.lib.access.levels import Level
from saint_services.lib.api.teleop import LEASE_S
from saint_services.lib.errors import Code, SaintError
from saint_services.teleopd.seats import Fact, RemoteSession, SeatChange, Seats
from tests.examples import examples

MOST_VIEWERS = 2
ALIVE_S = 0.25  # typed by hand: the router's time-out is 0.3 s


def session(name: str, level: Level = Level.OPERATOR, *, wants: bool = True) -> RemoteSession:
    return RemoteSession(name, name, level, "", 0.0, LEASE_S, wants_control=wants)


def seated(*names: str) -> Seats:
    """Sessions that are linked; the first has control."""
    seats = Seats(MOST_VIEWERS)
    for name in names:
        seats.join(session(name))
        seats.linked(name, 0.0)
    return seats


class SeatOrders(RuleBasedStateMachine):
    """Follows control by the changes alone, and compares it with what the seats say."""

    def __init__(self) -> None:
        super().__init__()
        self.seats = Seats(MOST_VIEWERS)
        self.now_s = 0.0
        self.count = 0
        self.in_control: set[str] = set()
        self.beats: dict[str, float] = {}
        self.talks: dict[str, float] = {}
        self.leases: dict[str, float] = {}
        self.levels: dict[str, Level] = {}

    def follow(self, changes: list[SeatChange]) -> None:
        for change in changes:
            if change.fact is Fact.GAINED:
                assert not self.in_control, "two operators"
                self.in_control.add(change.session)
            elif change.fact is Fact.LOST:
                self.in_control.remove(change.session)
            elif change.fact is Fact.LEFT:
                assert change.session not in self.in_control, "left with control"
                for known in (self.beats, self.leases, self.levels):
                    known.pop(change.session, None)

    def any_of(self, number: int) -> str:
        names = sorted(self.seats.sessions)
        return names[number % len(names)] if names else "00000000"

    @rule(level=st.sampled_from(Level), wants=st.booleans())
    def join(self, level: Level, wants: bool) -> None:
        self.count += 1
        name = f"{self.count:08x}"
        made = RemoteSession(
            name, "person", level, "", self.now_s, self.now_s + LEASE_S, wants_control=wants
        )
        try:
            self.follow(self.seats.join(made))
        except SaintError as err:
            assert err.code in (Code.REFUSED, Code.FORBIDDEN)
            return
        self.leases[name], self.levels[name] = self.now_s + LEASE_S, level

    @rule(number=st.integers(0, 9))
    def link(self, number: int) -> None:
        name = self.any_of(number)
        self.follow(self.seats.linked(name, self.now_s))
        if name in self.levels:
            self.beats[name] = self.now_s

    @rule(number=st.integers(0, 9))
    def beat(self, number: int) -> None:
        name = self.any_of(number)
        self.seats.beat(name, self.now_s)
        if name in self.levels:
            self.beats[name] = self.now_s

    @rule(number=st.integers(0, 9), is_talking=st.booleans())
    def talk(self, number: int, is_talking: bool) -> None:
        name = self.any_of(number)
        self.seats.beat(name, self.now_s, is_talking=is_talking)
        if name in self.levels:
            self.beats[name] = self.now_s
            self.talks[name] = self.now_s if is_talking else -inf

    @rule(number=st.integers(0, 9), level=st.sampled_from(Level))
    @precondition(lambda self: self.seats.sessions)
    def renew(self, number: int, level: Level) -> None:
        name = self.any_of(number)
        self.follow(self.seats.renew(name, level, self.now_s))
        self.leases[name], self.levels[name] = self.now_s + LEASE_S, level

    @rule(number=st.integers(0, 9), is_forced=st.booleans())
    @precondition(lambda self: self.seats.sessions)
    def request(self, number: int, is_forced: bool) -> None:
        self.tried(lambda name: self.seats.request(name, self.now_s, is_forced=is_forced), number)

    @rule(number=st.integers(0, 9))
    @precondition(lambda self: self.seats.sessions)
    def grant(self, number: int) -> None:
        self.tried(lambda name: self.seats.grant(name, self.now_s), number)

    @rule(number=st.integers(0, 9))
    @precondition(lambda self: self.seats.sessions)
    def release(self, number: int) -> None:
        self.follow(self.seats.release(self.any_of(number)))

    @rule(number=st.integers(0, 9))
    def leave(self, number: int) -> None:
        self.follow(self.seats.leave(self.any_of(number), "its link is closed"))

    @rule(passed_s=st.sampled_from([0.02, 0.2, 0.3, 3.5, 10.0, 21.0]))
    def wait(self, passed_s: float) -> None:
        self.now_s += passed_s

    @rule()
    def expire(self) -> None:
        self.follow(self.seats.expire(self.now_s))
        assert all(until_s > self.now_s for until_s in self.leases.values())

    def tried(self, work: object, number: int) -> None:
        try:
            self.follow(work(self.any_of(number)))  # type: ignore[operator]
        except SaintError as err:
            assert err.code in (Code.REFUSED, Code.NOT_FOUND)

    @invariant()
    def there_is_one_operator_at_most(self) -> None:
        assert self.in_control == ({self.seats.operator} - {""})
        assert self.seats.operator in {"", *self.seats.sessions}

    @invariant()
    def nothing_moves_without_a_living_operator(self) -> None:
        driving = [each for each in self.seats.sessions if self.seats.may_drive(each, self.now_s)]
        assert len(driving) <= 1
        for name in driving:
            assert name in self.in_control
            assert self.now_s - self.beats.get(name, -inf) <= ALIVE_S
            assert self.now_s < self.leases[name]
            assert self.levels[name] >= Level.OPERATOR

    @invariant()
    def only_the_living_operator_speaks(self) -> None:
        for name in self.seats.sessions:
            if self.seats.may_speak(name, self.now_s):
                assert self.seats.may_drive(name, self.now_s)
                assert self.now_s - self.talks.get(name, -inf) <= ALIVE_S

    @invariant()
    def viewers_are_limited(self) -> None:
        assert len(self.seats.sessions) <= MOST_VIEWERS + 1


TestSeatOrders = SeatOrders.TestCase
TestSeatOrders.settings = settings(
    max_examples=examples(200), stateful_step_count=40, deadline=None
)


def test_first_linked_session_that_wants_control_gets_it() -> None:
    seats = Seats(MOST_VIEWERS)
    seats.join(session("a"))
    assert seats.operator == ""
    assert [each.fact for each in seats.linked("a", 0.0)] == [Fact.GAINED]
    assert seats.operator == "a"


def test_second_session_watches_until_the_operator_grants() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    assert [each.fact for each in seats.request("b", 1.0)] == [Fact.REQUESTED]
    assert seats.operator == "a"
    assert [each.fact for each in seats.grant("b", 2.0)] == [Fact.LOST, Fact.GAINED]
    assert seats.operator == "b"


def test_request_expires_after_20_s() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    seats.request("b", 1.0)
    with pytest.raises(SaintError, match="has expired"):
        seats.grant("b", 21.0)


def test_silent_operator_does_not_keep_control_from_others() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    assert [each.fact for each in seats.request("b", 4.1)] == [Fact.LOST, Fact.GAINED]


def test_admin_takes_control_by_force() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    seats.request("b", 1.0, is_forced=True)
    assert seats.operator == "b"
    assert not seats.may_drive("a", 1.0)


def test_operator_drives_for_250_ms_after_a_heartbeat() -> None:
    seats = seated("a")
    seats.beat("a", 1.0)
    assert seats.may_drive("a", 1.25)
    assert not seats.may_drive("a", 1.26)


def test_lease_that_is_not_renewed_ends_session_and_control() -> None:
    seats = seated("a")
    facts = [each.fact for each in seats.expire(LEASE_S)]
    assert facts == [Fact.LOST, Fact.LEFT]
    assert not seats.sessions
    assert not seats.operator


def test_withdrawn_role_ends_control_and_keeps_the_picture() -> None:
    seats = seated("a")
    assert [each.fact for each in seats.renew("a", Level.VIEWER, 1.0)] == [Fact.LOST]
    assert "a" in seats.sessions


def test_viewer_cannot_request_control() -> None:
    seats = seated("a")
    seats.join(session("b", Level.VIEWER, wants=False))
    seats.linked("b", 0.0)
    with pytest.raises(SaintError, match="operator role"):
        seats.request("b", 0.0, is_forced=True)


def test_viewers_beyond_the_limit_are_refused() -> None:
    seats = seated("a", "b", "c")
    with pytest.raises(SaintError, match="no more than 2"):
        seats.join(session("d", wants=False))
