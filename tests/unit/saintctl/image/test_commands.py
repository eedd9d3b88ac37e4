"""`saintctl image` writing into files: content of the card, refusals."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.flash.fat import Fat32
from saint_services.lib.flash.writer import Progress, Target, Written
from saint_services.saintctl.app import app
from saint_services.saintctl.image import settings
from saint_services.saintctl.image.settings import CardOptions
from saint_services.setup import sources
from saint_services.setup.config import Machine
from saint_services.setup.kept_settings import KeptSettings
from tests.unit.lib.flash.flash_images import FAT_BYTES, FAT_START, MIB, disk_image

pytestmark = pytest.mark.slow

IMAGE = disk_image(small=True)
WITH_FAT = disk_image()
SMALL_END = FAT_START + MIB  # of the small image's first partition
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0q8mG5vFbUOZ3mVvGHO5ZJH4eTqkR3uZ0m6w8x2h1Q me@laptop"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image of a release."""
    path = tmp_path_factory.mktemp("image") / "saint-os-0.2.0.img"
    path.write_bytes(IMAGE)
    return path


@pytest.fixture(scope="module")
def settable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image with a FAT32 partition for settings."""
    path = tmp_path_factory.mktemp("image") / "saint-os-0.2.0.img"
    path.write_bytes(WITH_FAT)
    return path


def _call(*words: object, text: str = "") -> Result:
    return CliRunner().invoke(app, ["image", *map(str, words)], input=text)


def _flash(card: Path, image: Path, *words: object) -> Result:
    return _call("flash", card, "--image", image, "--yes", *words)


def _settings(card: Path) -> Machine:
    content = card.read_bytes()[FAT_START : FAT_START + FAT_BYTES]
    text = Fat32(bytearray(content)).read("saint.yaml")
    assert text is not None
    outcome = sources.read({"saint.yaml": text.decode()}, KeptSettings(), "saint")  # as the robot
    assert outcome.problems == []
    return outcome.machine


def test_card_holds_the_image(tmp_path: Path, image: Path) -> None:
    card = tmp_path / "card.img"
    result = _flash(card, image)
    assert result.exit_code == 0, result.output
    assert card.read_bytes() == IMAGE
    assert "holds saint-os-0.2.0.img" in result.stdout


def test_options_land_in_the_settings_of_the_machine(tmp_path: Path, settable: Path) -> None:
    card, key = tmp_path / "card.img", tmp_path / "id.pub"
    key.write_text(f"# mine\n{KEY}\n")
    secret, claim = tmp_path / "wifi", tmp_path / "claim"
    secret.write_text("correct horse\n")
    words = ("--role", "server", "--hostname", "robot-1", "--wifi-ssid", "Bär & Co")
    words += ("--wifi-country", "GB", "--wifi-secret-file", str(secret))
    result = _flash(card, settable, *words, "--ssh-key", key, "--claim-file", claim, "--simulated")
    assert result.exit_code == 0, result.output
    found = _settings(card)
    assert (found.role, found.hostname, found.hardware) == ("server", "robot-1", "sim")
    assert found.wifi is not None
    assert (found.wifi.ssid, found.wifi.secret) == ("Bär & Co", "correct horse")
    assert found.ssh.keys == [KEY]
    assert found.claim == claim.read_text().strip()


@pytest.mark.parametrize(
    "secret",
    ["0891234567", "0171234589", "1234567e8", "0o1234567", "0x1234567", "12345678", "1.2345678",
     "1:30:30:30", "2026-01-01", "# sesame", "'sesame'", '"sesame" ', "sesame: x", "-.12345678"],
)  # fmt: skip
@pytest.mark.parametrize("ssid", ["089", "1e5", "on", "~", "null", ".inf", "Bär\U0001f43b"])
def test_password_and_name_of_any_form_are_what_the_robot_reads(ssid: str, secret: str) -> None:
    made = settings.files(CardOptions(role="server", wifi_ssid=ssid, wifi_secret=secret))
    outcome = sources.read({"saint.yaml": made["saint.yaml"].decode()}, KeptSettings(), "saint")
    assert outcome.problems == []
    wifi = outcome.machine.wifi
    assert wifi is not None
    assert (wifi.ssid, wifi.secret) == (ssid, secret)


def test_made_claim_code_is_kept_for_its_owner_alone(tmp_path: Path, settable: Path) -> None:
    claim = tmp_path / "claim"
    assert _flash(tmp_path / "a.img", settable, "--claim-file", claim).exit_code == 0
    assert stat.S_IMODE(claim.stat().st_mode) == 0o600
    code = claim.read_text().strip()
    assert _flash(tmp_path / "b.img", settable, "--claim-file", claim).exit_code == 0
    assert _settings(tmp_path / "b.img").claim == code


def test_no_options_leave_the_image_unchanged(tmp_path: Path, image: Path) -> None:
    card = tmp_path / "card.img"
    assert "It has no settings" in _flash(card, image).stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--role", "boss"), "role"),
        (("--hostname", "My Robot"), "hostname"),
        (("--wifi-country", "GB"), "Add --wifi-ssid"),
        (("--wifi-ssid", "net", "--wifi-secret-file", "SHORT"), "8 to 63"),
        (("--wifi-ssid", "net", "--wifi-secret-file", "NOTHING"), "cannot be read"),
        (("--wifi-ssid", "net"), "--wifi-secret-file"),
        (("--ssh-key", "PRIVATE"), "Name the public key"),
        (("--ssh-key", "SHORT"), "must hold public keys only"),
        (("--claim-file", "SHORT"), "claim must be 20 to 128"),
    ],
)
def test_wrong_option_is_refused_before_the_card_is_written(
    tmp_path: Path, image: Path, words: tuple[str, ...], text: str
) -> None:
    (tmp_path / "SHORT").write_text("abc")
    (tmp_path / "PRIVATE").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n")
    named = [str(tmp_path / word) if word.isupper() else word for word in words]
    named = [word if word != str(tmp_path / "GB") else "GB" for word in named]
    card = tmp_path / "card.img"
    card.write_bytes(b"precious")
    result = _flash(card, image, *named)
    assert result.exit_code != 0
    assert text in result.stderr
    assert card.read_bytes() == b"precious"


def test_secret_is_never_printed(tmp_path: Path, image: Path) -> None:
    (tmp_path / "wifi").write_text("sesam")
    words = ("--wifi-ssid", "net", "--wifi-secret-file", tmp_path / "wifi")
    assert "sesam" not in _flash(tmp_path / "card.img", image, *words).output


def test_full_file_is_not_overwritten_without_confirmation(tmp_path: Path, image: Path) -> None:
    card = tmp_path / "card.img"
    card.write_bytes(b"precious")
    result = _call("flash", card, "--image", image)
    assert result.exit_code == 2
    assert "Add --yes" in result.stderr
    assert card.read_bytes() == b"precious"


@pytest.mark.parametrize("device", ["/dev/null", "/dev/no-such-disk", "/no/such/folder/card.img"])
def test_device_that_is_no_disk_is_refused(image: Path, device: str) -> None:
    result = _call("flash", device, "--image", image, "--yes")
    assert result.exit_code == 4
    assert f"there is no disk {device}" in result.stderr
    assert not Path("/dev/no-such-disk").exists()


@pytest.fixture
def checkout(tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout after `make image bundle`: the bundle's slot is the youngest file."""
    built = tmp_path / "checkout" / "build" / "image"
    built.mkdir(parents=True)
    monkeypatch.setenv("SAINT_SHARE", str(tmp_path / "checkout"))
    packed = subprocess.run(["zstd", "-q", "-c", image], capture_output=True, check=True).stdout
    content = {".img": IMAGE, ".cdx.json": b"{}", ".packages.txt": b"", ".img.zst": packed}
    made = [("saint-os-0.2.0" + end, data) for end, data in content.items()]
    made += [("os_list.json", b"{}"), ("saint-os-0.2.0.rootfs.img", b"a file system" * 100)]
    made += [("saint-os-0.2.0.raucb", b"hsqs" * 200), ("manifest.json", b"{}")]
    for age_s, (name, data) in enumerate(reversed(made)):
        (built / name).write_bytes(data)
        os.utime(built / name, (2_000_000_000 - age_s,) * 2)
    return built


def test_newest_image_of_a_checkout_is_no_slot(tmp_path: Path, checkout: Path) -> None:
    card = tmp_path / "card.img"
    result = _call("flash", card, "--yes")
    assert result.exit_code == 0, result.output
    assert card.read_bytes() == IMAGE
    assert "holds saint-os-0.2.0.img.zst" in result.stdout
    result = _call("verify", card)
    assert result.exit_code == 0, result.output


def test_checkout_with_nothing_but_a_slot_has_no_image(tmp_path: Path, checkout: Path) -> None:
    for name in ("saint-os-0.2.0.img", "saint-os-0.2.0.img.zst"):
        (checkout / name).unlink()
    result = _call("flash", tmp_path / "card.img", "--yes")
    assert result.exit_code == 4
    assert "run make image" in result.stderr


def test_missing_image_is_named(tmp_path: Path) -> None:
    result = _call("flash", tmp_path / "card.img", "--image", tmp_path / "nothing.img.zst")
    assert result.exit_code == 4
    assert "nothing.img.zst" in result.stderr


def test_interrupted_flash_reports_an_incomplete_card(
    tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pulled_out(_self: Target, _written: Written, _progress: Progress) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Target, "verify", pulled_out)
    card = tmp_path / "card.img"
    result = _flash(card, image)
    assert result.exit_code == 130
    assert "is incomplete and does not start" in result.stderr
    assert not card.read_bytes()[:512].strip(b"\0")


def test_json_reports_the_result(tmp_path: Path, settable: Path) -> None:
    result = _flash(tmp_path / "card.img", settable, "--role", "both", "--json")
    text = json.loads(result.stdout)
    assert text["size_bytes"] == len(WITH_FAT)
    assert text["settings"] == ["saint.yaml"]


def test_verify_accepts_a_card_with_settings(tmp_path: Path, settable: Path) -> None:
    card = tmp_path / "card.img"
    _flash(card, settable, "--role", "server")
    result = _call("verify", card, "--image", settable)
    assert result.exit_code == 0, result.output
    assert "with settings of its own" in result.stdout


@pytest.mark.parametrize("place", [0, FAT_START - 1, SMALL_END, len(IMAGE) - 1])
def test_verify_names_the_place_that_differs(tmp_path: Path, image: Path, place: int) -> None:
    card = tmp_path / "card.img"
    changed = bytearray(IMAGE)
    changed[place] ^= 1
    card.write_bytes(changed)
    result = _call("verify", card, "--image", image)
    assert result.exit_code == 3
    assert f"differs from saint-os-0.2.0.img at {place >> 20} MiB" in result.stderr


def test_verify_finds_a_card_that_ends_early(tmp_path: Path, image: Path) -> None:
    card = tmp_path / "card.img"
    card.write_bytes(IMAGE[:-512])
    assert _call("verify", card, "--image", image).exit_code == 3


def test_list_shows_disks_with_reasons() -> None:
    result = _call("list", "--json")
    assert result.exit_code == 0
    for disk in json.loads(result.stdout):
        assert disk["refusal"] or disk["connection"] != "internal"
