"""What a client may do and when, without a server: words of a stop, places, the latch, roles, old
messages. Numbers are typed by hand.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.access import audit
from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.access.levels import Level
from saint_services.lib.api.webd.motion import Drive
from saint_services.lib.api.webd.system import EStop as StopRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import EStop
from saint_services.webd.accounts.access import Identity, RefusedError
from saint_services.webd.actions.act import Act, Caller
from saint_services.webd.actions.table import ACTIONS, every
from saint_services.webd.api import admission, stopping
from saint_services.webd.audit import record
from saint_services.webd.robot import latch
from saint_services.webd.robot.daemon_clients import AnsweredError
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
        assert stopping.of_unsound({"reason": "x" * 300}) == StopRequest(
            enable=True, reason="x" * 200
        )

    @pytest.mark.parametrize("given", [None, {}, {"reason": 7}, {"reason": ""}, "reason"])
    def test_it_says_that_it_was_not_sound(self, given: object) -> None:
        found = stopping.of_unsound(given)
        assert (found.enable, found.reason) == (True, "malformed stop message")


class TestPlaces:
    def test_eight_of_one_viewer(self) -> None:
        assert refusal(VIEWER, [VIEWER] * 7, 64) == ""
        assert refusal(VIEWER, [VIEWER] * 8, 64) == (
            "eve already has 8 connections, which is the limit"
        )

    def test_those_of_the_same_name_and_way_count(self) -> None:
        page = Identity("eve", Level.VIEWER, "session", "9")
        namesake = Identity("eva", Level.VIEWER, "token", "9")
        assert refusal(VIEWER, [page] * 8 + [namesake] * 8, 64) == ""

    def test_viewers_leave_a_quarter(self) -> None:
        crowd = [Identity(f"v{n}", Level.VIEWER, "session", str(n)) for n in range(48)]
        assert refusal(VIEWER, [*crowd[:47], OPERATOR], 64) == ""
        assert refusal(VIEWER, crowd, 64) == (
            "48 viewers are connected, the other 16 connections are for operators"
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

    def test_active_without_a_source_it_names_an_unknown_source(self) -> None:
        problem = latch.problem(self.newest(active=True), NOW_S)
        assert problem is not None
        assert problem.message == "the robot is stopped by an unknown source"


class Log:
    def __init__(self) -> None:
        self.entries: list[AuditRecord] = []

    def add(self, entry: AuditRecord) -> None:
        self.entries.append(entry)


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The robot is not stopped, and the router has just reported."""
    monkeypatch.setattr(admission, "monotonic_s", lambda: NOW_S)
    monkeypatch.setattr(audit, "wall_s", lambda: 1.7e9)
    monkeypatch.setattr(record, "wall_s", lambda: 1.7e9)
    newest, log = Newest(estop=EStop(active=False), router_received_s=NOW_S), Log()
    samples = SimpleNamespace(is_registered=True)
    return SimpleNamespace(
        newest=newest, audit=log, record=log.add, samples=samples, repeats=record.Repeats()
    )


def stopped(robot: Any) -> Any:
    robot.newest.estop = EStop(active=True, source="rc", reason="switch")
    return robot


ESTOP = ACTIONS["system"]["estop"]
MOVES = [
    ("head", "move"), ("head", "home"), ("arms", "move"), ("arms", "home"), ("arms", "gripper"),
    ("tracks", "drive"),
]  # fmt: skip


class TestRoles:
    def test_viewer_may_stop_and_not_release(self) -> None:
        admission.check_level(Caller("1", VIEWER), ESTOP, StopRequest(enable=True))
        with pytest.raises(SaintError) as caught:
            admission.check_level(Caller("1", VIEWER), ESTOP, StopRequest(enable=False))
        assert caught.value.code is Code.FORBIDDEN
        assert caught.value.message == "eve is viewer here, system estop needs operator"
        assert caught.value.fix == "Ask an admin of this robot for the role operator."

    def test_operator_is_enough_for_what_operators_do(self) -> None:
        admission.check_level(Caller("2", OPERATOR), ESTOP, StopRequest(enable=False))
        admission.check_level(Caller("3", ADMIN), ESTOP, StopRequest(enable=False))

    def test_readings_of_a_stick_need_an_operator(self, robot: Any) -> None:
        for who in (OPERATOR, ADMIN):
            with admission.reading_admitted(robot, Caller("1", who), "tracks", is_old=False):
                pass
        with (
            pytest.raises(SaintError, match="eve is viewer here, moving the robot") as caught,
            admission.reading_admitted(robot, Caller("1", VIEWER), "tracks", is_old=False),
        ):
            pytest.fail("a viewer moves the robot")
        assert caught.value.code is Code.FORBIDDEN


def check(robot: Any, act: Act, params: Any, *, is_old: bool = False) -> None:
    admission.check_moving(robot, act, params, is_old=is_old)


class TestMotion:
    @pytest.mark.parametrize(("group", "action"), MOVES)
    def test_old_or_stopped_it_is_refused(self, robot: Any, group: str, action: str) -> None:
        act = ACTIONS[group][action]
        check(robot, act, StopRequest())
        with pytest.raises(RefusedError) as old:
            check(robot, act, StopRequest(), is_old=True)
        assert old.value.code is Code.REFUSED
        with pytest.raises(SaintError) as caught:
            check(stopped(robot), act, StopRequest())
        assert caught.value.code is Code.ESTOP_ACTIVE

    def test_list_of_what_moves_is_this(self) -> None:
        assert set(MOVES) == {(act.group, act.action) for act in every() if act.is_motion}

    @pytest.mark.parametrize("is_old", [False, True])
    def test_stop_passes_always(self, robot: Any, is_old: bool) -> None:
        check(stopped(robot), ESTOP, StopRequest(enable=True), is_old=is_old)

    def test_old_release_is_refused(self, robot: Any) -> None:
        check(stopped(robot), ESTOP, StopRequest(enable=False))
        with pytest.raises(RefusedError):
            check(robot, ESTOP, StopRequest(enable=False), is_old=True)

    def test_stop_that_does_not_say_whether_is_no_release(self, robot: Any) -> None:
        check(robot, ESTOP, Drive(), is_old=True)

    def test_what_moves_nothing_passes(self, robot: Any) -> None:
        stop = ACTIONS["tracks"]["stop"]
        check(stopped(robot), stop, StopRequest(enable=False), is_old=True)

    def test_samples_are_refused_while_webd_is_not_registered(self, robot: Any) -> None:
        robot.samples.is_registered = False
        for group, action in (*MOVES, ("tracks", "stop")):
            with pytest.raises(RefusedError, match="not registered"):
                check(robot, ACTIONS[group][action], StopRequest())
        check(robot, ESTOP, StopRequest())

    def test_reading_is_refused_when_old_or_stopped(self, robot: Any) -> None:
        who = Caller("1", OPERATOR)
        with (
            pytest.raises(RefusedError) as old,
            admission.reading_admitted(robot, who, "tracks", is_old=True),
        ):
            pytest.fail("an old reading moves the robot")
        assert old.value.code is Code.REFUSED
        with (
            pytest.raises(SaintError) as caught,
            admission.reading_admitted(stopped(robot), who, "tracks", is_old=False),
        ):
            pytest.fail("a reading moves a stopped robot")
        assert caught.value.code is Code.ESTOP_ACTIVE


def perform(
    robot: Any,
    group: str,
    action: str,
    error: BaseException | None = None,
    who: Identity = ADMIN,
    **fields: Any,
) -> None:
    act = ACTIONS[group][action]
    params = act.params.model_construct(**fields)
    with admission.admitted(robot, Caller("1", who, "10.0.0.1"), act, params, is_old=False):
        if error:
            raise error


class TestAudit:
    def test_what_was_done_has_its_sentence(self, robot: Any) -> None:
        perform(robot, "settings", "set_name", name="R2")
        (entry,) = robot.audit.entries
        assert (entry.who, entry.address, entry.what) == ("bob", "10.0.0.1", "settings set_name")
        assert (entry.text, entry.refused) == ("The robot is now called R2", "")

    def test_what_was_refused_says_why(self, robot: Any) -> None:
        with pytest.raises(SaintError):
            perform(robot, "settings", "set_name", SaintError(Code.REFUSED, "no"), name="R2")
        (entry,) = robot.audit.entries
        assert (entry.text, entry.refused, entry.daemon) == ("", "no", "webd")

    def test_fault_of_a_handler_is_logged_as_unfinished(self, robot: Any) -> None:
        with pytest.raises(LookupError):
            perform(robot, "settings", "set_name", LookupError(), name="R2")
        (entry,) = robot.audit.entries
        assert entry.refused == "webd did not finish the request, so it may be done or not"

    @pytest.mark.parametrize("action", [("settings", "set_name"), ("rc", "set_enabled")])
    def test_what_a_viewer_may_not_is_logged_once(self, robot: Any, action: Any) -> None:
        act = ACTIONS[action[0]][action[1]]
        with pytest.raises(SaintError):
            perform(robot, *action, who=VIEWER)
        with pytest.raises(SaintError):
            admission.check_role(robot, Caller("1", VIEWER), act)
        both = [(each.what, each.refused) for each in robot.audit.entries]
        text = f"eve is viewer here, {act.row.name} needs {act.level.word}"
        assert both == [(act.row.name, text)] * 2

    def test_release_of_the_stop_by_a_viewer_is_logged(self, robot: Any) -> None:
        with pytest.raises(SaintError):
            perform(robot, "system", "estop", who=VIEWER, enable=False)
        (entry,) = robot.audit.entries
        assert (entry.what, entry.who) == ("system estop", "eve")
        assert entry.refused == "eve is viewer here, system estop needs operator"

    @pytest.mark.parametrize("action", [("system", "estop"), ("rc", "set_enabled")])
    def test_what_another_daemon_carries_out_is_logged_by_it_alone(
        self, robot: Any, action: Any
    ) -> None:
        perform(robot, *action)
        with pytest.raises(AnsweredError):
            perform(robot, *action, AnsweredError(Code.REFUSED, "no"))
        assert robot.audit.entries == []

    def test_daemon_that_does_not_answer_is_logged_here(self, robot: Any) -> None:
        silent = SaintError(Code.DAEMON_UNREACHABLE, "rcd did not answer")
        with pytest.raises(SaintError):
            perform(robot, "rc", "set_enabled", silent)
        (entry,) = robot.audit.entries
        assert (entry.what, entry.refused) == ("rc set_enabled", "rcd did not answer")

    def test_reading_is_not_logged(self, robot: Any) -> None:
        perform(robot, "system", "status")
        with pytest.raises(SaintError):
            perform(robot, "users", "list_users", who=VIEWER)
        assert robot.audit.entries == []

    @pytest.mark.parametrize(
        ("target", "what"),
        [("tracks", "began to move tracks"), ("", "began to move what its routes map")],
    )
    def test_begin_of_motion_is(self, robot: Any, target: str, what: str) -> None:
        who = Caller("1", OPERATOR, "10.0.0.1")
        for _ in range(3):
            with admission.reading_admitted(robot, who, target, is_old=False):
                pass
        assert robot.audit.entries == [
            AuditRecord(
                1.7e9, "ann", "operator", "10.0.0.1", what, source="websocket:1", daemon="webd"
            )
        ]

    def test_repeated_motion_is_logged_when_it_begins_and_when_it_is_refused(
        self, robot: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(3):
            perform(robot, "tracks", "drive")
        stopped(robot)
        for _ in range(3):
            with pytest.raises(SaintError):
                perform(robot, "tracks", "drive")
        monkeypatch.setattr(admission, "monotonic_s", lambda: NOW_S + 0.5)
        robot.newest.estop = EStop(active=False)
        perform(robot, "tracks", "stop")
        perform(robot, "tracks", "stop")
        found = [(each.what, bool(each.refused)) for each in robot.audit.entries]
        assert found == [
            ("began to move tracks", False),
            ("tracks drive", True),
            ("tracks stop", False),
        ]

    def test_motion_of_a_client_that_paused_for_ten_seconds_begins_again(
        self, robot: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        perform(robot, "tracks", "drive")
        for later_s, count in ((10.0, 1), (20.1, 2)):
            robot.newest.router_received_s = NOW_S + later_s
            monkeypatch.setattr(admission, "monotonic_s", lambda s=later_s: NOW_S + s)
            perform(robot, "tracks", "drive")
            assert len(robot.audit.entries) == count
