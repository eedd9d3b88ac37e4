"""What holds when saint.yaml, Imager's files and the kept settings say this or that."""

from saint_services.setup import sources
from saint_services.setup.config import KEPT, Machine

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


def read(kept: Machine | None = None, **texts: str) -> sources.SettingsOutcome:
    names = {"saint": "saint.yaml", "user": "user-data", "network": "network-config"}
    return sources.read({names[key]: text for key, text in texts.items()}, kept, "saint")


def test_nothing_written_is_a_node() -> None:
    outcome = read()
    assert outcome.machine == Machine()
    assert outcome.machine.role == "node"
    assert outcome.problems == []


def test_saint_yaml_is_taken_whole() -> None:
    outcome = read(saint=f"role: server\nhostname: stage\nssh: {{keys: ['{KEY}'], root: true}}\n")
    assert outcome.is_accepted
    assert (outcome.machine.role, outcome.machine.hostname) == ("server", "stage")
    assert outcome.machine.ssh.keys == [KEY]


def test_misspelt_key_leaves_the_kept_settings() -> None:
    kept = Machine(role="server")
    outcome = read(kept, saint="roles: both\n")
    assert outcome.machine == kept
    assert not outcome.is_accepted
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
    outcome = read(kept, saint=f'wifi: {{ssid: elsewhere, secret: "{KEPT}"}}\n')
    assert outcome.machine.wifi is None
    assert "elsewhere" in outcome.problems[0]


def test_secrets_are_not_in_any_repr() -> None:
    text = "wifi: {ssid: a, secret: open sesame}\nclaim: abcdefghijklmnopqrstuvw\n"
    shown = repr(read(saint=text).machine)
    assert "sesame" not in shown
    assert "abcdefghij" not in shown
