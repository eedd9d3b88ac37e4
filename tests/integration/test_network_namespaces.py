"""The robot's network on real interfaces: a server, a node and the outside, each in a network
namespace of its own, with the files that setup renders. Needs root.
"""

import ipaddress
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from saint_services.setup import adapters, logic
from saint_services.setup.addresses.logic import LONG_LEASE
from saint_services.setup.addresses.service import RANGE
from saint_services.setup.config import Machine
from tests.integration.net_space import Space, cable, missing

ROOT = Path(__file__).parents[2]
OUTSIDE = "198.51.100"  # documentation addresses: nobody's network
INSIDE_TCP, OPEN_TCP = (8080,), (22, 80, 443, 9090)
INSIDE_UDP, OPEN_UDP = (7400, 7411), (11111, 14786, 5353)
pytestmark = pytest.mark.timeout(120)

if reason := missing("ip", "nft", "dnsmasq", "busybox"):
    pytest.skip(reason, allow_module_level=True)


@dataclass(frozen=True)
class Robot:
    """Three computers and two cables."""

    server: Space
    node: Space
    outside: Space
    files: Path
    link_local: str


def _rendered(role: str, number: str) -> dict[str, str]:
    machine = Machine.model_validate({"role": role})
    secrets = logic.MachineSecrets(hotspot="hotspotsecret", claim="c" * 24)
    plan = logic.plan(machine, logic.MachineFacts(number), secrets)
    return {file.path.rsplit("/", 1)[1]: adapters.render(file).decode() for file in plan.files}


def _setting(text: str, section: str, key: str) -> str:
    """The value of the key in that section of a .network file."""
    found = re.search(rf"^\[{section}\]\n(?:(?!\[).*\n)*?{key}=(.*)$", text, re.MULTILINE)
    assert found, f"no {key} in [{section}]"
    return found[1]


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Robot]:
    """As networkd would set it up from the rendered files; nftables and dnsmasq are real."""
    spaces = [Space(f"saint-{kind}-{os.getpid()}") for kind in ("server", "node", "outside")]
    server, node, outside = spaces
    folder = tmp_path_factory.mktemp("network")
    for space in spaces:
        subprocess.run(["ip", "netns", "add", space.name], check=True, timeout=10)
    try:
        cable(server, "eth0", node, "eth0")
        cable(server, "eth1", outside, "eth0")
        files = _rendered("server", "10000000a1b2c3d4")
        _configure(server, files["10-saint-internal.network"])
        server.run("ip", "address", "add", f"{OUTSIDE}.1/24", "dev", "eth1")
        outside.run("ip", "address", "add", f"{OUTSIDE}.2/24", "dev", "eth0")
        own = _rendered("node", "10000000a1b2c3d5")["10-saint-internal.network"]
        _configure(node, own)
        _firewall(server, files["machine.nft"], folder)
        (folder / "dnsmasq.conf").write_text(
            files["dnsmasq.conf"]
            .replace("/var/lib/dnsmasq/leases", str(folder / "leases"))
            .replace("user=dnsmasq", "user=root")
        )
        address = _setting(own, "Address", "Address").split("/")[0]
        yield Robot(server, node, outside, folder, address)
    finally:
        for space in spaces:
            subprocess.run(["ip", "netns", "delete", space.name], check=False, timeout=10)


def _configure(space: Space, text: str) -> None:
    """Addresses and routes of a .network file, applied by hand."""
    section = "Address" if "[Address]" in text else "Network"
    space.run("ip", "address", "add", _setting(text, section, "Address"), "dev", "eth0")
    metric = ["metric", _setting(text, "Route", "Metric")] if "Metric=" in text else []
    route = _setting(text, "Route", "Destination")
    space.run("ip", "route", "add", route, "dev", "eth0", "scope", "link", *metric)


def _firewall(space: Space, own: str, folder: Path) -> None:
    (folder / "machine.nft").write_text(own)
    rules = (ROOT / "overlays/common/etc/nftables.conf").read_text(encoding="utf-8")
    (folder / "all.nft").write_text(
        rules.replace("/run/saint/nftables.d/*.nft", str(folder / "machine.nft"))
    )
    space.run("nft", "-f", str(folder / "all.nft"))


def _reached(robot: Robot, space: Space, address: str) -> tuple[set[int], set[int]]:
    """Which TCP and UDP ports of the server `space` gets through to."""
    tcp, udp = INSIDE_TCP + OPEN_TCP, INSIDE_UDP + OPEN_UDP
    probe = [sys.executable, "-m", "tests.integration.net_probe"]
    lists = [",".join(map(str, ports)) for ports in (tcp, udp)]
    with robot.server.running(*probe, "listen", *lists) as listener:
        assert listener.stdout
        assert listener.stdout.readline() == "ready\n"
        connected = space.run(*probe, "probe", address, *lists)
        received: set[int] = set()
        while max(OPEN_UDP) not in received or min(OPEN_UDP) not in received:
            received.add(int(listener.stdout.readline().split()[0]))
    return {int(port) for port in connected.split()}, received


def test_node_gets_an_address_of_the_range_and_no_way_out(robot: Robot) -> None:
    script = robot.files / "lease.sh"
    script.write_text(f'#!/bin/sh\n[ "$1" = bound ] && env >{robot.files}/lease\nexit 0\n')
    script.chmod(0o755)
    conf = robot.files / "dnsmasq.conf"
    options = (f"--conf-file={conf}", f"--dhcp-range={RANGE},{LONG_LEASE}")
    with robot.server.running("dnsmasq", "--keep-in-foreground", *options):
        client = ("busybox", "udhcpc", "-i", "eth0", "-n", "-q", "-f", "-t", "10", "-T", "1")
        robot.node.run(*client, "-s", str(script))
    lease = dict(
        line.split("=", 1)
        for line in (robot.files / "lease").read_text().splitlines()
        if "=" in line
    )
    address = ipaddress.ip_address(lease["ip"])
    first, last = (ipaddress.ip_address(f"192.168.10.{end}") for end in (10, 254))
    assert first <= address <= last
    assert lease["serverid"] == "192.168.10.1"
    assert "router" not in lease
    assert int(lease["lease"]) == 3600
    assert lease["ip"] in (robot.files / "leases").read_text()


def test_outside_reaches_pages_and_nothing_internal(robot: Robot) -> None:
    tcp, udp = _reached(robot, robot.outside, f"{OUTSIDE}.1")
    assert tcp == set(OPEN_TCP)
    assert udp == set(OPEN_UDP)


def test_node_without_a_lease_reaches_everything_of_the_server(robot: Robot) -> None:
    tcp, udp = _reached(robot, robot.node, "192.168.10.1")
    assert tcp == set(OPEN_TCP + INSIDE_TCP)
    assert udp == set(OPEN_UDP + INSIDE_UDP)


def test_program_of_the_owner_reaches_the_pages_of_its_machine_alone(robot: Robot) -> None:
    """As a user of the range that systemd gives to units with DynamicUser."""
    ports = (",".join(map(str, (80, 8080, 9090))), ",".join(map(str, (7400, 5353))))
    probe = [sys.executable, "-m", "tests.integration.net_probe"]
    program = ("setpriv", "--reuid=61500", "--clear-groups", "--inh-caps=-all")
    robot.server.run("ip", "link", "set", "lo", "up")
    with robot.server.running(*probe, "listen", *ports) as listener:
        assert listener.stdout
        assert listener.stdout.readline() == "ready\n"
        reached = robot.server.run(*probe, "probe", "127.0.0.1", *ports)
        assert reached.split() == ["80", "8080", "9090"], "the daemons' own users"
        assert robot.server.run(*program, *probe, "probe", "127.0.0.1", ports[0], "").split() == [
            "80"
        ]
        with robot.outside.running(*probe, "listen", *ports) as away:
            assert away.stdout
            assert away.stdout.readline() == "ready\n"
            address = f"{OUTSIDE}.2"
            assert robot.server.run(*probe, "probe", address, ports[0], "").split()
            assert robot.server.run(*program, *probe, "probe", address, ports[0], "").split() == []


def test_job_that_fetches_releases_reaches_the_outside(robot: Robot) -> None:
    users = (ROOT / "overlays/common/usr/lib/sysusers.d/saint.conf").read_text()
    found = re.search(r"^u saint-fetch (\d+) ", users, re.MULTILINE)
    assert found
    probe = [sys.executable, "-m", "tests.integration.net_probe"]
    job = ("setpriv", f"--reuid={found[1]}", "--clear-groups", "--inh-caps=-all")
    with robot.outside.running(*probe, "listen", "443,8443", "5353") as server:
        assert server.stdout
        assert server.stdout.readline() == "ready\n"
        reached = robot.server.run(*job, *probe, "probe", f"{OUTSIDE}.2", "443,8443", "")
    assert reached.split() == ["443", "8443"]


def test_switch_that_queries_the_groups_of_the_bus_gets_a_report(robot: Robot) -> None:
    """Without one, a snooping switch forwards no discovery to the server after some minutes."""
    group = "239.255.0.1"
    probe = (sys.executable, "-m", "tests.integration.igmp_probe")
    with robot.server.running(*probe, "join", group, "192.168.10.1") as member:
        assert member.stdout
        assert member.stdout.readline() == "ready\n"
        assert robot.node.run(*probe, "query", group, robot.link_local).strip() == "reported"


def test_nobody_is_routed_through_the_robot(robot: Robot) -> None:
    robot.server.run("sysctl", "-q", "net.ipv4.ip_forward=1")  # as if a user had turned it on
    robot.outside.run("ip", "route", "replace", "169.254.0.0/16", "via", f"{OUTSIDE}.1")
    assert robot.outside.run("ip", "route", "get", robot.link_local)
    with robot.node.running(
        *(sys.executable, "-m", "tests.integration.net_probe", "listen", "80", "5353")
    ) as listener:
        assert listener.stdout
        assert listener.stdout.readline() == "ready\n"
        probe = (sys.executable, "-m", "tests.integration.net_probe", "probe")
        assert robot.outside.run(*probe, robot.link_local, "80", "5353").strip() == ""


@pytest.mark.parametrize("lease", ["", "192.168.77.50/24 added", "192.168.10.77/24 alone"])
def test_buses_of_server_and_node_meet(robot: Robot, lease: str) -> None:
    """Without a lease, with one of a foreign router beside the node's own address, with ours."""
    address, _, how = lease.partition(" ")
    if address:
        robot.node.run("ip", "address", "replace", address, "dev", "eth0")
    if how == "alone":
        robot.node.run("ip", "address", "flush", "to", "169.254.0.0/16", "dev", "eth0")
        robot.node.run("ip", "address", "flush", "to", "192.168.77.0/24", "dev", "eth0")
    network = {"SAINT_DDS_INTERFACE": "eth0", "ROS_DOMAIN_ID": "0"}
    python = sys.executable
    with robot.node.running(python, "-m", "tests.integration.bus_echo", **network) as echo:
        assert echo.stdout
        assert echo.stdout.readline() == "ready\n"
        with robot.server.running(
            python, "-m", "tests.integration.bus_ask", "20", **network
        ) as requesting:
            assert requesting.stdout
            assert requesting.stdout.readline() == "answered\n"
