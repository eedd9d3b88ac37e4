"""The server's cable ends in a network that has a DHCP server already, such as a home router's: it
gives no addresses there, says so, and gives them again once it is alone. The node is the router.
"""

import pytest

from tests.image.rig import Host
from tests.image.robot import Robot

_STATUS = "cat /run/saint-addresses/status.json || true"  # at first there is none
_SERVING = '"state": "serving"'
_REFUSED = '"state": "refused"'

pytestmark = pytest.mark.image_all


def become_router(host: Host) -> None:
    """A DHCP server that knows nothing of us, as in every home."""
    host.sh("nft flush ruleset; systemctl stop systemd-networkd.socket systemd-networkd")
    host.sh("ip addr flush dev eth0; ip addr add 192.168.10.200/24 dev eth0; ip link set eth0 up")
    host.sh(
        "systemd-run --unit home-router dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0"
        " --interface=eth0 --bind-interfaces --user=root --dhcp-leasefile=/run/router.leases"
        " --dhcp-range=192.168.10.210,192.168.10.220,1h"
    )


def gives_addresses(server: Host) -> bool:
    return server.machine.shell.run("pgrep -x dnsmasq").code == 0


def test_server_beside_a_router_gives_no_addresses_and_says_so(robot: Robot) -> None:
    server = robot.server
    robot.until("it is alone", lambda: _SERVING in server.sh(_STATUS), 120)
    assert gives_addresses(server)
    become_router(robot.node)
    server.machine.unplug()
    server.machine.plug()  # into the other network
    robot.until("it has seen the router", lambda: _REFUSED in server.sh(_STATUS), 120)
    assert not gives_addresses(server)
    said = " ".join(robot.saintctl("doctor", "--all").text.split())
    assert "Another DHCP server, 192.168.10.200" in said

    since = server.machine.serial.end
    server.sh("sync")
    server.machine.reset()
    server.machine.wait_up(since)
    robot.until("it has seen the router again", lambda: _REFUSED in server.sh(_STATUS), 120)
    assert not gives_addresses(server)
    assert server.sh("systemctl --failed --plain --no-legend") == ""

    robot.node.sh("systemctl stop home-router")
    # A router that restarts is silent for minutes, so the server waits longer.
    robot.until("it is alone again", lambda: _SERVING in server.sh(_STATUS), 600)
    assert gives_addresses(server)
    assert "Another DHCP server" not in robot.saintctl("doctor", "--all").text
