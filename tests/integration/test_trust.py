"""The commands of image/trust/README.md, run as they stand there: making keys, changing them."""

import os
import random
import re
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image.places import ROOT, Places
from tools.image.tree import Tree

README = ROOT / "image" / "trust" / "README.md"
_BLOCK = re.compile(r"^```sh (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TIMEOUT_S = 60


def _tree(folder: Path) -> Tree:
    """Where OpenSSL 3.4 and RAUC are: a tools tree that is there already. None is made here."""
    places = Places.from_environment()
    named = places.tools or next(iter(sorted(places.cache.glob("tools*/usr/bin/rauc"))), None)
    if named is None or os.geteuid() != 0:
        pytest.skip("needs root and the tools tree (python -m tools.image tools)")
    path = named if named.is_dir() else named.parents[2]
    return Tree(path, (folder,))


class Maker:
    """A maker of releases, in a checkout of its own."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.keys = folder / "checkout", folder / "keys"
        (self.checkout / "image/trust").mkdir(parents=True)
        self.keys.mkdir()
        self._tree = _tree(folder)
        self._blocks = dict(_BLOCK.findall(README.read_text()))

    def follow(self, block: str, number: int = 1, **variables: object) -> str:
        """Run a block of the README, with another number where it says the first."""
        text = self._blocks[block].replace("authority-1", f"authority-{number}")
        return self.run(text.replace("signer-1", f"signer-{number}"), **variables)

    def run(self, text: str, **variables: object) -> str:
        inside = {"KEYS": str(self.keys), **{name: str(it) for name, it in variables.items()}}
        script = f"set -euo pipefail; cd '{self.checkout}'\n{text}"
        command = ["bash", "-c", script]
        return self._tree.run(command, timeout_s=_TIMEOUT_S, variables=inside).decode()

    def release(self, version: str, signer: int) -> Path:
        """A small bundle of the form that make bundle makes."""
        content = self.checkout / version
        content.mkdir()
        (content / "rootfs.img").write_bytes(random.Random(version).randbytes(65_536))
        (content / "manifest.raucm").write_text(
            f"[update]\ncompatible=test\nversion={version}\n[bundle]\nformat=verity\n"
            "[image.rootfs]\nfilename=rootfs.img\n"
        )
        bundle = self.checkout / f"{version}.raucb"
        sign = f'rauc bundle --cert="$KEYS/signer-{signer}.cert.pem"'
        sign += f' --key="$KEYS/signer-{signer}.key.pem" "{content}" "{bundle}"'
        self.run(sign)
        return bundle

    def keyring(self, name: str) -> Path:
        """What an image that is built now has."""
        path = self.checkout / name
        trusted = sorted((self.checkout / "image/trust").glob("*.pem"))
        path.write_bytes(b"".join(each.read_bytes() for each in trusted))
        return path

    def accepts(self, keyring: Path, bundle: Path) -> bool:
        """Whether a device with this keyring takes the bundle."""
        try:
            self.run(f'rauc info --keyring="{keyring}" "{bundle}"')
        except SaintError as err:
            assert "signature verification failed" in str(err)
            return False
        return True


pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    """With a first authority and a first signer."""
    maker = Maker(tmp_path_factory.mktemp("maker"))
    maker.follow("authority")
    maker.follow("signer")
    return maker


def test_authority_changes_over_two_releases(maker: Maker) -> None:
    trust = maker.checkout / "image" / "trust"
    before = maker.keyring("before.pem")
    first = maker.release("1.0", signer=1)
    assert maker.accepts(before, first)

    maker.follow("authority", 2)
    maker.follow("signer", 2)
    both = maker.keyring("both.pem")
    between = maker.release("1.1", signer=1)
    assert maker.accepts(before, between), "an old device takes the release between"

    (trust / "authority-1.pem").unlink()
    after = maker.keyring("after.pem")
    new = maker.release("1.2", signer=2)
    assert maker.accepts(both, new), "a device that runs the release between takes the new key"
    assert not maker.accepts(before, new), "a device that missed it refuses"
    assert not maker.accepts(after, between), "the old key is no longer listened to"
    assert "1.2" in maker.follow("check", BUNDLE=new)

    again = maker.checkout / "resigned.raucb"
    maker.follow("resign", OLD_AUTHORITY=before, BUNDLE=first, RESIGNED=again)
    assert maker.accepts(after, again)
    assert not maker.accepts(before, again)


def test_private_keys_are_for_their_owner_alone(maker: Maker) -> None:
    keys = sorted(maker.keys.glob("*.key.pem"))
    assert keys
    assert [path.stat().st_mode & 0o077 for path in keys] == [0] * len(keys)


def test_only_certificates_are_in_the_repository() -> None:
    for path in (ROOT / "image" / "trust").iterdir():
        text = path.read_text()
        assert "PRIVATE KEY" not in text, path


def test_certificates_are_valid_on_a_device_without_a_clock(maker: Maker) -> None:
    reported = maker.run('openssl x509 -noout -startdate -in "$KEYS/signer-1.cert.pem"')
    assert "2020" in reported
