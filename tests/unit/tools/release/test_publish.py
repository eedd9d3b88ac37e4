"""The folder that robots follow by HTTPS."""

import hashlib
import json
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.otad.sources import address, remote_manifest
from tools.fake_rauc.bundle_writer import Keys, Release, make_keys, write_bundle
from tools.release.__main__ import main
from tools.release.publish import publish


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return make_keys(tmp_path_factory.mktemp("keys"))


def made(folder: Path, keys: Keys, version: str, payload: bytes = b"x") -> Path:
    release = Release(version=version, changelog="what is new", payload=payload)
    return write_bundle(folder / f"{version}.raucb", release, keys)


def test_folder_is_what_a_robot_reads(tmp_path: Path, keys: Keys) -> None:
    bundle = made(tmp_path, keys, "1.2.0")
    assert publish(bundle, tmp_path / "www") == "1.2.0"
    found = remote_manifest.read((tmp_path / "www/manifest.json").read_bytes(), "manifest.json")
    assert found is not None
    path = address.bundle("", found.version).lstrip("/")
    content = (tmp_path / "www" / path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == found.checksum_sha256
    assert len(content) == found.size_bytes
    assert json.loads((tmp_path / "www/manifest.json").read_text())["firmware"]["changelog"]


def test_newest_release_is_named_and_older_ones_stay(tmp_path: Path, keys: Keys) -> None:
    for version in ("1.1.0", "1.2.0"):
        publish(made(tmp_path, keys, version), tmp_path / "www")
    names = sorted(path.name for path in (tmp_path / "www/archive").iterdir())
    assert names == ["v1.1.0", "v1.2.0"]
    named = json.loads((tmp_path / "www/manifest.json").read_text())["firmware"]["version"]
    assert named == "1.2.0"


def test_published_bundle_never_changes(tmp_path: Path, keys: Keys) -> None:
    bundle = made(tmp_path, keys, "1.2.0")
    publish(bundle, tmp_path / "www")
    publish(bundle, tmp_path / "www")  # the same again
    with pytest.raises(SaintError) as caught:
        publish(made(tmp_path, keys, "1.2.0", b"other"), tmp_path / "www")
    assert caught.value.code is Code.CONFLICT


def test_file_that_is_no_bundle_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.raucb").write_bytes(b"x" * 9000)
    words = ["tools.release", "publish", str(tmp_path / "x.raucb"), str(tmp_path / "www")]
    monkeypatch.setattr("sys.argv", words)
    assert main() != 0
    assert "Release rejected" in capsys.readouterr().err
    assert not (tmp_path / "www").exists()
