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
    stages.restore(adopted.pair, stages.ADOPTED)
    air.switch_on(adopted.server)
    yield adopted
    stages.restore(adopted.pair, stages.ADOPTED)


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


def test_wrong_password_is_reported_and_the_hotspot_comes_back(robot: Robot) -> None:
    air.open_home(robot.server, SSID, PASSWORD)
    shown = change(robot, "join_wifi", ssid=SSID, password="open barley")
    assert shown.state == "taken_back", shown
    assert "refuses this password" in shown.message
    assert "back on its own hotspot" in shown.message
    wait_hotspot(robot.server)
    assert settings(robot).wifi == ""


def test_right_password_brings_the_server_into_the_wifi(robot: Robot) -> None:
    air.open_home(robot.server, SSID, PASSWORD)
    shown = change(robot, "join_wifi", ssid=SSID, password=PASSWORD)
    assert shown.state == "done", shown
    found = re.search(r"10\.77\.0\.\d+", shown.message)
    assert found, shown
    assert settings(robot).wifi == SSID
    assert air.page_status(robot.server, found[0]) == "200"
    assert PASSWORD not in robot.server.sh("cat /run/saint/*.json; journalctl -b")


def test_network_that_is_not_there_is_reported(robot: Robot) -> None:
    """From one Wi-Fi to another, and back to the one before."""
    shown = change(robot, "join_wifi", ssid="werkshop", password=PASSWORD)
    assert shown.state == "taken_back", shown
    assert "no network of that name" in shown.message
    robot.until("it is in the Wi-Fi again", lambda: has_home_address(robot.server), 120)


def has_home_address(server: Host) -> bool:
    return "10.77.0." in server.sh("ip -4 -o addr show dev wlan0")
