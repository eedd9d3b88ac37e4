"""The rendered files, read by the programs that they are for."""

import configparser
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from saint_services.setup import adapters, logic
from saint_services.setup.config import Machine

ROOT = Path(__file__).resolve().parents[3]
FACTS = logic.MachineFacts("10000000a1b2c3d4")
SECRETS = logic.MachineSecrets(hotspot="hotspotsecret", claim="c" * 24)
MACHINES = {
    "node": {},
    "server": {"role": "server"},
    "both": {"role": "both", "hotspot": {"enabled": False}, "network": {"domain_id": 7}},
    "wifi": {"role": "server", "wifi": {"ssid": "stage", "secret": "open sesame", "country": "GB"}},
    "radio server": {"role": "server", "network": {"internal": "wlan0"}},
    "radio node": {
        "network": {"internal": "wlan0"},
        "wifi": {"ssid": "saint-b2c3d4", "secret": "open sesame"},
    },
    "guest server": {
        "role": "both",
        "network": {"internal": "wlan0"},
        "wifi": {"ssid": "home", "secret": "open sesame"},
    },
    "sim": {"hardware": "sim", "network": {"internal": "eth5", "link_local": "169.254.9.9"}},
}


def rendered(name: str) -> dict[str, str]:
    plan = logic.plan(Machine.model_validate(MACHINES[name]), FACTS, SECRETS)
    return {file.path.rsplit("/", 1)[1]: adapters.render(file).decode() for file in plan.files}


def refused_by(*command: str) -> str:
    """What a program says against a file; empty when it takes it."""
    program = shutil.which(command[0], path="/usr/sbin:/usr/bin:/sbin:/bin")
    if program is None:
        pytest.skip(f"needs {command[0]}")
    done = subprocess.run(
        [program, *command[1:]], capture_output=True, text=True, timeout=15, check=False
    )
    return (done.stdout + done.stderr) if done.returncode else ""


@pytest.mark.parametrize("name", MACHINES)
def test_every_file_ends_in_a_newline_and_has_no_gaps(name: str) -> None:
    for text in rendered(name).values():
        assert text.endswith("\n") or not text
        assert "{{" not in text
        assert "\n\n\n" not in text


@pytest.mark.parametrize("name", ["server", "both", "wifi", "radio server"])
def test_dnsmasq_takes_its_settings(name: str, tmp_path: Path) -> None:
    file = tmp_path / "dnsmasq.conf"
    file.write_text(rendered(name)["dnsmasq.conf"].replace("user=dnsmasq", "user=root"))
    assert refused_by("dnsmasq", "--test", f"--conf-file={file}") == ""


@pytest.mark.parametrize("name", MACHINES)
def test_chrony_takes_its_settings(name: str, tmp_path: Path) -> None:
    file = tmp_path / "chrony.conf"
    file.write_text(rendered(name)["chrony.conf"])
    assert refused_by("chronyd", "-p", "-f", str(file)) == ""


@pytest.mark.parametrize("name", MACHINES)
def test_chrony_answers_every_user_of_this_machine_and_nobody_else(name: str) -> None:
    """chronyc of users other than root needs UDP, which reads only."""
    words = [line.split() for line in lines(name, "chrony.conf")]
    bound = {each[1] for each in words if each[:1] == ["bindcmdaddress"]}
    assert bound == {"127.0.0.1", "::1"}
    assert not [each for each in words if each[:1] in (["cmdport"], ["cmdallow"])]


@pytest.mark.parametrize("name", MACHINES)
def test_nftables_takes_the_rules(name: str, tmp_path: Path) -> None:
    """Checked, not loaded; needs the kernel's word, so a namespace of its own."""
    rules = (ROOT / "overlays/common/etc/nftables.conf").read_text(encoding="utf-8")
    own = tmp_path / "machine.nft"
    own.write_text(rendered(name)["machine.nft"])
    file = tmp_path / "all.nft"
    file.write_text(rules.replace("/run/saint/nftables.d/*.nft", str(own)))
    probe = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False, timeout=15)
    if probe.returncode:
        pytest.skip("needs root for a network namespace")
    if shutil.which("nft", path="/usr/sbin:/sbin") is None:
        pytest.skip("needs nft")
    assert refused_by("unshare", "-n", "/usr/sbin/nft", "-c", "-f", str(file)) == ""


@pytest.mark.parametrize("name", ["server", "wifi", "radio server", "radio node", "guest server"])
def test_wpa_supplicant_takes_its_settings(name: str, tmp_path: Path) -> None:
    """It has no dry run: one wrong line at the end stops it, and must be its only complaint."""
    text = rendered(name)["wpa_supplicant-wlan0.conf"]
    file = tmp_path / "wpa_supplicant.conf"
    file.write_text(f"{text}no_such_setting=1\n")
    said = refused_by("wpa_supplicant", "-c", str(file), "-i", "none0", "-D", "wired")
    last = len(text.splitlines()) + 1
    complaints = [line for line in said.splitlines() if line.startswith("Line ")]
    assert complaints
    assert all(line.startswith(f"Line {last}: ") for line in complaints)


@pytest.mark.parametrize("name", MACHINES)
def test_network_files_hold_sections_and_settings(name: str) -> None:
    """networkd has no check of its own; a misplaced line would be a line it ignores."""
    known = {
        "Match": {"Name"},
        "Link": {"RequiredForOnline"},
        "Network": {
            *("Address", "ConfigureWithoutCarrier", "DHCP", "DHCPServer", "IPv6AcceptRA"),
            *("LLMNR", "LinkLocalAddressing", "MulticastDNS"),
        },
        "Address": {"Address", "Scope"},
        "Route": {"Destination", "Metric", "Scope"},
        "DHCPv4": {"ClientIdentifier", "UseDomains", "UseHostname", "UseNTP", "UseRoutes"},
        "DHCPServer": {
            *("EmitDNS", "EmitNTP", "EmitRouter", "PersistLeases", "PoolOffset", "PoolSize")
        },
    }
    for text in (text for file, text in rendered(name).items() if file.endswith(".network")):
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(text)
        for section in parser.sections():
            assert set(parser[section]) <= known[section]


@pytest.mark.parametrize("name", ["server", "both", "radio server"])
def test_addresses_are_given_as_one_server_among_others(name: str) -> None:
    """Who prefers another server's offer is neither refused nor served before that comes."""
    assert not {"dhcp-authoritative", "dhcp-rapid-commit"} & set(lines(name, "dnsmasq.conf"))


def test_wifi_name_with_quotes_cannot_add_a_setting() -> None:
    ssid = 'a"\n\tmode=2'
    machine = Machine.model_validate(
        {"role": "server", "wifi": {"ssid": ssid, "secret": 'pass"word1'}}
    )
    plan = logic.plan(machine, FACTS, SECRETS)
    text = next(adapters.render(f).decode() for f in plan.files if "wpa" in f.path)
    assert f"ssid={ssid.encode().hex()}" in text
    assert "mode=2" not in text
    assert '\tpsk="pass"word1"\n' in text  # wpa_supplicant takes all up to the last quote


def test_screen_shows_the_characters_of_a_hotspot_and_no_command() -> None:
    """agetty reads a backslash and the letter after it as a command."""
    hotspot = {"ssid": "a\\n\x1b[2J", "secret": "p\\4assw\\\\rd"}
    machine = Machine.model_validate({"role": "server", "hotspot": hotspot})
    plan = logic.plan(machine, FACTS, SECRETS)
    text = next(adapters.render(f).decode() for f in plan.files if f.path.endswith("saint.issue"))
    assert r"Wi-Fi: a\\n?[2J   password: p\\4assw\\\\rd   then" in text


def test_raw_key_is_not_quoted() -> None:
    machine = Machine.model_validate({"wifi": {"ssid": "stage", "secret": "0f" * 32}})
    plan = logic.plan(machine, FACTS, SECRETS)
    text = next(adapters.render(f).decode() for f in plan.files if "wpa" in f.path)
    assert f"\tpsk={'0f' * 32}\n" in text


def test_hotspot_gives_addresses_without_storage_that_the_image_switches_off() -> None:
    """networkd waits for that storage before it answers the first guest."""
    preset = ROOT / "overlays/common/usr/lib/systemd/system-preset/00-saint.preset"
    is_storage_on = "systemd-networkd-persistent-storage" in preset.read_text()
    text = rendered("server")["20-saint-hotspot.network"]
    assert is_storage_on or "\nPersistLeases=no\n" in text


def lines(name: str, file: str) -> list[str]:
    return rendered(name)[file].splitlines()


def test_radio_server_gives_its_nodes_a_hotspot_with_the_robots_addresses() -> None:
    files = rendered("radio server")
    assert "20-saint-hotspot.network" not in files, "one network per radio"
    network = lines("radio server", "10-saint-internal.network")
    assert {"Name=wlan0", "Address=192.168.10.1/24"} <= set(network)
    assert "DHCP=ipv4" not in network
    assert "interface=wlan0" in lines("radio server", "dnsmasq.conf")
    assert "\tmode=2" in lines("radio server", "wpa_supplicant-wlan0.conf")
    assert "then http://192.168.10.1\n" in files["saint.issue"]


def test_radio_node_joins_the_network_that_its_settings_name() -> None:
    network = lines("radio node", "10-saint-internal.network")
    assert {"Name=wlan0", "DHCP=ipv4", "Destination=192.168.10.0/24"} <= set(network)
    wpa = lines("radio node", "wpa_supplicant-wlan0.conf")
    assert f"\tssid={b'saint-b2c3d4'.hex()}" in wpa
    assert "\tmode=2" not in wpa


def test_server_in_a_foreign_wifi_gives_no_addresses_there() -> None:
    files = rendered("guest server")
    assert "dnsmasq.conf" not in files
    network = lines("guest server", "10-saint-internal.network")
    assert {"Name=wlan0", "Address=192.168.10.1/24", "DHCP=ipv4"} <= set(network)
    assert "UseRoutes=no" not in network, "the Wi-Fi's router leads to the internet"
    assert "allow" in lines("guest server", "chrony.conf")


@pytest.mark.parametrize("name", ["radio server", "radio node", "guest server"])
def test_radio_is_inside_and_the_cable_outside(name: str) -> None:
    assert lines(name, "machine.nft") == [
        'add element inet saint internal { "wlan0" }',
        'delete element inet saint internal { "eth0" }',
    ]
    assert "SAINT_DDS_INTERFACE=wlan0" in lines(name, "machine.env")


def test_internal_and_hotspot_networks_do_not_overlap() -> None:
    addresses = {
        line.removeprefix("Address=")
        for text in rendered("server").values()
        for line in text.splitlines()
        if line.startswith("Address=")
    }
    assert addresses == {"192.168.10.1/24", "192.168.11.1/24"}
    for one, other in itertools.combinations(addresses, 2):
        assert one.rsplit(".", 1)[0] != other.rsplit(".", 1)[0]


@pytest.mark.parametrize("name", MACHINES)
def test_only_servers_announce_face_capture_with_the_ports_of_the_sockets(name: str) -> None:
    files = rendered(name)
    if MACHINES[name].get("role") not in ("server", "both"):
        assert "saint-livelink.dnssd" not in files
        return
    found = configparser.ConfigParser(interpolation=None)
    found.optionxform = str  # type: ignore[assignment]  # keys keep their case
    found.read_string(files["saint-livelink.dnssd"])
    service = found["Service"]
    assert (service["Type"], service["Name"]) == ("_saint-livelink._udp", "%H")
    ports = dict(pair.split("=") for pair in service["TxtText"].split()) | {"udp": service["Port"]}
    for socket, port in ports.items():
        unit = (ROOT / f"systemd/saint-livelinkd-{socket}.socket").read_text()
        assert f"={port}\n" in unit
