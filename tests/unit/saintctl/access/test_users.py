"""saintctl user, token, audit and tls with the control socket of a real webd."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.saintctl.app import app
from saint_services.webd.accounts import passwords
from tests.web.fakes.robot import fake_robot

PASSWORD = "four words make it"


class Terminal:
    """A user who is logged in on the robot."""

    def __init__(self, run: Path) -> None:
        self._run = run

    async def do(self, *words: str, typed: str = "") -> Result:
        arguments = ["--run", str(self._run), *words]
        return await asyncio.to_thread(CliRunner().invoke, app, arguments, typed)

    async def add(self, name: str, role: str) -> Result:
        typed = f"{PASSWORD}\n{PASSWORD}\n"
        return await self.do("user", "add", name, "--role", role, typed=typed)


@pytest.fixture
async def terminal(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Terminal]:
    cheap = passwords.Cost(log_n=4, r=1, p=1)
    monkeypatch.setattr(passwords.hash_password, "__defaults__", (cheap,))
    with tempfile.TemporaryDirectory() as folder:  # pytest's folders are too long for a socket
        async with fake_robot(Path(folder), auth=True) as (robot, _, _):
            yield Terminal(robot.runtime)


async def test_claim_code_is_printed_until_there_is_an_owner(terminal: Terminal) -> None:
    before = await terminal.do("user", "claim-code")
    refused = await terminal.add("bob", "operator")
    first = await terminal.add("ann", "admin")
    after = await terminal.do("user", "claim-code")
    assert len(before.output.strip()) >= 20 and " " not in before.output.strip()
    assert refused.exit_code == 5
    assert (first.exit_code, after.exit_code) == (0, 0)
    assert "has an owner" in after.output


async def test_users_are_added_changed_and_removed(terminal: Terminal) -> None:
    await terminal.add("ann", "admin")
    await terminal.add("bob", "viewer")
    await terminal.do("user", "role", "bob", "operator")
    listed = await terminal.do("user", "list", "--json")
    assert {u["name"]: u["role"] for u in json.loads(listed.output)["users"]} == {
        "ann": "admin",
        "bob": "operator",
    }
    typed = "another good one\n" * 2
    assert (await terminal.do("user", "password", "bob", typed=typed)).exit_code == 0
    assert (await terminal.do("user", "remove", "bob")).output == "bob was removed.\n"
    assert (await terminal.do("user", "remove", "bob")).exit_code == 4
    assert (await terminal.do("user", "remove", "ann")).exit_code == 5


async def test_secret_of_a_token_is_printed_once(terminal: Terminal) -> None:
    made = await terminal.do("token", "add", "panel", "--role", "viewer")
    renewed = await terminal.do("token", "renew", "panel")
    listed = await terminal.do("token", "list")
    assert "panel" in listed.output and "viewer" in listed.output
    secrets = (made.output.strip(), renewed.output.strip())
    assert len(set(secrets)) == 2
    assert not any(secret in listed.output for secret in secrets)
    assert (await terminal.do("token", "revoke", "panel")).exit_code == 0
    assert (await terminal.do("token", "revoke", "panel")).exit_code == 4


async def test_audit_names_the_user_who_was_logged_in(terminal: Terminal) -> None:
    await terminal.add("ann", "admin")
    listed = await terminal.do("audit", "list", "--search", "add_user", "--json")
    entries = json.loads(listed.output)["entries"]
    assert [entry["what"] for entry in entries] == ["users add_user"]
    assert entries[0]["who"] and entries[0]["address"] == "this machine"
    assert PASSWORD not in listed.output


async def test_unknown_role_is_wrong_usage(terminal: Terminal) -> None:
    wrong = await terminal.do("user", "role", "ann", "king")
    assert wrong.exit_code == 2


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
async def test_encryption_is_switched_on_and_shows_its_fingerprint(terminal: Terminal) -> None:
    off = await terminal.do("tls", "show")
    on = await terminal.do("tls", "enable", "--json")
    shown = await terminal.do("tls", "show")
    assert "off" in off.output
    assert json.loads(on.output)["fingerprint"][:20] in shown.output
