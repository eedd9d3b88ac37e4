"""The self-test of nodes that run as real processes, requested of the real adoptiond."""

from typing import Any

from saint_services.lib.api.selftest import LAST, RUN, RunNodeSelfTest, SelfTestReport
from tests.integration.robot import Robot


async def run(robot: Robot, **wanted: Any) -> SelfTestReport:
    async with robot.client("adoptiond") as adoptiond:
        return await adoptiond.request(RUN, RunNodeSelfTest.model_validate(wanted))


def failed(report: SelfTestReport) -> list[str]:
    """The faults; how fast this computer's own disk is does not count."""
    return [check.text for check in report.failed if check.name != "card_speed"]


async def test_node_with_and_without_a_role_is_tested_and_has_no_fault(robot: Robot) -> None:
    for node_id in ("sim_spare", "sim_head"):
        report = await run(robot, node_id=node_id)
        assert failed(report) == [], report.document
        assert (report.machine, node_id in report.document) == (
            "Raspberry Pi 4 Model B Rev 1.5",
            False,
        )
    async with robot.client("adoptiond") as adoptiond:
        last = await adoptiond.request(LAST, LAST.params(node_id="sim_head"))
    assert last == report


async def test_pins_of_the_tracks_are_left_to_them(robot: Robot) -> None:
    report = await run(robot, node_id="sim_tracks", jumper="pwm0", only_jumper=True)
    (pwm,) = [check for check in report.checks if check.name == "pwm0_jumper"]
    assert pwm.state == "skipped"
    assert failed(report) == []
