"""A sealed secret opens with its passphrase only."""

import json

import pytest

from saint_services.lib.crypto import sealing
from saint_services.lib.errors import SaintError

PASSPHRASE = "five words that nobody guesses"
SECRET = bytes(range(32))


@pytest.fixture(scope="module")
def sealed() -> str:
    return sealing.seal(SECRET, PASSPHRASE)


def test_sealed_secret_comes_back_with_its_passphrase(sealed: str) -> None:
    assert sealing.unseal(sealed, PASSPHRASE) == SECRET
    assert SECRET.hex() not in sealed


def test_secret_is_never_sealed_twice_the_same_way(sealed: str) -> None:
    assert sealing.seal(SECRET, PASSPHRASE) != sealed


@pytest.mark.parametrize("passphrase", ["", PASSPHRASE + " ", PASSPHRASE.upper()])
def test_wrong_passphrase_opens_nothing(sealed: str, passphrase: str) -> None:
    with pytest.raises(SaintError, match="passphrase is wrong"):
        sealing.unseal(sealed, passphrase)


@pytest.mark.parametrize("change", [{"box": "AAAA"}, {"salt": "AA"}, {"label": "x"}, {"box": 3}])
def test_damaged_text_opens_nothing(sealed: str, change: dict[str, object]) -> None:
    for text in (json.dumps(json.loads(sealed) | change), "", "[]", sealed[:-9]):
        with pytest.raises(SaintError, match="passphrase is wrong"):
            sealing.unseal(text, PASSPHRASE)


def test_short_passphrase_is_refused() -> None:
    with pytest.raises(SaintError, match="fewer than 12"):
        sealing.seal(SECRET, "elevenchars")
