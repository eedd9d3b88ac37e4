"""What holds when saint.yaml, Imager's files and the kept settings say this or that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib import config as settings
from saint_services.lib.bus import names
from saint_services.setup import sources
from saint_services.setup.config import KEPT, Machine
from saint_services.setup.kept_settings import KeptSettings

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFNhaW50 me"
USER_DATA = f"""#cloud-config
hostname: Stage-Left
manage_etc_hosts: true
timezone: Europe/London
ssh_pwauth: false
users:
- name: robin
  groups: users,adm,sudo
  shell: /bin/bash
  lock_passwd: false
  passwd: "$5$abc$def"
  ssh_authorized_keys:
    - {KEY}
  sudo: ALL=(ALL) NOPASSWD:ALL
"""
NETWORK_CONFIG = """network:
  version: 2
  wifis:
    renderer: networkd
    wlan0:
      dhcp4: true
      regulatory-domain: "GB"
      optional: true
      access-points:
        "Stage: five":
          hidden: true
          password: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
"""


NAMES = {"saint": "saint.yaml", "user": "user-data", "network": "network-config"}


def read(
    machine: Machine | None = None, last_valid: dict[str, str] | None = None, **texts: str | None
) -> sources.SettingsOutcome:
    kept = KeptSettings(
        machine=machine, texts={NAMES[key]: text for key, text in (last_valid or {}).items()}
    )
    return sources.read({NAMES[key]: text for key, text in texts.items()}, kept, "saint")


def test_nothing_written_is_a_node() -> None:
    outcome = read()
    assert outcome.machine == Machine()
    assert outcome.machine.role == "node"
    assert outcome.problems == []


def test_saint_yaml_is_taken_whole() -> None:
    outcome = read(saint=f"role: server\nhostname: stage\nssh: {{keys: ['{KEY}'], root: true}}\n")
    assert outcome.problems == []
    assert (outcome.machine.role, outcome.machine.hostname) == ("server", "stage")
    assert outcome.machine.ssh.keys == [KEY]


def test_misspelt_key_leaves_the_kept_settings() -> None:
    kept = Machine(role="server")
    outcome = read(kept, saint="roles: both\n")
    assert outcome.machine == kept
    assert outcome.texts == {}
    assert "saint.yaml, line 1: roles" in outcome.problems[0]
    assert "did you mean 'role'" in outcome.problems[0]


def test_emptied_boot_partition_leaves_the_kept_settings() -> None:
    kept = Machine(role="both")
    assert read(kept).machine == kept


def test_imager_files_give_name_keys_and_wifi() -> None:
    outcome = read(user=USER_DATA, network=NETWORK_CONFIG)
    machine = outcome.machine
    assert outcome.problems == []
    assert machine.hostname == "stage-left"
    assert machine.ssh.keys == [KEY]
    assert machine.wifi is not None
    assert (machine.wifi.ssid, machine.wifi.country) == ("Stage: five", "GB")
    assert machine.wifi.hidden
    assert any("robin is not created" in note for note in outcome.notes)
    assert any("password is ignored" in note for note in outcome.notes)
    assert any("timezone is ignored" in note for note in outcome.notes)
    assert "$5$" not in " ".join(outcome.notes)


def test_imager_network_without_the_outer_key() -> None:
    inner = "version: 2\nwifis:\n  wlan0:\n    access-points:\n      stage:\n        password: ''\n"
    wifi = read(network=inner).machine.wifi
    assert wifi is not None
    assert wifi.secret is None


def test_saint_yaml_wins_over_imager_key_by_key() -> None:
    machine = read(user=USER_DATA, saint="role: server\nhostname: other\n").machine
    assert (machine.role, machine.hostname) == ("server", "other")
    assert machine.ssh.keys == [KEY]


def test_broken_imager_file_spoils_nothing_else() -> None:
    outcome = read(user="hostname: [", network=NETWORK_CONFIG, saint="role: server\n")
    assert outcome.machine.role == "server"
    assert outcome.machine.wifi is not None
    assert "user-data" in outcome.problems[0]


def test_kept_secret_is_put_in_again() -> None:
    kept = Machine.model_validate({"wifi": {"ssid": "stage", "secret": "open sesame"}})
    outcome = read(kept, saint=f'wifi: {{ssid: stage, secret: "{KEPT}"}}\n')
    assert outcome.machine.wifi == kept.wifi
    assert outcome.problems == []


def test_kept_secret_of_another_network_is_not_used() -> None:
    kept = Machine.model_validate({"wifi": {"ssid": "stage", "secret": "open sesame"}})
    text = f'wifi: {{ssid: elsewhere, secret: "{KEPT}"}}\n'
    outcome = read(kept, saint=text)
    assert outcome.machine.wifi == kept.wifi
    assert "elsewhere" in outcome.problems[0]
    assert read(saint=text).machine.wifi is None


def test_network_that_was_open_is_not_joined_where_a_password_is_expected() -> None:
    outcome = read(
        Machine.model_validate({"wifi": {"ssid": "stage"}}),
        saint=f'wifi: {{ssid: stage, secret: "{KEPT}"}}\n',
    )
    assert "stage is not stored" in outcome.problems[0]


def test_wrong_file_counts_with_its_last_valid_text_and_the_others_as_they_are() -> None:
    kept = Machine.model_validate({"role": "server", "hostname": "old", "ssh": {"keys": [KEY]}})
    last_valid = {"saint": "role: server\n", "user": USER_DATA}
    outcome = read(kept, last_valid, saint="role: servr\n", user="hostname: new\n")
    assert (outcome.machine.role, outcome.machine.hostname) == ("server", "new")
    assert outcome.machine.ssh.keys == []
    assert outcome.refused == {"saint.yaml"}
    assert outcome.texts == {"user-data": "hostname: new\n"}
    assert outcome.problems[0].endswith("(its last valid content is in force)")


def test_file_that_cannot_be_read_counts_with_its_last_valid_text() -> None:
    outcome = read(Machine(role="both"), {"user": USER_DATA}, user=None, saint="role: both\n")
    assert outcome.machine.ssh.keys == [KEY]
    assert outcome.machine.role == "both"


def test_text_that_this_version_refuses_leaves_the_kept_settings() -> None:
    kept = Machine.model_validate({"role": "server", "ssh": {"keys": [KEY]}})
    text = "role: server\nthis_version_has: no such key\n"
    outcome = read(kept, {"saint": text}, saint=text, network=NETWORK_CONFIG)
    assert outcome.machine == kept
    assert outcome.refused == set(sources.FILES)
    assert len(outcome.problems) == 1


@pytest.mark.parametrize("text", ["- hostname", "hostname", "--- \n", "network: 5"])
def test_imager_file_that_is_no_group_of_keys_is_refused(text: str) -> None:
    kept = Machine.model_validate({"ssh": {"keys": [KEY]}})
    if not text.startswith("network"):
        assert read(kept, {"user": USER_DATA}, user=text).machine.ssh.keys == [KEY]
    outcome = read(kept, {"network": NETWORK_CONFIG}, network=text)
    assert outcome.refused == {"network-config"}


def test_secrets_are_not_in_any_repr() -> None:
    text = "wifi: {ssid: a, secret: open sesame}\nclaim: abcdefghijklmnopqrstuvw\n"
    shown = repr(read(saint=text).machine)
    assert "sesame" not in shown
    assert "abcdefghij" not in shown


def test_robot_on_the_radio_may_have_its_wifi_from_imager() -> None:
    outcome = read(network=NETWORK_CONFIG, saint="network: {internal: wlan0}\n")
    assert outcome.problems == []
    assert outcome.machine.network.internal == "wlan0"
    assert outcome.machine.wifi is not None


@pytest.mark.parametrize("more", ["", "role: server\nhotspot: {enabled: false}\n"])
def test_radio_without_a_network_to_join_is_reported_and_leaves_the_one_before(more: str) -> None:
    text = f"{more}ssh: {{keys: ['{KEY}']}}\nnetwork: {{internal: wlan0}}\n"
    kept = Machine.model_validate({"wifi": {"ssid": "stage", "secret": "open sesame"}})
    outcome = read(kept, saint=text)
    assert outcome.machine.ssh.keys == [KEY]
    assert outcome.machine.wifi == kept.wifi
    (problem,) = outcome.problems
    assert problem.startswith("saint.yaml: ") and "wifi must name the network to join" in problem
    first = read(saint=text)
    assert first.machine.wifi is None
    assert first.machine.ssh.keys == [KEY]
    assert len(first.problems) == 1


def test_server_with_a_hotspot_on_the_radio_needs_no_network_to_join() -> None:
    assert read(saint="role: server\nnetwork: {internal: wlan0}\n").problems == []


def test_host_name_is_in_lower_case_in_every_file() -> None:
    assert read(saint="hostname: MyRobot\n").machine.hostname == "myrobot"
    assert "hostname" in read(saint="hostname: My_Robot\n").problems[0]
    assert "hostname" in read(saint="hostname: 5\n").problems[0]


@given(st.text(max_size=34) | st.from_regex(r"\w{1,34}", fullmatch=True))
def test_namespace_that_saint_yaml_accepts_is_one_that_the_bus_accepts(name: str) -> None:
    """With another one, every daemon on the bus ends at its start."""
    text = settings.write_yaml({"network": {"ros_namespace": name}})
    machine = read(saint=text).machine
    if machine.network.ros_namespace:
        assert names.check(machine.network.ros_namespace, "namespace") == name


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [("robot1", True), ("R_2", True), ("", True), ("a" * 32, True), ("björn", False),
     ("робот", False), ("robot\u0661", False), ("1robot", False), ("a/b", False),
     ("a" * 33, False)],
)  # fmt: skip
def test_namespace_is_one_word_of_ascii(name: str, is_valid: bool) -> None:
    outcome = read(saint=settings.write_yaml({"network": {"ros_namespace": name}}))
    assert (not outcome.problems) == is_valid
    assert all("ros_namespace" in problem for problem in outcome.problems)


@pytest.mark.parametrize("internal", ["wlan1", "wlx00c0ca"])
def test_radio_that_joins_no_network_is_refused(internal: str) -> None:
    text = f"role: server\nnetwork:\n  internal: {internal}\n"
    (problem,) = read(saint=text).problems
    assert problem.startswith("saint.yaml, line 3: network.internal must be")
    kept = Machine.model_validate(
        {"role": "server", "network": {"internal": internal}, "ssh": {"keys": [KEY]}}
    )  # of a release that accepted it
    outcome = read(kept, {"saint": text}, saint=text)
    assert outcome.machine == kept
