"""Name and Wi-Fi changed while the machine runs, and taken back when the robot would be lost."""

import errno
import os
from pathlib import Path

import pytest

from saint_services.lib import state
from saint_services.lib.api.machine import NetworkStatus
from saint_services.setup import overrides
from saint_services.setup.adapters import SetupPaths
from saint_services.setup.change import SettingsChange
from saint_services.setup.config import Machine
from tests.unit.setup.fake_radio import WPA, FakeRadio, change
from tests.unit.setup.recorder import run

STAGE = {"ssid": "stage", "password": "open sesame"}
CARD = "role: server\nwifi:\n  ssid: home\n  secret: sweet home\n"


@pytest.fixture
def radio(root: Path) -> FakeRadio:
    """Of a server that is in the network of its card."""
    (root / "sys/class/net/wlan0").mkdir(parents=True)
    (root / "boot/firmware/saint.yaml").write_text(CARD)
    run(root)
    known = {"home": ("sweet home", "192.168.1.5/24"), "stage": ("open sesame", "10.0.0.7/24")}
    return FakeRadio(root, known)


def outside(root: Path) -> NetworkStatus:
    return NetworkStatus.model_validate_json((root / "run/saint/outside.json").read_bytes())


def kept(root: Path) -> overrides.Overrides:
    return overrides.store(root / "data").load()


def test_network_that_gives_an_address_is_kept(root: Path, radio: FakeRadio) -> None:
    published = change(root, radio, join=STAGE)
    assert published.state == "done"
    assert published.message == "The server uses the Wi-Fi stage (10.0.0.7/24)."
    assert outside(root) == NetworkStatus(hostname="saint-server", wifi="stage", has_radio=True)
    run(root)  # the next start
    assert "open sesame" in (root / WPA).read_text()


def test_network_that_cannot_be_saved_is_left_again(
    root: Path, radio: FakeRadio, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, _: bytes, mode: int = 0o640) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(state, "write_atomic", refuse)
    published = change(root, radio, join=STAGE)
    assert published.state == "refused"
    assert published.message.startswith("Nothing was changed: ")
    assert "Read-only file system" in published.message
    assert radio.address() == "192.168.1.5/24"
    assert outside(root).wifi == "home"
    assert "sweet home" in (root / WPA).read_text()


def test_radio_leaves_before_its_settings_change(root: Path, radio: FakeRadio) -> None:
    change(root, radio, join=STAGE)
    unit = "wpa_supplicant@wlan0.service"
    assert radio.orders == [f"stop {unit}", f"start {unit}"]


def test_network_that_gives_no_address_is_left_after_a_minute(root: Path, radio: FakeRadio) -> None:
    before = (root / WPA).read_text()
    published = change(root, radio, join=STAGE | {"password": "wrong sesame"})
    assert published.state == "taken_back"
    assert "the network refuses this password" in published.message
    assert "back on the Wi-Fi home" in published.message
    assert radio.clock_s == pytest.approx(1060.0, abs=1.0)
    assert (root / WPA).read_text() == before
    assert radio.address() == "192.168.1.5/24"
    assert kept(root) == overrides.Overrides()
    assert outside(root).wifi == "home"


def test_address_of_the_network_before_does_not_count(root: Path, radio: FakeRadio) -> None:
    radio.keeps = "192.168.1.5/24"
    assert change(root, radio, join=STAGE).state == "taken_back"
    assert kept(root) == overrides.Overrides()


def test_hotspot_comes_when_the_network_is_left(root: Path, radio: FakeRadio) -> None:
    published = change(root, radio, leave_wifi=True)
    assert published.message == "The server uses its own hotspot (192.168.11.1/24)."
    assert outside(root).hotspot == "saint-b2c3d4"
    assert "reload systemd-networkd.service" in radio.orders
    assert "reload nftables.service" in radio.orders


def test_hotspot_comes_back_after_a_network_that_is_not_there(root: Path) -> None:
    (root / "sys/class/net/wlan0").mkdir(parents=True)
    (root / "boot/firmware/saint.yaml").write_text("role: server\n")
    run(root)
    radio = FakeRadio(root, {})
    published = change(root, radio, join=STAGE)
    assert published.state == "taken_back"
    assert radio.address() == "192.168.11.1/24"
    assert (root / "run/systemd/network/20-saint-hotspot.network").exists()


def test_end_of_the_job_brings_the_network_back(root: Path, radio: FakeRadio) -> None:
    def end(_: float) -> None:
        raise SystemExit(1)

    radio.pause = end  # type: ignore[method-assign]  # as SIGTERM does while it waits
    with pytest.raises(SystemExit):
        change(root, radio, join=STAGE | {"password": "wrong sesame"})
    assert "sweet home" in (root / WPA).read_text()
    assert radio.is_on


def test_name_holds_at_once_and_after_the_next_start(root: Path, radio: FakeRadio) -> None:
    published = change(root, radio, hostname="robi")
    assert published.message.startswith("The server is now called robi.")
    assert "http://robi.local" in published.message
    assert radio.hostname == "robi"
    _, recorder = run(root)
    assert recorder.hostname == "robi"


def test_name_that_cannot_be_set_is_not_kept(root: Path, radio: FakeRadio) -> None:
    called: list[str] = []

    def refuse(name: str) -> None:
        called.append(name)
        if name == "robi":
            raise OSError(1, "Operation not permitted")

    radio.set_hostname = refuse  # type: ignore[method-assign]
    published = change(root, radio, hostname="robi")
    assert (published.state, called) == ("refused", ["robi", "saint-server"])
    assert kept(root) == overrides.Overrides()
    assert outside(root).hostname == "saint-server"


def test_card_that_is_written_later_has_the_last_word(root: Path, radio: FakeRadio) -> None:
    change(root, radio, join=STAGE)
    change(root, radio, hostname="robi")
    text = CARD.replace("home", "rescue").replace("sweet rescue", "rescue me")
    (root / "boot/firmware/saint.yaml").write_text(text + "hostname: stage\n")
    _, recorder = run(root)
    assert recorder.hostname == "stage"
    assert "rescue me" in (root / WPA).read_text()


def test_choice_stands_above_the_card_that_did_not_change() -> None:
    card = Machine(role="server", hostname="old")
    choice = overrides.with_hostname(overrides.Overrides(), card, "new")
    assert overrides.over(card, choice).hostname == "new"
    assert overrides.over(card.model_copy(update={"hostname": "other"}), choice).hostname == "other"


def test_machine_without_a_radio_refuses(root: Path, radio: FakeRadio) -> None:
    (root / "sys/class/net/wlan0").rmdir()
    published = change(root, radio, join=STAGE)
    assert (published.state, radio.orders) == ("refused", [])
    assert "no radio" in published.message


def test_password_is_for_root_alone_and_in_no_message(
    root: Path, radio: FakeRadio, capfd: pytest.CaptureFixture[str]
) -> None:
    change(root, radio, join=STAGE | {"password": "wrong sesame"})
    change(root, radio, join=STAGE)
    said = capfd.readouterr()
    published = [path.read_text() for path in (root / "run/saint").glob("*.json")]
    assert not any("sesame" in text for text in (*published, said.out, said.err))
    assert (root / "data/setup/chosen.yaml").stat().st_mode & 0o007 == 0
    assert (root / WPA).stat().st_mode & 0o077 == 0


def test_request_that_cannot_be_read_changes_nothing(root: Path, radio: FakeRadio) -> None:
    request = root / "run/saint-settings/request"
    request.parent.mkdir()
    request.write_text('{"join": {"ssid": "stage", "password": "short"}}')
    SettingsChange(SetupPaths(root), radio).run()
    assert not request.exists()
    assert radio.orders == []
    assert "short" not in (root / "run/saint/change.json").read_text()


def test_no_request_changes_no_state(root: Path, radio: FakeRadio) -> None:
    SettingsChange(SetupPaths(root), radio).run()
    assert not (root / "run/saint/change.json").exists()
