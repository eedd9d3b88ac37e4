"""The server's radio, by the settings of its owner: its own hotspot, a Wi-Fi, and back when the
password was wrong. The radios are the kernel's simulated ones (air.py); the driver of a Pi's
radio is not shown here.
"""

import re
from collections.abc import Iterator

import pytest

from tests.image import air, stages
from tests.image.rig import Host
from tests.image.robot import Robot
from tests.image.server_settings import change, settings

SSID, PASSWORD = "workshop", "open sesame"
HOTSPOT = "192.168.11.1"

pytestmark = pytest.mark.image_all


@pytest.fixture(scope="module")
def robot(adopted: Robot) -> Iterator[Robot]:
    """Its server has a radio, and no Wi-Fi is set."""
    stages.go_back(adopted.pair, stages.ADOPTED)
    air.switch_on(adopted.server)
    yield adopted
    stages.go_back(adopted.pair, stages.ADOPTED)


def wait_hotspot(server: Host) -> None:
    server.sh(f"until ip -4 -o addr show dev wlan0 | grep -q {HOTSPOT}/; do sleep 1; done", 120)


def test_guest_reaches_the_page_over_the_hotspot(robot: Robot) -> None:
    wait_hotspot(robot.server)
    shown = robot.server.sh("cat /run/issue.d/saint.issue")
    found = re.search(r"Wi-Fi: (\S+)   password: (\S+)", shown)
    assert found, shown
    address = air.join_as_guest(robot.server, found[1], found[2])
    assert address.startswith("192.168.11."), address
    assert air.page_status(robot.server, HOTSPOT) == "200"


def test_wrong_password_is_told_and_the_hotspot_comes_back(robot: Robot) -> None:
    air.open_home(robot.server, SSID, PASSWORD)
    told = change(robot, "join_wifi", ssid=SSID, password="open barley")
    assert told.state == "taken_back", told
    assert "refuses this password" in told.message
    assert "back on its own hotspot" in told.message
    wait_hotspot(robot.server)
    assert settings(robot).wifi == ""


def test_right_password_brings_the_server_into_the_wifi(robot: Robot) -> None:
    air.open_home(robot.server, SSID, PASSWORD)
    told = change(robot, "join_wifi", ssid=SSID, password=PASSWORD)
    assert told.state == "done", told
    found = re.search(r"10\.77\.0\.\d+", told.message)
    assert found, told
    assert settings(robot).wifi == SSID
    assert air.page_status(robot.server, found[0]) == "200"
    assert PASSWORD not in robot.server.sh("cat /run/saint/*.json; journalctl -b")


def test_network_that_is_not_there_is_told(robot: Robot) -> None:
    """From one Wi-Fi to another, and back to the one before."""
    told = change(robot, "join_wifi", ssid="werkshop", password=PASSWORD)
    assert told.state == "taken_back", told
    assert "no network of that name" in told.message
    robot.until("it is in the Wi-Fi again", lambda: has_home_address(robot.server), 120)


def has_home_address(server: Host) -> bool:
    return "10.77.0." in server.sh("ip -4 -o addr show dev wlan0")
