"""A whole run on real files below a folder of its own."""

import errno
import json
import os
from pathlib import Path

import pytest

from saint_services.lib import state
from saint_services.lib.state import write_atomic
from saint_services.setup import adapters, yaml_secrets
from saint_services.setup.config import KEPT
from tests.unit.setup.recorder import run

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFNhaW50 me"
YAML = f"""role: server
wifi:
  ssid: stage
  secret: open sesame  # from the landlord
ssh:
  keys: ["{KEY}"]
"""


def everything_written(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for folder in ("run", "data")
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
    }


def test_first_start_of_a_server(root: Path) -> None:
    (root / "boot/firmware/saint.yaml").write_text(YAML)
    work, recorder = run(root)
    assert work.problems == []
    assert recorder.targets == ("saint-server.target",)
    assert recorder.hostname == "saint-server"
    assert "SAINT_MACHINE=server" in (root / "run/saint/machine.env").read_text()
    assert (root / "data/ssh/authorized_keys").is_dir()
    assert any(KEY in path.read_text() for path in (root / "data/ssh/authorized_keys").iterdir())
    assert len((root / "data/saint/webd/token").read_text().strip()) >= 20
    assert "open sesame" in (root / "run/saint/wpa_supplicant-wlan0.conf").read_text()


def test_secret_leaves_the_boot_partition_and_still_holds(root: Path) -> None:
    file = root / "boot/firmware/saint.yaml"
    file.write_text(YAML)
    run(root)
    assert "open sesame" not in file.read_text()
    assert file.read_text() == YAML.replace("open sesame", f'"{KEPT}"')
    assert (root / "data/setup/machine.yaml").stat().st_mode & 0o077 in (0o040, 0o000)
    work, _ = run(root)
    assert work.problems == []
    assert "open sesame" in (root / "run/saint/wpa_supplicant-wlan0.conf").read_text()


def test_secret_stays_when_it_cannot_be_kept(root: Path) -> None:
    file = root / "boot/firmware/saint.yaml"
    file.write_text(YAML)
    (root / "run/saint-data-lost").touch()
    work, _ = run(root)
    assert "open sesame" in file.read_text()
    assert "lost at the next start" in work.problems[0]


@pytest.fixture
def read_only_data(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a card leaves it that the kernel has made read-only."""

    def write(path: Path, data: bytes, mode: int = 0o640) -> None:
        if path.is_relative_to(root / "data"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        write_atomic(path, data, mode)

    monkeypatch.setattr(adapters, "write_atomic", write)
    monkeypatch.setattr(state, "write_atomic", write)


@pytest.mark.usefixtures("read_only_data")
def test_server_without_a_place_for_its_secret_starts_without_a_hotspot(root: Path) -> None:
    """Never an open one; the rest of the robot works, on its cable."""
    (root / "boot/firmware/saint.yaml").write_text("role: server\n")
    work, recorder = run(root)
    assert recorder.targets == ("saint-server.target",)
    assert (root / "run/systemd/network/10-saint-internal.network").exists()
    assert (root / "run/saint/dnsmasq.conf").exists()
    assert not (root / "run/saint/wpa_supplicant-wlan0.conf").exists()
    assert not (root / "run/systemd/network/20-saint-hotspot.network").exists()
    (problem,) = [each for each in work.problems if "hotspot" in each]
    assert "hotspot: {secret: ...} in saint.yaml" in problem
    assert problem in json.loads((root / "run/saint/setup.json").read_text())["problems"]
    assert "No hotspot" in (root / "run/issue.d/saint.issue").read_text()
    assert json.loads((root / "run/saint/outside.json").read_text())["hotspot"] == ""


@pytest.mark.usefixtures("read_only_data")
@pytest.mark.parametrize(
    "settings",
    ["role: node", "{role: server, hotspot: {secret: our own secret}}",
     "{role: server, wifi: {ssid: stage, secret: open sesame}}"],
)  # fmt: skip
def test_machine_that_needs_no_secret_of_its_own_misses_none(root: Path, settings: str) -> None:
    (root / "boot/firmware/saint.yaml").write_text(settings)
    work, recorder = run(root)
    assert len(recorder.targets) == 1
    assert not any("hotspot" in each for each in work.problems)
    has_radio = (root / "run/saint/wpa_supplicant-wlan0.conf").exists()
    assert has_radio == ("server" in settings)


@pytest.mark.usefixtures("read_only_data")
def test_robot_with_an_owner_shows_no_code_on_a_card_that_is_read_only(root: Path) -> None:
    (root / "data/saint/webd").mkdir(parents=True)
    (root / "data/saint/webd/claimed").touch()
    (root / "boot/firmware/saint.yaml").write_text(
        "{role: server, claim: of-the-first-day-0000000}"
    )
    run(root)
    assert "claim code" not in (root / "run/issue.d/saint.issue").read_text()


def test_second_run_changes_nothing(root: Path) -> None:
    (root / "boot/firmware/saint.yaml").write_text(YAML)
    run(root)
    before = everything_written(root)
    run(root)
    assert everything_written(root) == before


def test_wrong_setting_starts_a_node_and_says_why(root: Path) -> None:
    file = root / "boot/firmware/saint.yaml"
    file.write_text("role: servr\n")
    _, recorder = run(root)
    assert recorder.targets == ("saint-node.target",)
    report = json.loads((root / "run/saint/setup.json").read_text())
    assert "saint.yaml, line 1: role" in report["problems"][0]
    greeting = (root / "run/saint/settings-problem").read_text()
    assert greeting == "".join(f"{problem}.\n" for problem in report["problems"])
    assert file.read_text() == "role: servr\n"


def test_change_of_role_takes_the_other_roles_files_away(root: Path) -> None:
    file = root / "boot/firmware/saint.yaml"
    file.write_text("role: server\n")
    run(root)
    assert (root / "run/saint/dnsmasq.conf").exists()
    file.write_text("role: node\n")
    run(root)
    assert not (root / "run/saint/dnsmasq.conf").exists()


def test_bytes_that_are_no_text_stop_nothing(root: Path) -> None:
    (root / "boot/firmware/saint.yaml").write_bytes(b"\xff\xfe\x00role")
    work, recorder = run(root)
    assert recorder.targets == ("saint-node.target",)
    assert "cannot be read" in work.problems[0]


def test_file_from_windows_is_read(root: Path) -> None:
    (root / "boot/firmware/saint.yaml").write_bytes(
        b"\xef\xbb\xbfrole: both\r\nhostname: stage\r\n"
    )
    work, recorder = run(root)
    assert work.problems == []
    assert recorder.hostname == "stage"


def test_damaged_kept_settings_are_set_aside(root: Path) -> None:
    (root / "data/setup").mkdir()
    (root / "data/setup/machine.yaml").write_text("{{{")
    (root / "boot/firmware/saint.yaml").write_text("role: server\n")
    work, recorder = run(root)
    assert recorder.targets == ("saint-server.target",)
    assert any("kept as" in problem for problem in work.problems)


@pytest.mark.parametrize("typo", ["role: servr\n", ""])
def test_damaged_kept_settings_and_a_typo_leave_a_server_a_server(root: Path, typo: str) -> None:
    file = root / "boot/firmware/saint.yaml"
    file.write_text(YAML)
    run(root)
    (root / "data/setup/machine.yaml").write_bytes(b"\0" * 400)
    file.write_text(typo)
    work, recorder = run(root)
    assert recorder.targets == ("saint-server.target",)
    assert "open sesame" in (root / "run/saint/wpa_supplicant-wlan0.conf").read_text()
    assert any("The last good copy is in force" in each for each in work.problems)
    for path in (root / "data/setup").iterdir():
        assert path.stat().st_mode & 0o007 == 0, path


def test_token_that_webd_made_stays(root: Path) -> None:
    token = root / "data/saint/webd/token"
    token.parent.mkdir(parents=True)
    token.write_text("made-by-webd-0123456789\n")
    (root / "boot/firmware/saint.yaml").write_text("role: server\n")
    run(root)
    assert token.read_text() == "made-by-webd-0123456789\n"
    assert "made-by-webd-0123456789" in (root / "run/issue.d/saint.issue").read_text()


def test_claim_of_the_owner_becomes_the_token(root: Path) -> None:
    (root / "boot/firmware/saint.yaml").write_text(
        "role: server\nclaim: owner-chose-this-long-word\n"
    )
    run(root)
    run(root)
    assert (root / "data/saint/webd/token").read_text() == "owner-chose-this-long-word\n"
    assert "owner-chose" not in (root / "boot/firmware/saint.yaml").read_text()


def test_robot_with_an_owner_shows_and_writes_no_code(root: Path) -> None:
    claimed = root / "data/saint/webd/claimed"
    claimed.parent.mkdir(parents=True)
    claimed.touch()
    (root / "boot/firmware/saint.yaml").write_text(
        "role: server\nclaim: owner-chose-this-long-word\n"
    )
    run(root)
    assert not (claimed.parent / "token").exists()
    shown = (root / "run/issue.d/saint.issue").read_text()
    assert "saint-server.local" in shown and "code" not in shown


def test_services_of_other_users_can_read_what_is_theirs(root: Path) -> None:
    (root / "boot/firmware/saint.yaml").write_text("role: server\n")
    before = os.umask(0o027)  # as the unit has it
    try:
        run(root)
    finally:
        os.umask(before)
    for path in ("run/systemd", "run/systemd/network", "run/saint"):
        assert (root / path).stat().st_mode & 0o005 == 0o005, path
    for file in (root / "run/systemd/network").iterdir():
        assert file.stat().st_mode & 0o004, file
    assert (root / "run/saint/dnsmasq.conf").stat().st_mode & 0o004
    assert not (root / "run/saint/wpa_supplicant-wlan0.conf").stat().st_mode & 0o077


def test_enable_pin_reaches_the_guard_by_the_machines_environment(root: Path) -> None:
    environment = root / "run/saint/machine.env"
    run(root)
    assert "SAINT_ENABLE_LINE" not in environment.read_text()
    (root / "boot/firmware/saint.yaml").write_text("enable_pin: 24\n")
    work, _ = run(root)
    assert work.problems == []
    assert "SAINT_ENABLE_LINE=24\n" in environment.read_text()


USER_DATA = f"hostname: stage\nssh_authorized_keys:\n- {KEY}\n"
NETWORK = """network:
  wifis:
    wlan0:
      access-points:
        home:
          password: sweet home
"""


def keys_in_force(root: Path) -> str:
    return "".join(path.read_text() for path in (root / "data/ssh/authorized_keys").iterdir())


def wifi_in_force(root: Path) -> str:
    path = root / "run/saint/wpa_supplicant-wlan0.conf"
    return path.read_text() if path.exists() else ""


@pytest.fixture
def card(root: Path) -> Path:
    """The boot partition of a node that started with Imager's files."""
    firmware = root / "boot/firmware"
    (firmware / "config.txt").touch()
    (firmware / "user-data").write_text(USER_DATA)
    (firmware / "network-config").write_text(NETWORK)
    work, _ = run(root)
    assert work.problems == []
    return firmware


@pytest.mark.parametrize(
    "spoiled",
    [USER_DATA.replace("stage", "Robo_1").encode(), USER_DATA.encode() + b"# \xfc\n",
     b"hostname: [", bytes(80)],
)  # fmt: skip
def test_typo_in_user_data_leaves_the_keys(root: Path, card: Path, spoiled: bytes) -> None:
    (card / "user-data").write_bytes(spoiled)
    for _ in range(2):
        work, recorder = run(root)
        assert KEY in keys_in_force(root)
        assert recorder.hostname == "stage"
        assert "sweet home" in wifi_in_force(root)
        assert any(each.startswith("user-data") for each in work.problems)
        assert (card / "user-data").read_bytes() == spoiled


def test_typo_in_network_config_leaves_the_wifi_and_its_password(root: Path, card: Path) -> None:
    file = card / "network-config"
    clean = file.read_text()
    assert "sweet home" not in clean
    file.write_text(clean.replace("    wlan0", "\twlan0"))
    work, _ = run(root)
    assert "sweet home" in wifi_in_force(root)
    assert KEY in keys_in_force(root)
    assert work.problems[0].startswith("network-config, line 3: ")
    file.write_text(clean)
    work, _ = run(root)
    assert work.problems == []
    assert "sweet home" in wifi_in_force(root)


def test_valid_file_that_lacks_a_key_takes_it_away(root: Path, card: Path) -> None:
    """And nothing brings it back: not a typo in that file later, nor one in another."""
    (card / "user-data").write_text("hostname: stage\n")
    run(root)
    assert keys_in_force(root) == ""
    for name in ("user-data", "network-config", "saint.yaml"):
        (card / name).write_text("a: [")
        _, recorder = run(root)
        assert keys_in_force(root) == ""
        assert recorder.hostname == "stage"


def test_key_that_is_removed_while_another_file_is_wrong_goes(root: Path, card: Path) -> None:
    (card / "saint.yaml").write_text("role: server\n")
    run(root)
    (card / "saint.yaml").write_text("role: servr\n")
    (card / "user-data").write_text("hostname: stage\n")
    _, recorder = run(root)
    assert keys_in_force(root) == ""
    assert recorder.targets == ("saint-server.target",)
    assert "sweet home" in wifi_in_force(root)


def test_boot_partition_that_is_not_there_takes_no_keys_and_no_wifi(root: Path, card: Path) -> None:
    texts = {file.name: file.read_bytes() for file in card.iterdir()}
    for file in card.iterdir():
        file.unlink()
    work, recorder = run(root)
    assert any("not mounted" in each for each in work.problems)
    assert KEY in keys_in_force(root)
    assert "sweet home" in wifi_in_force(root)
    for name, data in texts.items():
        (card / name).write_bytes(data)
    work, recorder = run(root)
    assert work.problems == []
    assert recorder.hostname == "stage"
    assert "sweet home" in wifi_in_force(root)


def test_misspelt_wifi_beside_a_kept_password_leaves_the_wifi(root: Path, card: Path) -> None:
    file = card / "saint.yaml"
    file.write_text("wifi: {ssid: den, secret: open sesame}\n")
    run(root)
    clean = file.read_text()
    file.write_text(clean.replace("den", "dem"))
    work, _ = run(root)
    (problem,) = work.problems
    assert problem.startswith("saint.yaml: ") and "dem" in problem and "den stays" in problem
    assert "open sesame" in wifi_in_force(root)
    file.write_text(clean)
    work, _ = run(root)
    assert work.problems == []
    assert "open sesame" in wifi_in_force(root)


def test_password_that_is_not_stored_names_its_file(root: Path, card: Path) -> None:
    (card / "network-config").write_text(NETWORK.replace("home", "den").replace(
        "sweet den", f'"{KEPT}"'))  # fmt: skip
    work, _ = run(root)
    (problem,) = work.problems
    assert problem.startswith("network-config: ") and "saint.yaml" not in problem
    assert "sweet home" in wifi_in_force(root)


def screen(root: Path) -> str:
    return "".join(path.read_text() for path in sorted((root / "run/issue.d").glob("*.issue")))


def test_screen_says_what_is_wrong_with_the_settings_until_they_are_right(root: Path) -> None:
    """Without a server there is no page, without keys no ssh."""
    file = root / "boot/firmware/saint.yaml"
    file.write_text("role: serv\\er\n")
    run(root)
    assert "SAINT.OS node" in screen(root).splitlines()[0]
    assert "\nsaint.yaml, line 1: role must be" in screen(root)
    assert "serv\\\\\\\\er" in screen(root), "agetty reads a backslash as a command"
    file.write_text("role: server\n")
    run(root)
    assert "saint.yaml" not in screen(root)


def test_screen_says_what_went_wrong_later(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(adapters, "make_host_key", refuse)
    run(root)
    assert "making the ssh host key failed" in screen(root)


def test_mistake_in_saint_yaml_leaves_imagers_keys_and_wifi_at_the_first_start(root: Path) -> None:
    firmware = root / "boot/firmware"
    (firmware / "user-data").write_text(USER_DATA)
    (firmware / "network-config").write_text(NETWORK)
    (firmware / "saint.yaml").write_text("role:\tserver\ncountry: gb\n")
    for _ in range(2):
        _, recorder = run(root)
        assert recorder.hostname == "stage"
        assert KEY in keys_in_force(root)
        assert "sweet home" in wifi_in_force(root)
    (firmware / "saint.yaml").write_text("role: server\n")
    work, recorder = run(root)
    assert work.problems == []
    assert recorder.targets == ("saint-server.target",)
    assert "sweet home" in wifi_in_force(root)


@pytest.mark.parametrize("block", ["|-", ">-"])
def test_password_in_a_block_leaves_a_file_that_can_be_read(root: Path, block: str) -> None:
    file = root / "boot/firmware/saint.yaml"
    file.write_text(
        f"role: server\nwifi:\n  ssid: stage\n  secret: {block}\n    open sesame\n  country: GB\n"
    )
    for _ in range(2):
        work, recorder = run(root)
        assert work.problems == []
        assert recorder.targets == ("saint-server.target",)
        assert "open sesame" in wifi_in_force(root)
        assert "sesame" not in file.read_text()


def test_file_whose_secrets_cannot_be_replaced_is_left(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise ValueError("the secret cannot be replaced")

    monkeypatch.setattr(yaml_secrets, "replaced", refuse)
    file = root / "boot/firmware/saint.yaml"
    file.write_text(YAML)
    for _ in range(2):
        work, _ = run(root)
        assert "the secrets in saint.yaml stay on the boot partition" in work.problems[0]
        assert file.read_text() == YAML
        assert "open sesame" in wifi_in_force(root)


def test_namespace_of_an_older_release_takes_no_keys_and_no_role(root: Path) -> None:
    """It accepted letters with which no daemon starts."""
    file = root / "boot/firmware/saint.yaml"
    file.write_text(f"{YAML}network: {{ros_namespace: bjorn}}\n")
    run(root)
    for path in (file, *(root / "data/setup").glob("machine.yaml*")):
        path.write_text(path.read_text().replace("bjorn", "björn"))
    work, recorder = run(root)
    (problem,) = work.problems
    assert "saint.yaml" in problem and "ros_namespace" in problem
    assert recorder.targets == ("saint-server.target",)
    assert KEY in keys_in_force(root)
    assert "open sesame" in wifi_in_force(root)
    assert "SAINT_ROS_NAMESPACE" not in (root / "run/saint/machine.env").read_text()
