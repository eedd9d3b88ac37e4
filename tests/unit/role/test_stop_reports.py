"""Stop reports of a role."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from saint_services.lib.generated.saint_msgs import StopReport
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.generated.topics import ESTOP_REPORTS, TRACKS_ESTOP
from saint_services.lib.role.stop_reports import REPEAT_S
from saint_services.role_tracksd.daemon import TracksRole
from tests.unit.role.role_rig import UNKNOWN, Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, "tracks")
    rig.live(0.3, lambda: rig.drive(0.5))
    yield rig
    rig.close()


def reports(rig: Rig) -> list[StopReport]:
    return cast("list[StopReport]", rig.bus.sent[ESTOP_REPORTS.name])


def said(rig: Rig) -> list[tuple[str, int, bool]]:
    return [(each.outcome, each.generation, each.is_known) for each in reports(rig)]


def test_report_of_a_moving_role_without_a_stop_is_not_published(rig: Rig) -> None:
    assert rig.duties() != (0.0, 0.0) and said(rig) == []


def test_report_of_a_stop_names_role_and_generation(rig: Rig) -> None:
    rig.estop(True, 3)
    assert said(rig) == [("stopped", 3, True)]
    assert (reports(rig)[0].node_id, reports(rig)[0].target) == ("pi_1", "tracks")
    assert rig.duties() == (0.0, 0.0)


def test_report_follows_every_press_while_stopped(rig: Rig) -> None:
    rig.estop(True, 3)
    rig.estop(True, 4)
    rig.beat(estop=True)
    assert said(rig) == [("stopped", 3, True), ("stopped", 4, True)]


def test_report_of_an_output_that_does_not_stop_says_so_until_it_does(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise OSError(5, "no answer")

    motor = cast("TracksRole", rig.session)._tracks[0].motor
    with monkeypatch.context() as patch:
        patch.setattr(type(motor), "stop", refuse)
        rig.estop(True, 3)
    assert said(rig) == [("stopping", 3, True)]
    assert "failed" in reports(rig)[0].detail
    for track in cast("TracksRole", rig.session)._tracks:
        rig.session.attempt(track.name, track.motor.stop)
    rig.clock.advance(0.02)
    assert said(rig) == [("stopping", 3, True), ("stopped", 3, True)]


def test_report_of_a_stop_that_the_router_may_not_know_says_so(rig: Rig) -> None:
    rig.send(TRACKS_ESTOP, Bool(data=True))
    assert said(rig) == [("stopped", 0, False)]
    rig.estop(True, 1)
    assert said(rig)[-1] == ("stopped", 1, True)


def test_report_of_a_press_by_an_unknown_participant_is_not_known(rig: Rig) -> None:
    rig.estop(True, 9, UNKNOWN)
    assert said(rig) == [("stopped", 0, False)]


def test_report_is_repeated_while_the_stop_lasts(rig: Rig) -> None:
    rig.estop(True, 3)
    rig.clock.advance(2 * REPEAT_S + 0.01)
    assert len(said(rig)) >= 3 and set(said(rig)) == {("stopped", 3, True)}
    rig.estop(False, 4)
    count = len(said(rig))
    rig.clock.advance(2 * REPEAT_S)
    assert len(said(rig)) == count
