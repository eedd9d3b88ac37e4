"""Development keys: where they lie, how they came from the cache, that they are made only once."""

from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.image import keys
from tools.image.places import Places
from tools.image.tree import Tree

NAMES = ("authority.key.pem", "authority.cert.pem", "signer.key.pem", "signer.cert.pem")


class OpenSsl(Tree):
    """Writes the file that a command names."""

    def run(self, command, **_: object) -> bytes:  # type: ignore[no-untyped-def, override]
        words = [str(word) for word in command]
        Path(words[words.index("-out") + 1]).write_text(" ".join(words))
        return b""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    environment = {"SAINT_CACHE": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    return Places.from_environment(environment)


TREE = OpenSsl(Path("/"), ())


def test_keys_are_no_part_of_the_cache(places: Places, tmp_path: Path) -> None:
    assert places.keys == tmp_path / "data/saint-os/development-keys"
    named = Places.from_environment({"SAINT_KEYS": str(tmp_path / "k")})
    assert named.keys == tmp_path / "k"


def test_keys_are_made_once_for_their_owner_alone(places: Places) -> None:
    said = keys.ensure_development(places, TREE)
    assert str(places.keys) in said and "must be flashed again when it is lost" in said
    assert places.keys.stat().st_mode & 0o777 == 0o700
    assert (places.keys / "authority.key.pem").stat().st_mode & 0o777 == 0o600
    before = {name: (places.keys / name).read_bytes() for name in NAMES}
    assert keys.ensure_development(places, TREE) == ""
    assert {name: (places.keys / name).read_bytes() for name in NAMES} == before


def test_keys_of_the_cache_move_and_stay_the_same(places: Places) -> None:
    places.former_keys.mkdir(parents=True)
    for name in NAMES:
        (places.former_keys / name).write_text(f"old {name}")
        (places.former_keys / name).chmod(0o600)
    assert "has moved" in keys.ensure_development(places, TREE)
    assert [(places.keys / name).read_text() for name in NAMES] == [f"old {n}" for n in NAMES]
    assert (places.keys / NAMES[0]).stat().st_mode & 0o777 == 0o600
    assert not places.former_keys.exists()


def test_move_that_was_cut_off_is_done_again(places: Places) -> None:
    test_keys_of_the_cache_move_and_stay_the_same(places)
    places.keys.rename(places.former_keys)
    half = places.keys.with_name("development-keys.unfinished")
    half.mkdir()
    (half / NAMES[0]).write_text("half")
    keys.ensure_development(places, TREE)
    assert (places.keys / NAMES[0]).read_text() == f"old {NAMES[0]}"


def test_newer_keys_are_not_replaced_by_those_of_the_cache(places: Places) -> None:
    keys.ensure_development(places, TREE)
    before = (places.keys / NAMES[0]).read_bytes()
    places.former_keys.mkdir(parents=True)
    (places.former_keys / NAMES[-1]).write_text("old")
    keys.ensure_development(places, TREE)
    assert (places.keys / NAMES[0]).read_bytes() == before


def test_keys_of_which_a_part_is_lost_are_never_made_again(places: Places) -> None:
    keys.ensure_development(places, TREE)
    (places.keys / "signer.key.pem").unlink()
    with pytest.raises(SaintError, match=r"lacks signer\.key\.pem") as caught:
        keys.signer(places, TREE, environment={})
    assert "flashed again" in caught.value.fix


def test_signer_of_the_environment_is_visible_wherever_it_lies(
    places: Places, tmp_path: Path
) -> None:
    for name in ("a.cert.pem", "a.key.pem"):
        (tmp_path / name).touch()
    named = {
        "SAINT_SIGN_CERT": str(tmp_path / "a.cert.pem"),
        "SAINT_SIGN_KEY": str(tmp_path / "a.key.pem"),
    }
    found = keys.signer(places, TREE, environment=named)
    assert tmp_path in found.visible_in(TREE).folders
    assert not places.keys.exists()
