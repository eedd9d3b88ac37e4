"""`saintctl image keys`: who signs, whom an image trusts, what to keep."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saint_services.saintctl.app import app
from saint_services.saintctl.image import signing


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "image/trust").mkdir(parents=True)
    (tmp_path / "image/trust/README.md").touch()
    return tmp_path


def said(checkout: Path, **environment: str) -> str:
    environment.setdefault("XDG_DATA_HOME", str(checkout / "data"))
    return "\n".join(signing.sentences(signing.describe(checkout, environment)))


def test_checkout_without_an_authority_signs_and_trusts_for_this_computer_alone(
    checkout: Path,
) -> None:
    text = said(checkout)
    folder = checkout / "data/saint-os/development-keys"
    assert f"signs with the development key in {folder}, which the first build makes" in text
    assert f"Keep a copy of {folder}" in text
    assert "SAINT_SIGN_CERT=" in text and signing.GUIDE in text
    folder.mkdir(parents=True)
    assert "which the first build makes" not in said(checkout)


def test_checkout_with_an_authority_trusts_it_alone(checkout: Path) -> None:
    (checkout / "image/trust/authority-1.pem").touch()
    text = said(checkout, SAINT_SIGN_CERT="/k/signer.pem", SAINT_SIGN_KEY="/k/signer.key")
    assert "signs with /k/signer.pem." in text
    assert "trusts image/trust/authority-1.pem." in text
    assert "development" not in text
    text = said(checkout, SAINT_TRUST_DEVELOPMENT="1")
    assert "trusts image/trust/authority-1.pem, the development key of this computer." in text


def test_command_prints_it_and_says_where_it_works(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAINT_SHARE", str(checkout))
    monkeypatch.setenv("SAINT_KEYS", str(checkout / "k"))
    runner = CliRunner()
    assert str(checkout / "k") in runner.invoke(app, ["image", "keys"]).output.replace("\n", "")
    shown = json.loads(runner.invoke(app, ["image", "keys", "--json"]).output)
    assert (shown["signer"], shown["trusts_development"]) == ("", True)
    (checkout / "image/trust/README.md").unlink()
    refused = runner.invoke(app, ["image", "keys"])
    assert refused.exit_code != 0 and "is no checkout" in refused.output.replace("\n", " ")
