"""`saintctl doctor` with a webd and fake daemons."""

import json

from saint_services.lib.ipc import Api
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


async def test_doctor_names_wrong_settings_of_a_node_too(
    saintctl: RunSaintctl, robot: FakeRobot
) -> None:
    fault = "/etc/saint/noded.yaml, line 2: odd. The last good settings are in force"
    robot.wrong_settings["noded"] = fault
    await robot.serve("noded", Api())
    result = await saintctl("doctor", "--json")
    found = {row["check"]: row for row in json.loads(result.stdout)["checks"]}
    assert (found["settings files"]["state"], found["settings files"]["text"]) == ("bad", fault)


async def test_doctor_names_wrong_settings_of_the_server(
    saintctl: RunSaintctl, robot: FakeRobot
) -> None:
    robot.wrong_settings["routerd"] = "/etc/saint/routerd.yaml, line 2: odd"
    result = await saintctl("doctor", "--json")
    found = {row["check"]: row for row in json.loads(result.stdout)["checks"]}
    assert found["routerd health"]["state"] == "bad"
    assert "/etc/saint/routerd.yaml, line 2: odd" in found["routerd health"]["text"]
