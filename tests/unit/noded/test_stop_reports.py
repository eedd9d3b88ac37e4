"""Stop reports of a node for roles that cannot report, and whose release its guard gets."""

from dataclasses import replace
from typing import Any

import pytest

from saint_services.lib.api.node import RoleReport
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import EStop, StopReport
from saint_services.noded.adapters.guard import CarriedOut
from saint_services.noded.config import Config
from saint_services.noded.lifecycle.model import Assignment, RoleLifecycle
from saint_services.noded.stop_reports import NodeStopReports
from tests.unit.noded.node_rig import Robot
from tests.unit.role.credentials import SERVER, credential
from tests.unit.role.role_rig import load_role
from tests.waiting import until


class Rig:
    """One node with the tracks, the test being router and guard."""

    def __init__(self, *, is_alive: bool) -> None:
        domain = LocalDomain()
        self.router, self.other = domain.bus("routerd"), domain.bus("other")
        self.relayed: list[bool] = []
        self.said: list[StopReport] = []
        self.made_safe: list[str] = []
        self.unanswered: list[str] = []
        self.refusal = ""
        self.bus = domain.bus("noded")
        role = Assignment(load_role("tracks"), "")
        self.life = RoleLifecycle("pi_1", held=role, role_alive=is_alive)
        self.other.subscribe(topics.ESTOP_REPORTS, lambda sample: self.said.append(sample.message))
        self.reports = NodeStopReports(
            self.bus, "pi_1", self.relayed.append, lambda: {0: self.life}, self._make_safe,
            self.unanswered.append,
        )  # fmt: skip
        self.reports.follow(SERVER.public)
        said = credential(self.router.origin)
        self.router.publisher(topics.ROUTER_CREDENTIAL).publish(said)

    async def _make_safe(self, target: str) -> str:
        self.made_safe.append(target)
        return self.refusal

    def latch(self, generation: int, *, active: bool, bus: Any = None) -> None:
        (bus or self.router).publisher(topics.ESTOP).publish(
            EStop(active=active, generation=generation)
        )

    async def outcomes(self, count: int) -> list[tuple[str, int]]:
        await until(lambda: len(self.said) >= count)
        return [(each.outcome, each.generation) for each in self.said]


async def test_release_by_an_unknown_participant_is_not_relayed_to_the_guard() -> None:
    rig = Rig(is_alive=True)
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    rig.latch(9, active=False, bus=rig.other)
    rig.latch(3, active=False)
    await until(lambda: len(rig.relayed) > 1)
    assert rig.relayed == [True, False]


async def test_stop_survives_a_change_of_the_server() -> None:
    rig = Rig(is_alive=True)
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    rig.reports.follow("")
    rig.latch(3, active=False)
    rig.reports.carried_out(CarriedOut("tracks", "its process ended", ""))
    await rig.outcomes(1)  # later than the release on the same bus
    assert rig.relayed == [True]


async def test_will_that_the_guard_carried_out_is_reported_for_each_press() -> None:
    rig = Rig(is_alive=True)
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    rig.reports.carried_out(CarriedOut("tracks", "its process stood still for 160 ms", ""))
    assert await rig.outcomes(1) == [("guard", 2)]
    rig.latch(3, active=True)
    assert await rig.outcomes(2) == [("guard", 2), ("guard", 3)]
    assert (rig.said[0].target, rig.said[0].detail) == (
        "tracks",
        "its process stood still for 160 ms",
    )


async def test_will_that_could_not_be_written_is_not_a_stop() -> None:
    rig = Rig(is_alive=True)
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    rig.reports.carried_out(CarriedOut("tracks", "its process ended", "/dev/i2c-1: no answer"))
    assert await rig.outcomes(1) == [("stopping", 2)]
    assert rig.said[0].detail == "/dev/i2c-1: no answer"


@pytest.mark.parametrize(("refusal", "outcome"), [("", "guard"), ("no guard", "stopping")])
async def test_role_whose_process_is_away_is_made_safe_before_it_is_reported(
    refusal: str, outcome: str
) -> None:
    rig = Rig(is_alive=False)
    rig.refusal = refusal
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    assert rig.said == []  # nothing is known of its outputs yet
    await rig.reports.rescue()
    assert rig.made_safe == ["tracks"]
    assert await rig.outcomes(1) == [(outcome, 2)]


async def test_role_that_comes_back_meanwhile_is_not_reported_as_made_safe() -> None:
    rig = Rig(is_alive=False)
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])

    async def come_back(target: str) -> str:
        rig.life = replace(rig.life, role_alive=True)
        return ""

    rig.reports._make_safe = come_back
    await rig.reports.rescue()
    rig.reports.look()
    assert rig.reports._by_guard == {} and rig.said == []


async def test_nothing_is_reported_without_a_stop_or_for_a_role_that_works() -> None:
    rig = Rig(is_alive=True)
    rig.latch(1, active=False)
    rig.reports.carried_out(CarriedOut("tracks", "its process ended", ""))
    rig.reports.works("tracks", is_stopped=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    assert rig.said == []


async def stopped(*, is_alive: bool = True, was_stopped: bool = False) -> Rig:
    """Stop a robot whose role reported before that."""
    rig = Rig(is_alive=is_alive)
    rig.reports.works("tracks", is_stopped=was_stopped)
    rig.latch(1, active=False)
    rig.latch(2, active=True)
    await until(lambda: rig.relayed == [True])
    return rig


async def test_role_that_stays_silent_for_two_looks_after_a_stop_does_not_answer() -> None:
    rig = await stopped()
    rig.reports.look_for_answers()
    assert rig.unanswered == []
    rig.reports.look_for_answers()
    assert rig.unanswered == ["tracks"]
    rig.reports.look_for_answers()
    assert rig.unanswered == ["tracks"]  # once


async def test_role_that_reports_after_a_stop_answers_even_when_it_is_not_stopped() -> None:
    rig = await stopped()
    rig.reports.look_for_answers()
    rig.reports.works("tracks", is_stopped=False)
    rig.reports.look_for_answers()
    rig.reports.look_for_answers()
    assert rig.unanswered == []


async def test_role_that_was_stopped_before_its_node_has_answered() -> None:
    rig = await stopped(was_stopped=True)
    rig.reports.look_for_answers()
    rig.reports.look_for_answers()
    assert rig.unanswered == []


async def test_role_whose_process_has_ended_needs_no_answer() -> None:
    rig = await stopped(is_alive=False)
    rig.reports.look_for_answers()
    rig.reports.look_for_answers()
    assert rig.unanswered == []


async def test_answers_are_wanted_again_after_the_next_stop() -> None:
    rig = await stopped()
    rig.reports.works("tracks", is_stopped=True)
    rig.reports.works("tracks", is_stopped=False)
    rig.latch(3, active=False)
    await until(lambda: rig.relayed == [True, False])
    rig.latch(4, active=True)
    await until(lambda: rig.relayed == [True, False, True])
    rig.reports.look_for_answers()
    rig.reports.look_for_answers()
    assert rig.unanswered == ["tracks"]


@pytest.mark.parametrize(("failure", "outcome"), [("", "guard"), ("no answer", "stopping")])
async def test_role_that_is_frozen_at_rest_is_confirmed_by_what_the_guard_wrote(
    robot: Robot, failure: str, outcome: str
) -> None:
    said: list[StopReport] = []
    robot.watcher.subscribe(topics.ESTOP_REPORTS, lambda sample: said.append(sample.message))
    robot.serve_configs()
    role = await robot.role("role-tracksd")
    patient = Config(config_timeout_s=0.1, role_ready_timeout_s=0.5, role_silence_timeout_s=60.0)
    async with robot.node(patient):
        assert (await robot.adopt("tracks")).success
        await until(lambda: robot.statuses[-1].state == "active")
        role.is_frozen = True
        robot.guard.failure = failure
        robot.happened.clear()
        publisher = robot.domain.bus("routerd").publisher(topics.ESTOP)
        publisher.publish(EStop(active=True, generation=1))
        await until(lambda: any(each.outcome != "unknown" for each in said))
        assert robot.happened[0] == "tracks made safe"
        assert {each.outcome for each in said} <= {outcome, "unknown"}


async def test_node_reports_the_guard_when_its_role_ends_during_a_stop(robot: Robot) -> None:
    said: list[StopReport] = []
    robot.watcher.subscribe(topics.ESTOP_REPORTS, lambda sample: said.append(sample.message))
    robot.serve_configs()
    role = await robot.role("role-tracksd")
    async with robot.node():
        assert (await robot.adopt("tracks")).success
        publisher = robot.domain.bus("routerd").publisher(topics.ESTOP)
        publisher.publish(EStop(active=True, generation=1))
        await until(lambda: True in robot.guard.stops)
        role.first = RoleReport(ready=False, safe=True, estop=False)
        await role.die()
        await until(lambda: any(each.outcome == "guard" for each in said))
        assert said[0].target == "tracks"
