"""What a client may do and when, without a server: roles, the e-stop, old messages, audit entries.
Numbers are typed by hand.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.access import audit
from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.access.levels import Level
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.webd.motion import Drive
from saint_services.lib.api.webd.system import EStop as StopRequest
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import EStop
from saint_services.webd.accounts.access import Identity, RefusedError
from saint_services.webd.actions.act import Act, Caller
from saint_services.webd.actions.table import ACTIONS, every
from saint_services.webd.api import admission
from saint_services.webd.audit import record
from saint_services.webd.robot.daemon_clients import AnsweredError
from saint_services.webd.topics.newest import Newest

VIEWER = Identity("eve", Level.VIEWER, "token", "1")
OPERATOR = Identity("ann", Level.OPERATOR, "token", "2")
ADMIN = Identity("bob", Level.ADMIN, "token", "3")
NOW_S = 100.0


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
    ("arms", "move_hand"), ("tracks", "drive"), ("base", "drive"), ("parts", "set"),
    ("parts", "home"), ("legs", "stand"), ("legs", "balance"), ("legs", "move"),
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

    def test_clear_of_the_stop_by_a_viewer_is_logged(self, robot: Any) -> None:
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


class TestPersons:
    """What only a person should do: arming 23 kg."""

    ARM = ACTIONS["wagon"]["arm"]
    DRIVER = Identity("ann", Level.OPERATOR, "session", "4", is_person=True)

    @pytest.mark.parametrize(
        "who",
        [
            OPERATOR,
            Identity("ann", Level.OPERATOR, "session", "5"),  # a token that was signed in with
            Identity("program:patrol", Level.VIEWER, "token", "6", may_drive=True),
        ],
    )
    def test_operators_token_does_not_arm(self, who: Identity) -> None:
        with pytest.raises(SaintError) as caught:
            admission.check_level(Caller("1", who), self.ARM, Nothing())
        assert caught.value.code is Code.FORBIDDEN
        assert caught.value.message.startswith("wagon arm is for a person")

    @pytest.mark.parametrize("who", [DRIVER, ADMIN])
    def test_signed_in_operator_and_admins_token_arm(self, who: Identity) -> None:
        admission.check_level(Caller("1", who), self.ARM, Nothing())

    def test_viewer_does_not_arm_and_everyone_disarms(self) -> None:
        person = Identity("eve", Level.VIEWER, "session", "7", is_person=True)
        with pytest.raises(SaintError):
            admission.check_level(Caller("1", person), self.ARM, Nothing())
        admission.check_level(Caller("1", person), ACTIONS["wagon"]["disarm"], Nothing())

    def test_nothing_but_arming_is_personal(self) -> None:
        assert [each.row.name for each in every() if each.row.is_personal] == ["wagon arm"]
