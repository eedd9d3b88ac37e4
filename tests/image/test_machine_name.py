"""The server gets another name while it runs: all that people see of it follows at once. That the
name stays is shown where a machine starts anyway: test_boot.py, test_update.py.
"""

import asyncio

import aiohttp
import pytest

from tests.image.admin_page import admin_page
from tests.image.robot import Robot
from tests.image.server_settings import change, settings

pytestmark = pytest.mark.image_all

NAME = "robi"
_AUTHORITY = "/data/saint/webd/tls/authority.pem"


@pytest.fixture
def robot(robot: Robot) -> Robot:
    """Its pages are encrypted, and it has just been renamed."""
    robot.request("system", "enable_tls")
    shown = change(robot, "set_hostname", hostname=NAME)
    assert shown.state == "done", shown
    return robot


def test_new_name_is_in_force_at_once_and_everywhere(robot: Robot) -> None:
    assert robot.server.sh("uname -n") == NAME
    assert f"http://{NAME}.local" in robot.server.sh("cat /run/issue.d/saint.issue")
    assert settings(robot).hostname == NAME

    found = robot.node.sh(f"resolvectl query --legend=no --protocol=mdns {NAME}.local", 60)
    assert "192.168.10.1" in found

    assert asyncio.run(status(robot, f"{NAME}.local")) == 200
    assert asyncio.run(status(robot, f"{NAME}.example")) == 403

    robot.until("the certificate has the new name", lambda: is_trusted(robot, f"{NAME}.local"), 120)

    assert robot.request("logs", "names")["home"] == NAME
    assert robot.request("logs", "query", node=NAME, limit=5)["lines"]


async def status(robot: Robot, host: str) -> int:
    """What the page answers to a browser that was sent to that name."""
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"{robot.server.http}/", headers={"Host": host}) as answer,
    ):
        return answer.status


def is_trusted(robot: Robot, name: str) -> bool:
    """By a browser that trusts the robot's authority."""
    command = (
        f"openssl s_client -connect 127.0.0.1:443 -CAfile {_AUTHORITY} -servername {name}"
        f" -verify_hostname {name} -verify_return_error </dev/null"
    )
    return robot.server.machine.shell.run(command).code == 0


def test_page_says_where_to_go_on(robot: Robot) -> None:
    with admin_page(robot, "settings/network") as page:
        page.wait_for_selector("[data-change=done]")
        change_text = page.locator("[data-change=done]").inner_text()
        shown = page.input_value("input[name=hostname]")
    assert f"http://{NAME}.local" in change_text
    assert shown == NAME
