"""Who has control: random orders of everything that can happen to sessions, and single rules."""

from math import inf

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saint_services.lib.access.levels import Level
from saint_services.lib.api.teleop import LEASE_S
from saint_services.lib.errors import Code, SaintError
from saint_services.teleopd.kept_seat import End
from saint_services.teleopd.seats import Fact, RemoteSession, SeatChange, Seats
from tests.examples import examples

MOST_VIEWERS = 2
ALIVE_S = 0.25  # typed by hand: the router's time-out is 0.3 s
KEPT_S = 15.0  # typed by hand: as long as a lease
PEOPLE = ("olga", "otto")


def session(name: str, level: Level = Level.OPERATOR, *, wants: bool = True) -> RemoteSession:
    return RemoteSession(name, name, level, "", 0.0, LEASE_S, wants_control=wants)


def seated(*names: str) -> Seats:
    """Sessions that are linked; the first has control."""
    seats = Seats(MOST_VIEWERS)
    for name in names:
        seats.join(session(name), 0.0)
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
        self.owners: dict[str, str] = {}  # also of sessions that have ended
        self.kicked: set[str] = set()
        # Whose control was lost with the link, the session that may have it again, until when.
        self.may_return: tuple[str, str, float] | None = None

    def follow(self, changes: list[SeatChange]) -> None:
        for change in changes:
            if change.fact is Fact.GAINED:
                assert not self.in_control, "two operators"
                self.in_control.add(change.session)
                self.may_return = None
            elif change.fact is Fact.LOST:
                self.in_control.remove(change.session)
            elif change.fact is Fact.LEFT:
                assert change.session not in self.in_control, "left with control"
                for known in (self.beats, self.leases, self.levels):
                    known.pop(change.session, None)

    def any_of(self, number: int) -> str:
        names = sorted(self.seats.sessions)
        return names[number % len(names)] if names else "00000000"

    def made(self, who: str, level: Level, *, wants: bool) -> RemoteSession:
        self.count += 1
        until_s = self.now_s + LEASE_S
        name = f"{self.count:08x}"
        return RemoteSession(name, who, level, "", self.now_s, until_s, wants_control=wants)

    def joined(self, made: RemoteSession, replaces: str = "") -> bool:
        try:
            self.follow(self.seats.join(made, self.now_s, replaces=replaces))
        except SaintError as err:
            assert err.code in (Code.REFUSED, Code.FORBIDDEN)
            return False
        self.leases[made.name], self.levels[made.name] = made.lease_until_s, made.level
        self.owners[made.name] = made.who
        return True

    @rule(level=st.sampled_from(Level), wants=st.booleans(), who=st.sampled_from(PEOPLE))
    def join(self, level: Level, wants: bool, who: str) -> None:
        self.joined(self.made(who, level, wants=wants))

    @rule(
        number=st.integers(0, 9), level=st.sampled_from(Level), wants=st.booleans(),
        who=st.sampled_from(PEOPLE), is_other=st.booleans(), is_ended=st.booleans(),
    )  # fmt: skip
    def reconnect(
        self, number: int, level: Level, wants: bool, who: str, is_other: bool, is_ended: bool
    ) -> None:
        """A page or a program comes with another address, before or after the loss was noticed."""
        ended = sorted(set(self.owners) - set(self.seats.sessions))
        old = ended[number % len(ended)] if is_ended and ended else self.any_of(number)
        owner = self.owners.get(old, who)
        made = self.made(who if is_other else owner, level, wants=wants)
        was_operator, before = old in self.in_control, dict(self.seats.sessions)
        try:
            self.follow(self.seats.vacate(old, made.who))
        except SaintError as err:
            assert err.code in (Code.REFUSED, Code.FORBIDDEN)
            assert old in self.kicked or made.who != owner
            assert self.seats.sessions == before, "refused, and yet something has changed"
            return
        assert old not in self.kicked, "a kicked session came back"
        if was_operator:
            since_s = max(before[old].beat_s, before[old].joined_s)
            self.may_return = (made.who, old, since_s + KEPT_S)
        if self.joined(made, old) and self.may_return and self.may_return[1] == old:
            self.may_return = (made.who, made.name, self.may_return[2])

    @rule(number=st.integers(0, 9))
    def link(self, number: int) -> None:
        name, before = self.any_of(number), set(self.in_control)
        was_linked = name in self.levels and self.seats.sessions[name].is_linked
        kept = self.may_return
        self.follow(self.seats.linked(name, self.now_s))
        if name in self.levels:
            self.beats[name] = self.now_s
        if kept and kept[1] == name and not was_linked and not before:
            is_back = self.now_s < kept[2] and self.levels[name] >= Level.OPERATOR
            if self.seats.sessions[name].wants_control:
                assert is_back == (name in self.in_control), "the seat was not kept"

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
        name = self.any_of(number)
        if self.may_return and self.may_return[1] == name:
            self.may_return = None
        self.follow(self.seats.release(name))

    @rule(number=st.integers(0, 9))
    def leave(self, number: int) -> None:
        name = self.any_of(number)
        if self.may_return and self.may_return[1] == name:
            self.may_return = None
        self.follow(self.seats.leave(name, "its link is closed"))

    @rule(number=st.integers(0, 9))
    def lose(self, number: int) -> None:
        """The daemon notices that a link has failed."""
        name = self.any_of(number)
        if name in self.in_control:
            session = self.seats.sessions[name]
            until_s = max(session.beat_s, session.joined_s) + KEPT_S
            self.may_return = (session.who, name, until_s)
        self.follow(self.seats.leave(name, "its link is lost", End.LOST))

    @rule(number=st.integers(0, 9))
    @precondition(lambda self: self.seats.sessions)
    def kick(self, number: int) -> None:
        name = self.any_of(number)
        self.kicked.add(name)
        self.follow(self.seats.leave(name, "an admin ended it", End.KICKED))

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
    def who_comes_back_moves_nothing_by_that_alone(self) -> None:
        """A seat is kept for one person, only while nobody has control, and for a time."""
        if kept := self.seats.kept:
            assert not self.in_control
            assert self.owners[kept.session] == kept.who
            assert kept.session not in self.kicked

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
    seats.join(session("a"), 0.0)
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
    seats.join(session("b", Level.VIEWER, wants=False), 0.0)
    seats.linked("b", 0.0)
    with pytest.raises(SaintError, match="operator role"):
        seats.request("b", 0.0, is_forced=True)


def test_viewers_beyond_the_limit_are_refused() -> None:
    seats = seated("a", "b", "c")
    with pytest.raises(SaintError, match="no more than 2"):
        seats.join(session("d", wants=False), 0.0)


def returned(seats: Seats, old: str, now_s: float, *, who: str = "a", wants: bool = True) -> str:
    """Come back with another address: the session is "new"."""
    made = session("new", wants=wants)
    made.who, made.joined_s, made.lease_until_s = who, now_s, now_s + LEASE_S
    seats.vacate(old, who)
    seats.join(made, now_s, replaces=old)
    seats.linked("new", now_s)
    return seats.operator


def test_operator_whose_link_was_lost_has_control_again() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    assert returned(seats, "a", 2.0) == "new"


def test_operator_whose_loss_was_noticed_first_has_control_again() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    seats.leave("a", "its link is lost", End.LOST)
    assert [each.fact for each in seats.request("b", 2.0)] == [Fact.REQUESTED]
    assert returned(seats, "a", 2.5) == "new"
    assert [each.name for each in seats.requesting(2.5)] == ["b"]


def test_another_person_need_not_wait_longer_than_3_s_for_a_lost_operator() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    seats.leave("a", "its link is lost", End.LOST)
    assert [each.fact for each in seats.request("b", 4.1)] == [Fact.GAINED]
    assert returned(seats, "a", 5.0) == "b"


def test_seat_is_kept_for_15_s() -> None:
    seats = seated("a")
    seats.beat("a", 1.0)
    seats.leave("a", "its link is lost", End.LOST)
    assert returned(seats, "a", 16.0) == ""
    assert "new" in seats.sessions  # watches


def test_who_lost_control_meanwhile_comes_back_as_a_viewer() -> None:
    seats = seated("a", "b")
    seats.beat("a", 1.0)
    seats.request("b", 1.0, is_forced=True)
    seats.leave("b", "its link is closed")  # nobody has control now
    assert returned(seats, "a", 2.0) == ""


def test_who_released_or_left_gets_nothing_back() -> None:
    for end in ("release", "leave"):
        seats = seated("a")
        seats.beat("a", 1.0)
        seats.release("a") if end == "release" else seats.leave("a", "its link is closed")
        assert returned(seats, "a", 2.0) == "", end


def test_expired_sign_in_gets_nothing_back() -> None:
    seats = seated("a")
    seats.beat("a", LEASE_S)
    seats.expire(LEASE_S)
    assert returned(seats, "a", LEASE_S + 1) == ""


def test_kicked_session_and_another_persons_are_not_replaced() -> None:
    seats = seated("a", "b")
    seats.leave("a", "an admin ended it", End.KICKED)
    with pytest.raises(SaintError, match="ended by an admin"):
        seats.vacate("a", "a")
    with pytest.raises(SaintError, match="belongs to b"):
        seats.vacate("b", "a")
    assert "b" in seats.sessions


def test_withdrawn_role_gets_the_picture_back_alone() -> None:
    seats = seated("a")
    seats.beat("a", 1.0)
    seats.vacate("a", "a")
    made = session("new", Level.VIEWER)
    made.who = "a"
    seats.join(made, 2.0, replaces="a")
    seats.linked("new", 2.0)
    assert seats.operator == ""


def test_second_attempt_to_come_back_counts_as_the_first() -> None:
    seats = seated("a")
    seats.beat("a", 1.0)
    seats.vacate("a", "a")
    first = session("first")
    first.who = "a"
    seats.join(first, 2.0, replaces="a")  # its link does not come up
    assert returned(seats, "first", 8.0) == "new"


def test_daemon_that_was_restarted_knows_nobody_and_seats_who_comes() -> None:
    assert returned(Seats(MOST_VIEWERS), "0badcafe", 1.0) == "new"
