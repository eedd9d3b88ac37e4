"""A node on the server's Ethernet: address, discovery, adoption, commands, reboot, admin page."""

import pytest

from saint_services.lib.api.adoption import NodeState
from tests.image.admin_page import admin_page
from tests.image.robot import Robot

PAN = 12  # manifests/roles/head.yaml: 500 to 2500 us for -180 to 180 degrees
MIDDLE_US, US_PER_DEGREE = 1500, 2000 / 360


def turn_head(robot: Robot, degrees: float) -> None:
    """Ask over the WebSocket, then look at the pin in the node."""
    wanted = MIDDLE_US + degrees * US_PER_DEGREE

    def is_there() -> bool:
        # An emulated machine may stand still in between: then a command is refused as too old, and
        # the next round sends new ones.
        robot.drive("head", "move", pan=degrees)
        return abs(robot.pin(PAN) - wanted) < 10

    robot.until(f"pin {PAN} at {wanted:.0f} us", is_there, 60)


def test_node_has_an_address_from_the_server(adopted: Robot) -> None:
    address = adopted.node.sh("ip -4 -o addr show dev eth0 | grep -o '192\\.168\\.10\\.[0-9]*/'")
    last = int(address.splitlines()[0].rstrip("/").split(".")[-1])
    assert 10 <= last <= 254
    assert "192.168.10.1/24" in adopted.server.sh("ip -4 -o addr show dev eth0")


def test_server_is_found_by_name(adopted: Robot) -> None:
    assert "192.168.10.1" in adopted.node.sh("resolvectl query --legend=no saint-server.local")


def test_adopted_node_is_active_in_its_role(adopted: Robot) -> None:
    found = adopted.wait_node("active", lambda n: n.state is NodeState.ACTIVE, 60)
    assert (found.role, found.display_name) == ("head", "Image test")
    assert adopted.saintctl("node", "list").text.count("active") == 1


def test_command_reaches_the_nodes_pins(robot: Robot) -> None:
    turn_head(robot, 45)
    turn_head(robot, -20)


@pytest.mark.usefixtures("node_reboot")
def test_role_is_back_after_a_reboot(adopted: Robot) -> None:
    turn_head(adopted, 30)


def test_nodes_and_server_keep_no_failed_unit(adopted: Robot) -> None:
    for host in adopted.pair.both():
        assert host.sh("systemctl --failed --plain --no-legend") == ""


def test_what_is_inside_stays_inside(robot: Robot) -> None:
    """From the outer port only the web interface answers; otad's files and DDS do not."""
    listed = robot.server.sh("nft list ruleset")
    for port in ("80", "9090", "22"):
        assert port in listed
    assert "eth0" in listed, "8080 and DDS are opened for the inner network alone"
    assert robot.node.machine.shell.run(
        "python3 -c \"import socket; socket.create_connection(('192.168.10.1', 8080), 10)\"", 40
    ).code == 0  # fmt: skip


def test_admin_page_shows_the_node(robot: Robot) -> None:
    with admin_page(robot) as page:
        page.wait_for_selector(f"[data-node={robot.node_id}]")
        shown = page.locator(f"[data-node={robot.node_id}]").inner_text()
    assert "Image test" in shown
