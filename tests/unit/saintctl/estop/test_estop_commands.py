"""`saintctl estop show`."""

from tests.unit.saintctl.conftest import Ask
from tests.web.fakes.robot import FakeRobot


async def test_stop_is_told_with_its_reason_and_what_to_do(robot: FakeRobot, saintctl: Ask) -> None:
    assert "not active" in (await saintctl("estop", "show")).stdout
    robot.set_estop(True, "rc", "channel 6 is high")
    told = (await saintctl("estop", "show")).stdout
    assert "active, by rc: channel 6 is high" in told
    assert "saintctl estop clear" in told
    assert '"active": true' in (await saintctl("estop", "show", "--json")).stdout
