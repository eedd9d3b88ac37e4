"""What a client may do and when, without a server: words of a stop, places, the latch, roles, old
messages. Numbers are typed by hand.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.access.levels import Level
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import EStop
from saint_services.webd.accounts.access import Identity, RefusedError
from saint_services.webd.actions import ACTIONS
from saint_services.webd.actions.caller import Caller
from saint_services.webd.api import admission, stopping
from saint_services.webd.api import messages as m
from saint_services.webd.audit import entries as audit
from saint_services.webd.robot import latch
from saint_services.webd.topics.newest import Newest
from saint_services.webd.websocket.places import refusal

VIEWER = Identity("eve", Level.VIEWER, "token", "1")
OPERATOR = Identity("ann", Level.OPERATOR, "token", "2")
ADMIN = Identity("bob", Level.ADMIN, "token", "3")
NOW_S = 100.0


class TestWordOfAStop:
    @pytest.mark.parametrize("place", ["type", "target", "action"])
    @pytest.mark.parametrize("word", ["estop", "E-Stop", "emergency stop", "EMERGENCY_STOP"])
    def test_it_is_meant_in_each_place(self, place: str, word: str) -> None:
        assert stopping.is_meant({place: word})
        assert stopping.is_named(f"{{'{place}': '{word}'")

    def test_it_is_not_meant_elsewhere(self) -> None:
        assert not stopping.is_meant({"name": "estop", "action": 7})
        assert not stopping.is_named("{name: estop")

    def test_it_is_looked_for_in_64_characters(self) -> None:
        assert stopping.is_meant({"action": "e" + "-" * 59 + "stop"})
        assert not stopping.is_meant({"action": "e" + "-" * 60 + "stop"})

    def test_it_keeps_a_reason_of_200_characters(self) -> None:
        assert stopping.of_unsound({"reason": "x" * 300}) == m.EStop(enable=True, reason="x" * 200)

    @pytest.mark.parametrize("given", [None, {}, {"reason": 7}, {"reason": ""}, "reason"])
    def test_it_says_that_it_was_not_sound(self, given: object) -> None:
        found = stopping.of_unsound(given)
        assert (found.enable, found.reason) == (True, "a stop message that is not sound")


class TestPlaces:
    def test_eight_of_one_viewer(self) -> None:
        assert refusal(VIEWER, [VIEWER] * 7, 64) == ""
        assert refusal(VIEWER, [VIEWER] * 8, 64) == (
            "eve is connected 8 times already, which is the most"
        )

    def test_those_of_the_same_name_and_way_count(self) -> None:
        page = Identity("eve", Level.VIEWER, "session", "9")
        namesake = Identity("eva", Level.VIEWER, "token", "9")
        assert refusal(VIEWER, [page] * 8 + [namesake] * 8, 64) == ""

    def test_viewers_leave_a_quarter(self) -> None:
        crowd = [Identity(f"v{n}", Level.VIEWER, "session", str(n)) for n in range(48)]
        assert refusal(VIEWER, [*crowd[:47], OPERATOR], 64) == ""
        assert refusal(VIEWER, crowd, 64) == (
            "48 viewers are connected, the other 16 places are for operators"
        )

    def test_half_of_one_operator_and_eight_at_least(self) -> None:
        for who in (OPERATOR, ADMIN):
            assert refusal(who, [who] * 31, 64) == ""
            assert refusal(who, [who] * 32, 64)
            assert refusal(who, [who] * 7, 2) == ""
            assert refusal(who, [who] * 8, 2)

    @pytest.mark.parametrize("via", ["open", "socket"])
    def test_who_is_not_told_apart_is_not_counted(self, via: Any) -> None:
        anyone = Identity("anyone", Level.VIEWER, via)
        assert refusal(anyone, [anyone] * 64, 64) == ""


class TestLatch:
    def newest(self, *, active: bool = False, heard_s: float = NOW_S, **more: str) -> Newest:
        return Newest(estop=EStop(active=active, **more), router_received_s=heard_s)

    def test_open_and_heard_of_lately_it_refuses_nothing(self) -> None:
        assert latch.problem(self.newest(heard_s=99.0), NOW_S) is None

    def test_silent_for_more_than_a_second_it_refuses(self) -> None:
        problem = latch.problem(self.newest(heard_s=98.99), NOW_S)
        assert problem is not None and problem.code is Code.REFUSED

    def test_heard_of_once_right_after_the_machine_began_it_refuses(self) -> None:
        assert latch.problem(self.newest(heard_s=0.5), 1.5) is None
        assert latch.problem(self.newest(heard_s=0.5), 1.6) is not None

    def test_never_heard_of_it_refuses(self) -> None:
        problem = latch.problem(Newest(), NOW_S)
        assert problem is not None and problem.code is Code.REFUSED

    def test_open_before_the_first_report_of_the_router_it_refuses_nothing(self) -> None:
        assert latch.problem(self.newest(heard_s=0.0), NOW_S) is None

    @pytest.mark.parametrize("heard_s", [NOW_S, 1.0])
    def test_active_it_says_by_whom_and_why(self, heard_s: float) -> None:
        problem = latch.problem(
            self.newest(active=True, heard_s=heard_s, source="rc", reason="switch"), NOW_S
        )
        assert problem is not None and problem.code is Code.ESTOP_ACTIVE
        assert problem.message.startswith("the robot is stopped by ")
        assert problem.message.endswith(": switch")

    def test_active_without_a_source_it_is_somebody(self) -> None:
        problem = latch.problem(self.newest(active=True), NOW_S)
        assert problem is not None
        assert problem.message == "the robot is stopped by somebody"


class Log:
    def __init__(self) -> None:
        self.entries: list[AuditRecord] = []

    def add(self, entry: AuditRecord) -> None:
        self.entries.append(entry)


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Any:
    """It is not stopped, and was heard of now."""
    monkeypatch.setattr(admission, "monotonic_s", lambda: NOW_S)
    monkeypatch.setattr(admission, "wall_s", lambda: 1.7e9)
    monkeypatch.setattr(audit, "wall_s", lambda: 1.7e9)
    newest, log = Newest(estop=EStop(active=False), router_received_s=NOW_S), Log()
    samples = SimpleNamespace(is_registered=True)
    return SimpleNamespace(newest=newest, audit=log, heard=log.add, samples=samples)


def stopped(robot: Any) -> Any:
    robot.newest.estop = EStop(active=True, source="rc", reason="switch")
    return robot


MOVES = [
    ("head", "move"), ("head", "home"), ("arms", "move"), ("arms", "home"), ("arms", "gripper"),
    ("tracks", "drive"),
]  # fmt: skip


class TestRoles:
    def test_viewer_may_stop_and_not_release(self, robot: Any) -> None:
        admission.check(robot, Caller("1", VIEWER), "system", "estop", m.EStop(enable=True))
        with pytest.raises(SaintError) as caught:
            admission.check(robot, Caller("1", VIEWER), "system", "estop", m.EStop(enable=False))
        assert caught.value.code is Code.FORBIDDEN
        assert caught.value.message == "eve is viewer here, system estop needs operator"

    def test_operator_is_enough_for_what_operators_do(self, robot: Any) -> None:
        admission.check(robot, Caller("2", OPERATOR), "system", "estop", m.EStop(enable=False))
        admission.check(robot, Caller("3", ADMIN), "system", "estop", m.EStop(enable=False))

    def test_readings_of_a_stick_need_an_operator(self) -> None:
        for who in (OPERATOR, ADMIN):
            admission.check_motion(Caller("1", who))
        with pytest.raises(SaintError, match="eve is viewer here and may not move it") as caught:
            admission.check_motion(Caller("1", VIEWER))
        assert caught.value.code is Code.FORBIDDEN


class TestMotion:
    @pytest.mark.parametrize(("group", "action"), MOVES)
    def test_old_or_stopped_it_is_refused(self, robot: Any, group: str, action: str) -> None:
        admission.check_moving(robot, group, action, m.EStop(), False)
        with pytest.raises(RefusedError) as old:
            admission.check_moving(robot, group, action, m.EStop(), True)
        assert old.value.code is Code.REFUSED
        with pytest.raises(SaintError) as caught:
            admission.check_moving(stopped(robot), group, action, m.EStop(), False)
        assert caught.value.code is Code.ESTOP_ACTIVE

    def test_list_of_what_moves_is_this(self) -> None:
        assert set(MOVES) == admission.MOTION

    @pytest.mark.parametrize("is_old", [False, True])
    def test_stop_passes_always(self, robot: Any, is_old: bool) -> None:
        admission.check_moving(stopped(robot), "system", "estop", m.EStop(enable=True), is_old)

    def test_old_release_is_refused(self, robot: Any) -> None:
        admission.check_moving(stopped(robot), "system", "estop", m.EStop(enable=False), False)
        with pytest.raises(RefusedError):
            admission.check_moving(robot, "system", "estop", m.EStop(enable=False), True)

    def test_stop_that_does_not_say_whether_is_no_release(self, robot: Any) -> None:
        admission.check_moving(robot, "system", "estop", m.Drive(), True)

    def test_what_moves_nothing_passes(self, robot: Any) -> None:
        admission.check_moving(stopped(robot), "tracks", "stop", m.EStop(enable=False), True)

    def test_reading_is_refused_when_old_or_stopped(self, robot: Any) -> None:
        admission.check_reading(robot, False)
        with pytest.raises(RefusedError) as old:
            admission.check_reading(robot, True)
        assert old.value.code is Code.REFUSED
        with pytest.raises(SaintError) as caught:
            admission.check_reading(stopped(robot), False)
        assert caught.value.code is Code.ESTOP_ACTIVE


class TestAudit:
    def perform(self, robot: Any, group: str, action: str, error: SaintError | None) -> None:
        who = Caller("1", ADMIN, "10.0.0.1")
        params = ACTIONS[group][action].params.model_construct(name="R2")
        with admission.noted(robot, who, group, action, params):
            if error:
                raise error

    def test_what_was_done_has_its_sentence(self, robot: Any) -> None:
        self.perform(robot, "settings", "set_name", None)
        (entry,) = robot.audit.entries
        assert (entry.who, entry.address, entry.what) == ("bob", "10.0.0.1", "settings set_name")
        assert (entry.text, entry.refused) == ("The robot is now called R2", "")

    def test_what_was_refused_says_why(self, robot: Any) -> None:
        with pytest.raises(SaintError):
            self.perform(robot, "settings", "set_name", SaintError(Code.REFUSED, "no"))
        (entry,) = robot.audit.entries
        assert (entry.text, entry.refused) == ("", "no")

    def test_what_a_viewer_may_not_is_logged(self, robot: Any) -> None:
        with pytest.raises(SaintError):
            admission.check(robot, Caller("1", VIEWER), "settings", "set_name", m.Nothing())
        (entry,) = robot.audit.entries
        assert entry.refused == "eve is viewer here, settings set_name needs admin"

    @pytest.mark.parametrize("action", [("system", "status"), ("rc", "set_enabled")])
    def test_query_and_what_another_daemon_logs_are_not(
        self, robot: Any, action: tuple[str, str]
    ) -> None:
        self.perform(robot, *action, None)
        assert robot.audit.entries == []

    @pytest.mark.parametrize(
        ("target", "what"),
        [("tracks", "began to move tracks"), ("", "began to move what its routes say")],
    )
    def test_begin_of_motion_is(self, robot: Any, target: str, what: str) -> None:
        admission.tell_motion(robot, Caller("1", OPERATOR, "10.0.0.1"), target)
        (entry,) = robot.audit.entries
        assert entry == AuditRecord(1.7e9, "ann", "operator", "10.0.0.1", what, daemon="webd")
