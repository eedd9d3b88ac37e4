"""`saintctl doctor` with a webd and fake daemons."""

import json

from tests.unit.saintctl.conftest import RunSaintctl
from tests.web.fakes.robot import FakeRobot


async def test_doctor_names_the_daemon_that_is_silent(
    saintctl: RunSaintctl, robot: FakeRobot
) -> None:
    await robot.stop("rcd")
    result = await saintctl("doctor", "--json")
    found = {row["check"]: row for row in json.loads(result.stdout)["checks"]}
    assert result.exit_code == 1
    assert found["rcd"]["state"] == "bad" and found["rcd"]["fix"]
    assert found["nodes online"]["text"] == "offline: sim_console"
    assert found["power supply"]["state"] == "not applicable"
