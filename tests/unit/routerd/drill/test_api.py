"""The stop drill: which press counts, when a step is passed, what is stored."""

import getpass
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.api import Request
from saint_services.lib.api import drill as rows
from saint_services.lib.api.drill import (
    DrillInfo,
    DrillKill,
    DrillSkip,
    DrillStep,
    DrillWait,
)
from saint_services.lib.api.endpoint import Endpoint, Nothing
from saint_services.lib.api.routing import StopOutcomeInfo
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import topics
from saint_services.lib.generated.std_msgs import Bool
from saint_services.lib.state import last_good
from saint_services.routerd.drill import rules as drill
from saint_services.routerd.drill.api import MOST_REPORTS, SavedDrills, drills_store
from tests.unit.routerd.daemon_rig import alive, places
from tests.unit.routerd.test_daemon_confirmations import pressed, report, robot_with
from tests.waiting import turns


def outcome(state: str, after_ms: float | None = None, target: str = "tracks") -> StopOutcomeInfo:
    return StopOutcomeInfo.model_validate({"target": target, "state": state, "after_ms": after_ms})


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ("websocket:page-1", "page"), ("rc", "rc"), ("console", "console"), ("ros", "ros"),
        ("participant 0a0b", "ros"), ("saintctl", None), ("tracks", None), ("safety:edge", None),
    ],
)  # fmt: skip
def test_press_counts_for_the_way_of_its_source(source: str, way: str | None) -> None:
    assert drill.way_of(source) == way


@pytest.mark.parametrize(
    ("outcomes", "waited_s", "state"),
    [
        ([outcome("stopped", 250.0), outcome("absent")], 0.1, "passed"),
        ([outcome("guard", 90.0)], 0.1, "passed"),
        ([outcome("stopped", 250.1)], 0.1, "failed"),
        ([outcome("stopped", None)], 0.1, "failed"),
        ([outcome("stopped", 5.0), outcome("silent")], 1.9, "waiting"),
        ([outcome("stopped", 5.0), outcome("silent")], 2.0, "failed"),
        ([outcome("absent")], 0.1, "failed"),
    ],
)
def test_step_is_passed_when_everyone_stopped_in_time(
    outcomes: list[StopOutcomeInfo], waited_s: float, state: str
) -> None:
    assert drill.judged("rc", "rc", outcomes, waited_s).state == state


def test_kill_is_passed_when_the_guard_acted_in_time() -> None:
    assert drill.killed("tracks", 250.0, "its process ended", "").state == "passed"
    assert drill.killed("tracks", 251.0, "its process ended", "").state == "failed"
    assert drill.killed("tracks", 5.0, "its process ended", "no chip").state == "failed"


def step(info: DrillInfo, way: str) -> DrillStep:
    assert info.running
    return next(each for each in info.running.steps if each.way == way)


async def test_drill_measures_a_press_and_keeps_its_report(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        client = robot.client
        info = await client.request(rows.BEGIN, Nothing())
        assert {each.state for each in info.running.steps} == {"open"} if info.running else False
        await client.request(rows.WAIT, DrillWait(way="ros"))
        await pressed(robot)  # by another way
        assert step(await client.request(rows.STATUS, Nothing()), "ros").state == "waiting"
        await robot.clear()
        await client.request(rows.WAIT, DrillWait(way="ros"))
        robot.bus.publisher(topics.TRACKS_ESTOP).publish(Bool(data=True))
        await turns()
        report(robot, generation=(await robot.latch()).generation)
        await turns()
        found = step(await client.request(rows.STATUS, Nothing()), "ros")
        assert (found.state, found.source) == ("passed", "ros")
        assert [(each.target, each.state) for each in found.targets] == [("tracks", "stopped")]
        skip = DrillSkip(way="rc", reason="no transmitter")
        await client.request(rows.SKIP, skip)
        kept = (await client.request(rows.FINISH, Nothing())).reports
        assert [(each.way, each.state) for each in kept[0].steps] == [
            ("page", "open"), ("rc", "skipped"), ("console", "open"), ("ros", "passed"),
            ("kill", "open"),
        ]  # fmt: skip
        assert (
            kept[0].by == getpass.getuser()
            and "server" in kept[0].versions
            and not kept[0].is_passed
        )
    async with alive(places(tmp_path)) as again:
        assert (await again.client.request(rows.STATUS, Nothing())).reports == kept


async def test_press_that_is_released_before_anyone_looks_is_judged(tmp_path: Path) -> None:
    async with robot_with(tmp_path, "tracks") as robot:
        await robot.client.request(rows.BEGIN, Nothing())
        for is_reported, state in ((True, "passed"), (False, "failed")):
            await robot.client.request(rows.WAIT, DrillWait(way="ros"))
            robot.bus.publisher(topics.TRACKS_ESTOP).publish(Bool(data=True))
            await turns()
            if is_reported:
                report(robot, generation=(await robot.latch()).generation)
                await turns()
            await robot.clear()
            await turns()
            assert step(await robot.client.request(rows.STATUS, Nothing()), "ros").state == state


async def test_step_of_a_robot_that_is_stopped_is_refused(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        await robot.client.request(rows.BEGIN, Nothing())
        await pressed(robot)
        with pytest.raises(SaintError) as caught:
            await robot.client.request(rows.WAIT, DrillWait(way="rc"))
        assert caught.value.code is Code.REFUSED


async def test_step_without_a_drill_is_refused(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        requests: list[tuple[Endpoint[Any, Any], Request]] = [
            (rows.WAIT, DrillWait(way="rc")),
            (rows.SKIP, DrillSkip(way="rc", reason="x")),
            (rows.KILL, DrillKill(target="tracks")),
            (rows.FINISH, Nothing()),
        ]
        for row, params in requests:
            with pytest.raises(SaintError) as caught:
                await robot.client.request(row, params)
            assert caught.value.code is Code.REFUSED


async def test_press_that_never_comes_is_a_failure(tmp_path: Path) -> None:
    async with alive(places(tmp_path)) as robot:
        await robot.client.request(rows.BEGIN, Nothing())
        await robot.client.request(rows.WAIT, DrillWait(way="console"))
        kept = (await robot.client.request(rows.FINISH, Nothing())).reports[0]
        found = next(each for each in kept.steps if each.way == "console")
        assert (found.state, found.reason) == ("failed", "no press came")


def test_damaged_reports_fall_back_to_the_last_good_copy(tmp_path: Path) -> None:
    store = drills_store(tmp_path)
    store.load()
    kept = SavedDrills(reports=[drill.begun("2026-01-01T00:00:00+00:00", "ada", {})])
    store.save(kept)
    store.path.write_text("damaged")
    assert last_good(store.path).exists()
    again = drills_store(tmp_path)
    assert again.load() == kept and again.problem


def test_stored_sample_of_version_1_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "drills.json").write_text(
        '{"version_of_format": 1, "reports": [{"began": "2026-01-01T00:00:00+00:00", "ended": '
        '"2026-01-01T00:05:00+00:00", "by": "ada", "versions": {"server": "1.0.0"}, "steps": '
        '[{"way": "rc", "state": "passed", "reason": "", "source": "rc", "targets": [{"target": '
        '"tracks", "state": "stopped", "after_ms": 12.0, "detail": ""}]}]}]}'
    )
    found = drills_store(tmp_path).load().reports[0]
    assert found.is_passed and MOST_REPORTS == 20
