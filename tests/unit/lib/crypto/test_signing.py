"""Signatures are valid for one purpose only; pairing codes agree only without a third party."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.crypto import signing
from saint_services.lib.crypto.signing import (
    PrivateKey,
    commitment,
    find_key,
    is_signed,
    load_key,
    make_key,
    nonce,
    pairing_code,
)
from saint_services.lib.state import last_good

KEY, OTHER = PrivateKey(b"1" * 32), PrivateKey(b"2" * 32)
PARTS = st.lists(st.text(max_size=20), min_size=1, max_size=5)


@given(PARTS, PARTS)
def test_signature_holds_for_exactly_what_was_signed(parts: list[str], others: list[str]):
    signature = KEY.sign(*parts)
    assert is_signed(KEY.public, signature, *parts)
    assert is_signed(KEY.public, signature, *others) == (parts == others)
    assert not is_signed(OTHER.public, signature, *parts)


def test_parts_cannot_be_moved_over_their_border():
    assert not is_signed(KEY.public, KEY.sign("ab", "c"), "a", "bc")


@given(st.text(max_size=140), st.text(max_size=140))
def test_garbage_is_no_signature_and_raises_nothing(public: str, signature: str):
    assert not is_signed(public, signature, "x")
    assert not is_signed(KEY.public, signature, "x")


def test_code_is_six_digits_and_differs_with_each_part():
    parts = [KEY.public, OTHER.public, nonce(), nonce()]
    same = pairing_code(*parts)
    assert same == pairing_code(*parts)
    assert len(same) == 7
    assert same.replace(" ", "").isdigit()
    codes = {same}
    for index in range(4):
        changed = list(parts)
        changed[index] = nonce()
        codes.add(pairing_code(*changed))
    assert len(codes) == 5


def test_commitment_is_to_one_nonce_of_one_key():
    said = nonce()
    assert commitment(KEY.public, said) == commitment(KEY.public, said)
    assert commitment(KEY.public, said) != commitment(KEY.public, nonce())
    assert commitment(KEY.public, said) != commitment(OTHER.public, said)


def test_key_is_made_once_and_is_nobody_elses_to_read(tmp_path: Path):
    path = tmp_path / "state" / "server.key"
    made, problem = load_key(path)
    assert (problem, path.stat().st_mode & 0o777) == ("", 0o600)
    assert load_key(path)[0].public == made.public


@pytest.mark.parametrize("content", [b"", b"abc", b"\xff" * 64, b"g" * 64, b"a" * 63, b"a" * 5000])
def test_damaged_key_is_kept_aside_and_reported(tmp_path: Path, content: bytes):
    path = tmp_path / "server.key"
    path.write_bytes(content)
    key, problem = load_key(path)
    assert "server.key" in problem
    assert (tmp_path / "server.key.damaged").read_bytes() == content
    assert load_key(path)[0].public == key.public


def test_key_that_cannot_be_kept_still_works_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(signing, "write_atomic", full)
    key, problem = load_key(tmp_path / "server.key")
    assert "No space left" in problem
    assert is_signed(key.public, key.sign("x"), "x")


DAMAGES = [None, b"", b"abc", b"\xff" * 64, b"a" * 5000]


def damage(path: Path, content: bytes | None) -> None:
    path.unlink()
    if content is not None:
        path.write_bytes(content)


@pytest.mark.parametrize("content", DAMAGES)
def test_damaged_key_comes_from_its_last_good_copy(tmp_path: Path, content: bytes | None):
    path = tmp_path / "server.key"
    made, _ = make_key(path)
    damage(path, content)
    for load in (find_key, load_key):
        key, problem = load(path)
        assert key and key.public == made.public
        assert ("last good copy" in problem) == (load is find_key)  # the copy is the file now
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", DAMAGES)
def test_key_that_is_lost_twice_is_never_replaced_by_itself(tmp_path: Path, content: bytes | None):
    path = tmp_path / "server.key"
    make_key(path)
    path.write_bytes(b"?")
    find_key(path)  # the damaged file is kept beside it
    damage(path, content)
    damage(last_good(path), content)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    key, problem = find_key(path)
    assert key is None
    assert "server.key" in problem
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_key_that_never_was_is_no_problem_and_is_not_made(tmp_path: Path):
    assert find_key(tmp_path / "server.key") == (None, "")
    assert list(tmp_path.iterdir()) == []


def test_damaged_copy_is_written_again(tmp_path: Path):
    path = tmp_path / "server.key"
    make_key(path)
    last_good(path).write_bytes(b"?")
    assert find_key(path)[1] == ""
    assert last_good(path).read_bytes() == path.read_bytes()
