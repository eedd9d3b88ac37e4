"""Whether the robot may be moved. Numbers are typed by hand."""

import pytest

from saint_services.lib.api.routing import EStopInfo
from saint_services.lib.errors import Code
from saint_services.lib.generated.saint_msgs import EStop
from saint_services.webd.robot import latch
from saint_services.webd.topics.newest import Newest

NOW_S = 100.0


def newest(*, active: bool = False, reported_s: float = NOW_S, **more: str) -> Newest:
    return Newest(estop=EStop(active=active, **more), router_received_s=reported_s)


def test_open_and_reported_lately_it_refuses_nothing() -> None:
    assert latch.problem(newest(reported_s=99.0), NOW_S) is None


def test_silent_for_more_than_a_second_it_refuses() -> None:
    problem = latch.problem(newest(reported_s=98.99), NOW_S)
    assert problem is not None and problem.code is Code.REFUSED


def test_reported_once_right_after_the_machine_began_it_refuses() -> None:
    assert latch.problem(newest(reported_s=0.5), 1.5) is None
    assert latch.problem(newest(reported_s=0.5), 1.6) is not None


def test_never_reported_it_refuses() -> None:
    problem = latch.problem(Newest(), NOW_S)
    assert problem is not None and problem.code is Code.REFUSED


def test_open_before_the_first_report_of_the_router_it_refuses_nothing() -> None:
    assert latch.problem(newest(reported_s=0.0), NOW_S) is None


@pytest.mark.parametrize("reported_s", [NOW_S, 1.0])
def test_active_it_says_by_whom_and_why(reported_s: float) -> None:
    problem = latch.problem(
        newest(active=True, reported_s=reported_s, source="rc", reason="switch"), NOW_S
    )
    assert problem is not None and problem.code is Code.ESTOP_ACTIVE
    assert problem.message.startswith("the robot is stopped by ")
    assert problem.message.endswith(": switch")


def test_active_without_a_source_it_names_an_unknown_source() -> None:
    problem = latch.problem(newest(active=True), NOW_S)
    assert problem is not None
    assert problem.message == "the robot is stopped by an unknown source"


@pytest.mark.parametrize(("topic", "is_refused"), [(6, True), (7, False), (8, False)])
def test_answer_to_a_press_holds_until_the_topic_has_caught_up(
    topic: int, is_refused: bool
) -> None:
    known = newest()
    assert known.estop is not None
    known.estop.generation = topic
    known.estop_answered = EStopInfo(active=True, source="websocket:c1", generation=7)
    problem = latch.problem(known, NOW_S)
    assert (problem is not None and problem.code is Code.ESTOP_ACTIVE) is is_refused
    known.estop_answered = EStopInfo(active=True, source="websocket:c1", generation=7)
    known.estop = None
    assert latch.problem(known, NOW_S) is not None
