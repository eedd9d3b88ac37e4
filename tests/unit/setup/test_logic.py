"""What follows from a machine's settings."""

import ipaddress
from dataclasses import replace

import pytest

from saint_services.setup import logic
from saint_services.setup.config import Machine

FACTS = logic.MachineFacts("10000000a1b2c3d4")
SECRETS = logic.MachineSecrets(hotspot="hotspotsecret", claim="c" * 24)


def plan(**settings: object) -> logic.SetupPlan:
    return logic.plan(Machine.model_validate(settings), FACTS, SECRETS)


def paths(made: logic.SetupPlan) -> set[str]:
    return {file.path.rsplit("/", 1)[1] for file in made.files}


@pytest.mark.parametrize(
    ("role", "targets"),
    [
        ("server", ("saint-server.target",)),
        ("node", ("saint-node.target",)),
        ("both", ("saint-server.target", "saint-node.target")),
    ],
)
def test_role_starts_its_targets(role: str, targets: tuple[str, ...]) -> None:
    assert plan(role=role).targets == targets


def test_only_a_server_gives_addresses_and_has_a_claim() -> None:
    assert "dnsmasq.conf" in paths(plan(role="server"))
    assert plan(role="server").claim == "c" * 24
    node = plan(role="node")
    assert "dnsmasq.conf" not in paths(node)
    assert "run/saint/dnsmasq.conf" in node.unwanted
    assert node.claim == ""


def test_server_without_wifi_opens_a_hotspot() -> None:
    assert {"20-saint-hotspot.network", "wpa_supplicant-wlan0.conf"} <= paths(plan(role="server"))


def test_server_with_wifi_joins_it_instead() -> None:
    found = paths(plan(role="server", wifi={"ssid": "stage"}))
    assert "wpa_supplicant-wlan0.conf" in found
    assert "20-saint-hotspot.network" not in found


def test_node_leaves_its_radio_off() -> None:
    assert "wpa_supplicant-wlan0.conf" not in paths(plan(role="node"))


@pytest.mark.parametrize(
    "model", ["Raspberry Pi Zero 2 W Rev 1.0", "Raspberry Pi 3 Model A Plus Rev 1.0"]
)
def test_board_without_ethernet_has_its_own_network_on_the_radio(model: str) -> None:
    facts = logic.MachineFacts("10000000a1b2c3d4", model)
    assert logic.internal(Machine(), facts) == "wlan0"
    adapter = Machine.model_validate({"network": {"internal": "eth0"}})
    assert logic.internal(adapter, facts) == "eth0"


@pytest.mark.parametrize(
    "model", ["", "Raspberry Pi 4 Model B Rev 1.5", "Raspberry Pi 3 Model B Plus Rev 1.3"]
)
def test_every_other_board_has_it_on_the_cable(model: str) -> None:
    assert logic.internal(Machine(), logic.MachineFacts("1", model)) == "eth0"


def test_files_with_secrets_are_for_root_alone() -> None:
    modes = {file.path.rsplit("/", 1)[1]: file.mode for file in plan(role="server").files}
    assert modes["wpa_supplicant-wlan0.conf"] == 0o600
    assert modes["saint.issue"] == 0o600


def test_root_gets_keys_only_when_set() -> None:
    key = "ssh-ed25519 AAAA me"
    assert plan(ssh={"keys": [key]}).root_keys == ()
    assert plan(ssh={"keys": [key], "root": True}).root_keys == (key,)


def test_nodes_differ_in_name_and_address() -> None:
    machine = Machine()
    ours, other = FACTS, logic.MachineFacts("10000000a1b2c3d5")
    assert logic.hostname(machine, ours) != logic.hostname(machine, other)
    assert logic.link_local(machine, ours) != logic.link_local(machine, other)


def test_link_local_address_is_one_that_may_be_used() -> None:
    for number in range(300):
        address = ipaddress.ip_address(
            logic.link_local(Machine(), logic.MachineFacts(f"{number:x}"))
        )
        assert ipaddress.ip_address("169.254.1.0") <= address
        assert address <= ipaddress.ip_address("169.254.254.255")


def test_node_is_called_by_the_end_of_its_number() -> None:
    assert plan(role="node").hostname == "saint-node-b2c3d4"
    assert plan(role="both").hostname == "saint-server"


def test_robot_that_lost_its_users_shows_the_new_code_not_that_of_its_settings() -> None:
    lost = replace(SECRETS, has_lost_users=True)
    settings = Machine.model_validate({"role": "server", "claim": "of-the-first-day-0000000"})
    assert logic.plan(settings, FACTS, SECRETS).claim == "of-the-first-day-0000000"
    assert logic.plan(settings, FACTS, lost).claim == SECRETS.claim
