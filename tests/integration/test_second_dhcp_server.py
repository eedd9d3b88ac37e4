"""A server of ours and other DHCP servers on one cable: real dnsmasq, real packets, a namespace for
each computer. Needs root.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saint_services.setup import adapters, logic
from saint_services.setup.config import Machine
from tests.integration.net_space import Space, missing
from tests.waiting import block_until, block_while

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]

if reason := missing("ip", "dnsmasq", "busybox"):
    pytest.skip(reason, allow_module_level=True)


@dataclass
class Computers:
    """Namespaces that are plugged into one switch."""

    folder: Path
    spaces: dict[str, Space] = field(default_factory=dict)

    def plug(self, name: str) -> Space:
        """Make a computer, and connect its eth0 to the switch."""
        space = Space(f"saint-{name}-{os.getpid()}")
        subprocess.run(["ip", "netns", "add", space.name], check=True, timeout=10)
        self.spaces[name] = space
        space.run("ip", "link", "set", "lo", "up")
        if name != "switch":
            switch = self.spaces["switch"]
            peer = ("type", "veth", "peer", "eth0", "netns", space.name)
            switch.run("ip", "link", "add", name, *peer)
            switch.run("ip", "link", "set", name, "master", "br0", "up")
            space.run("ip", "link", "set", "eth0", "up")
        return space

    def lease(self, name: str) -> dict[str, str]:
        """What a computer is given that requests an address; empty: nothing."""
        found, script = self.folder / f"{name}.lease", self.folder / f"{name}.sh"
        found.unlink(missing_ok=True)
        script.write_text(f'#!/bin/sh\n[ "$1" = bound ] && env >{found}\nexit 0\n')
        script.chmod(0o755)
        client = ("busybox", "udhcpc", "-i", "eth0", "-n", "-q", "-f", "-t", "4", "-T", "1")
        self.spaces[name].run(*client, "-s", str(script), check=False)
        lines = found.read_text().splitlines() if found.exists() else []
        return dict(line.split("=", 1) for line in lines if "=" in line)


@pytest.fixture
def computers(tmp_path: Path) -> Iterator[Computers]:
    made = Computers(tmp_path)
    try:
        switch = made.plug("switch")
        switch.run("ip", "link", "add", "br0", "type", "bridge", "forward_delay", "0")
        switch.run("ip", "link", "set", "br0", "up")
        yield made
    finally:
        for space in made.spaces.values():
            subprocess.run(["ip", "netns", "delete", space.name], check=False, timeout=10)


@dataclass
class Server:
    """A server of ours; its status as the page reads it."""

    space: Space
    status_file: Path

    @property
    def status(self) -> dict[str, str]:
        try:
            return dict(json.loads(self.status_file.read_text()))
        except (FileNotFoundError, json.JSONDecodeError):
            return {"state": "", "text": ""}

    def comes_to(self, state: str) -> None:
        block_until(lambda: self.status["state"] == state, explain=lambda: str(self.status))


@contextmanager
def server(computers: Computers, name: str = "server", *prefix: str) -> Iterator[Server]:
    """Plug a server in and run its service, ten times as quick as on a robot."""
    space = computers.spaces.get(name) or computers.plug(name)
    space.run("ip", "address", "replace", "192.168.10.1/24", "dev", "eth0")
    folder = computers.folder / name
    folder.mkdir(exist_ok=True)
    machine = Machine.model_validate({"role": "server"})
    secrets = logic.MachineSecrets(hotspot="hotspotsecret", claim="c" * 24)
    plan = logic.plan(machine, logic.MachineFacts("10000000a1b2c3d4"), secrets)
    file = next(each for each in plan.files if each.template == "dnsmasq.conf.j2")
    conf = adapters.render(file).decode().replace("user=dnsmasq", "user=root")
    conf = conf.replace("/var/lib/dnsmasq/leases", str(folder / "leases"))
    # Else it tries an address for 3 s before it offers it, which is not ten times as quick.
    (folder / "dnsmasq.conf").write_text(f"{conf}no-ping\n")
    arguments = ("eth0", str(folder / "dnsmasq.conf"), str(folder / "status.json"), "0.1")
    command = (*prefix, sys.executable, "-m", "tests.integration.net_addresses", *arguments)
    with space.running(*command) as process:
        try:
            yield Server(space, folder / "status.json")
        finally:
            process.terminate()  # dnsmasq ends with it
            process.wait(timeout=10)


@contextmanager
def router(computers: Computers, *options: str) -> Iterator[Space]:
    """Plug in a home router: it gives addresses, itself as the way out."""
    space = computers.spaces.get("router") or computers.plug("router")
    space.run("ip", "address", "replace", "192.168.77.1/24", "dev", "eth0")
    leases = computers.folder / "router.leases"
    command = (
        *("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--port=0", "--user=root"),
        *("--interface=eth0", "--bind-interfaces", f"--dhcp-leasefile={leases}", "--pid-file="),
        "--dhcp-range=192.168.77.50,192.168.77.99,1h",
    )
    with space.running(*command, *options):
        yield space


def test_server_alone_gives_a_node_its_address(computers: Computers) -> None:
    computers.plug("node")
    with server(computers) as ours:
        ours.comes_to("serving")
        lease = computers.lease("node")
    assert lease["ip"].startswith("192.168.10.")
    assert lease["lease"] == "120", "leases are short until the network was quiet for a while"
    assert computers.lease("node") == {}, "dnsmasq ends with the service"


def test_leases_last_an_hour_once_the_network_was_quiet(computers: Computers) -> None:
    computers.plug("node")
    with server(computers) as ours:
        ours.comes_to("serving")
        block_until(lambda: computers.lease("node").get("lease") == "3600", 90.0)


def test_server_on_a_home_network_gives_nothing_and_says_so(computers: Computers) -> None:
    computers.plug("laptop")
    with router(computers, "--no-ping"), server(computers) as ours:
        ours.comes_to("refused")
        assert "192.168.77.1" in ours.status["text"]
        for _ in range(3):
            lease = computers.lease("laptop")
            assert lease["ip"].startswith("192.168.77.")
            assert lease["router"] == "192.168.77.1"


def test_router_that_tries_an_address_before_it_offers_it_is_found(computers: Computers) -> None:
    """With the real times: this router answers after 3 s."""
    computers.plug("laptop")
    with router(computers):
        space = computers.plug("server")
        space.run("ip", "address", "replace", "192.168.10.1/24", "dev", "eth0")
        status = computers.folder / "status.json"
        conf = computers.folder / "none.conf"
        conf.write_text("interface=eth0\n")
        command = (sys.executable, "-m", "tests.integration.net_addresses", "eth0")
        with space.running(*command, str(conf), str(status), "1.0"):
            Server(space, status).comes_to("refused")


def test_router_that_is_plugged_in_later_ends_the_service(computers: Computers) -> None:
    computers.plug("laptop")
    with server(computers) as ours:
        ours.comes_to("serving")
        with router(computers, "--no-ping"):
            ours.comes_to("refused")
            assert computers.lease("laptop")["ip"].startswith("192.168.77.")
        ours.comes_to("serving")
        assert ours.status["text"] == ""


def test_computer_of_another_network_is_not_refused_while_the_router_is_not_found_yet(
    computers: Computers,
) -> None:
    """It chose the router's offer, or comes back with the address that it had from the router."""
    laptop = computers.plug("laptop")
    with server(computers) as ours:
        ours.comes_to("serving")
        requests = ("192.168.77.60@192.168.77.1", "192.168.77.60", "192.168.10.60")
        command = (sys.executable, "-m", "tests.integration.net_request", "1.0", *requests)
        assert laptop.run(*command) == "\n\n\n"
        assert laptop.run(*command[:-3], "192.168.10.60@192.168.10.1") == "ack\n"


def test_server_without_a_link_waits_and_searches_at_link_up(computers: Computers) -> None:
    computers.plug("laptop")
    space = computers.plug("server")
    switch = computers.spaces["switch"]
    switch.run("ip", "link", "set", "server", "down")
    with router(computers, "--no-ping"), server(computers) as ours:
        ours.comes_to("no_link")
        assert space.run("ip", "-o", "link", "show", "eth0")
        switch.run("ip", "link", "set", "server", "up")
        ours.comes_to("refused")
        switch.run("ip", "link", "set", "server", "down")
        ours.comes_to("no_link")


def test_search_that_may_not_be_sent_serves_nobody(computers: Computers) -> None:
    computers.plug("node")
    bare = ("setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw")
    with server(computers, "server", *bare) as ours:
        ours.comes_to("unsure")
        assert "not permitted" in ours.status["text"]
        assert computers.lease("node") == {}


@pytest.mark.parametrize("is_common_start", [True, False])
def test_of_two_servers_of_ours_exactly_one_serves(
    computers: Computers, is_common_start: bool
) -> None:
    computers.plug("node")
    with ExitStack() as running:
        one = running.enter_context(server(computers, "one"))
        if not is_common_start:
            one.comes_to("serving")
        two = running.enter_context(server(computers, "two"))
        both = (one, two)

        def is_settled() -> bool:
            return sorted(each.status["state"] for each in both) == ["refused", "serving"]

        block_until(is_settled, explain=lambda: str([each.status for each in both]))
        block_while(is_settled, 4.0)
        silent = next(each for each in both if each.status["state"] == "refused")
        assert "Another SAINT.OS server" in silent.status["text"]
        if not is_common_start:
            assert silent is two
            assert computers.lease("node")["serverid"] == "192.168.10.1"


def test_second_server_of_ours_takes_over(computers: Computers) -> None:
    computers.plug("node")
    with ExitStack() as first:
        one = first.enter_context(server(computers, "one"))
        one.comes_to("serving")
        with server(computers, "two") as two:
            two.comes_to("refused")
            first.close()
            two.comes_to("serving")
            assert computers.lease("node")["serverid"] == "192.168.10.1"
